package hostdev

import (
	"fmt"
	"math"
	"strings"

	"offlink/runtime/driver"
	"offlink/runtime/hostdev/internal/half"
	"offlink/runtime/hostdev/internal/imageformat"
	"offlink/spirv"
)

// Instructions of images. There is one level of detail and one sample: operands that
// choose among others are ignored.

func registerImages() {
	emitters.register(func() map[spirv.Opcode]func(*builder, *spirv.Instruction) {
		return map[spirv.Opcode]func(*builder, *spirv.Instruction){
			spirv.OpSampledImage:           (*builder).emitSampledImage,
			spirv.OpImage:                  (*builder).emitImageOf,
			spirv.OpImageSampleExplicitLod: (*builder).emitImageSample,
			spirv.OpImageSampleImplicitLod: (*builder).emitImageSample,
			spirv.OpImageRead:              (*builder).emitImageRead,
			spirv.OpImageFetch:             (*builder).emitImageRead,
			spirv.OpImageWrite:             (*builder).emitImageWrite,
			spirv.OpImageQuerySize:         (*builder).emitImageSize,
			spirv.OpImageQuerySizeLod:      (*builder).emitImageSize,
			spirv.OpImageQueryFormat: imageQuery(func(m *imageformat.Image) uint64 {
				return uint64(m.Desc.Format.Type - driver.SnormInt8)
			}),
			spirv.OpImageQueryOrder: imageQuery(func(m *imageformat.Image) uint64 {
				return uint64(m.Desc.Format.Order - driver.OrderR)
			}),
			spirv.OpImageQueryLevels:  imageQuery(func(*imageformat.Image) uint64 { return 1 }),
			spirv.OpImageQuerySamples: imageQuery(func(*imageformat.Image) uint64 { return 1 }),
		}
	})
	lowerers.register(func() map[spirv.Opcode]func(*lowering, *spirv.Instruction) {
		return map[spirv.Opcode]func(*lowering, *spirv.Instruction){
			spirv.OpSampledImage: func(l *lowering, in *spirv.Instruction) {
				l.define(in, append(l.arg(in, 0).words[:1:1], l.arg(in, 1).words...))
			},
			spirv.OpImage: func(l *lowering, in *spirv.Instruction) { l.define(in, l.arg(in, 0).words[:1]) },
		}
	})
}

// accessesImage tells whether an instruction reads or writes texels. Such an instruction
// stays in its place, as other work-items may write to the image.
func accessesImage(op spirv.Opcode) bool {
	name := op.String()
	return strings.HasPrefix(name, "OpImage") && !strings.HasPrefix(name, "OpImageQuery")
}

// handleWidth is the bits of an image or a sampler in memory, where code that is not
// optimized keeps them.
const handleWidth = 64

// The numbers of Dim in SPIR-V.
const (
	dim1D     = 0
	dim2D     = 1
	dim3D     = 2
	dimBuffer = 5
)

// defineImage takes the images of OpenCL C. Those of several samples, and types of
// Vulkan, stay unsupported.
func (t *typeTable) defineImage(own *typ, ops []uint32) error {
	shape := imageShape{dimension: ops[1], depth: ops[2] == 1, arrayed: ops[3] == 1}
	if imageKinds.Get()[shape] != 0 && ops[4] == 0 {
		own.setScalar(kindImage, handleWidth)
		own.shape = shape
	}
	return nil
}

func (t *typeTable) defineSampler(own *typ, _ []uint32) error {
	own.setScalar(kindSampler, handleWidth)
	return nil
}

// defineSampledImage has the words of the image and of the sampler. There is no such
// value in memory.
func (t *typeTable) defineSampledImage(own *typ, ops []uint32) error {
	image, err := t.get(spirv.ID(ops[0]))
	if err != nil {
		return err
	}
	if image.kind == kindImage {
		own.kind, own.elem, own.size, own.align, own.words = kindSampledImage, image, 16, 8, 2
	}
	return nil
}

// samplerConstant is a sampler of the program: mode, normalized, filter.
func (p *program) samplerConstant(in *spirv.Instruction, t *typ) (*constant, error) {
	ops := in.Operands()
	if t.kind != kindSampler || ops[0] > samplerMirroredRepeat {
		return nil, fmt.Errorf("it is not a sampler of OpenCL")
	}
	s := driver.Sampler{Normalized: ops[1] != 0, Linear: ops[2] != 0, Addressing: driver.AddressNone + driver.AddressingMode(ops[0])}
	return &constant{words: []uint64{samplerWord(s)}}, nil
}

const samplerMirroredRepeat = uint32(driver.AddressMirroredRepeat - driver.AddressNone)

// imageArg is operand i, an image.
func (b *builder) imageArg(in *spirv.Instruction, i int) value {
	v := b.arg(in, i)
	b.require(v.t.kind == kindImage, "the operand is not an image that the embedded device implements")
	return v
}

func (b *builder) emitSampledImage(in *spirv.Instruction) {
	image, sampler := b.imageArg(in, 0), b.arg(in, 1)
	to := b.defineResult(in)
	b.require(sampler.t.kind == kindSampler && to.t.kind == kindSampledImage, "the operands are not an image and a sampler")
	b.gatherWords(to, []int32{image.at, sampler.at})
}

func (b *builder) emitImageOf(in *spirv.Instruction) {
	v := b.arg(in, 0)
	b.require(v.t.kind == kindSampledImage && b.result(in).kind == kindImage, "the operand is not a sampled image")
	b.aliasResult(in, value{v.at, v.t.elem})
}

// texelAccess is an instruction that reads or writes texels.
type texelAccess struct {
	floats bool  // the coordinates are
	given  int   // coordinates
	words  int64 // of the texel: four, or one of a depth image
	width  int   // of each
	kind   kind
}

// accessTexel checks the operands. The texel is the result, or the operand to write.
func (b *builder) accessTexel(image *typ, coordinates, texel *typ) *texelAccess {
	c, s := coordinates.scalar(), texel.scalar()
	a := &texelAccess{floats: c.kind == kindFloat, given: int(coordinates.words), words: texel.words, kind: s.kind, width: s.width}
	b.require(a.given >= image.coordinates() && coordinates.words <= 4 && c.width == 32 && (a.floats || c.kind == kindInt),
		"the coordinates of type %s are not those of the image", b.typeName(coordinates))
	b.require((texel.words == 4 || texel.words == 1) && (s.kind == kindFloat && s.width <= 32 || s.kind == kindInt && s.width == 32),
		"texels of type %s", b.typeName(texel))
	return a
}

// coordinates is how many an access to the image needs.
func (t *typ) coordinates() int {
	n := map[uint32]int{dim1D: 1, dim2D: 2, dim3D: 3, dimBuffer: 1}[t.shape.dimension]
	if t.shape.arrayed {
		n++
	}
	return n
}

// imageOperandsTaken are the image operands that do not matter here: level of
// detail, gradient, the sample, extension of signs and caching.
const imageOperandsTaken = 0x2 | 0x4 | 0x40 | 0x1000 | 0x2000 | 0x4000

func (b *builder) checkImageOperands(words []uint32) {
	if len(words) > 0 {
		b.require(words[0]&^uint32(imageOperandsTaken) == 0, "the embedded device does not implement the image operands %#x", words[0])
	}
}

func (b *builder) emitImageSample(in *spirv.Instruction) {
	image, at, to := b.arg(in, 0), b.arg(in, 1), b.defineResult(in)
	b.require(image.t.kind == kindSampledImage, "the operand is not a sampled image")
	b.checkImageOperands(in.Operands()[2:])
	b.emit(inst{step: stepImageSample, dst: to.at, a: image.at, b: at.at, ext: b.accessTexel(image.t.elem, at.t, to.t)})
}

func (b *builder) emitImageRead(in *spirv.Instruction) {
	image, at, to := b.imageArg(in, 0), b.arg(in, 1), b.defineResult(in)
	b.require(at.t.is(kindInt), "the coordinates are not integers")
	b.checkImageOperands(in.Operands()[2:])
	b.emit(inst{step: stepImageRead, dst: to.at, a: image.at, b: at.at, ext: b.accessTexel(image.t, at.t, to.t)})
}

func (b *builder) emitImageWrite(in *spirv.Instruction) {
	image, at, texel := b.value(spirv.ID(in.Words[0])), b.value(spirv.ID(in.Words[1])), b.value(spirv.ID(in.Words[2]))
	b.require(image.t.kind == kindImage && at.t.is(kindInt), "the operands are not an image and integer coordinates")
	b.checkImageOperands(in.Words[3:])
	b.emit(inst{step: stepImageWrite, a: image.at, b: at.at, c: texel.at, ext: b.accessTexel(image.t, at.t, texel.t)})
}

// imageAt is the image that a word stands for: the number of an image argument, plus one.
func (it *item) imageAt(word uint64) *imageformat.Image {
	images := it.group.launch.images
	if word == 0 || word > uint64(len(images)) {
		it.failf("access to an image that is not an argument of the kernel")
		return nil
	}
	m := images[word-1]
	// The word is an index, not an address: memory that was closed can be told
	// from that which is there.
	if m.memory.freed.Load() {
		it.failf("access to an image that was closed, or whose buffer was")
		return nil
	}
	return m.image
}

// integers are the coordinates of a read or a write. There are four words for
// three dimensions; the last is ignored.
func (a *texelAccess) integers(words []uint64) (at [3]int) {
	for i := range min(a.given, len(at)) {
		at[i] = int(int32(words[i]))
	}
	return at
}

// putTexel writes as many components of the color as the result has. The colors of float
// formats are rounded where the result is of halves.
func (a *texelAccess) putTexel(words []uint64, t imageformat.Texel, class imageformat.Class) {
	for i := range a.words {
		v := uint64(t[i])
		if a.kind == kindFloat && a.width == 16 && class == imageformat.ClassFloat {
			v = uint64(half.FromFloat(math.Float32frombits(t[i]), half.Even))
		}
		words[i] = v & mask(a.width)
	}
}

// takeTexel reads the color to write. A depth image has one channel.
func (a *texelAccess) takeTexel(words []uint64) (t imageformat.Texel) {
	for i := range a.words {
		t[i] = uint32(words[i])
		if a.kind == kindFloat && a.width == 16 {
			t[i] = math.Float32bits(half.ToFloat(uint16(words[i])))
		}
	}
	return t
}

// stepImageSample takes integer coordinates too: those are not filtered, and not
// normalized.
func stepImageSample(it *item, in *inst) status {
	m := it.imageAt(it.s[in.a])
	if m == nil {
		return faulted
	}
	a, s := in.ext.(*texelAccess), samplerOf(it.s[in.a+1])
	var t imageformat.Texel
	if a.floats {
		var at [3]float32
		for i := range min(a.given, len(at)) {
			at[i] = float32of(it.s[int(in.b)+i])
		}
		t = m.Sample(s, at)
	} else {
		t = m.SampleAt(s.Addressing, a.integers(it.s[in.b:]))
	}
	a.putTexel(it.s[in.dst:], t, m.Class)
	return running
}

// stepImageRead reads without a sampler. Coordinates outside the image, whose color
// OpenCL leaves open, read the border; checked mode reports them.
func stepImageRead(it *item, in *inst) status {
	m := it.imageAt(it.s[in.a])
	if m == nil {
		return faulted
	}
	a := in.ext.(*texelAccess)
	at := a.integers(it.s[in.b:])
	t, inside := m.Read(a.within(m, at))
	if !inside {
		it.reportOutside("read", m, at)
	}
	a.putTexel(it.s[in.dst:], t, m.Class)
	return running
}

// stepImageWrite writes nothing at coordinates outside the image.
func stepImageWrite(it *item, in *inst) status {
	m := it.imageAt(it.s[in.a])
	if m == nil {
		return faulted
	}
	a := in.ext.(*texelAccess)
	at := a.integers(it.s[in.b:])
	if !m.Write(a.within(m, at), a.takeTexel(it.s[in.c:])) {
		it.reportOutside("write", m, at)
	}
	return running
}

// within drops the coordinates that the image does not have: a vector of four may
// hold anything in those.
func (a *texelAccess) within(m *imageformat.Image, at [3]int) [3]int {
	for i := m.Coordinates(); i < len(at); i++ {
		at[i] = 0
	}
	return at
}

func (it *item) reportOutside(what string, m *imageformat.Image, at [3]int) {
	if it.check == nil {
		return
	}
	if c := it.check.c; !c.known(OutOfBounds, it) {
		c.report(it, &Finding{Kind: OutOfBounds, Memory: "an image", Message: fmt.Sprintf(
			"%s at %v of an image of %d by %d by %d texels", what, at[:m.Coordinates()], m.Extent(0), m.Extent(1), m.Extent(2))})
	}
}

// emitImageSize compiles the queries of the sizes: of each dimension, then the number of
// layers of an array.
func (b *builder) emitImageSize(in *spirv.Instruction) {
	image, to := b.imageArg(in, 0), b.defineLanes(in, kindInt, 0)
	b.require(to.t.words == int64(image.t.coordinates()), "the image has %d sizes", image.t.coordinates())
	b.emit(inst{step: stepImageSize, dst: to.at, a: image.at, n: int32(to.t.words), imm: mask(to.t.scalar().width)})
}

func stepImageSize(it *item, in *inst) status {
	m := it.imageAt(it.s[in.a])
	if m == nil {
		return faulted
	}
	for i := range int(in.n) {
		it.s[int(in.dst)+i] = uint64(m.Extent(i)) & in.imm
	}
	return running
}

func imageQuery(answer func(*imageformat.Image) uint64) func(*builder, *spirv.Instruction) {
	step := func(it *item, in *inst) status {
		m := it.imageAt(it.s[in.a])
		if m == nil {
			return faulted
		}
		it.s[in.dst] = answer(m) & in.imm
		return running
	}
	return func(b *builder, in *spirv.Instruction) {
		image, to := b.imageArg(in, 0), b.defineLanes(in, kindInt, 0)
		b.require(to.t.words == 1, "the result is not an integer")
		b.emit(inst{step: step, dst: to.at, a: image.at, imm: mask(to.t.width)})
	}
}

package hostdev

import (
	"math"

	"offlink/spirv"
)

// Loads and stores of vectors and halves, shuffles, and geometry.

func registerStdMemory() {
	stdEmitters.register(func() map[string]func(*builder, *spirv.Instruction) {
		return map[string]func(*builder, *spirv.Instruction){
			"vloadn":          emitVectorLoad(false, false),
			"vload_half":      emitVectorLoad(true, false),
			"vload_halfn":     emitVectorLoad(true, false),
			"vloada_halfn":    emitVectorLoad(true, true),
			"vstoren":         emitVectorStore(false, false),
			"vstore_half":     emitVectorStore(true, false),
			"vstore_half_r":   emitVectorStore(true, false),
			"vstore_halfn":    emitVectorStore(true, false),
			"vstore_halfn_r":  emitVectorStore(true, false),
			"vstorea_halfn":   emitVectorStore(true, true),
			"vstorea_halfn_r": emitVectorStore(true, true),
			"shuffle":         (*builder).emitStdShuffle,
			"shuffle2":        (*builder).emitStdShuffle2,
			// A hint, without effect on results.
			"prefetch":       func(*builder, *spirv.Instruction) {},
			"printf":         (*builder).emitPrintf,
			"cross":          (*builder).emitCross,
			"distance":       (*builder).emitDistance,
			"length":         (*builder).emitLength,
			"normalize":      (*builder).emitNormalize,
			"fast_distance":  (*builder).emitDistance,
			"fast_length":    (*builder).emitLength,
			"fast_normalize": (*builder).emitNormalize,
		}
	})
}

// vectorAccess describes a load or store of count elements of size bytes, from
// offset times stride on.
type vectorAccess struct {
	size, stride, count int64
	convert             unary // a component of the vector, from or to memory
}

// emitVectorLoad compiles vload and its variants: an offset and a pointer.
func emitVectorLoad(half, aligned bool) func(*builder, *spirv.Instruction) {
	return func(b *builder, in *spirv.Instruction) {
		offset, p, to := b.integerOperand(b.arg(in, 0)), b.arg(in, 1), b.defineResult(in)
		b.require(offset.t.width == 64 && p.t.kind == kindPointer, "the operands are not an offset and a pointer")
		a := b.vectorAccess(to.t, half, aligned)
		if half {
			round := narrow(to.t.scalar().width, roundEven)
			a.convert = func(h uint64) uint64 { return round(float64(half32of(h))) }
		}
		b.emit(inst{step: stepVectorLoad, dst: to.at, a: p.at, b: offset.at, ext: a})
	}
}

// vectorAccess returns the layout of an access. An aligned vector of three
// halves has the stride of four.
func (b *builder) vectorAccess(t *typ, half, aligned bool) vectorAccess {
	s := t.scalar()
	b.require(s.kind == kindInt && !half || s.kind == kindFloat, "%s cannot be accessed so", b.typeName(t))
	a := vectorAccess{size: s.size, count: t.words, stride: t.words}
	if half {
		a.size = 2
	}
	if aligned && a.stride == 3 {
		a.stride = 4
	}
	a.stride *= a.size
	return a
}

// startOf returns the address of the access.
func (a *vectorAccess) startOf(it *item, in *inst) pointer {
	offset, far := scaledIndex(int64(it.s[in.b]), a.stride)
	return pointer(movePointer(pointer(it.s[in.a]), offset, far))
}

func stepVectorLoad(it *item, in *inst) status {
	a := in.ext.(vectorAccess)
	p := a.startOf(it, in)
	data := it.bytesAt(p, a.size*a.count)
	if data == nil {
		return it.badAccess("load", p, a.size*a.count)
	}
	for i := range a.count {
		v := loadWord(data[i*a.size:], a.size)
		if a.convert != nil {
			v = a.convert(v)
		}
		it.s[int64(in.dst)+i] = v
	}
	return running
}

// emitVectorStore compiles vstore and its variants: the data, an offset, a
// pointer, and for some a rounding mode.
func emitVectorStore(half, aligned bool) func(*builder, *spirv.Instruction) {
	return func(b *builder, in *spirv.Instruction) {
		v, offset, p := b.arg(in, 0), b.integerOperand(b.arg(in, 1)), b.arg(in, 2)
		b.require(offset.t.width == 64 && p.t.kind == kindPointer, "the operands are not an offset and a pointer")
		a := b.vectorAccess(v.t, half, aligned)
		if half {
			mode := roundEven
			if ops := in.Operands(); len(ops) > 3 {
				b.require(ops[3] <= uint32(roundDown), "rounding mode %d", ops[3])
				mode = rounding(ops[3])
			}
			wide := widenToDouble(v.t.scalar().width)
			a.convert = func(f uint64) uint64 { return uint64(doubleToHalf(wide(f), mode)) }
		}
		b.emit(inst{step: stepVectorStore, c: v.at, a: p.at, b: offset.at, ext: a})
	}
}

func stepVectorStore(it *item, in *inst) status {
	a := in.ext.(vectorAccess)
	p := a.startOf(it, in)
	data := it.writableBytes(p, a.size*a.count)
	if data == nil {
		return it.badStore(p, a.size*a.count)
	}
	for i := range a.count {
		v := it.s[int64(in.c)+i]
		if a.convert != nil {
			v = a.convert(v)
		}
		storeWord(data[i*a.size:], a.size, v)
	}
	return running
}

// emitStdShuffle picks components by the low bits of a mask.
func (b *builder) emitStdShuffle(in *spirv.Instruction) {
	x := b.arg(in, 0)
	b.pickComponents(in, x, x.t.words, b.arg(in, 1))
}

// emitStdShuffle2 puts the two vectors side by side, so that one mask numbers both.
func (b *builder) emitStdShuffle2(in *spirv.Instruction) {
	x, y := b.arg(in, 0), b.arg(in, 1)
	b.requireSameWords(x.t, y.t)
	both := value{b.newTemporary(2 * x.t.words), x.t}
	b.copyWords(both.at, x)
	b.copyWords(both.at+int32(x.t.words), y)
	b.pickComponents(in, both, 2*x.t.words, b.arg(in, 2))
}

func (b *builder) pickComponents(in *spirv.Instruction, from value, count int64, picks value) {
	to := b.defineResult(in)
	b.require(from.t.kind == kindVector && to.t.kind == kindVector, "the operands are not vectors")
	b.requireSameWords(from.t.elem, to.t.elem)
	b.checkLanes(kindInt, to, picks)
	// OpenCL C takes the low bits of a mask that number the components; for
	// three components that is a number up to 3, cut by stepPick.
	low := uint64(1)<<log2(2*int(count)-1) - 1
	b.emit(inst{step: stepPick, dst: to.at, a: from.at, b: picks.at, n: int32(to.t.words), imm: low, c: from.at, scale: count})
}

func stepPick(it *item, in *inst) status {
	for i := range in.n {
		at := min(it.s[in.b+i]&in.imm, uint64(in.scale-1))
		it.s[in.dst+i] = it.s[in.a+int32(at)]
	}
	return running
}

// Geometry: sums of products in the order of the components.

// emitCross gives 0 for the fourth component.
func (b *builder) emitCross(in *spirv.Instruction) {
	x, y, to := b.arg(in, 0), b.arg(in, 1), b.defineLanes(in, kindFloat, 0)
	width := b.checkLanes(kindFloat, to, x, y)
	b.requireSameWords(x.t, to.t)
	b.require(to.t.words == 3 || to.t.words == 4, "the operands are not of 3 or 4 components")
	mul, sub := floatBinary.Get()[spirv.OpFMul][floatIndex(width)], floatBinary.Get()[spirv.OpFSub][floatIndex(width)]
	b.emit(inst{step: stepCross, dst: to.at, a: x.at, b: y.at, n: int32(to.t.words), f2: mul, ext: sub})
}

func stepCross(it *item, in *inst) status {
	x, y, sub := it.s[in.a:], it.s[in.b:], in.ext.(binary2)
	var r [4]uint64
	for i := range 3 {
		j, k := (i+1)%3, (i+2)%3
		r[i] = sub(in.f2(x[j], y[k]), in.f2(x[k], y[j]))
	}
	copy(it.s[in.dst:in.dst+in.n], r[:])
	return running
}

// lengthOf is the square root of the sum of squares, computed in double so
// that it does not overflow for floats.
type lengthOf struct {
	wide   func(uint64) float64
	round  func(float64) uint64
	double bool
}

// Doubles whose squares would overflow or be lost are scaled, by a power of two, which
// changes no bits.
const (
	lengthLarge = 0x1p500
	lengthSmall = 0x1p-450
	lengthScale = 0x1p600
)

func (l lengthOf) lengthOfVector(words []uint64) float64 {
	most := 0.0
	for _, w := range words {
		if size := math.Abs(l.wide(w)); most < size {
			most = size
		}
	}
	scale := 1.0
	if l.double && most > lengthLarge {
		scale = 1 / lengthScale
	} else if l.double && most < lengthSmall {
		scale = lengthScale
	}
	sum := 0.0
	for _, w := range words {
		x := l.wide(w) * scale
		sum += float64(x * x) // a conversion keeps the product from being fused with the sum
	}
	return math.Sqrt(sum) / scale
}

func (b *builder) lengthOf(x value) lengthOf {
	b.require(x.t.is(kindFloat), "the operand is not of floats")
	width := x.t.scalar().width
	return lengthOf{widenToDouble(width), narrow(width, roundEven), width == 64}
}

func (b *builder) emitLength(in *spirv.Instruction) {
	x, to := b.arg(in, 0), b.defineResult(in)
	b.requireSameWords(x.t.scalar(), to.t)
	b.emit(inst{step: stepLength, dst: to.at, a: x.at, n: int32(x.t.words), ext: b.lengthOf(x)})
}

func stepLength(it *item, in *inst) status {
	l := in.ext.(lengthOf)
	it.s[in.dst] = l.round(l.lengthOfVector(it.s[in.a : in.a+in.n]))
	return running
}

func (b *builder) emitDistance(in *spirv.Instruction) {
	x, y, to := b.arg(in, 0), b.arg(in, 1), b.defineResult(in)
	b.requireSameWords(x.t, y.t)
	b.requireSameWords(x.t.scalar(), to.t)
	l := b.lengthOf(x)
	difference := value{b.newTemporary(x.t.words), x.t}
	b.emit2(difference, x, y, floatBinary.Get()[spirv.OpFSub][floatIndex(x.t.scalar().width)])
	b.emit(inst{step: stepLength, dst: to.at, a: difference.at, n: int32(x.t.words), ext: l})
}

func (b *builder) emitNormalize(in *spirv.Instruction) {
	x, to := b.arg(in, 0), b.defineResult(in)
	b.requireSameWords(x.t, to.t)
	b.emit(inst{step: stepNormalize, dst: to.at, a: x.at, n: int32(x.t.words), ext: b.lengthOf(x)})
}

// stepNormalize leaves a vector of length 0 as it is.
func stepNormalize(it *item, in *inst) status {
	l := in.ext.(lengthOf)
	length := l.lengthOfVector(it.s[in.a : in.a+in.n])
	for i := range in.n {
		v := l.wide(it.s[in.a+i])
		if length != 0 {
			v /= length
		}
		it.s[in.dst+i] = l.round(v)
	}
	return running
}

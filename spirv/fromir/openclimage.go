package fromir

import (
	"strings"

	"offlink/ir"
	"offlink/spirv"
)

// imageFunction returns the writer of an image function, or nil for one that is not known.
// The last two queries pass the first of OpenCL's numbers: CL_SNORM_INT8 and CL_R.
func imageFunction(name string) func(*callSite) {
	switch {
	case strings.HasPrefix(name, "read_image"):
		return (*callSite).readImage
	case strings.HasPrefix(name, "write_image"):
		return (*callSite).writeImage
	}
	switch name {
	case "get_image_width":
		return func(c *callSite) { c.imageExtent(0) }
	case "get_image_height":
		return func(c *callSite) { c.imageExtent(1) }
	case "get_image_depth":
		return func(c *callSite) { c.imageExtent(2) }
	case "get_image_dim":
		return (*callSite).imageDimension
	case "get_image_array_size":
		return func(c *callSite) { c.imageExtent(-1) }
	case "get_image_channel_data_type":
		return func(c *callSite) { c.imageQuery(spirv.OpImageQueryFormat, 0x10D0) }
	case "get_image_channel_order":
		return func(c *callSite) { c.imageQuery(spirv.OpImageQueryOrder, 0x10B0) }
	}
	return nil
}

// imageWords returns the operands of an image type, without the result: sampled type,
// dimension, depth, arrayed, multisampled, ...
func (c *callSite) imageWords(n id) []uint32 {
	e := c.b.entryOf(n)
	if e == nil || e.op != spirv.OpTypeImage {
		c.failf("an image function whose operand is not an image")
	}
	return e.words[1:]
}

// coordinateCount returns how many coordinates a point of an image has, with the index into
// an array of images.
func coordinateCount(words []uint32) int {
	n := map[uint32]int{0: 1, 1: 2, 2: 3, 5: 1}[words[1]]
	if words[3] == 1 {
		n++
	}
	return n
}

// signedMask returns the image operand that says whether texels are signed: SignExtend or
// ZeroExtend, which SPIR-V has from 1.4 on, or 0.
func (c *callSite) signedMask() uint32 {
	if c.options.Version < spirv.Version1_4 {
		return 0
	}
	switch name := c.builtin.name; {
	case strings.HasSuffix(name, "ui"):
		c.needVersion(spirv.Version1_4)
		return 0x2000
	case strings.HasSuffix(name, "i"):
		c.needVersion(spirv.Version1_4)
		return 0x1000
	}
	return 0
}

// readImage writes read_image, with a sampler or without. The image operands are Lod (2),
// which is 0 if the function has none, Grad (4), and for multisampled images Sample (64).
func (c *callSite) readImage() {
	image := c.valueID(c.operand(0))
	typ := c.typeOf(c.operand(0))
	words := c.imageWords(typ)
	texel := c.typ
	depth := c.readsDepth()
	if depth {
		texel = c.vectorType(c.typ, 4)
	}
	mask := c.signedMask()
	var n id
	if len(c.operands) > 2 && c.isSampler(1) {
		sampled := c.b.typeEntry(spirv.OpTypeSampledImage, []uint32{typ}, typ)
		both := c.emitResult(spirv.OpSampledImage, sampled, image, c.valueID(c.operand(1)))
		operands := []uint32{both, c.valueID(c.operand(2)), 2 | mask}
		if len(c.operands) > 4 {
			operands[2] = 4 | mask
			operands = append(operands, c.valueID(c.operand(3)), c.valueID(c.operand(4)))
		} else if len(c.operands) > 3 {
			operands = append(operands, c.valueID(c.operand(3)))
		} else {
			operands = append(operands, c.b.constantEntry(spirv.OpConstant, c.floatType(32), []uint32{0}))
		}
		n = c.emitResult(spirv.OpImageSampleExplicitLod, texel, operands...)
	} else {
		operands := []uint32{image, c.valueID(c.operand(1))}
		if words[4] == 1 && len(c.operands) > 2 {
			operands = append(operands, 64|mask, c.valueID(c.operand(2)))
		} else if mask != 0 {
			operands = append(operands, mask)
		}
		n = c.emitResult(spirv.OpImageRead, texel, operands...)
	}
	if depth {
		n = c.emitResult(spirv.OpCompositeExtract, c.typ, n, 0)
	}
	c.finishCall(n)
}

// readsDepth reports whether a read returns a depth and not a texel of four numbers. It
// refuses a call that returns neither.
func (c *callSite) readsDepth() bool {
	number, length := c.numberShape(c.in.Type)
	depth := c.function.moduleType(c.in.Type).Kind != ir.TypeVector
	if number == nil || number.Bits < 16 || number.Bits > 32 || !depth && length != 4 || depth && number.Kind != ir.TypeFloat {
		c.failf("the result is not that of an image: four numbers, or the depth")
	}
	return depth
}

// isSampler reports whether an argument is a sampler.
func (c *callSite) isSampler(i int) bool {
	e := c.b.entryOf(c.typeOf(c.operand(i)))
	return e != nil && e.op == spirv.OpTypeSampler
}

// writeImage writes write_image, whose third argument of four is a level of detail.
func (c *callSite) writeImage() {
	image := c.valueID(c.operand(0))
	mask := c.signedMask()
	last := len(c.operands) - 1
	operands := []uint32{image, c.valueID(c.operand(1)), c.valueID(c.operand(last))}
	if last == 3 {
		operands = append(operands, 2|mask, c.valueID(c.operand(2)))
	} else if mask != 0 {
		operands = append(operands, mask)
	}
	c.emitPlain(spirv.OpImageWrite, operands...)
}

// imageSize writes the query of an image's size and returns it, with its number of
// components. Buffers and multisampled images have no levels of detail.
func (c *callSite) imageSize(bits uint32) (n id, count int) {
	typ := c.typeOf(c.operand(0))
	words := c.imageWords(typ)
	count = coordinateCount(words)
	result := c.intType(bits)
	if count > 1 {
		result = c.vectorType(result, uint32(count))
	}
	image := c.valueID(c.operand(0))
	if words[1] == 5 || words[4] == 1 {
		return c.emitResult(spirv.OpImageQuerySize, result, image), count
	}
	return c.emitResult(spirv.OpImageQuerySizeLod, result, image, c.constWord(0)), count
}

// imageExtent writes the query of component at of an image's size. -1 is the last, which is
// the size of an array; its function returns a size_t.
func (c *callSite) imageExtent(at int) {
	bits := uint32(32)
	if at < 0 {
		bits = c.scalarBits(c.in.Type)
	}
	if typ := c.function.moduleType(c.in.Type); typ.Kind != ir.TypeInteger || typ.Bits != bits {
		c.failf("the result is not an integer of %d bits", bits)
	}
	size, count := c.imageSize(bits)
	if at < 0 {
		at = count - 1
	}
	if count > 1 {
		size = c.emitResult(spirv.OpCompositeExtract, c.intType(bits), size, uint32(at))
	}
	c.finishCall(size)
}

// imageDimension writes get_image_dim: two numbers, or four of which the last
// is 0.
func (c *callSite) imageDimension() {
	size, count := c.imageSize(32)
	number, length := c.numberShape(c.in.Type)
	want := int(length)
	if number == nil || number.Kind != ir.TypeInteger || number.Bits != 32 || want != 2 && want != 4 {
		c.failf("the result is neither two nor four integers of 32 bits")
	}
	if want == count {
		c.finishCall(size)
		return
	}
	parts := make([]id, want)
	for i := range parts {
		parts[i] = c.constWord(0)
		if i < count && (want == 4 && i < 3 || want == 2) {
			parts[i] = c.emitResult(spirv.OpCompositeExtract, c.intType(32), size, uint32(i))
		}
	}
	c.finishCall(c.emitResult(spirv.OpCompositeConstruct, c.typ, parts...))
}

// imageQuery writes a query of the data type or the order of channels. SPIR-V counts them
// from 0, OpenCL C from first.
func (c *callSite) imageQuery(op spirv.Opcode, first uint32) {
	n := c.emitResult(op, c.typ, c.valueID(c.operand(0)))
	c.finishCall(c.emitResult(spirv.OpIAdd, c.typ, n, c.constWord(first)))
}

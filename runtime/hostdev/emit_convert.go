package hostdev

import (
	"offlink/runtime/hostdev/internal/half"
	"offlink/spirv"
)

// Conversions.

func registerConversionEmitters() {
	emitters.register(func() map[spirv.Opcode]func(*builder, *spirv.Instruction) {
		return map[spirv.Opcode]func(*builder, *spirv.Instruction){
			spirv.OpUConvert:       intConvert(false),
			spirv.OpSConvert:       intConvert(true),
			spirv.OpSatConvertSToU: (*builder).emitSatSToU,
			spirv.OpSatConvertUToS: (*builder).emitSatUToS,
			spirv.OpConvertFToU:    floatToInt(false),
			spirv.OpConvertFToS:    floatToInt(true),
			spirv.OpConvertUToF:    intToFloat(false),
			spirv.OpConvertSToF:    intToFloat(true),
			spirv.OpFConvert:       (*builder).emitFConvert,
			spirv.OpConvertPtrToU:  (*builder).emitPtrToU,
			spirv.OpConvertUToPtr:  (*builder).emitUToPtr,
			spirv.OpBitcast:        (*builder).emitBitcast,

			spirv.OpConvertFToBF16INTEL: (*builder).emitToBF16,
			spirv.OpConvertBF16ToFINTEL: (*builder).emitFromBF16,
		}
	})
}

// isSaturated tells whether the result has the decoration SaturatedConversion.
func isSaturated(m *spirv.Module, in *spirv.Instruction) bool {
	_, ok := m.Decoration(in.Result(), spirv.DecorationSaturated)
	return ok
}

// roundingMode is the result's FPRoundingMode, or the default without one.
func (b *builder) roundingMode(in *spirv.Instruction, otherwise rounding) rounding {
	words, ok := b.m.Decoration(in.Result(), spirv.DecorationFPRoundingMode)
	if !ok {
		return otherwise
	}
	b.require(words[0] <= uint32(roundDown), "rounding mode %d", words[0])
	return rounding(words[0])
}

// checkConversion checks a conversion component by component, and returns the
// widths.
func (b *builder) checkConversion(from kind, x value, to value) (int, int) {
	return b.checkLanes(from, to, x), to.t.scalar().width
}

// intConvert keeps the low bits for a narrower result, or gives the nearest
// number if it is saturated.
func intConvert(signed bool) func(*builder, *spirv.Instruction) {
	return func(b *builder, in *spirv.Instruction) {
		x, to := b.arg(in, 0), b.defineLanes(in, kindInt, 0)
		from, width := b.checkConversion(kindInt, x, to)
		switch {
		case signed && isSaturated(b.m, in):
			b.emit1(to, x, func(a uint64) uint64 { return clampSigned(signExtend(a, from), width) })
		case signed:
			b.emit1(to, x, func(a uint64) uint64 { return uint64(signExtend(a, from)) & mask(width) })
		case isSaturated(b.m, in):
			b.emit1(to, x, func(a uint64) uint64 { return min(a, mask(width)) })
		default:
			b.emit1(to, x, func(a uint64) uint64 { return a & mask(width) })
		}
	}
}

// clampSigned is the nearest signed number of a width.
func clampSigned(v int64, width int) uint64 {
	limit := int64(mask(width) >> 1)
	return uint64(max(-limit-1, min(limit, v))) & mask(width)
}

func (b *builder) emitSatSToU(in *spirv.Instruction) {
	x, to := b.arg(in, 0), b.defineLanes(in, kindInt, 0)
	from, width := b.checkConversion(kindInt, x, to)
	b.emit1(to, x, func(a uint64) uint64 { return min(uint64(max(0, signExtend(a, from))), mask(width)) })
}

func (b *builder) emitSatUToS(in *spirv.Instruction) {
	x, to := b.arg(in, 0), b.defineLanes(in, kindInt, 0)
	_, width := b.checkConversion(kindInt, x, to)
	b.emit1(to, x, func(a uint64) uint64 { return min(a, mask(width)>>1) })
}

// widenToDouble makes a double of a float of any width, exactly.
func widenToDouble(width int) func(a uint64) float64 {
	switch width {
	case 16:
		return func(a uint64) float64 { return float64(half32of(a)) }
	case 32:
		return func(a uint64) float64 { return float64(float32of(a)) }
	}
	return float64of
}

// narrow rounds a double to a float of any width.
func narrow(width int, mode rounding) func(f float64) uint64 {
	switch width {
	case 16:
		return func(f float64) uint64 { return uint64(doubleToHalf(f, mode)) }
	case 32:
		return func(f float64) uint64 { return bits32(roundToFloat(f, mode)) }
	}
	return bits64
}

// floatToInt rounds to zero unless the result has another mode. OpenCL leaves numbers out of
// range undefined without saturation: a result of 32 or 64 bits is the nearest number then, too,
// and a narrower one is cut from a larger one, as processors do that have no conversion to it.
// Programs rely on that, as they compare with results of the host.
func floatToInt(signed bool) func(*builder, *spirv.Instruction) {
	return func(b *builder, in *spirv.Instruction) {
		to := b.result(in).scalar().width
		if cut := truncatedWidth(to); cut != to && !isSaturated(b.m, in) {
			b.emitFloatToInt(in, func(f float64, width int) uint64 { return doubleToSigned(f, cut) & mask(width) })
			return
		}
		saturateFloat(signed)(b, in)
	}
}

// saturateFloat is floatToInt to the nearest number; NaN gives 0.
func saturateFloat(signed bool) func(*builder, *spirv.Instruction) {
	convert := doubleToUnsigned
	if signed {
		convert = doubleToSigned
	}
	return func(b *builder, in *spirv.Instruction) { b.emitFloatToInt(in, convert) }
}

// emitFloatToInt converts integral numbers to integers of a width.
func (b *builder) emitFloatToInt(in *spirv.Instruction, convert func(f float64, width int) uint64) {
	x, to := b.arg(in, 0), b.defineLanes(in, kindInt, 0)
	from, width := b.checkConversion(kindFloat, x, to)
	wide, round := widenToDouble(from), integral[b.roundingMode(in, roundZero)]
	b.emit1(to, x, func(a uint64) uint64 { return convert(round(wide(a)), width) })
}

// truncatedWidth is the width of the integer that a conversion to one of a width is cut from:
// signed, if it is another one.
func truncatedWidth(width int) int {
	if width <= 32 {
		return 32
	}
	return 64
}

// intToFloat rounds once, to nearest unless the result has another mode.
func intToFloat(signed bool) func(*builder, *spirv.Instruction) {
	return func(b *builder, in *spirv.Instruction) {
		x, to := b.arg(in, 0), b.defineLanes(in, kindFloat, 0)
		from, width := b.checkConversion(kindInt, x, to)
		mode := b.roundingMode(in, roundEven)
		if signed {
			b.emit1(to, x, func(a uint64) uint64 {
				v := signExtend(a, from)
				return integerToFloat(v < 0, magnitude(v), width, mode)
			})
			return
		}
		b.emit1(to, x, func(a uint64) uint64 { return integerToFloat(false, a, width, mode) })
	}
}

func magnitude(v int64) uint64 {
	if v < 0 {
		return -uint64(v)
	}
	return uint64(v)
}

func (b *builder) emitFConvert(in *spirv.Instruction) {
	x, to := b.arg(in, 0), b.defineLanes(in, kindFloat, 0)
	from, width := b.checkConversion(kindFloat, x, to)
	wide, round := widenToDouble(from), narrow(width, b.roundingMode(in, roundEven))
	b.emit1(to, x, func(a uint64) uint64 { return round(wide(a)) })
}

func (b *builder) emitPtrToU(in *spirv.Instruction) {
	x, to := b.arg(in, 0), b.defineLanes(in, kindInt, 0)
	_, width := b.checkConversion(kindPointer, x, to)
	b.emit1(to, x, func(a uint64) uint64 { return a & mask(width) })
}

func (b *builder) emitUToPtr(in *spirv.Instruction) {
	x, to := b.arg(in, 0), b.defineLanes(in, kindPointer, 0)
	b.checkLanes(kindInt, to, x)
	b.emit1(to, x, func(a uint64) uint64 { return a })
}

// emitToBF16 keeps the upper half of a float, rounded to nearest.
func (b *builder) emitToBF16(in *spirv.Instruction) {
	x, to := b.arg(in, 0), b.defineLanes(in, kindInt, 16)
	b.require(b.checkLanes(kindFloat, to, x) == 32, "the operand is not a float of 32 bits")
	b.emit1(to, x, func(a uint64) uint64 {
		if f := float32of(a); f != f {
			return a>>16 | 0x40 // a NaN stays one
		}
		return half.RoundShift(a, 16, roundEven, false)
	})
}

func (b *builder) emitFromBF16(in *spirv.Instruction) {
	x, to := b.arg(in, 0), b.defineLanes(in, kindFloat, 32)
	b.require(b.checkLanes(kindInt, to, x) == 16, "the operand is not an integer of 16 bits")
	b.emit1(to, x, func(a uint64) uint64 { return a << 16 })
}

// emitBitcast keeps the words if the components have equal widths. Others are
// extracted from the bits, of which the first component has the lowest.
func (b *builder) emitBitcast(in *spirv.Instruction) {
	x, t := b.arg(in, 0), b.result(in)
	from, to := x.t.scalar(), t.scalar()
	b.require(isNumeric(from) && isNumeric(to) && int64(from.bits())*x.t.words == int64(to.bits())*t.words,
		"%s and %s do not have the same bits", b.typeName(x.t), b.typeName(t))
	if from.bits() == to.bits() {
		b.aliasResult(in, value{x.at, t})
		return
	}
	b.emit(inst{
		step: stepRecut, dst: b.defineResult(in).at, a: x.at, n: int32(x.t.words),
		ext: recut{from.bits(), to.bits(), int32(t.words)},
	})
}

// isNumeric tells whether OpBitcast accepts a type. SPIR-V does not allow
// booleans, but translators write them for LLVM's i1.
func isNumeric(t *typ) bool {
	return t.kind == kindInt || t.kind == kindFloat || t.kind == kindPointer || t.kind == kindBool
}

// recut holds the widths in bits of components before and after an OpBitcast,
// and their number afterwards.
type recut struct {
	from, to int
	count    int32
}

func stepRecut(it *item, in *inst) status {
	r := in.ext.(recut)
	var words [maxComponents]uint64
	for i, v := range it.s[in.a : in.a+in.n] {
		putBits(words[:], i*r.from, v)
	}
	for i := range r.count {
		it.s[in.dst+i] = getBits(words[:], int(i)*r.to) & mask(r.to)
	}
	return running
}

// putBits sets bits that are 0, from bit number at on.
func putBits(words []uint64, at int, v uint64) {
	i, shift := at/64, at%64
	words[i] |= v << shift
	if high := v >> 1 >> (63 - shift); high != 0 {
		words[i+1] |= high
	}
}

// getBits reads 64 bits from bit number at on; bits after the end are 0.
func getBits(words []uint64, at int) uint64 {
	i, shift := at/64, at%64
	v := words[i] >> shift
	if i+1 < len(words) {
		v |= words[i+1] << 1 << (63 - shift)
	}
	return v
}

package emitc

import (
	"fmt"
	"math"
	"strings"

	"offlink/lazy"
	"offlink/runtime/hostdev/internal/lanes"
)

// resultText is the value of an instruction; each tells that it is that of lane
// l.
func (e *emitter) resultText(in *lanes.Inst) (v string, each bool) {
	switch in.Op {
	case lanes.OpConst:
		return constantText(in.Type, in.Imm), false
	case lanes.OpCopy:
		return fmt.Sprintf("r%d", in.Args[0]), false
	case lanes.OpLoad:
		return e.loadText(in), false
	case lanes.OpSplat:
		return initializerText(in.Type, func(int) string { return e.laneValue(in.Type.Kind, in.Args[0]) }), false
	case lanes.OpEvery2:
		return e.loadEvery2(in), false
	case lanes.OpBuild:
		return initializerText(in.Type, func(l int) string { return e.laneValue(in.Type.Kind, in.Args[l]) }), false
	case lanes.OpIota:
		return initializerText(in.Type, func(l int) string { return fmt.Sprintf("%du", uint32(in.Imm)*uint32(l)) }), false
	case lanes.OpExtract:
		if in.Type.Kind == lanes.Bool { // 0 or -1 as a lane
			return fmt.Sprintf("r%d[%d] & 1", in.Args[0], in.Imm), false
		}
		return fmt.Sprintf("r%d[%d]", in.Args[0], in.Imm), false
	case lanes.OpAny:
		return fmt.Sprintf("bits(r%d) != 0", in.Args[0]), false
	case lanes.OpAll:
		return fmt.Sprintf("bits(r%d) == ALL", in.Args[0]), false
	case lanes.OpBits:
		return fmt.Sprintf("bits(r%d)", in.Args[0]), false
	}
	if in.Type.Lanes > 1 {
		return e.vectorText(in)
	}
	return e.scalarText(in), false
}

// loadEvery2 picks the lanes of two vectors; the second one ends with the last lane.
func (e *emitter) loadEvery2(in *lanes.Inst) string {
	n := in.Type.Lanes
	var picks []string
	for l := range n {
		pick := 2 * l
		if l >= n/2 {
			pick++
		}
		picks = append(picks, fmt.Sprint(pick))
	}
	t := typeName(in.Type)
	return fmt.Sprintf("__builtin_shufflevector(LOAD(%s, r%d, %d), LOAD(%s, r%d, %d), %s)", t, in.Args[0], in.Off,
		t, in.Args[0], in.Off+uint32(4*(n-1)), strings.Join(picks, ", "))
}

// initializerText is a vector of one text a lane.
func initializerText(t lanes.Type, lane func(l int) string) string {
	var parts []string
	for l := range t.Lanes {
		parts = append(parts, lane(l))
	}
	return fmt.Sprintf("(%s){%s}", typeName(t), strings.Join(parts, ", "))
}

// constantText spells a constant so that the compiler reads back the same bits:
// floats in hexadecimal, NaN (whose payload counts) and infinities by their bits.
func constantText(t lanes.Type, bits uint64) string {
	s := ""
	switch t.Kind {
	case lanes.I64:
		s = fmt.Sprintf("%#xu", bits)
	case lanes.F32:
		s = fmt.Sprintf("f32_of(%#xu)", uint32(bits))
		if f := math.Float32frombits(uint32(bits)); f == f && !math.IsInf(float64(f), 0) {
			s = fmt.Sprintf("%xf", f)
		}
	case lanes.F64:
		s = fmt.Sprintf("f64_of(%#xu)", bits)
		if f := math.Float64frombits(bits); f == f && !math.IsInf(f, 0) {
			s = fmt.Sprintf("%x", f)
		}
	case lanes.Bool:
		s = fmt.Sprint(bits)
		if t.Lanes > 1 {
			s = fmt.Sprint(-int64(bits))
		}
	default:
		s = fmt.Sprintf("%du", uint32(bits))
	}
	if t.Lanes == 1 {
		return s
	}
	return initializerText(t, func(int) string { return s })
}

// infix are the operators of C; those of signed numbers are apart.
var infix = lazy.Map[lanes.Op, string]{New: func() map[lanes.Op]string {
	return map[lanes.Op]string{
		lanes.OpAdd: "+", lanes.OpSub: "-", lanes.OpMul: "*", lanes.OpAnd: "&", lanes.OpOr: "|", lanes.OpXor: "^",
		lanes.OpFAdd: "+", lanes.OpFSub: "-", lanes.OpFMul: "*", lanes.OpFDiv: "/",
	}
}}

var comparisons = lazy.Map[lanes.Op, string]{New: func() map[lanes.Op]string {
	return map[lanes.Op]string{
		lanes.OpEq: "==", lanes.OpNe: "!=", lanes.OpULt: "<", lanes.OpULe: "<=", lanes.OpSLt: "<", lanes.OpSLe: "<=",
		lanes.OpFLt: "<", lanes.OpFLe: "<=",
	}
}}

func isSigned(op lanes.Op) bool { return op == lanes.OpSLt || op == lanes.OpSLe || op == lanes.OpAShr }

// functions are those of one lane, whose names end in the width.
var functions = lazy.Map[lanes.Op, string]{New: func() map[lanes.Op]string {
	return map[lanes.Op]string{
		lanes.OpUDiv: "udiv", lanes.OpSDiv: "sdiv", lanes.OpURem: "urem", lanes.OpSRem: "srem",
		lanes.OpClz: "clz", lanes.OpCtz: "ctz", lanes.OpFMin: "fmin", lanes.OpFMax: "fmax",
	}
}}

// roundings are functions of the compiler; those of floats end in f.
var roundings = lazy.Map[lanes.Op, string]{New: func() map[lanes.Op]string {
	return map[lanes.Op]string{
		lanes.OpFSqrt: "sqrt", lanes.OpFCeil: "ceil", lanes.OpFFloor: "floor", lanes.OpFTrunc: "trunc",
		lanes.OpFNearest: "rint", lanes.OpFAbs: "fabs",
	}
}}

// scalarText is the value of operands that are scalars.
func (e *emitter) scalarText(in *lanes.Inst) string {
	args := make([]string, len(in.Args))
	for i, a := range in.Args {
		args[i] = fmt.Sprintf("r%d", a)
	}
	return e.oneLane(in, args)
}

// oneLane is the operation on scalars. Shifts are by the amount modulo the width, as
// in WebAssembly; without the mask C would leave them undefined, and a compiler
// drops the mask again where the machine does the same.
func (e *emitter) oneLane(in *lanes.Inst, args []string) string {
	from := lanes.Void
	if len(in.Args) > 0 {
		from = e.kindOf(in.Args[0])
	}
	bits := 8 * kindSize(from)
	switch op := in.Op; {
	case infix.Get()[op] != "":
		return fmt.Sprintf("%s %s %s", args[0], infix.Get()[op], args[1])
	case comparisons.Get()[op] != "" && isSigned(op):
		return fmt.Sprintf("(int%d_t)%s %s (int%d_t)%s", bits, args[0], comparisons.Get()[op], bits, args[1])
	case comparisons.Get()[op] != "":
		return fmt.Sprintf("%s %s %s", args[0], comparisons.Get()[op], args[1])
	case op == lanes.OpShl:
		return fmt.Sprintf("%s << (%s & %d)", args[0], args[1], bits-1)
	case op == lanes.OpLShr:
		return fmt.Sprintf("%s >> (%s & %d)", args[0], args[1], bits-1)
	case op == lanes.OpAShr:
		return fmt.Sprintf("(i%d)((int%d_t)%s >> (%s & %d))", bits, bits, args[0], args[1], bits-1)
	case functions.Get()[op] != "":
		return fmt.Sprintf("%s%d(%s)", functions.Get()[op], bits, strings.Join(args, ", "))
	case roundings.Get()[op] != "" && from == lanes.F32:
		return fmt.Sprintf("__builtin_%sf(%s)", roundings.Get()[op], args[0])
	case roundings.Get()[op] != "":
		return fmt.Sprintf("__builtin_%s(%s)", roundings.Get()[op], args[0])
	case op == lanes.OpSelect:
		return fmt.Sprintf("%s ? %s : %s", args[0], args[1], args[2])
	case op == lanes.OpPair:
		return fmt.Sprintf("%s | (i64)%s << 32", args[0], args[1])
	}
	return e.conversionText(in, args[0], from, bits)
}

// conversionText is a conversion of a scalar, empty for an instruction that is not
// one. The steps of casts say which bits are extended with a sign.
func (e *emitter) conversionText(in *lanes.Inst, x string, from lanes.Kind, bits int) string {
	to := in.Type.Kind
	switch in.Op {
	case lanes.OpPopcnt:
		return fmt.Sprintf("(i%d)__builtin_popcountll(%s)", bits, x)
	case lanes.OpSExt8:
		return fmt.Sprintf("(i%d)(int%d_t)(int8_t)%s", bits, bits, x)
	case lanes.OpSExt16:
		return fmt.Sprintf("(i%d)(int%d_t)(int16_t)%s", bits, bits, x)
	case lanes.OpFNeg:
		return "-" + x
	case lanes.OpZExt, lanes.OpWrap, lanes.OpFWiden, lanes.OpFNarrow, lanes.OpUToF:
		return fmt.Sprintf("(%s)%s", scalarNames.Get()[to], x)
	case lanes.OpHigh:
		return fmt.Sprintf("(i32)(%s >> 32)", x)
	case lanes.OpSExt:
		return fmt.Sprintf("(i64)(int64_t)(int32_t)%s", x)
	case lanes.OpSToF:
		return fmt.Sprintf("(%s)(int%d_t)%s", scalarNames.Get()[to], bits, x)
	case lanes.OpFToS:
		return fmt.Sprintf("s%d_of_%s(%s)", 8*kindSize(to), scalarNames.Get()[from], x)
	case lanes.OpFToU:
		return fmt.Sprintf("u%d_of_%s(%s)", 8*kindSize(to), scalarNames.Get()[from], x)
	case lanes.OpBool:
		return x + " != 0"
	case lanes.OpInt:
		return x
	case lanes.OpCast:
		return castBits(x, from, to)
	}
	return ""
}

// castBits reads the bits of one kind as another one.
func castBits(x string, from, to lanes.Kind) string {
	switch {
	case from == to:
		return x
	case to == lanes.F32 || to == lanes.F64:
		return fmt.Sprintf("%s_of(%s)", scalarNames.Get()[to], x)
	}
	return fmt.Sprintf("bits_of_%s(%s)", scalarNames.Get()[from], x)
}

// vectorText is the operation on vectors: of the whole vector where the compilers'
// vector extension has it, else lane by lane (each). Comparisons give 0 or -1 in
// lanes as wide as the operands, which flagv keeps in 32 bits.
func (e *emitter) vectorText(in *lanes.Inst) (v string, each bool) {
	from := e.kindOf(in.Args[0])
	wide := from.Wide()
	arg := func(i int) string { return fmt.Sprintf("r%d", in.Args[i]) }
	signed := "s32v"
	if wide {
		signed = "s64v"
	}
	to := typeName(in.Type)
	switch op := in.Op; {
	case infix.Get()[op] != "":
		return fmt.Sprintf("%s %s %s", arg(0), infix.Get()[op], arg(1)), false
	case comparisons.Get()[op] != "":
		x, y := arg(0), arg(1)
		if isSigned(op) {
			x, y = fmt.Sprintf("(%s)%s", signed, x), fmt.Sprintf("(%s)%s", signed, y)
		}
		is := fmt.Sprintf("%s %s %s", x, comparisons.Get()[op], y)
		if wide {
			return fmt.Sprintf("narrow((s64v)(%s))", is), false
		}
		return fmt.Sprintf("(flagv)(%s)", is), false
	case op == lanes.OpShl && e.code.Regs[in.Args[1]].Lanes == 1:
		return fmt.Sprintf("%s << (int)(%s & %d)", arg(0), arg(1), 8*kindSize(from)-1), false
	case op == lanes.OpLShr && e.code.Regs[in.Args[1]].Lanes == 1:
		return fmt.Sprintf("%s >> (int)(%s & %d)", arg(0), arg(1), 8*kindSize(from)-1), false
	case op == lanes.OpAShr && e.code.Regs[in.Args[1]].Lanes == 1:
		return fmt.Sprintf("(%s)((%s)%s >> (int)(%s & %d))", to, signed, arg(0), arg(1), 8*kindSize(from)-1), false
	case op == lanes.OpPair:
		return fmt.Sprintf("(i64v)__builtin_shufflevector(%s, %s, %s)", arg(0), arg(1), alternatePicks(in.Type.Lanes)), false
	case op == lanes.OpHigh:
		return pickWords(arg(0), in.Type.Lanes, 1), false
	case op == lanes.OpWrap:
		return pickWords(arg(0), in.Type.Lanes, 0), false
	case op == lanes.OpSelect:
		return fmt.Sprintf("(%s)select%d(%s, (i%dv)%s, (i%dv)%s)", to, 8*kindSize(in.Type.Kind), arg(0), 8*kindSize(in.Type.Kind), arg(1),
			8*kindSize(in.Type.Kind), arg(2)), false
	}
	if v := e.vectorConversion(in, arg(0), from); v != "" {
		return v, false
	}
	args := make([]string, len(in.Args))
	for i, a := range in.Args {
		args[i] = fmt.Sprintf("r%d", a)
		if e.code.Regs[a].Lanes > 1 {
			args[i] += "[l]"
		}
	}
	return e.oneLane(in, args), true
}

// vectorConversion is a conversion of whole vectors, empty if it goes lane by
// lane.
func (e *emitter) vectorConversion(in *lanes.Inst, x string, from lanes.Kind) string {
	to := typeName(in.Type)
	switch in.Op {
	case lanes.OpCast:
		return fmt.Sprintf("(%s)%s", to, x)
	case lanes.OpFNeg:
		return "-" + x
	case lanes.OpZExt, lanes.OpWrap, lanes.OpFWiden, lanes.OpFNarrow, lanes.OpUToF:
		return fmt.Sprintf("CONVERT(%s, %s)", x, to)
	case lanes.OpSExt:
		return fmt.Sprintf("(i64v)CONVERT((s32v)%s, s64v)", x)
	case lanes.OpSToF:
		return fmt.Sprintf("CONVERT((s%dv)%s, %s)", 8*kindSize(from), x, to)
	case lanes.OpBool:
		return fmt.Sprintf("(flagv)(%s != 0)", x)
	case lanes.OpInt:
		return fmt.Sprintf("(i32v)%s & 1", x)
	}
	return ""
}

// alternatePicks picks a lane of the first vector, that of the second one, and so on: the
// low and the high halves of numbers of 64 bits, which lie in this order in memory.
func alternatePicks(width int) string {
	var picks []string
	for l := range width {
		picks = append(picks, fmt.Sprint(l), fmt.Sprint(width+l))
	}
	return strings.Join(picks, ", ")
}

// pickWords picks the low (0) or the high (1) halves of numbers of 64 bits.
func pickWords(x string, width, half int) string {
	var picks []string
	for l := range width {
		picks = append(picks, fmt.Sprint(2*l+half))
	}
	return fmt.Sprintf("__builtin_shufflevector((i32w)%s, (i32w)%s, %s)", x, x, strings.Join(picks, ", "))
}

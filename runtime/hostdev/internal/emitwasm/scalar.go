package emitwasm

import (
	"offlink/lazy"
	"offlink/runtime/hostdev/internal/lanes"
)

// Operations on scalars.

// The instructions by the kind of the operands.
var (
	codesI32 = lazy.Map[lanes.Op, byte]{New: func() map[lanes.Op]byte {
		return map[lanes.Op]byte{
			lanes.OpAdd: 0x6a, lanes.OpSub: 0x6b, lanes.OpMul: 0x6c, lanes.OpAnd: 0x71, lanes.OpOr: 0x72, lanes.OpXor: 0x73,
			lanes.OpShl: 0x74, lanes.OpAShr: 0x75, lanes.OpLShr: 0x76,
			lanes.OpClz: 0x67, lanes.OpCtz: 0x68, lanes.OpPopcnt: 0x69, lanes.OpSExt8: 0xc0, lanes.OpSExt16: 0xc1,
			lanes.OpEq: 0x46, lanes.OpNe: 0x47, lanes.OpSLt: 0x48, lanes.OpULt: 0x49, lanes.OpSLe: 0x4c, lanes.OpULe: 0x4d,
		}
	}}
	codesI64 = lazy.Map[lanes.Op, byte]{New: func() map[lanes.Op]byte {
		return map[lanes.Op]byte{
			lanes.OpAdd: 0x7c, lanes.OpSub: 0x7d, lanes.OpMul: 0x7e, lanes.OpAnd: 0x83, lanes.OpOr: 0x84, lanes.OpXor: 0x85,
			lanes.OpShl: 0x86, lanes.OpAShr: 0x87, lanes.OpLShr: 0x88,
			lanes.OpClz: 0x79, lanes.OpCtz: 0x7a, lanes.OpPopcnt: 0x7b, lanes.OpSExt8: 0xc2, lanes.OpSExt16: 0xc3,
			lanes.OpEq: 0x51, lanes.OpNe: 0x52, lanes.OpSLt: 0x53, lanes.OpULt: 0x54, lanes.OpSLe: 0x57, lanes.OpULe: 0x58,
		}
	}}
	codesF32 = lazy.Map[lanes.Op, byte]{New: func() map[lanes.Op]byte {
		return map[lanes.Op]byte{
			lanes.OpFAdd: 0x92, lanes.OpFSub: 0x93, lanes.OpFMul: 0x94, lanes.OpFDiv: 0x95, lanes.OpFMin: 0x96, lanes.OpFMax: 0x97,
			lanes.OpFAbs: 0x8b, lanes.OpFNeg: 0x8c, lanes.OpFCeil: 0x8d, lanes.OpFFloor: 0x8e, lanes.OpFTrunc: 0x8f,
			lanes.OpFNearest: 0x90, lanes.OpFSqrt: 0x91,
			lanes.OpEq: 0x5b, lanes.OpNe: 0x5c, lanes.OpFLt: 0x5d, lanes.OpFLe: 0x5f,
		}
	}}
	codesF64 = lazy.Map[lanes.Op, byte]{New: func() map[lanes.Op]byte {
		return map[lanes.Op]byte{
			lanes.OpFAdd: 0xa0, lanes.OpFSub: 0xa1, lanes.OpFMul: 0xa2, lanes.OpFDiv: 0xa3, lanes.OpFMin: 0xa4, lanes.OpFMax: 0xa5,
			lanes.OpFAbs: 0x99, lanes.OpFNeg: 0x9a, lanes.OpFCeil: 0x9b, lanes.OpFFloor: 0x9c, lanes.OpFTrunc: 0x9d,
			lanes.OpFNearest: 0x9e, lanes.OpFSqrt: 0x9f,
			lanes.OpEq: 0x61, lanes.OpNe: 0x62, lanes.OpFLt: 0x63, lanes.OpFLe: 0x65,
		}
	}}
)

func codesOf(k lanes.Kind) map[lanes.Op]byte {
	switch k {
	case lanes.I64:
		return codesI64.Get()
	case lanes.F32:
		return codesF32.Get()
	case lanes.F64:
		return codesF64.Get()
	}
	return codesI32.Get()
}

// conversion is a change of kind. Those to integers saturate, as the others trap
// where a number is out of range.
type conversion struct {
	op       lanes.Op
	from, to lanes.Kind
}

var conversions = lazy.Map[conversion, []byte]{New: func() map[conversion][]byte {
	return map[conversion][]byte{
		{lanes.OpZExt, lanes.I32, lanes.I64}:    {0xad},
		{lanes.OpSExt, lanes.I32, lanes.I64}:    {0xac},
		{lanes.OpWrap, lanes.I64, lanes.I32}:    {0xa7},
		{lanes.OpSToF, lanes.I32, lanes.F32}:    {0xb2},
		{lanes.OpUToF, lanes.I32, lanes.F32}:    {0xb3},
		{lanes.OpSToF, lanes.I64, lanes.F32}:    {0xb4},
		{lanes.OpUToF, lanes.I64, lanes.F32}:    {0xb5},
		{lanes.OpFNarrow, lanes.F64, lanes.F32}: {0xb6},
		{lanes.OpSToF, lanes.I32, lanes.F64}:    {0xb7},
		{lanes.OpUToF, lanes.I32, lanes.F64}:    {0xb8},
		{lanes.OpSToF, lanes.I64, lanes.F64}:    {0xb9},
		{lanes.OpUToF, lanes.I64, lanes.F64}:    {0xba},
		{lanes.OpFWiden, lanes.F32, lanes.F64}:  {0xbb},
		{lanes.OpCast, lanes.F32, lanes.I32}:    {0xbc},
		{lanes.OpCast, lanes.F64, lanes.I64}:    {0xbd},
		{lanes.OpCast, lanes.I32, lanes.F32}:    {0xbe},
		{lanes.OpCast, lanes.I64, lanes.F64}:    {0xbf},
		{lanes.OpFToS, lanes.F32, lanes.I32}:    {0xfc, 0},
		{lanes.OpFToU, lanes.F32, lanes.I32}:    {0xfc, 1},
		{lanes.OpFToS, lanes.F64, lanes.I32}:    {0xfc, 2},
		{lanes.OpFToU, lanes.F64, lanes.I32}:    {0xfc, 3},
		{lanes.OpFToS, lanes.F32, lanes.I64}:    {0xfc, 4},
		{lanes.OpFToU, lanes.F32, lanes.I64}:    {0xfc, 5},
		{lanes.OpFToS, lanes.F64, lanes.I64}:    {0xfc, 6},
		{lanes.OpFToU, lanes.F64, lanes.I64}:    {0xfc, 7},
		{lanes.OpInt, lanes.Bool, lanes.I32}:    {},
		{lanes.OpBool, lanes.I32, lanes.Bool}:   {0x45, 0x45}, // i32.eqz twice
		{lanes.OpCast, lanes.I32, lanes.I32}:    {},
		{lanes.OpCast, lanes.I64, lanes.I64}:    {},
		{lanes.OpCast, lanes.F32, lanes.F32}:    {},
		{lanes.OpCast, lanes.F64, lanes.F64}:    {},
	}
}}

// emitScalar emits an operation on scalars. An operation without an instruction is a
// fault of package lanes, not of the input.
func (e *emitter) emitScalar(in *lanes.Inst) {
	k := e.kindOf(in.Args[0])
	switch in.Op {
	case lanes.OpUDiv, lanes.OpSDiv, lanes.OpURem, lanes.OpSRem:
		e.emitDivide(in)
		return
	case lanes.OpSelect:
		e.emitSelect(in)
		return
	case lanes.OpHigh, lanes.OpPair:
		e.emitHalves(in)
		return
	case lanes.OpULt, lanes.OpULe, lanes.OpSLt, lanes.OpSLe:
		e.emitOrder(in)
		return
	}
	for _, a := range in.Args {
		e.pushReg(a, 0)
	}
	if bytes, ok := conversions.Get()[conversion{in.Op, k, in.Type.Kind}]; ok {
		e.appendBytes(bytes...)
	} else {
		code, ok := codesOf(k)[in.Op]
		if !ok {
			panic("emitwasm: no instruction for " + in.String())
		}
		e.appendBytes(code)
	}
	e.popReg(in.Dst, 0)
}

// emitHalves takes the high half of a number, or puts two halves together.
func (e *emitter) emitHalves(in *lanes.Inst) {
	if in.Op == lanes.OpHigh {
		e.pushReg(in.Args[0], 0)
		e.pushI64(32)
		e.appendBytes(opI64ShrU, opI32WrapI64)
	} else {
		e.pushReg(in.Args[0], 0)
		e.appendBytes(opI64ExtendU)
		e.pushReg(in.Args[1], 0)
		e.appendBytes(opI64ExtendU)
		e.pushI64(32)
		e.appendBytes(opI64Shl, opI64Or)
	}
	e.popReg(in.Dst, 0)
}

// divisions are div_s, div_u, rem_s, rem_u.
var divisions = lazy.Map[lanes.Op, [2]byte]{New: func() map[lanes.Op][2]byte {
	return map[lanes.Op][2]byte{
		lanes.OpSDiv: {0x6d, 0x7f}, lanes.OpUDiv: {0x6e, 0x80}, lanes.OpSRem: {0x6f, 0x81}, lanes.OpURem: {0x70, 0x82},
	}
}}

// emitSelect emits a choice between two values. Floats are chosen by their bits: where
// registers are short, wazero 1.12 may lose the second operand of a select of floats or
// vectors, as its conditional move on amd64 (xmmCMov) is not said to read its target.
func (e *emitter) emitSelect(in *lanes.Inst) {
	k, bits := in.Type.Kind, lanes.I32
	if k.Wide() {
		bits = lanes.I64
	}
	e.pushReg(in.Args[1], 0)
	e.appendBytes(conversions.Get()[conversion{lanes.OpCast, k, bits}]...)
	e.pushReg(in.Args[2], 0)
	e.appendBytes(conversions.Get()[conversion{lanes.OpCast, k, bits}]...)
	e.pushReg(in.Args[0], 0)
	e.appendBytes(opSelect)
	e.appendBytes(conversions.Get()[conversion{lanes.OpCast, bits, k}]...)
	e.popReg(in.Dst, 0)
}

// emitDivide gives a result for every divisor: WebAssembly traps at 0, and at the least
// number divided by -1. The division is always made, by 1 in the place of such a divisor,
// and a select takes the special result instead.
func (e *emitter) emitDivide(in *lanes.Inst) {
	code := divisions.Get()[in.Op][0]
	wide := in.Type.Kind == lanes.I64
	if wide {
		code = divisions.Get()[in.Op][1]
	}
	if n, ok := e.consts[in.Args[1]]; ok && n != 0 && n != ^uint64(0) && n != 0xffffffff {
		e.pushReg(in.Args[0], 0)
		e.pushReg(in.Args[1], 0)
		e.appendBytes(code)
		e.popReg(in.Dst, 0)
		return
	}
	signed := in.Op == lanes.OpSDiv || in.Op == lanes.OpSRem
	e.whenSpecial(in, signed, wide)
	e.pushReg(in.Args[0], 0)
	e.pushConst(in.Type.Kind, 1)
	e.pushReg(in.Args[1], 0)
	e.testDivisor(in, signed, wide)
	e.appendBytes(opSelect, code)
	e.testDivisor(in, signed, wide)
	e.appendBytes(opSelect)
	e.popReg(in.Dst, 0)
}

// testDivisor pushes whether the divisor is 0, or -1 where that counts: of b + 1, taken
// without a sign, both are below 2.
func (e *emitter) testDivisor(in *lanes.Inst, signed, wide bool) {
	k := codesOf(in.Type.Kind)
	e.pushReg(in.Args[1], 0)
	if !signed {
		e.appendBytes(map[bool]byte{false: opI32Eqz, true: opI64Eqz}[wide])
		return
	}
	e.pushConst(in.Type.Kind, 1)
	e.appendBytes(k[lanes.OpAdd])
	e.pushConst(in.Type.Kind, 2)
	e.appendBytes(k[lanes.OpULt])
}

// whenSpecial pushes the result for such a divisor b: of a division by 0 and
// -1, -a & b; of a remainder, a & ^b.
func (e *emitter) whenSpecial(in *lanes.Inst, signed, wide bool) {
	k := codesOf(in.Type.Kind)
	switch in.Op {
	case lanes.OpSDiv:
		e.pushConst(in.Type.Kind, 0)
		e.pushReg(in.Args[0], 0)
		e.appendBytes(k[lanes.OpSub])
		e.pushReg(in.Args[1], 0)
		e.appendBytes(k[lanes.OpAnd])
	case lanes.OpSRem:
		e.pushReg(in.Args[0], 0)
		e.pushReg(in.Args[1], 0)
		e.pushConst(in.Type.Kind, ^uint64(0))
		e.appendBytes(k[lanes.OpXor], k[lanes.OpAnd])
	case lanes.OpUDiv:
		e.pushConst(in.Type.Kind, 0)
	default:
		e.pushReg(in.Args[0], 0)
	}
}

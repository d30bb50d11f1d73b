package emitwasm

import (
	"offlink/runtime/hostdev/internal/lanes"
	"offlink/runtime/hostdev/internal/wasm"
)

// Operations on vectors, a v128 at a time.

var (
	vectorI32 = map[lanes.Op]uint32{
		lanes.OpAdd: 0xae, lanes.OpSub: 0xb1, lanes.OpMul: 0xb5, lanes.OpAnd: 0x4e, lanes.OpOr: 0x50, lanes.OpXor: 0x51,
		lanes.OpShl: 0xab, lanes.OpAShr: 0xac, lanes.OpLShr: 0xad,
		lanes.OpEq: 0x37, lanes.OpNe: 0x38, lanes.OpSLt: 0x39, lanes.OpULt: 0x3a, lanes.OpSLe: 0x3d, lanes.OpULe: 0x3e,
	}
	vectorI64 = map[lanes.Op]uint32{
		lanes.OpAdd: 0xce, lanes.OpSub: 0xd1, lanes.OpMul: 0xd5, lanes.OpAnd: 0x4e, lanes.OpOr: 0x50, lanes.OpXor: 0x51,
		lanes.OpShl: 0xcb, lanes.OpAShr: 0xcc, lanes.OpLShr: 0xcd,
		lanes.OpEq: 0xd6, lanes.OpNe: 0xd7, lanes.OpSLt: 0xd8, lanes.OpULt: 0xd8, lanes.OpSLe: 0xda, lanes.OpULe: 0xda,
	}
	vectorF32 = map[lanes.Op]uint32{
		lanes.OpFAdd: 0xe4, lanes.OpFSub: 0xe5, lanes.OpFMul: 0xe6, lanes.OpFDiv: 0xe7, lanes.OpFMin: 0xe8, lanes.OpFMax: 0xe9,
		lanes.OpFAbs: 0xe0, lanes.OpFNeg: 0xe1, lanes.OpFSqrt: 0xe3, lanes.OpFCeil: 0x67, lanes.OpFFloor: 0x68,
		lanes.OpFTrunc: 0x69, lanes.OpFNearest: 0x6a,
		lanes.OpEq: 0x41, lanes.OpNe: 0x42, lanes.OpFLt: 0x43, lanes.OpFLe: 0x45,
	}
	vectorF64 = map[lanes.Op]uint32{
		lanes.OpFAdd: 0xf0, lanes.OpFSub: 0xf1, lanes.OpFMul: 0xf2, lanes.OpFDiv: 0xf3, lanes.OpFMin: 0xf4, lanes.OpFMax: 0xf5,
		lanes.OpFAbs: 0xec, lanes.OpFNeg: 0xed, lanes.OpFSqrt: 0xef, lanes.OpFCeil: 0x74, lanes.OpFFloor: 0x75,
		lanes.OpFTrunc: 0x7a, lanes.OpFNearest: 0x94,
		lanes.OpEq: 0x47, lanes.OpNe: 0x48, lanes.OpFLt: 0x49, lanes.OpFLe: 0x4b,
	}
)

func vectorCodes(k lanes.Kind) map[lanes.Op]uint32 {
	switch k {
	case lanes.I64:
		return vectorI64
	case lanes.F32:
		return vectorF32
	case lanes.F64:
		return vectorF64
	}
	return vectorI32
}

func (e *emitter) vector(in *lanes.Inst) {
	switch in.Op {
	case lanes.OpSplat:
		e.splat(in)
	case lanes.OpIota:
		e.iota(in)
	case lanes.OpInsert:
		e.insert(in)
	case lanes.OpSelect:
		e.selectLanes(in)
	case lanes.OpSExt8, lanes.OpSExt16:
		e.signExtend(in)
	case lanes.OpInt, lanes.OpBool:
		e.boolInt(in)
	case lanes.OpZExt, lanes.OpSExt, lanes.OpWrap, lanes.OpSToF, lanes.OpUToF, lanes.OpFToS, lanes.OpFToU,
		lanes.OpFWiden, lanes.OpFNarrow, lanes.OpCast:
		e.convert(in)
	default:
		e.lanewise(in)
	}
}

// lanewise emits operations that have an instruction.
func (e *emitter) lanewise(in *lanes.Inst) {
	k := e.kind(in.Args[0])
	code, ok := vectorCodes(k)[in.Op]
	if !ok {
		panic("emitwasm: no instruction for " + in.String())
	}
	t := lanes.Type{Kind: k, Lanes: in.Type.Lanes}
	compared := k.Wide() && in.Type.Kind == lanes.Bool
	for p := range parts(t) {
		for i, a := range in.Args {
			e.operand(in, i, a, p)
			if k == lanes.I64 && (in.Op == lanes.OpULt || in.Op == lanes.OpULe) {
				e.vectorConst(lanes.I64, 1<<63)
				e.simd(0x51)
			}
		}
		if in.Op == lanes.OpSLe && k == lanes.I64 || in.Op == lanes.OpULe && k == lanes.I64 {
			code = 0xda // i64x2.le_s
		}
		e.simd(code)
		if compared {
			e.setLocal(e.scratch(wasm.V128, p))
		} else {
			e.set(in.Dst, p)
		}
	}
	if compared {
		e.narrowScratch(in.Dst)
	}
}

// operand pushes a part of an operand; the amount of a shift is a scalar.
func (e *emitter) operand(in *lanes.Inst, i int, a lanes.Reg, p int) {
	if e.code.Regs[a].Lanes > 1 {
		e.get(a, p)
		return
	}
	e.get(a, 0)
	if e.kind(a) == lanes.I64 {
		e.byte(0xa7)
	}
}

// narrowScratch makes parts of 32 bits of a lane of the low halves of the
// parts of 64 bits in the scratch locals.
func (e *emitter) narrowScratch(dst lanes.Reg) {
	for p := range e.locals[dst] {
		e.getLocal(e.scratch(wasm.V128, 2*p))
		e.getLocal(e.scratch(wasm.V128, 2*p+1))
		e.shuffle(0, 2, 4, 6)
		e.set(dst, p)
	}
}

// shuffle picks four words of 32 bits of two vectors.
func (e *emitter) shuffle(words ...byte) {
	e.simd(0x0d)
	for _, w := range words {
		e.byte(4*w, 4*w+1, 4*w+2, 4*w+3)
	}
}

func (e *emitter) splat(in *lanes.Inst) {
	for p := range parts(in.Type) {
		if in.Type.Kind == lanes.Bool {
			e.i32(0)
			e.get(in.Args[0], 0)
			e.byte(0x6b)
		} else {
			e.get(in.Args[0], 0)
		}
		e.simd(map[lanes.Kind]uint32{lanes.Bool: 0x11, lanes.I32: 0x11, lanes.I64: 0x12, lanes.F32: 0x13, lanes.F64: 0x14}[in.Type.Kind])
		e.set(in.Dst, p)
	}
}

func (e *emitter) iota(in *lanes.Inst) {
	step := uint32(in.Imm)
	for p := range parts(in.Type) {
		e.simd(0x0c)
		for l := range 4 {
			e.body = wasm.AppendFloat32(e.body, step*uint32(4*p+l))
		}
		e.set(in.Dst, p)
	}
}

// place is the part and the lane in it of a lane.
func place(t lanes.Type, lane uint64) (part int, at byte) {
	if t.Kind.Wide() {
		return int(lane / 2), byte(lane % 2)
	}
	return int(lane / 4), byte(lane % 4)
}

func (e *emitter) insert(in *lanes.Inst) {
	part, at := place(in.Type, in.Imm)
	for p := range parts(in.Type) {
		if p != part && in.Args[0] == in.Dst {
			continue
		}
		e.get(in.Args[0], p)
		if p == part {
			if in.Type.Kind == lanes.Bool {
				e.i32(0)
				e.get(in.Args[1], 0)
				e.byte(0x6b)
			} else {
				e.get(in.Args[1], 0)
			}
			e.simd(map[lanes.Kind]uint32{lanes.Bool: 0x1c, lanes.I32: 0x1c, lanes.I64: 0x1e, lanes.F32: 0x20, lanes.F64: 0x22}[in.Type.Kind])
			e.byte(at)
		}
		e.set(in.Dst, p)
	}
}

// fromVector emits operations that make a scalar of a vector.
func (e *emitter) fromVector(in *lanes.Inst) {
	a := in.Args[0]
	t := e.code.Regs[a]
	switch in.Op {
	case lanes.OpExtract:
		part, at := place(t, in.Imm)
		e.get(a, part)
		e.simd(map[lanes.Kind]uint32{lanes.Bool: 0x1b, lanes.I32: 0x1b, lanes.I64: 0x1d, lanes.F32: 0x1f, lanes.F64: 0x21}[t.Kind])
		e.byte(at)
		if t.Kind == lanes.Bool {
			e.i32(1)
			e.byte(0x71)
		}
	case lanes.OpAny:
		e.combineParts(a, t, 0x50)
		e.simd(0x53)
	case lanes.OpAll:
		e.combineParts(a, t, 0x4e)
		e.simd(0xa3)
	case lanes.OpBits:
		for p := range parts(t) {
			e.get(a, p)
			e.simd(0xa4)
			if p > 0 {
				e.i32(int32(4 * p))
				e.byte(0x74, 0x72)
			}
		}
	}
	e.set(in.Dst, 0)
}

func (e *emitter) combineParts(a lanes.Reg, t lanes.Type, op uint32) {
	for p := range parts(t) {
		e.get(a, p)
		if p > 0 {
			e.simd(op)
		}
	}
}

// selectLanes: a mask has 32 bits a lane.
func (e *emitter) selectLanes(in *lanes.Inst) {
	for p := range parts(in.Type) {
		e.get(in.Args[1], p)
		e.get(in.Args[2], p)
		if in.Type.Kind.Wide() {
			e.get(in.Args[0], p/2)
			e.simd(0xc7 + uint32(p%2)) // i64x2.extend_low_i32x4_s, high
		} else {
			e.get(in.Args[0], p)
		}
		e.simd(0x52)
		e.set(in.Dst, p)
	}
}

func (e *emitter) signExtend(in *lanes.Inst) {
	shift := int32(16)
	if in.Op == lanes.OpSExt8 {
		shift = 24
	}
	left, right := uint32(0xab), uint32(0xac)
	if in.Type.Kind == lanes.I64 {
		left, right, shift = 0xcb, 0xcc, shift+32
	}
	for p := range parts(in.Type) {
		e.get(in.Args[0], p)
		e.i32(shift)
		e.simd(left)
		e.i32(shift)
		e.simd(right)
		e.set(in.Dst, p)
	}
}

func (e *emitter) boolInt(in *lanes.Inst) {
	for p := range parts(in.Type) {
		e.get(in.Args[0], p)
		if in.Op == lanes.OpInt {
			e.vectorConst(lanes.I32, 1)
			e.simd(0x4e)
		} else {
			e.vectorConst(lanes.I32, 0)
			e.simd(0x38)
		}
		e.set(in.Dst, p)
	}
}

// convert changes the kind. Where the width changes, two parts of 64 bits go
// with one of 32.
func (e *emitter) convert(in *lanes.Inst) {
	from, to := e.kind(in.Args[0]), in.Type.Kind
	switch {
	case in.Op == lanes.OpCast:
		for p := range parts(in.Type) {
			e.get(in.Args[0], p)
			e.set(in.Dst, p)
		}
	case from.Wide() == to.Wide():
		for p := range parts(in.Type) {
			e.get(in.Args[0], p)
			e.simd(map[lanes.Op]uint32{lanes.OpFToS: 0xf8, lanes.OpFToU: 0xf9, lanes.OpSToF: 0xfa, lanes.OpUToF: 0xfb}[in.Op])
			e.set(in.Dst, p)
		}
	case to.Wide():
		e.widen(in)
	default:
		e.narrow(in)
	}
}

func (e *emitter) widen(in *lanes.Inst) {
	for p := range parts(in.Type) {
		e.get(in.Args[0], p/2)
		switch in.Op {
		case lanes.OpSExt:
			e.simd(0xc7 + uint32(p%2))
		case lanes.OpZExt:
			e.simd(0xc9 + uint32(p%2))
		default:
			if p%2 == 1 {
				e.get(in.Args[0], p/2)
				e.shuffle(2, 3, 2, 3)
			}
			e.simd(map[lanes.Op]uint32{lanes.OpFWiden: 0x5f, lanes.OpSToF: 0xfe, lanes.OpUToF: 0xff}[in.Op])
		}
		e.set(in.Dst, p)
	}
}

func (e *emitter) narrow(in *lanes.Inst) {
	code := map[lanes.Op]uint32{lanes.OpFNarrow: 0x5e, lanes.OpFToS: 0xfc, lanes.OpFToU: 0xfd}[in.Op]
	for p := range parts(in.Type) {
		for half := range 2 {
			e.get(in.Args[0], 2*p+half)
			if in.Op != lanes.OpWrap {
				e.simd(code) // the low half of the result
			}
		}
		if in.Op == lanes.OpWrap {
			e.shuffle(0, 2, 4, 6)
		} else {
			e.shuffle(0, 1, 4, 5)
		}
		e.set(in.Dst, p)
	}
}

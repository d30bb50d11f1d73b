package emitwasm

import (
	"offlink/lazy"
	"offlink/runtime/hostdev/internal/lanes"
	"offlink/runtime/hostdev/internal/wasm"
)

// Operations on vectors, a v128 at a time.

// The instructions by the kind of the operands. Unsigned comparisons of 64 bits are
// those of signed numbers whose highest bits emitLanewise flips, as SIMD128 has no
// others.
var (
	vectorI32 = lazy.Map[lanes.Op, uint32]{New: func() map[lanes.Op]uint32 {
		return map[lanes.Op]uint32{
			lanes.OpAdd: 0xae, lanes.OpSub: 0xb1, lanes.OpMul: 0xb5, lanes.OpAnd: 0x4e, lanes.OpOr: 0x50, lanes.OpXor: 0x51,
			lanes.OpShl: 0xab, lanes.OpAShr: 0xac, lanes.OpLShr: 0xad,
			lanes.OpEq: 0x37, lanes.OpNe: 0x38, lanes.OpSLt: 0x39, lanes.OpULt: 0x3a, lanes.OpSLe: 0x3d, lanes.OpULe: 0x3e,
		}
	}}
	vectorI64 = lazy.Map[lanes.Op, uint32]{New: func() map[lanes.Op]uint32 {
		return map[lanes.Op]uint32{
			lanes.OpAdd: 0xce, lanes.OpSub: 0xd1, lanes.OpAnd: 0x4e, lanes.OpOr: 0x50, lanes.OpXor: 0x51,
			lanes.OpShl: 0xcb, lanes.OpAShr: 0xcc, lanes.OpLShr: 0xcd,
			lanes.OpEq: 0xd6, lanes.OpNe: 0xd7, lanes.OpSLt: 0xd8, lanes.OpULt: 0xd8, lanes.OpSLe: 0xda, lanes.OpULe: 0xda,
		}
	}}
	vectorF32 = lazy.Map[lanes.Op, uint32]{New: func() map[lanes.Op]uint32 {
		return map[lanes.Op]uint32{
			lanes.OpFAdd: 0xe4, lanes.OpFSub: 0xe5, lanes.OpFMul: 0xe6, lanes.OpFDiv: 0xe7,
			lanes.OpFSqrt: 0xe3, lanes.OpFCeil: 0x67, lanes.OpFFloor: 0x68,
			lanes.OpFTrunc: 0x69, lanes.OpFNearest: 0x6a,
			lanes.OpEq: 0x41, lanes.OpNe: 0x42, lanes.OpFLt: 0x43, lanes.OpFLe: 0x45,
		}
	}}
	vectorF64 = lazy.Map[lanes.Op, uint32]{New: func() map[lanes.Op]uint32 {
		return map[lanes.Op]uint32{
			lanes.OpFAdd: 0xf0, lanes.OpFSub: 0xf1, lanes.OpFMul: 0xf2, lanes.OpFDiv: 0xf3,
			lanes.OpFSqrt: 0xef, lanes.OpFCeil: 0x74, lanes.OpFFloor: 0x75,
			lanes.OpFTrunc: 0x7a, lanes.OpFNearest: 0x94,
			lanes.OpEq: 0x47, lanes.OpNe: 0x48, lanes.OpFLt: 0x49, lanes.OpFLe: 0x4b,
		}
	}}
)

func vectorCodes(k lanes.Kind) map[lanes.Op]uint32 {
	switch k {
	case lanes.I64:
		return vectorI64.Get()
	case lanes.F32:
		return vectorF32.Get()
	case lanes.F64:
		return vectorF64.Get()
	}
	return vectorI32.Get()
}

func (e *emitter) emitVector(in *lanes.Inst) {
	switch in.Op {
	case lanes.OpSplat:
		e.emitSplat(in)
	case lanes.OpIota:
		e.emitIota(in)
	case lanes.OpEvery2:
		e.loadEvery2(in)
	case lanes.OpBuild:
		e.buildLanes(in)
	case lanes.OpInsert:
		e.insertLane(in)
	case lanes.OpSelect:
		e.selectLanes(in)
	case lanes.OpSExt8, lanes.OpSExt16:
		e.signExtend(in)
	case lanes.OpInt, lanes.OpBool:
		e.boolInt(in)
	case lanes.OpPair:
		e.pairWords(in)
	case lanes.OpZExt, lanes.OpSExt, lanes.OpWrap, lanes.OpHigh, lanes.OpSToF, lanes.OpUToF, lanes.OpFToS, lanes.OpFToU,
		lanes.OpFWiden, lanes.OpFNarrow, lanes.OpCast:
		e.convertKind(in)
	default:
		e.emitOperation(in)
	}
}

// emitOperation emits an operation on each lane.
func (e *emitter) emitOperation(in *lanes.Inst) {
	switch {
	case in.Op == lanes.OpMul && in.Type.Kind == lanes.I64:
		e.multiplyWide(in)
	case in.Op == lanes.OpFMin || in.Op == lanes.OpFMax:
		e.emitExtreme(in)
	case in.Op == lanes.OpFAbs || in.Op == lanes.OpFNeg:
		e.changeSigns(in)
	default:
		e.emitLanewise(in)
	}
}

// multiplyWide multiplies 64-bit lanes one by one. For i64x2.mul wazero 1.12 makes ten
// instructions that change their registers in place; where one of these is spilled in
// between, the value from before the change comes back, and the product is an operand.
func (e *emitter) multiplyWide(in *lanes.Inst) {
	product := func(p int, lane byte) {
		for _, r := range in.Args[:2] {
			e.pushReg(r, p)
			e.simdOp(simdI64Extract)
			e.appendBytes(lane)
		}
		e.appendBytes(opI64Mul)
	}
	for p := range partCount(in.Type) {
		product(p, 0)
		e.simdOp(splatCodes.Get()[lanes.I64])
		product(p, 1)
		e.simdOp(replaceCodes.Get()[lanes.I64])
		e.appendBytes(1)
		e.popReg(in.Dst, p)
	}
}

// emitExtreme makes the least of two floats of both results of pmin, which prefers its first
// operand where neither is less: the union of their bits is -0 of two zeros, and NaN where one is.
// The greatest is the least of the operands with their signs turned. In the sequences that wazero
// 1.12 makes for min and max an operand may be loaded after a change, as for bitselect
// (selectLanes).
func (e *emitter) emitExtreme(in *lanes.Inst) {
	least, bits, sign := uint32(simdF32PMin), lanes.I32, uint64(1<<31)
	if in.Type.Kind.Wide() {
		least, bits, sign = simdF64PMin, lanes.I64, 1<<63
	}
	turn := func() {
		if in.Op == lanes.OpFMax {
			e.vectorConst(bits, sign)
			e.simdOp(simdXor)
		}
	}
	for p := range partCount(in.Type) {
		for _, order := range [][2]int{{0, 1}, {1, 0}} {
			for _, i := range order {
				e.pushReg(in.Args[i], p)
				turn()
			}
			e.simdOp(least)
		}
		e.simdOp(simdOr)
		turn()
		e.popReg(in.Dst, p)
	}
}

// changeSigns clears or turns the sign bits of floats. For abs and neg wazero 1.12 makes the mask
// in a register that it changes in place, before the operand is loaded.
func (e *emitter) changeSigns(in *lanes.Inst) {
	bits, mask, op := lanes.I32, uint64(1<<31), uint32(simdXor)
	if in.Type.Kind.Wide() {
		bits, mask = lanes.I64, 1<<63
	}
	if in.Op == lanes.OpFAbs {
		mask, op = mask-1, simdAnd
	}
	for p := range partCount(in.Type) {
		e.pushReg(in.Args[0], p)
		e.vectorConst(bits, mask)
		e.simdOp(op)
		e.popReg(in.Dst, p)
	}
}

// emitLanewise emits operations that have an instruction. SIMD128 compares numbers of 64
// bits only with signs, so unsigned ones have their highest bits flipped first; the masks
// of 64 bits a lane that come out are narrowed to the 32 that masks have here.
func (e *emitter) emitLanewise(in *lanes.Inst) {
	k := e.kindOf(in.Args[0])
	code, ok := vectorCodes(k)[in.Op]
	if !ok {
		panic("emitwasm: no instruction for " + in.String())
	}
	if n, ok := e.consts[in.Args[len(in.Args)-1]]; ok && in.Op == lanes.OpShl && 0 < n && n < 4 {
		e.shiftByAdding(in, int(n), vectorCodes(k)[lanes.OpAdd])
		return
	}
	t := lanes.Type{Kind: k, Lanes: in.Type.Lanes}
	compared := k.Wide() && in.Type.Kind == lanes.Bool
	for p := range partCount(t) {
		for i, a := range in.Args {
			e.pushOperand(in, i, a, p)
			if k == lanes.I64 && (in.Op == lanes.OpULt || in.Op == lanes.OpULe) {
				e.vectorConst(lanes.I64, 1<<63)
				e.simdOp(simdXor)
			}
		}
		if in.Op == lanes.OpSLe && k == lanes.I64 || in.Op == lanes.OpULe && k == lanes.I64 {
			code = simdI64LeS
		}
		e.simdOp(code)
		if compared {
			e.setLocal(e.scratchLocal(wasm.V128, p))
		} else {
			e.popReg(in.Dst, p)
		}
	}
	if compared {
		e.narrowScratch(in.Dst)
	}
}

// shiftByAdding doubles a vector n times. wazero makes six instructions of a
// shift, as its amount could be any number.
func (e *emitter) shiftByAdding(in *lanes.Inst, n int, add uint32) {
	for p := range partCount(in.Type) {
		from := in.Args[0]
		for range n {
			e.pushReg(from, p)
			e.pushReg(from, p)
			e.simdOp(add)
			e.popReg(in.Dst, p)
			from = in.Dst
		}
	}
}

// pushOperand pushes a part of an operand. The amount of a shift is a scalar of 32 bits,
// whatever the lanes have.
func (e *emitter) pushOperand(in *lanes.Inst, i int, a lanes.Reg, p int) {
	if e.code.Regs[a].Lanes > 1 {
		e.pushReg(a, p)
		return
	}
	e.pushReg(a, 0)
	if e.kindOf(a) == lanes.I64 {
		e.appendBytes(opI32WrapI64)
	}
}

// narrowScratch makes parts of 32 bits of a lane of the low halves of the
// parts of 64 bits in the scratch locals.
func (e *emitter) narrowScratch(dst lanes.Reg) {
	for p := range e.locals[dst] {
		e.getLocal(e.scratchLocal(wasm.V128, 2*p))
		e.getLocal(e.scratchLocal(wasm.V128, 2*p+1))
		e.shuffleWords(0, 2, 4, 6)
		e.popReg(dst, p)
	}
}

// shuffleWords picks four words of 32 bits of two vectors.
func (e *emitter) shuffleWords(words ...byte) {
	e.simdOp(simdShuffle)
	for _, w := range words {
		e.appendBytes(4*w, 4*w+1, 4*w+2, 4*w+3)
	}
}

// emitSplat gives every lane the scalar.
func (e *emitter) emitSplat(in *lanes.Inst) {
	parts := partCount(in.Type)
	if e.splats[in.Dst] {
		parts = 1
	}
	for p := range parts {
		e.pushLane(in.Type.Kind, in.Args[0])
		e.simdOp(splatCodes.Get()[in.Type.Kind])
		e.popReg(in.Dst, p)
	}
}

// emitIota is the constant 0, step, 2*step and so on: addresses at a fixed stride.
func (e *emitter) emitIota(in *lanes.Inst) {
	step := uint32(in.Imm)
	for p := range partCount(in.Type) {
		e.simdOp(simdConst)
		for l := range 4 {
			e.body = wasm.AppendFloat32(e.body, step*uint32(4*p+l))
		}
		e.popReg(in.Dst, p)
	}
}

// lanePlace is the part and the lane in it of a lane.
func lanePlace(t lanes.Type, lane uint64) (part int, at byte) {
	if t.Kind.Wide() {
		return int(lane / 2), byte(lane % 2)
	}
	return int(lane / 4), byte(lane % 4)
}

// buildLanes makes a vector of a scalar for each lane.
func (e *emitter) buildLanes(in *lanes.Inst) {
	kind := in.Type.Kind
	for p := range partCount(in.Type) {
		each := len(in.Args) / partCount(in.Type)
		for l, a := range in.Args[p*each : (p+1)*each] {
			e.pushLane(kind, a)
			if l == 0 {
				e.simdOp(splatCodes.Get()[kind])
				continue
			}
			e.simdOp(replaceCodes.Get()[kind])
			e.appendBytes(byte(l))
		}
		e.popReg(in.Dst, p)
	}
}

var (
	splatCodes = lazy.Map[lanes.Kind, uint32]{New: func() map[lanes.Kind]uint32 {
		return map[lanes.Kind]uint32{lanes.Bool: 0x11, lanes.I32: 0x11, lanes.I64: 0x12, lanes.F32: 0x13, lanes.F64: 0x14}
	}}
	replaceCodes = lazy.Map[lanes.Kind, uint32]{New: func() map[lanes.Kind]uint32 {
		return map[lanes.Kind]uint32{lanes.Bool: 0x1c, lanes.I32: 0x1c, lanes.I64: 0x1e, lanes.F32: 0x20, lanes.F64: 0x22}
	}}
)

// pushLane pushes a scalar as a lane of a vector has it: a bool, 0 or 1 as a scalar,
// is 0 or -1 there, as comparisons leave it.
func (e *emitter) pushLane(k lanes.Kind, r lanes.Reg) {
	if k != lanes.Bool {
		e.pushReg(r, 0)
		return
	}
	e.pushI32(0)
	e.pushReg(r, 0)
	e.appendBytes(opI32Sub)
}

// insertLane replaces one lane. Only its part changes where the vector is its own
// result.
func (e *emitter) insertLane(in *lanes.Inst) {
	part, at := lanePlace(in.Type, in.Imm)
	for p := range partCount(in.Type) {
		if p != part && in.Args[0] == in.Dst {
			continue
		}
		e.pushReg(in.Args[0], p)
		if p == part {
			e.pushLane(in.Type.Kind, in.Args[1])
			e.simdOp(replaceCodes.Get()[in.Type.Kind])
			e.appendBytes(at)
		}
		e.popReg(in.Dst, p)
	}
}

// fromVector emits operations that make a scalar of a vector.
func (e *emitter) fromVector(in *lanes.Inst) {
	a := in.Args[0]
	t := e.code.Regs[a]
	switch in.Op {
	case lanes.OpExtract:
		part, at := lanePlace(t, in.Imm)
		e.pushReg(a, part)
		e.simdOp(map[lanes.Kind]uint32{lanes.Bool: 0x1b, lanes.I32: 0x1b, lanes.I64: 0x1d, lanes.F32: 0x1f, lanes.F64: 0x21}[t.Kind])
		e.appendBytes(at)
		if t.Kind == lanes.Bool {
			e.pushI32(1)
			e.appendBytes(opI32And)
		}
	case lanes.OpAny:
		e.combineParts(a, t, simdOr)
		e.simdOp(simdAnyTrue)
	case lanes.OpAll:
		e.combineParts(a, t, simdAnd)
		e.simdOp(simdI32AllTrue)
	case lanes.OpBits:
		for p := range partCount(t) {
			e.pushReg(a, p)
			e.simdOp(simdI32Bitmask)
			if p > 0 {
				e.pushI32(int32(4 * p))
				e.appendBytes(opI32Shl, opI32Or)
			}
		}
	}
	e.popReg(in.Dst, 0)
}

// combineParts joins the parts of a mask, so that one test serves all.
func (e *emitter) combineParts(a lanes.Reg, t lanes.Type, op uint32) {
	for p := range partCount(t) {
		e.pushReg(a, p)
		if p > 0 {
			e.simdOp(op)
		}
	}
}

// selectLanes picks bits by the mask, which has 32 bits a lane and is widened if need be. For
// v128.bitselect wazero 1.12 makes three instructions that change two registers in place; where
// one of these is spilled in between, the value from before the change comes back.
func (e *emitter) selectLanes(in *lanes.Inst) {
	for p := range partCount(in.Type) {
		for i, op := range []uint32{simdAnd, simdAndNot} {
			e.pushReg(in.Args[1+i], p)
			if in.Type.Kind.Wide() {
				e.pushReg(in.Args[0], p/2)
				e.simdOp(simdI64ExtendLowS + uint32(p%2))
			} else {
				e.pushReg(in.Args[0], p)
			}
			e.simdOp(op)
		}
		e.simdOp(simdOr)
		e.popReg(in.Dst, p)
	}
}

// signExtend shifts the low bits of each lane up and back, as SIMD128 extends halves
// of vectors only.
func (e *emitter) signExtend(in *lanes.Inst) {
	shift := int32(16)
	if in.Op == lanes.OpSExt8 {
		shift = 24
	}
	left, right := uint32(simdI32Shl), uint32(simdI32ShrS)
	if in.Type.Kind == lanes.I64 {
		left, right, shift = simdI64Shl, simdI64ShrS, shift+32
	}
	for p := range partCount(in.Type) {
		e.pushReg(in.Args[0], p)
		e.pushI32(shift)
		e.simdOp(left)
		e.pushI32(shift)
		e.simdOp(right)
		e.popReg(in.Dst, p)
	}
}

// boolInt turns masks into 0 and 1, or numbers into masks.
func (e *emitter) boolInt(in *lanes.Inst) {
	for p := range partCount(in.Type) {
		e.pushReg(in.Args[0], p)
		if in.Op == lanes.OpInt {
			e.vectorConst(lanes.I32, 1)
			e.simdOp(simdAnd)
		} else {
			e.vectorConst(lanes.I32, 0)
			e.simdOp(simdI32Ne)
		}
		e.popReg(in.Dst, p)
	}
}

// convertKind changes the kind. Where the width changes, two parts of 64 bits go
// with one of 32.
func (e *emitter) convertKind(in *lanes.Inst) {
	from, to := e.kindOf(in.Args[0]), in.Type.Kind
	switch {
	case in.Op == lanes.OpCast:
		for p := range partCount(in.Type) {
			e.pushReg(in.Args[0], p)
			e.popReg(in.Dst, p)
		}
	case from.Wide() == to.Wide():
		for p := range partCount(in.Type) {
			e.pushReg(in.Args[0], p)
			e.simdOp(map[lanes.Op]uint32{lanes.OpFToS: 0xf8, lanes.OpFToU: 0xf9, lanes.OpSToF: 0xfa, lanes.OpUToF: 0xfb}[in.Op])
			e.popReg(in.Dst, p)
		}
	case to.Wide():
		e.widenLanes(in)
	default:
		e.narrowLanes(in)
	}
}

// widenLanes makes two parts of 64 bits a lane of each part of 32 bits. Conversions
// to floats read the low half only, so the high one is moved there.
func (e *emitter) widenLanes(in *lanes.Inst) {
	for p := range partCount(in.Type) {
		e.pushReg(in.Args[0], p/2)
		switch in.Op {
		case lanes.OpSExt:
			e.simdOp(simdI64ExtendLowS + uint32(p%2))
		case lanes.OpZExt:
			e.simdOp(simdI64ExtendLowU + uint32(p%2))
		default:
			if p%2 == 1 {
				e.pushReg(in.Args[0], p/2)
				e.shuffleWords(2, 3, 2, 3)
			}
			e.simdOp(map[lanes.Op]uint32{lanes.OpFWiden: 0x5f, lanes.OpSToF: 0xfe, lanes.OpUToF: 0xff}[in.Op])
		}
		e.popReg(in.Dst, p)
	}
}

// narrowLanes makes a part of 32 bits a lane of two parts of 64 bits.
func (e *emitter) narrowLanes(in *lanes.Inst) {
	code := map[lanes.Op]uint32{lanes.OpFNarrow: 0x5e, lanes.OpFToS: 0xfc, lanes.OpFToU: 0xfd}[in.Op]
	for p := range partCount(in.Type) {
		for half := range 2 {
			e.pushReg(in.Args[0], 2*p+half)
			if code != 0 {
				e.simdOp(code) // the low half of the result
			}
		}
		// A conversion leaves its two numbers in the low half of the vector.
		switch in.Op {
		case lanes.OpWrap:
			e.shuffleWords(0, 2, 4, 6)
		case lanes.OpHigh:
			e.shuffleWords(1, 3, 5, 7)
		default:
			e.shuffleWords(0, 1, 4, 5)
		}
		e.popReg(in.Dst, p)
	}
}

// pairWords makes two parts of 64 bits a lane of a part of the low halves and one of
// the high ones.
func (e *emitter) pairWords(in *lanes.Inst) {
	for p := range partCount(in.Type) {
		e.pushReg(in.Args[0], p/2)
		e.pushReg(in.Args[1], p/2)
		first := byte(2 * (p % 2))
		e.shuffleWords(first, first+4, first+1, first+5)
		e.popReg(in.Dst, p)
	}
}

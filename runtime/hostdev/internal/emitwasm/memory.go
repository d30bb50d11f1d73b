package emitwasm

import (
	"offlink/lazy"
	"offlink/runtime/hostdev/internal/lanes"
	"offlink/runtime/hostdev/internal/wasm"
)

// Loads and stores by kind and size. Package lanes has put the check against the
// allocation in front of each.

// scalarLoad is the instruction of a load of so many bytes, which extends with
// zeros.
func scalarLoad(k lanes.Kind, size uint64) byte {
	switch {
	case k == lanes.F32:
		return 0x2a
	case k == lanes.F64:
		return 0x2b
	case k == lanes.I64:
		return map[uint64]byte{1: 0x31, 2: 0x33, 4: 0x35, 8: 0x29}[size]
	}
	return map[uint64]byte{1: 0x2d, 2: 0x2f, 4: 0x28}[size]
}

// scalarStore is the instruction that stores the low bytes of a value.
func scalarStore(k lanes.Kind, size uint64) byte {
	switch {
	case k == lanes.F32:
		return 0x38
	case k == lanes.F64:
		return 0x39
	case k == lanes.I64:
		return map[uint64]byte{1: 0x3c, 2: 0x3d, 4: 0x3e, 8: 0x37}[size]
	}
	return map[uint64]byte{1: 0x3a, 2: 0x3b, 4: 0x36}[size]
}

func (e *emitter) emitLoad(in *lanes.Inst) {
	if in.Type.Lanes == 1 {
		e.pushReg(in.Args[0], 0)
		e.appendBytes(scalarLoad(in.Type.Kind, in.Imm))
		e.appendMemarg(0, in.Off)
		e.popReg(in.Dst, 0)
		return
	}
	// The last part first: its check of the bounds serves the others.
	n := partCount(in.Type)
	for p := n - 1; p >= 0; p-- {
		e.pushReg(in.Args[0], 0)
		switch in.Imm {
		case 1:
			e.simdOp(simdLoad32Zero)
			e.appendMemarg(0, in.Off+uint32(4*p))
			e.simdOp(simdExtendLow8U)
			e.simdOp(simdExtendLow16U)
		case 2:
			e.simdOp(simdLoad16x4U)
			e.appendMemarg(0, in.Off+uint32(8*p))
		default:
			e.simdOp(simdLoad)
			e.appendMemarg(0, in.Off+uint32(16*p))
		}
		e.popReg(in.Dst, p)
	}
}

// loadEvery2 loads four lanes of two vectors; the second one starts at an odd element,
// to end with the last lane. The last part comes first, as for other loads.
func (e *emitter) loadEvery2(in *lanes.Inst) {
	second := e.scratchLocal(wasm.V128, 0)
	load := func(off uint32) {
		e.pushReg(in.Args[0], 0)
		e.simdOp(simdLoad)
		e.appendMemarg(0, off)
	}
	for p := partCount(in.Type) - 1; p >= 0; p-- {
		at := in.Off + uint32(32*p)
		load(at + 12)
		e.setLocal(second)
		load(at)
		e.getLocal(second)
		e.shuffleWords(0, 2, 5, 7)
		e.popReg(in.Dst, p)
	}
}

// isBothHalves reports whether two loads of every second word together take all words: the
// odd ones come first.
func isBothHalves(odd, even *lanes.Inst) bool {
	return odd.Op == lanes.OpEvery2 && even.Op == lanes.OpEvery2 && odd.Type == even.Type &&
		odd.Args[0] == even.Args[0] && odd.Off == even.Off+4
}

// loadBothHalves loads each vector once, and picks the even and the odd words of both.
func (e *emitter) loadBothHalves(odd, even *lanes.Inst) {
	for p := partCount(even.Type) - 1; p >= 0; p-- {
		for half := 1; half >= 0; half-- {
			e.pushReg(even.Args[0], 0)
			e.simdOp(simdLoad)
			e.appendMemarg(0, even.Off+uint32(32*p+16*half))
			e.setLocal(e.scratchLocal(wasm.V128, half))
		}
		for i, in := range []*lanes.Inst{odd, even} {
			e.getLocal(e.scratchLocal(wasm.V128, 0))
			e.getLocal(e.scratchLocal(wasm.V128, 1))
			first := byte(1 - i)
			e.shuffleWords(first, first+2, first+4, first+6)
			e.popReg(in.Dst, p)
		}
	}
}

// emitStore stores the last part first, as loads do.
func (e *emitter) emitStore(in *lanes.Inst) {
	if in.Type.Lanes == 1 {
		e.pushReg(in.Args[0], 0)
		e.pushReg(in.Args[1], 0)
		e.appendBytes(scalarStore(in.Type.Kind, in.Imm))
		e.appendMemarg(0, in.Off)
		return
	}
	for p := partCount(in.Type) - 1; p >= 0; p-- {
		if in.Imm < 4 {
			e.storeNarrow(in, p)
			continue
		}
		e.pushReg(in.Args[0], 0)
		e.pushReg(in.Args[1], p)
		e.simdOp(simdStore)
		e.appendMemarg(0, in.Off+uint32(16*p))
	}
}

// storeNarrow stores the low bytes of each lane.
func (e *emitter) storeNarrow(in *lanes.Inst, p int) {
	for lane := 3; lane >= 0; lane-- {
		e.pushReg(in.Args[0], 0)
		e.pushReg(in.Args[1], p)
		if in.Imm == 1 {
			e.simdOp(simdStore8Lane)
			e.appendMemarg(0, in.Off+uint32(4*p+lane))
			e.appendBytes(byte(4 * lane))
		} else {
			e.simdOp(simdStore16Lane)
			e.appendMemarg(0, in.Off+uint32(8*p+2*lane))
			e.appendBytes(byte(2 * lane))
		}
	}
}

// Atomic operations, all sequentially consistent.

// atomicCodes are the first instructions of a row each: i32, i64, and of i32 those of
// 8 and of 16 bits, which extend with zeros.
var atomicCodes = lazy.Map[lanes.AtomicOp, byte]{New: func() map[lanes.AtomicOp]byte {
	return map[lanes.AtomicOp]byte{
		lanes.AtomicLoad: 0x10, lanes.AtomicStore: 0x17, lanes.AtomicAdd: 0x1e, lanes.AtomicSub: 0x25,
		lanes.AtomicAnd: 0x2c, lanes.AtomicOr: 0x33, lanes.AtomicXor: 0x3a, lanes.AtomicExchange: 0x41,
		lanes.AtomicCompareExchange: 0x48,
	}
}}

// atomicForms are the places in a row by the size in bytes, with the alignment as a
// power of 2.
var atomicForms = lazy.Map[uint64, struct{ place, align byte }]{New: func() map[uint64]struct{ place, align byte } {
	return map[uint64]struct{ place, align byte }{4: {0, 2}, 8: {1, 3}, 1: {2, 0}, 2: {3, 1}}
}}

func (e *emitter) atomicOp(op lanes.AtomicOp, size uint64, off uint32) {
	form := atomicForms.Get()[size]
	e.appendBytes(prefixAtomic, atomicCodes.Get()[op]+form.place)
	e.appendMemarg(uint64(form.align), off)
}

// emitAtomic emits an atomic operation. Those that WebAssembly lacks (minima, maxima,
// floats) are loops.
func (e *emitter) emitAtomic(in *lanes.Inst) {
	if _, ok := atomicCodes.Get()[in.Atomic]; !ok {
		e.atomicLoop(in)
		return
	}
	e.pushReg(in.Args[0], 0)
	switch in.Atomic {
	case lanes.AtomicLoad:
	case lanes.AtomicCompareExchange:
		e.pushReg(in.Args[2], 0)
		e.pushReg(in.Args[1], 0)
	default:
		e.pushReg(in.Args[1], 0)
	}
	e.atomicOp(in.Atomic, in.Imm, in.Off)
	if in.Atomic != lanes.AtomicStore {
		e.popReg(in.Dst, 0)
	}
}

// atomicLoop changes a value by comparing and exchanging until no other thread came in
// between. Floats come as their bits.
func (e *emitter) atomicLoop(in *lanes.Inst) {
	k := e.kindOf(in.Args[1])
	t := scalarValType(k)
	old, next := e.scratchLocal(t, 0), e.scratchLocal(t, 1)
	equal := codesOf(k)[lanes.OpEq]
	e.appendBytes(opLoop, blockEmpty)
	e.pushReg(in.Args[0], 0)
	e.atomicOp(lanes.AtomicLoad, in.Imm, in.Off)
	e.setLocal(old)
	e.combineInts(in, k, old)
	e.setLocal(next)
	e.pushReg(in.Args[0], 0)
	e.getLocal(old)
	e.getLocal(next)
	e.atomicOp(lanes.AtomicCompareExchange, in.Imm, in.Off)
	e.getLocal(old)
	e.appendBytes(equal, opI32Eqz, opBrIf, 0, opEnd)
	e.getLocal(old)
	e.popReg(in.Dst, 0)
}

// combineInts pushes the new value of an atomic operation. Narrow numbers are compared
// with their signs, where they count.
func (e *emitter) combineInts(in *lanes.Inst, k lanes.Kind, old uint32) {
	op, v := in.Atomic, in.Args[1]
	if op >= lanes.AtomicFAdd {
		e.combineFloats(op, k, old, v)
		return
	}
	var extend []byte
	if op == lanes.AtomicSMin || op == lanes.AtomicSMax {
		extend = map[uint64][]byte{1: {codesOf(k)[lanes.OpSExt8]}, 2: {codesOf(k)[lanes.OpSExt16]}}[in.Imm]
	}
	e.getLocal(old)
	e.pushReg(v, 0)
	e.getLocal(old)
	e.appendBytes(extend...)
	e.pushReg(v, 0)
	e.appendBytes(extend...)
	// i32.lt_s, lt_u, gt_s, gt_u and those of i64
	codes := map[lanes.AtomicOp][2]byte{
		lanes.AtomicSMin: {0x48, 0x53}, lanes.AtomicUMin: {0x49, 0x54},
		lanes.AtomicSMax: {0x4a, 0x55}, lanes.AtomicUMax: {0x4b, 0x56},
	}[op]
	if k == lanes.I64 {
		e.appendBytes(codes[1])
	} else {
		e.appendBytes(codes[0])
	}
	e.appendBytes(opSelect)
}

// combineFloats works on the bits of floats. In a minimum or maximum a NaN
// gives way.
func (e *emitter) combineFloats(op lanes.AtomicOp, k lanes.Kind, old uint32, v lanes.Reg) {
	float := lanes.F32
	if k == lanes.I64 {
		float = lanes.F64
	}
	fromInt, toInt := conversions.Get()[conversion{lanes.OpCast, k, float}][0], conversions.Get()[conversion{lanes.OpCast, float, k}][0]
	codes := codesOf(float)
	ne := codes[lanes.OpNe]
	x := func() { e.getLocal(old); e.appendBytes(fromInt) }
	y := func() { e.pushReg(v, 0); e.appendBytes(fromInt) }
	if op == lanes.AtomicFAdd {
		x()
		y()
		e.appendBytes(codes[lanes.OpFAdd], toInt)
		return
	}
	code := codes[lanes.OpFMin]
	if op == lanes.AtomicFMax {
		code = codes[lanes.OpFMax]
	}
	// The bits are chosen among, as wazero's choice of floats is faulty (emitSelect).
	e.pushReg(v, 0) // if x is NaN
	e.getLocal(old) // if y is NaN
	x()
	y()
	e.appendBytes(code, toInt)
	y()
	y()
	e.appendBytes(ne, opSelect) // select x, min by y != y
	x()
	x()
	e.appendBytes(ne, opSelect)
}

// clearMemory zeroes memory. wazero's memory.fill copies the part that is zero already
// to the rest, a call for each doubling, which takes longer than a short loop; it
// clears the bytes after the last whole turn.
func (e *emitter) clearMemory(in *lanes.Inst) {
	const longTurn, turn = 256, 64 // bytes
	at, size := e.scratchLocal(wasm.I32, 0), in.Args[1]
	e.pushReg(in.Args[0], 0)
	e.setLocal(at)
	e.clearTurns(at, size, longTurn, -longTurn)
	e.clearTurns(at, size, turn, longTurn-turn)
	e.pushReg(size, 0)
	e.pushI32(turn - 1)
	e.appendBytes(opI32And, opIf, blockEmpty)
	e.getLocal(at)
	e.pushI32(0)
	e.pushReg(size, 0)
	e.pushI32(turn - 1)
	e.appendBytes(opI32And, prefixMore, 11, 0, opEnd) // memory.fill
}

// clearTurns clears size&mask bytes, a multiple of turn, and leaves at after them. The
// highest part of a turn comes first, as its check of bounds serves the others.
func (e *emitter) clearTurns(at uint32, size lanes.Reg, turn int, mask int32) {
	end := e.scratchLocal(wasm.I32, 1)
	e.getLocal(at)
	e.pushReg(size, 0)
	e.pushI32(mask)
	e.appendBytes(opI32And, opI32Add)
	e.setLocal(end)
	e.appendBytes(opBlock, blockEmpty, opLoop, blockEmpty)
	e.getLocal(at)
	e.getLocal(end)
	e.appendBytes(opI32Eq, opBrIf, 1)
	for off := turn - 16; off >= 0; off -= 16 {
		e.getLocal(at)
		e.vectorConst(lanes.I32, 0)
		e.simdOp(simdStore)
		e.appendMemarg(0, uint32(off))
	}
	e.getLocal(at)
	e.pushI32(int32(turn))
	e.appendBytes(opI32Add)
	e.setLocal(at)
	e.appendBytes(opBr, 0, opEnd, opEnd)
}

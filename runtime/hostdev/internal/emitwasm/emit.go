// Package emitwasm spells the code of work-groups as WebAssembly with
// SIMD128. A vector of lanes takes as many v128 as it needs.
package emitwasm

import (
	"offlink/runtime/hostdev/internal/lanes"
	"offlink/runtime/hostdev/internal/wasm"
)

// The imports of a module of a kernel.
const (
	ImportModule = "offlink"
	MemoryModule = "offlink.memory"
	ImportMemory = "memory"
	ImportTick   = "tick" // (record): called every FuelStep iterations of loops
	ImportHost   = "host" // (record, function, words)
)

// FuelStep is the number of loop iterations between two calls of the host.
const FuelStep = 1 << 14

// The numbers of the imported functions, in the order of the imports.
const (
	funcTick = iota
	funcHost
)

// emitter writes the body of a function.
type emitter struct {
	code   *lanes.Code
	locals [][]uint32 // of registers, by part
	splats []bool     // registers that are vectors of one value
	types  []wasm.ValType
	consts map[lanes.Reg]uint64 // scalars that are always that
	vecs   map[lanes.Reg]uint64 // vectors that are always that in every lane
	fuel   uint32
	spare  map[wasm.ValType][]uint32
	body   []byte
	labels []int // of the blocks that are open; 0 for an if
	sides  comparisonSides
}

// Emit returns a module that exports the code by its name, with a memory of so
// many pages.
func Emit(c *lanes.Code, pages uint32) []byte {
	e := &emitter{code: c, consts: map[lanes.Reg]uint64{}, vecs: map[lanes.Reg]uint64{}, spare: map[wasm.ValType][]uint32{}}
	e.findConsts()
	e.findSides()
	e.declareLocals()
	e.fuel = e.newLocal(wasm.I32)
	e.pushI32(FuelStep)
	e.setLocal(e.fuel)
	for i := 0; i < len(c.Insts); i++ {
		// Two loads of every second word, of the odd ones and the even ones, become
		// loads of whole vectors, each once.
		if i+1 < len(c.Insts) && isBothHalves(&c.Insts[i], &c.Insts[i+1]) {
			e.loadBothHalves(&c.Insts[i], &c.Insts[i+1])
			i++
			continue
		}
		e.emitInst(&c.Insts[i])
	}
	i32 := wasm.I32
	m := wasm.Module{
		Imports: []wasm.Import{
			{Module: ImportModule, Name: ImportTick, Type: wasm.FuncType{Params: []wasm.ValType{i32}}},
			{Module: ImportModule, Name: ImportHost, Type: wasm.FuncType{Params: []wasm.ValType{i32, i32, i32}}},
		},
		Memory: [2]string{MemoryModule, ImportMemory},
		Pages:  pages,
		Funcs: []wasm.Func{{
			Name: c.Name, Type: wasm.FuncType{Params: []wasm.ValType{i32, i32, i32}}, Locals: e.types, Body: e.body,
		}},
	}
	return m.Encode()
}

// findConsts finds registers that are set once, to a constant: they take no
// local. wazero's compiler keeps a constant in the instruction that uses it, and a
// local in a register or on the stack.
func (e *emitter) findConsts() {
	sets := map[lanes.Reg]int{}
	for i := range e.code.Insts {
		if in := &e.code.Insts[i]; in.Dst != lanes.NoReg {
			sets[in.Dst]++
		}
	}
	for i := range e.code.Insts {
		in := &e.code.Insts[i]
		switch {
		case in.Op != lanes.OpConst || sets[in.Dst] != 1:
		case in.Type.Lanes == 1:
			e.consts[in.Dst] = in.Imm
		default:
			e.vecs[in.Dst] = in.Imm
		}
	}
}

func scalarValType(k lanes.Kind) wasm.ValType {
	return map[lanes.Kind]wasm.ValType{
		lanes.Bool: wasm.I32, lanes.I32: wasm.I32, lanes.I64: wasm.I64, lanes.F32: wasm.F32, lanes.F64: wasm.F64,
	}[k]
}

// partCount is how many v128 a type takes. Masks have 32 bits a lane, whatever they
// select.
func partCount(t lanes.Type) int {
	if t.Lanes == 1 {
		return 1
	}
	if t.Kind.Wide() {
		return t.Lanes / 2
	}
	return t.Lanes / 4
}

// findSplats finds the vectors that have the same value in all lanes: one local is enough
// for all parts of them.
func (e *emitter) findSplats() {
	e.splats = make([]bool, len(e.code.Regs))
	other := make([]bool, len(e.code.Regs))
	for i := range e.code.Insts {
		in := &e.code.Insts[i]
		if in.Op == lanes.OpSplat {
			e.splats[in.Dst] = true
		} else if in.Dst != lanes.NoReg {
			other[in.Dst] = true
		}
	}
	for r, is := range other {
		e.splats[r] = e.splats[r] && !is
	}
}

// declareLocals gives each register its locals, a vector one for each part. The
// parameters come first, as in every function of WebAssembly.
func (e *emitter) declareLocals() {
	e.findSplats()
	e.locals = make([][]uint32, len(e.code.Regs))
	for i, t := range e.code.Regs {
		r := lanes.Reg(i)
		if i < lanes.NumParams {
			e.locals[i] = []uint32{uint32(i)}
			continue
		}
		_, scalar := e.consts[r]
		_, vector := e.vecs[r]
		if scalar || vector {
			continue
		}
		v := wasm.V128
		if t.Lanes == 1 {
			v = scalarValType(t.Kind)
		}
		for part := range partCount(t) {
			if part > 0 && e.splats[r] {
				e.locals[i] = append(e.locals[i], e.locals[i][0])
				continue
			}
			e.locals[i] = append(e.locals[i], e.newLocal(v))
		}
	}
}

func (e *emitter) newLocal(t wasm.ValType) uint32 {
	e.types = append(e.types, t)
	return uint32(lanes.NumParams + len(e.types) - 1)
}

// Writing.

func (e *emitter) appendBytes(b ...byte) { e.body = append(e.body, b...) }

func (e *emitter) getLocal(l uint32) {
	e.appendBytes(opLocalGet)
	e.body = wasm.AppendUint(e.body, uint64(l))
}

func (e *emitter) setLocal(l uint32) {
	e.appendBytes(opLocalSet)
	e.body = wasm.AppendUint(e.body, uint64(l))
}

func (e *emitter) pushI32(v int32) {
	e.appendBytes(opI32Const)
	e.body = wasm.AppendInt(e.body, int64(v))
}
func (e *emitter) pushI64(v int64) { e.appendBytes(opI64Const); e.body = wasm.AppendInt(e.body, v) }
func (e *emitter) simdOp(op uint32) {
	e.appendBytes(prefixSIMD)
	e.body = wasm.AppendUint(e.body, uint64(op))
}

func (e *emitter) callFunction(number uint64) {
	e.appendBytes(opCall)
	e.body = wasm.AppendUint(e.body, number)
}

// pushConst pushes a scalar constant by its bits.
func (e *emitter) pushConst(k lanes.Kind, bits uint64) {
	switch k {
	case lanes.I64:
		e.pushI64(int64(bits))
	case lanes.F32:
		e.appendBytes(opF32Const)
		e.body = wasm.AppendFloat32(e.body, uint32(bits))
	case lanes.F64:
		e.appendBytes(opF64Const)
		e.body = wasm.AppendFloat64(e.body, bits)
	default:
		e.pushI32(int32(bits))
	}
}

// vectorConst pushes a v128 whose lanes are all that.
func (e *emitter) vectorConst(k lanes.Kind, bits uint64) {
	e.simdOp(simdConst)
	if k == lanes.Bool && bits != 0 {
		bits = uint64(^uint32(0))
	}
	if !k.Wide() {
		bits = bits<<32 | bits&0xffffffff
	}
	e.body = wasm.AppendFloat64(e.body, bits)
	e.body = wasm.AppendFloat64(e.body, bits)
}

// pushReg pushes a part of a register; a scalar has one.
func (e *emitter) pushReg(r lanes.Reg, part int) {
	if bits, ok := e.consts[r]; ok {
		e.pushConst(e.code.Regs[r].Kind, bits)
		return
	}
	if bits, ok := e.vecs[r]; ok {
		e.vectorConst(e.code.Regs[r].Kind, bits)
		return
	}
	e.getLocal(e.locals[r][part])
}

func (e *emitter) popReg(r lanes.Reg, part int) { e.setLocal(e.locals[r][part]) }

func (e *emitter) kindOf(r lanes.Reg) lanes.Kind { return e.code.Regs[r].Kind }

// appendMemarg writes the immediates of an access. Addresses need not be aligned, except
// for atomic operations, whose hint must be their natural alignment.
func (e *emitter) appendMemarg(align uint64, off uint32) {
	e.body = wasm.AppendUint(e.body, align)
	e.body = wasm.AppendUint(e.body, uint64(off))
}

// scratchLocal is a local that holds nothing beyond one instruction.
func (e *emitter) scratchLocal(t wasm.ValType, n int) uint32 {
	for len(e.spare[t]) <= n {
		e.spare[t] = append(e.spare[t], e.newLocal(t))
	}
	return e.spare[t][n]
}

func (e *emitter) emitInst(in *lanes.Inst) {
	if e.emitControl(in) {
		return
	}
	switch in.Op {
	case lanes.OpConst:
		e.setConst(in)
	case lanes.OpLoad:
		e.emitLoad(in)
	case lanes.OpStore:
		e.emitStore(in)
	case lanes.OpAtomic:
		e.emitAtomic(in)
	case lanes.OpFence:
		e.appendBytes(prefixAtomic, 0x03, 0x00) // atomic.fence
	case lanes.OpFill:
		e.clearMemory(in)
	case lanes.OpHost:
		e.getLocal(0)
		e.pushI32(int32(in.Host.Number))
		e.pushReg(in.Args[0], 0)
		e.callFunction(funcHost)
	case lanes.OpCopy:
		for p := range partCount(in.Type) {
			e.pushReg(in.Args[0], p)
			e.popReg(in.Dst, p)
		}
	case lanes.OpExtract, lanes.OpAny, lanes.OpAll, lanes.OpBits:
		e.fromVector(in)
	default:
		if in.Type.Lanes == 1 {
			e.emitScalar(in)
		} else {
			e.emitVector(in)
		}
	}
}

// setConst sets a register that is set elsewhere too, so that it has a local.
func (e *emitter) setConst(in *lanes.Inst) {
	if _, ok := e.consts[in.Dst]; ok {
		return
	}
	if _, ok := e.vecs[in.Dst]; ok {
		return
	}
	for p := range partCount(in.Type) {
		if in.Type.Lanes == 1 {
			e.pushConst(in.Type.Kind, in.Imm)
		} else {
			e.vectorConst(in.Type.Kind, in.Imm)
		}
		e.popReg(in.Dst, p)
	}
}

// emitControl emits the structure of the code, which is WebAssembly's own: blocks
// that nest, and branches to the end of one or to the start of a loop.
func (e *emitter) emitControl(in *lanes.Inst) bool {
	switch in.Op {
	case lanes.OpBlock:
		e.appendBytes(opBlock, blockEmpty)
		e.labels = append(e.labels, int(in.Imm))
	case lanes.OpLoop:
		e.appendBytes(opLoop, blockEmpty)
		e.labels = append(e.labels, int(in.Imm))
	case lanes.OpIf:
		e.pushReg(in.Args[0], 0)
		e.appendBytes(opIf, blockEmpty)
		e.labels = append(e.labels, 0)
	case lanes.OpElse:
		e.appendBytes(opElse)
	case lanes.OpEnd:
		e.appendBytes(opEnd)
		e.labels = e.labels[:len(e.labels)-1]
	case lanes.OpBr:
		e.appendBytes(opBr)
		e.body = wasm.AppendUint(e.body, e.branchDepth(int(in.Imm)))
	case lanes.OpBrIf:
		e.pushReg(in.Args[0], 0)
		e.appendBytes(opBrIf)
		e.body = wasm.AppendUint(e.body, e.branchDepth(int(in.Imm)))
	case lanes.OpTrap:
		e.appendBytes(opUnreachable)
	case lanes.OpReturn:
		e.appendBytes(opReturn)
	case lanes.OpTick:
		e.emitTick(in)
	default:
		return false
	}
	return true
}

// branchDepth is the number by which a branch names a label: how many open blocks
// lie between. Each if counts, too, and has the label 0, which no branch names.
func (e *emitter) branchDepth(label int) uint64 {
	for i := range e.labels {
		if e.labels[len(e.labels)-1-i] == label {
			return uint64(i)
		}
	}
	panic("emitwasm: a branch to a label that is not open")
}

// emitTick counts down, and calls the host at zero: a call at each iteration would cost
// more than most loops. The local id is stored first, as the host may stop the launch here and
// then names the work-item.
func (e *emitter) emitTick(in *lanes.Inst) {
	e.getLocal(e.fuel)
	e.pushI32(1)
	e.appendBytes(opI32Sub)
	e.setLocal(e.fuel)
	e.getLocal(e.fuel)
	e.appendBytes(opI32Eqz, opIf, blockEmpty)
	for i, r := range in.Args {
		e.getLocal(0)
		e.pushReg(r, 0)
		e.appendBytes(scalarStore(lanes.I32, 4))
		e.appendMemarg(0, uint32(lanes.RecordItem+4*i))
	}
	e.getLocal(0)
	e.callFunction(funcTick)
	e.pushI32(FuelStep)
	e.setLocal(e.fuel)
	e.appendBytes(opEnd)
}

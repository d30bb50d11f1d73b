package emitc

import (
	"fmt"
	"strings"

	"offlink/lazy"
	"offlink/runtime/hostdev/internal/lanes"
)

// Symbol is the function of a file: uint32_t offlink_run(uint8_t *memory,
// uint32_t record, uint32_t first, uint32_t end). It returns 0, or a Stop.
const Symbol = "offlink_run"

// AttachSymbol is a function of files whose code calls the host. It takes the function that
// serves the calls, before the first run: uintptr_t (uintptr_t record, uintptr_t number,
// uintptr_t words), with the address of the record and the offset of the words, whose
// result is not 0 where the call has failed.
const AttachSymbol = "offlink_attach"

// Why a function came back before its end.
const (
	StopTrap  = 1 // the record has the trap
	StopAsked = 2 // RecordStop was set, or RecordTicks are used up
	StopHost  = 3 // a call of the host has failed
)

// FuelStep is the number of loop iterations between two looks at the record.
const FuelStep = 1 << 14

// emitter writes a function. A register of the form becomes a variable of C of the
// same number, and an instruction a statement: the compiler allocates, folds and
// schedules, and the text can be read beside a listing of the form.
type emitter struct {
	code *lanes.Code
	s    strings.Builder
	// ends are the labels of the blocks that are open: 0 for an if, negative
	// for a loop.
	ends  []int
	depth int
	err   error

	mayCall, calls bool // the host: the first is that it is allowed
}

// Emit returns the C of the code, a file, and tells whether it calls the host: it then has
// the function of AttachSymbol.
func Emit(c *lanes.Code) (source string, calls bool, err error) {
	e := &emitter{code: c, depth: 1, mayCall: true}
	f := e.emitFunction(Symbol)
	source = Prelude(PreludeWidth(c))
	if e.calls {
		source += attach
	}
	return source + f, e.calls, e.err
}

// PreludeWidth is the lanes that the types of the prelude must have for the code.
func PreludeWidth(c *lanes.Code) int { return max(c.Width, 4) }

// Prelude is the start of a file whose functions have vectors of so many lanes.
func Prelude(width int) string { return fmt.Sprintf("#define WIDTH %d\n%s\n", width, prelude) }

// EmitFunction is the function of the code without the prelude, for files of several
// kernels. It is an error if the code calls the host: the number of a call is that of the
// process which has made the code.
func EmitFunction(c *lanes.Code, symbol string) (string, error) {
	e := &emitter{code: c, depth: 1}
	return e.emitFunction(symbol), e.err
}

func (e *emitter) emitFunction(symbol string) string {
	c := e.code
	fmt.Fprintf(&e.s, "/* Kernel %s, %d work-items side by side. */\n", commentText(c.Name), c.Width)
	fmt.Fprintf(&e.s, "uint32_t %s(uint8_t *memory, i32 r0, i32 r1, i32 r2) {\n", symbol)
	e.declareRegs()
	e.writeLine("i32 fuel = %d;", FuelStep)
	for i := range c.Insts {
		e.emitInst(&c.Insts[i])
	}
	e.writeLine("return 0;")
	e.s.WriteString("}\n")
	return e.s.String()
}

// commentText keeps the name of a kernel, which the input chooses, from ending the
// comment that it is in: the rest would be compiled.
func commentText(name string) string { return strings.ReplaceAll(name, "*/", "* /") }

func (e *emitter) writeLine(format string, args ...any) {
	e.s.WriteString(strings.Repeat("  ", e.depth))
	fmt.Fprintf(&e.s, format, args...)
	e.s.WriteByte('\n')
}

// refuseInst notes the first instruction that C does not have here. The kernel then
// stays WebAssembly, so it is not an error for the user.
func (e *emitter) refuseInst(in *lanes.Inst) {
	switch {
	case e.err != nil:
	case in.Op == lanes.OpHost:
		e.err = lanes.Unsupported("an operation that the interpreter does, such as printf")
	default:
		e.err = lanes.Unsupported("C for %v", in)
	}
}

var scalarNames = lazy.Map[lanes.Kind, string]{New: func() map[lanes.Kind]string {
	return map[lanes.Kind]string{lanes.Bool: "flag", lanes.I32: "i32", lanes.I64: "i64", lanes.F32: "f32", lanes.F64: "f64"}
}}

func typeName(t lanes.Type) string {
	if t.Lanes > 1 {
		return scalarNames.Get()[t.Kind] + "v"
	}
	return scalarNames.Get()[t.Kind]
}

// declareRegs declares the registers, which are zero at first: those of the form
// are, as WebAssembly's locals are, and C's variables would be undefined.
func (e *emitter) declareRegs() {
	for i, t := range e.code.Regs[lanes.NumParams:] {
		zero := "0"
		if t.Lanes > 1 {
			zero = "{0}"
		}
		e.writeLine("%s r%d = %s;", typeName(t), i+lanes.NumParams, zero)
	}
}

func (e *emitter) kindOf(r lanes.Reg) lanes.Kind { return e.code.Regs[r].Kind }

func (e *emitter) emitInst(in *lanes.Inst) {
	if e.emitControl(in) {
		return
	}
	switch in.Op {
	case lanes.OpStore:
		e.emitStore(in)
	case lanes.OpHost:
		e.callHost(in)
	case lanes.OpFill:
		e.writeLine("memset(memory + r%d, 0, r%d);", in.Args[0], in.Args[1])
	case lanes.OpFence:
		e.writeLine("__atomic_thread_fence(__ATOMIC_SEQ_CST);")
	case lanes.OpAtomic:
		e.emitAtomic(in)
	case lanes.OpInsert:
		e.writeLine("r%d = r%d;", in.Dst, in.Args[0])
		e.writeLine("r%d[%d] = %s;", in.Dst, in.Imm, e.laneValue(in.Type.Kind, in.Args[1]))
	default:
		v, each := e.resultText(in)
		switch {
		case v == "":
			e.refuseInst(in)
		case each:
			e.writeLine("EACH r%d[l] = %s;", in.Dst, v)
		default:
			e.writeLine("r%d = %s;", in.Dst, v)
		}
	}
}

// callHost emits a call, whose words are in memory already.
func (e *emitter) callHost(in *lanes.Inst) {
	if !e.mayCall {
		e.refuseInst(in)
		return
	}
	e.calls = true
	e.writeLine("if (host((uintptr_t)memory + r0, %d, r%d)) return %d;", in.Host.Number, in.Args[0], StopHost)
}

// laneValue is a scalar as a lane of a vector has it.
func (e *emitter) laneValue(k lanes.Kind, r lanes.Reg) string {
	if k == lanes.Bool {
		return fmt.Sprintf("-(int32_t)r%d", r)
	}
	return fmt.Sprintf("r%d", r)
}

// emitControl emits the structure of the code: blocks and loops are labels, and
// branches gotos. C's break and continue leave one loop only, where the form may
// leave several.
//
// OpTick gives a launch its limits: every FuelStep iterations it looks at the record,
// and comes back if the launch was stopped or has used up its budget, which it counts
// down for all workers. The local id is stored before, so that the fault can name the
// work-item.
func (e *emitter) emitControl(in *lanes.Inst) bool {
	switch in.Op {
	case lanes.OpBlock:
		e.ends = append(e.ends, int(in.Imm))
	case lanes.OpLoop:
		e.writeLine("L%d:;", in.Imm)
		e.ends = append(e.ends, -int(in.Imm))
	case lanes.OpIf:
		e.writeLine("if (r%d) {", in.Args[0])
		e.ends = append(e.ends, 0)
		e.depth++
	case lanes.OpElse:
		e.depth--
		e.writeLine("} else {")
		e.depth++
	case lanes.OpEnd:
		e.closeBlock()
	case lanes.OpBr:
		e.writeLine("goto L%d;", in.Imm)
	case lanes.OpBrIf:
		e.writeLine("if (r%d) goto L%d;", in.Args[0], in.Imm)
	case lanes.OpTrap:
		e.writeLine("return %d;", StopTrap)
	case lanes.OpReturn:
		e.writeLine("return 0;")
	case lanes.OpTick:
		e.writeLine("if (--fuel == 0) {")
		e.writeLine("  fuel = %d;", FuelStep)
		for i, r := range in.Args {
			e.writeLine("  STORE(i32, r0, %d, r%d);", lanes.RecordItem+4*i, r)
		}
		e.writeLine("  if (*(volatile i32 *)(memory + r0 + %d) || __atomic_sub_fetch((int64_t *)(memory + LOAD(i32, r0, %d)), 1, __ATOMIC_RELAXED) < 0) return %d;",
			lanes.RecordStop, lanes.RecordBudget, StopAsked)
		e.writeLine("}")
	default:
		return false
	}
	return true
}

// closeBlock puts the label of a block at its end; an empty statement follows, as C wants
// one after a label. The label of a loop is at its start already.
func (e *emitter) closeBlock() {
	label := e.ends[len(e.ends)-1]
	e.ends = e.ends[:len(e.ends)-1]
	switch {
	case label == 0:
		e.depth--
		e.writeLine("}")
	case label > 0:
		e.writeLine("L%d:;", label)
	}
}

// Memory.

// memoryType is the C type of an access of so many bytes a lane.
func memoryType(t lanes.Type, size uint64) string {
	switch {
	case size == uint64(kindSize(t.Kind)):
		return typeName(t)
	case t.Lanes > 1:
		return map[uint64]string{1: "u8v", 2: "u16v", 4: "i32v"}[size]
	}
	return map[uint64]string{1: "uint8_t", 2: "uint16_t", 4: "uint32_t"}[size]
}

func kindSize(k lanes.Kind) int {
	if k.Wide() {
		return 8
	}
	return 4
}

// loadText is a load. One of fewer bytes than its type extends with zeros.
func (e *emitter) loadText(in *lanes.Inst) string {
	t := memoryType(in.Type, in.Imm)
	v := fmt.Sprintf("LOAD(%s, r%d, %d)", t, in.Args[0], in.Off)
	if in.Type.Lanes > 1 && t != typeName(in.Type) {
		return fmt.Sprintf("CONVERT(%s, %s)", v, typeName(in.Type))
	}
	return v
}

func (e *emitter) emitStore(in *lanes.Inst) {
	t := memoryType(in.Type, in.Imm)
	v := fmt.Sprintf("r%d", in.Args[1])
	if in.Type.Lanes > 1 && t != typeName(in.Type) {
		v = fmt.Sprintf("CONVERT(%s, %s)", v, t)
	}
	e.writeLine("STORE(%s, r%d, %d, %s);", t, in.Args[0], in.Off, v)
}

// atomicNames are functions that combine a value with another one.
var atomicNames = lazy.Map[lanes.AtomicOp, string]{New: func() map[lanes.AtomicOp]string {
	return map[lanes.AtomicOp]string{
		lanes.AtomicSMin: "smin", lanes.AtomicSMax: "smax", lanes.AtomicUMin: "umin", lanes.AtomicUMax: "umax",
		lanes.AtomicFAdd: "fadd", lanes.AtomicFMin: "fleast", lanes.AtomicFMax: "fmost",
	}
}}

// atomicBuiltins are those that the compilers have: gcc and clang spell them alike.
var atomicBuiltins = lazy.Map[lanes.AtomicOp, string]{New: func() map[lanes.AtomicOp]string {
	return map[lanes.AtomicOp]string{
		lanes.AtomicExchange: "exchange_n", lanes.AtomicAdd: "fetch_add", lanes.AtomicSub: "fetch_sub",
		lanes.AtomicAnd: "fetch_and", lanes.AtomicOr: "fetch_or", lanes.AtomicXor: "fetch_xor",
	}
}}

// emitAtomic emits an atomic operation, sequentially consistent as WebAssembly's are
// whatever order the kernel asks for: both executors must give the same. Misaligned
// ones trap as there, where C would leave them undefined.
func (e *emitter) emitAtomic(in *lanes.Inst) {
	bits := 8 * in.Imm
	e.writeLine("if ((r%d + %du) %% %d) {", in.Args[0], in.Off, in.Imm)
	e.writeLine("  STORE(i32, r0, %d, %d);", lanes.RecordTrap, lanes.TrapUnaligned)
	e.writeLine("  return %d;", StopTrap)
	e.writeLine("}")
	p := fmt.Sprintf("at%d(memory, (i64)r%d + %d)", bits, in.Args[0], in.Off)
	x := ""
	if len(in.Args) > 1 {
		x = fmt.Sprintf("r%d", in.Args[1])
	}
	switch name := atomicBuiltins.Get()[in.Atomic]; {
	case in.Atomic == lanes.AtomicLoad:
		e.writeLine("r%d = __atomic_load_n(%s, __ATOMIC_SEQ_CST);", in.Dst, p)
	case in.Atomic == lanes.AtomicStore:
		e.writeLine("__atomic_store_n(%s, %s, __ATOMIC_SEQ_CST);", p, x)
	case in.Atomic == lanes.AtomicCompareExchange:
		e.writeLine("{")
		e.writeLine("  i%d old = r%d;", bits, in.Args[2])
		e.writeLine("  __atomic_compare_exchange_n(%s, &old, %s, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);", p, x)
		e.writeLine("  r%d = old;", in.Dst)
		e.writeLine("}")
	case name != "":
		e.writeLine("r%d = __atomic_%s(%s, %s, __ATOMIC_SEQ_CST);", in.Dst, name, p, x)
	default:
		e.writeLine("r%d = atomic_apply%d(%s, %s%d, %s);", in.Dst, bits, p, atomicNames.Get()[in.Atomic], bits, x)
	}
}

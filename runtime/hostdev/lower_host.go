package hostdev

import (
	"strings"
	"sync"

	"offlink/runtime/hostdev/internal/lanes"
	"offlink/spirv"
)

// An operation that the form lacks and that takes nothing but its operands is
// compiled as the interpreter does, and called: the same bits, one work-item
// at a time. Pointers are the same in both; an operation that has one may
// write to memory.

// hostTable is the functions that kernels of a program call, by number.
type hostTable struct {
	mu        sync.Mutex
	functions []*function
}

// add returns the number of the function. It locks, as does get: a kernel may be compiled
// while another one runs.
func (h *hostTable) add(fn *function) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.functions = append(h.functions, fn)
	return len(h.functions) - 1
}

func (h *hostTable) get(number uint32) *function {
	h.mu.Lock()
	defer h.mu.Unlock()
	if int64(number) >= int64(len(h.functions)) {
		return nil
	}
	return h.functions[number]
}

// maxHostWords is the words of arguments or results of one call.
const maxHostWords = 256

// lowerPure calls the host for an instruction whose operands are values.
func (l *lowering) lowerPure(in *spirv.Instruction) {
	name := in.Op.String()
	// Functions of groups need other work-items, and atomic operations and pipes are
	// not functions of their operands.
	for _, prefix := range []string{"OpGroup", "OpSubgroup", "OpAtomic", "OpWritePipe", "OpReadPipe"} {
		if strings.HasPrefix(name, prefix) {
			l.unsupported("%s", name)
		}
	}
	if (in.Result() == 0 || in.Type() == 0) && in.Op != spirv.OpImageWrite {
		l.unsupported("%s", name)
	}
	ids := l.operands(in)
	var args []*lanes.Value
	effect := l.isPrintf(in) || accessesImage(in.Op)
	for _, id := range ids {
		v := l.spell(l.value(id))
		effect = effect || hasPointer(v.t)
		for _, w := range v.words {
			args = append(args, l.toWord(w))
		}
	}
	t := &typ{kind: kindVoid}
	if in.Result() != 0 {
		t = l.typeOf(in.Type())
	}
	if len(args) > maxHostWords || t.words > maxHostWords {
		l.unsupported("%s of this type", name)
	}
	call := &lanes.HostCall{Number: l.host.add(l.pureFunction(in, ids)), Results: int(t.words), Effect: effect}
	results := l.b.CallHost(call, args)
	if t.words == 0 {
		return
	}
	var words []*lanes.Value
	for i, w := range wordsOf(t) {
		words = append(words, l.fromWord(results[i], w))
	}
	l.define(in, words)
}

func (l *lowering) isPrintf(in *spirv.Instruction) bool {
	return in.Op == spirv.OpExtInst && spirv.ExtInstName(l.p.module.ExtInstSet(spirv.ID(in.Words[2])), in.Words[3]) == "printf"
}

func hasPointer(t *typ) bool {
	for _, w := range wordsOf(t) {
		if w.kind == kindPointer || w.kind == kindEvent {
			return true
		}
	}
	return false
}

// operands are the values that an instruction of the function takes, each
// once: those of its function, and the addresses of variables in local memory,
// which are not constants in compiled code.
func (l *lowering) operands(in *spirv.Instruction) []spirv.ID {
	var ids []spirv.ID
	for _, w := range l.p.module.Operands(in) {
		_, ok := l.call().values[w]
		if v := l.p.variables[w]; v != nil && v.storage == spirv.StorageWorkgroup {
			ok = true
		}
		if ok && !contains(ids, w) {
			ids = append(ids, w)
		}
	}
	return ids
}

func contains(ids []spirv.ID, id spirv.ID) bool {
	for _, have := range ids {
		if have == id {
			return true
		}
	}
	return false
}

// pureFunction compiles the instruction as a function of its operands.
func (l *lowering) pureFunction(in *spirv.Instruction, ids []spirv.ID) *function {
	b := newBuilder(l.p, nil)
	b.fn.name, b.line = l.p.functionName(l.call().fn.ID()), l.line
	for _, id := range ids {
		b.define(id, l.value(id).t)
	}
	b.instruction(in)
	result := b.values[in.Result()]
	back := inst{step: stepReturn, a: result.at}
	if result.t != nil {
		back.n = int32(result.t.words)
	}
	b.emit(back)
	b.placeConstants()
	// A call has no work-group to wait for, and runs this one function alone.
	if b.fn.rendezvous || len(b.fn.calls) > 0 {
		l.unsupported("%v", in.Op)
	}
	// Local and built-in variables are memory of the interpreter's work-items, which
	// compiled code does not share.
	for _, id := range b.uses {
		if v := l.p.variables[id]; v == nil || v.memory == nil {
			l.unsupported("%v with a pointer to memory that is not global", in.Op)
		}
	}
	for _, id := range ids {
		b.fn.arguments += int(l.value(id).t.words)
	}
	return b.fn
}

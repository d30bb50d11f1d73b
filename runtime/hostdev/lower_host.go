package hostdev

import (
	"strings"
	"sync"

	"offlink/runtime/hostdev/internal/lanes"
	"offlink/spirv"
)

// An operation that the form lacks and that computes of its operands alone is
// compiled as the interpreter does, and called: the same bits, one work-item
// at a time.

// hostTable is the functions that kernels of a program call, by number.
type hostTable struct {
	mu        sync.Mutex
	functions []*function
}

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
	for _, prefix := range []string{"OpGroup", "OpSubgroup", "OpAtomic", "OpImage", "OpWritePipe", "OpReadPipe"} {
		if strings.HasPrefix(name, prefix) {
			l.unsupported("%s", name)
		}
	}
	if in.Result() == 0 || in.Type() == 0 {
		l.unsupported("%s", name)
	}
	ids := l.operands(in)
	var args []*lanes.Value
	for _, id := range ids {
		v := l.value(id)
		if v.place != nil || hasPointer(v.t) {
			l.unsupported("%s with a pointer", name)
		}
		for _, w := range v.words {
			args = append(args, l.toWord(w))
		}
	}
	t := l.typeOf(in.Type())
	if hasPointer(t) || len(args) > maxHostWords || t.words > maxHostWords || t.words == 0 {
		l.unsupported("%s of this type", name)
	}
	results := l.b.CallHost(&lanes.HostCall{Number: l.host.add(l.pureFunction(in, ids)), Results: int(t.words)}, args)
	var words []*lanes.Value
	for i, w := range wordsOf(t) {
		words = append(words, l.fromWord(results[i], w))
	}
	l.define(in, words)
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
// once.
func (l *lowering) operands(in *spirv.Instruction) []spirv.ID {
	var ids []spirv.ID
	for _, w := range l.p.module.Operands(in) {
		if _, ok := l.call().values[w]; ok && !contains(ids, w) {
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
	for _, id := range ids {
		b.define(id, l.value(id).t)
	}
	b.instruction(in)
	result := b.values[in.Result()]
	b.emit(inst{step: stepReturn, a: result.at, n: int32(result.t.words)})
	b.placeConstants()
	if b.fn.rendezvous || len(b.fn.calls) > 0 || len(b.uses) > 0 {
		l.unsupported("%v", in.Op)
	}
	for _, id := range ids {
		b.fn.arguments += int(l.value(id).t.words)
	}
	return b.fn
}

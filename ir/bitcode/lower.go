package bitcode

import (
	"strings"

	"offlink/ir"
	"offlink/ir/llvmschema"
)

// lowering replaces calls of a body by the values of edits.
type lowering struct {
	rewriter
	w     *partitionWriter
	added *additions

	prefix  string        // of the names of new values
	symbols uint32        // so far
	fresh   []instruction // in the place of the call being replaced

	out     []instruction
	pending []instruction // debug records of calls that went without successor
	kept    []int         // by the number of an instruction: its new number, or -1
	bundles int           // operand bundles that wait for their call
	counted int           // instructions so far
}

// replaceCalls returns the body with the calls replaced.
func (l *lowering) replaceCalls(edits []ir.CallEdit) (*body, error) {
	list := l.source.decodeInstructions(l.old)
	l.symbols = uint32(l.old.localCount())
	l.choosePrefix()
	stores, err := l.source.servingStores(l.old, list, func(call int) bool { return editOf(edits, call) != nil })
	if err != nil {
		return nil, err
	}
	for i := 0; i < len(list); {
		end, err := i+1, error(nil)
		if edit := editOf(edits, list[i].call); edit != nil {
			end, err = l.replaceCall(list, i, edit)
		} else if stores[i] {
			l.kept = append(l.kept, -1)
			_, end = l.leave(list, i)
		} else if list[i].recordLayout().Counts {
			end = l.keepInstruction(list, i)
		} else {
			l.out = append(l.out, list[i])
			if list[i].code == llvmschema.FunctionOperandBundle {
				l.bundles++
			}
		}
		if err != nil {
			return nil, err
		}
		i = end
	}
	return l.rebuildBody(l.out, int(l.symbols), l.kept), nil
}

// keepInstruction takes instruction i over, with its debug location, and in
// front of it the debug records of calls that went before it. It returns the
// index after the last instruction that it took.
func (l *lowering) keepInstruction(list []instruction, i int) int {
	l.kept = append(l.kept, l.counted)
	l.counted++
	l.bundles = 0
	end := i + 1
	if end < len(list) && list[end].code == llvmschema.FunctionDebugLoc {
		end++
	}
	l.out = append(l.out, list[i:end]...)
	l.takePending()
	return end
}

func (l *lowering) takePending() { l.out, l.pending = append(l.out, l.pending...), nil }

// replaceCall puts new instructions in the place of call i and of its parts:
// operand bundles before it, its debug location, which all of them get,
// and debug records.
func (l *lowering) replaceCall(list []instruction, i int, edit *ir.Expression) (end int, err error) {
	l.out = l.out[:len(l.out)-l.bundles]
	l.bundles = 0
	l.kept = append(l.kept, -1)
	if err := l.lowerCall(&list[i], edit); err != nil {
		return 0, err
	}
	location, end := l.leave(list, i)
	for _, n := range l.fresh {
		l.out = append(append(l.out, n), location...)
		l.takePending()
		l.counted++
	}
	return end, nil
}

// leave steps over instruction i, which is dropped. It returns its debug
// location, and the index after the records that belong to it; debug records
// wait for the next instruction.
func (l *lowering) leave(list []instruction, i int) (location []instruction, end int) {
	end = i + 1
	if end < len(list) && list[end].code == llvmschema.FunctionDebugLoc {
		location = list[end : end+1]
		end++
	}
	for ; end < len(list) && list[end].isDebugRecord(); end++ {
		l.pending = append(l.pending, list[end])
	}
	return location, end
}

// editOf returns the expression that takes the place of a call, or nil.
func editOf(edits []ir.CallEdit, call int) *ir.Expression {
	for i := range edits {
		if call >= 0 && edits[i].Call == call {
			return &edits[i].Value
		}
	}
	return nil
}

// choosePrefix chooses a prefix that no name of the function begins with.
func (l *lowering) choosePrefix() {
	l.prefix = "spec."
	for l.taken() {
		l.prefix += "."
	}
}

// taken reports whether a name of the function begins with the prefix.
func (l *lowering) taken() bool {
	for d := (decoder{data: l.old.symbols}); !d.atEnd(); {
		var b strings.Builder
		for _, o := range d.takeOperands(d.takeHead(), nil)[1:] {
			b.WriteByte(byte(o.value))
		}
		if strings.HasPrefix(b.String(), l.prefix) {
			return true
		}
	}
	return false
}

// lowerCall makes the instructions that take the place of a call.
func (l *lowering) lowerCall(call *instruction, e *ir.Expression) error {
	signature := l.source.callSignature(call)
	x, err := ir.NewReplacement(l.source.module, &signature, e)
	if err != nil {
		return err
	}
	w := replacementEncoder{lowering: l, call: call, replacement: x, firstSymbol: l.symbols}
	return w.encodeReplacement()
}

// callSignature returns the types of a call. Of its arguments only the first
// can be where the result goes, by the calling convention of SPIR.
func (s *source) callSignature(in *instruction) ir.Call {
	t := s.functionType(in)
	call := ir.Call{Result: t.Elements[0]}
	for _, parameter := range t.Elements[1:] {
		call.Arguments = append(call.Arguments, ir.Argument{Type: parameter})
	}
	if len(call.Arguments) > 0 {
		callee := ir.ValueID(in.operands[in.calleeIndex()].value)
		call.Arguments[0].SRet, _ = s.findSRet(in, callee, 0, call.Arguments[0].Type)
	}
	return call
}

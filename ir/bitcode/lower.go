package bitcode

import (
	"offlink/ir"
	"offlink/ir/llvmschema"
)

// lowering makes the changes of a rewrite in a body.
type lowering struct {
	rewriter
	w     *partitionWriter
	added *additions

	symbols uint32        // so far
	fresh   []instruction // in the place of the call being replaced

	out     []instruction
	pending []instruction // debug records of removed calls, for the next instruction
	kept    []int         // by the number of an instruction: its new number, or -1
	bundles int           // operand bundles that wait for their call
	counted int           // instructions so far
}

// changeBody returns the body with the changes of the rewrite.
func (l *lowering) changeBody(rewrite *ir.BodyRewrite) (*body, error) {
	list := l.source.decodeInstructions(l.old)
	l.symbols = uint32(l.old.localCount())
	for i := 0; i < len(list); {
		if !list[i].recordLayout().Counts {
			l.out = append(l.out, list[i])
			if list[i].code == llvmschema.FunctionOperandBundle {
				l.bundles++
			}
			i++
			continue
		}
		change := rewrite.ChangeOf(len(l.kept))
		if change == nil {
			i = l.keepInstruction(list, i)
			continue
		}
		end, err := l.changeInstruction(list, i, change.Replacement)
		if err != nil {
			return nil, err
		}
		i = end
	}
	return l.rebuildBody(l.out, int(l.symbols), l.kept), nil
}

// keepInstruction takes instruction i over, with its debug location, and attaches the debug records
// of calls that were removed before it. It returns the index after the last instruction that it
// took.
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

// changeInstruction replaces instruction i and its parts by new instructions, or removes them if x
// is nil. Its parts are the operand bundles before it and its debug location, which all new ones
// get; debug records are kept.
func (l *lowering) changeInstruction(list []instruction, i int, x *ir.Replacement) (end int, err error) {
	l.out = l.out[:len(l.out)-l.bundles]
	l.bundles = 0
	l.kept = append(l.kept, -1)
	l.fresh = l.fresh[:0]
	if x != nil {
		e := replacementEncoder{lowering: l, call: &list[i], replacement: x}
		if err := e.encodeReplacement(); err != nil {
			return 0, err
		}
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

package irtext

import (
	"slices"
	"strconv"

	"offlink/ir"
)

// declaration is a function that the partition adds because an edit calls it.
type declaration struct{ name, text string }

// writeDeclared declares the functions that edits call, but for those that
// the partition has.
func (w *writer) writeDeclared() {
	for i := range w.declared {
		w.appendString("\n" + w.declared[i].text + "\n")
	}
}

// declareCallee notes that a new instruction calls a function.
func (w *replacementWriter) declareCallee(in *ir.NewInstruction) {
	if _, ok := w.reach.FunctionNamed(in.Callee); ok {
		return
	}
	if slices.ContainsFunc(w.declared, func(d declaration) bool { return d.name == in.Callee }) {
		return
	}
	b := append(w.appendNewType([]byte("declare "+in.CallingConv+" "), in.Type), " @"...)
	b = append(appendName(b, []byte(in.Callee)), '(')
	for i, v := range in.Operands {
		if i > 0 {
			b = append(b, ", "...)
		}
		b = w.appendNewType(b, v.Type)
	}
	w.declared = append(w.declared, declaration{in.Callee, string(append(b, ')'))})
}

// replacementWriter writes the instructions that take the place of one call.
type replacementWriter struct {
	*rewriter
	site        *instructionSite
	replacement *ir.Replacement
}

// writeInstruction writes an instruction, with the debug location of the call.
func (w *replacementWriter) writeInstruction(in *ir.NewInstruction) {
	if len(w.lines) > 0 {
		w.lines = append(w.lines, "\n  "...)
	}
	if result := w.resultName(in); result != "" {
		w.lines = append(w.lines, result+" = "...)
	}
	switch in.Op {
	case ir.OpCall:
		w.declareCallee(in)
		w.lines = append(w.appendNewType(append(w.lines, "call "+in.CallingConv+" "...), in.Type), " @"...)
		w.lines = append(appendName(w.lines, []byte(in.Callee)), '(')
		w.appendOperands(in.Operands)
		w.lines = append(w.lines, ')')
	case ir.OpBitCast, ir.OpTrunc:
		w.lines = append(w.lines, in.Op.String()+" "...)
		w.appendOperands(in.Operands)
		w.lines = w.appendNewType(append(w.lines, " to "...), in.Type)
	default:
		w.writeMemory(in)
	}
	w.lines = append(w.lines, w.debug...)
}

// writeMemory writes an instruction that begins with the type of memory.
func (w *replacementWriter) writeMemory(in *ir.NewInstruction) {
	w.lines = append(w.lines, in.Op.String()+" "...)
	if in.Op != ir.OpStore {
		w.lines = append(w.appendNewType(w.lines, in.Element), ", "...)
	}
	w.appendOperands(in.Operands)
	if in.Align != 0 {
		w.lines = strconv.AppendUint(append(w.lines, ", align "...), in.Align, 10)
	}
	if in.Op != ir.OpAlloca {
		return
	}
	if space := w.replacement.Type(in.Type).AddressSpace; space != 0 {
		w.lines = append(w.lines, ", addrspace("+formatNumber(space)+")"...)
	}
}

// resultName returns the name that the instruction defines, "" if it defines
// none or takes the number of a call without a name.
func (w *replacementWriter) resultName(in *ir.NewInstruction) string {
	switch {
	case in.Name != "":
		return "%" + in.Name
	case in.IsResult && w.site.hasName:
		return w.patchedText(w.site.start, w.afterName(w.site))
	}
	return ""
}

// appendOperands appends operands with their types.
func (w *replacementWriter) appendOperands(list []ir.Value) {
	for i, v := range list {
		if i > 0 {
			w.lines = append(w.lines, ", "...)
		}
		switch v.Kind {
		case ir.ValueArgument:
			typ, value := w.argumentText(w.site, int(v.Index))
			w.lines = append(w.lines, typ+" "+value...)
		case ir.ValueConstant:
			w.lines = append(w.appendNewType(w.lines, v.Type), ' ')
			w.lines = w.appendNewConstant(w.lines, v)
		default:
			w.lines = append(w.appendNewType(w.lines, v.Type), ' ')
			w.lines = append(append(w.lines, '%'), w.replacement.Instructions[v.Index].Name...)
		}
	}
}

// appendNewConstant appends a constant; offsets in bytes are of a type that the
// module need not have.
func (w *replacementWriter) appendNewConstant(b []byte, v ir.Value) []byte {
	c := &w.replacement.Constants[v.Index]
	if int(v.Type) >= len(w.text.module.Types) {
		return strconv.AppendUint(b, c.Int, 10)
	}
	return w.appendConstant(b, v.Type, c)
}

// appendNewType appends a type of the module or of the replacement.
func (w *replacementWriter) appendNewType(b []byte, id ir.TypeID) []byte {
	if int(id) < len(w.text.module.Types) {
		return w.text.appendType(b, id)
	}
	t := w.replacement.Type(id)
	if t.Kind == ir.TypePointer {
		return append(appendSpace(w.appendNewType(b, t.Elements[0]), t.AddressSpace), '*')
	}
	return strconv.AppendUint(append(b, 'i'), uint64(t.Bits), 10)
}

package fromir

import (
	"path"
	"strings"

	"offlink/ir"
	"offlink/spirv"
)

// lineState is the source position that the last OpLine of a block set.
type lineState struct{ file, line, column uint32 }

// writeLine writes the source position of an instruction if it differs from the last one.
// Phis have none: they must come first in a block.
func (f *function) writeLine(in *ir.Instruction) {
	if in.Op == ir.OpDebugRecord || in.Op == ir.OpPhi {
		return
	}
	if f.describesDebug() {
		f.writeScope(in)
	}
	l := in.Location
	if l == nil || l.Scope == 0 {
		return
	}
	file := f.fileOf(ir.NodeID(l.Scope - 1))
	if file == 0 || l.Line == 0 && l.Column == 0 {
		return
	}
	now := lineState{file, l.Line, l.Column}
	if now != f.line {
		f.line = now
		if f.describesDebug() && f.shaderDebug() {
			f.writeDebugLine(l)
			return
		}
		f.emitPlain(spirv.OpLine, file, l.Line, l.Column)
	}
}

// fileOf returns the OpString of the file that a scope is in, or 0 if it is not known. The
// result is noted as 0 before the scopes around it are asked, which ends circles.
func (t *translator) fileOf(scope ir.NodeID) id {
	if known, ok := t.files[scope]; ok {
		return known
	}
	t.files[scope] = 0
	fields, err := t.module.Source.Operands(scope)
	if err != nil {
		t.failf("%v", err)
	}
	found := id(0)
	if t.module.Nodes.Kind(scope) == "DIFile" {
		found = t.b.stringID(fileName(fields))
	} else if found = t.fileOfField(fields, "file"); found == 0 {
		found = t.fileOfField(fields, "scope")
	}
	t.files[scope] = found
	return found
}

// fileOfField returns the OpString of the file of the node that a field names.
func (t *translator) fileOfField(fields []ir.Operand, name string) (found id) {
	for _, f := range fields {
		if f.Field == name && f.Kind == ir.OperandNode {
			found = t.fileOf(f.Node)
		}
	}
	return found
}

// fileName returns the path that a DIFile has.
func fileName(fields []ir.Operand) string {
	var name, directory string
	for _, f := range fields {
		switch f.Field {
		case "filename":
			name = f.String
		case "directory":
			directory = f.String
		}
	}
	if !strings.HasPrefix(name, "/") && directory != "" {
		name = path.Join(directory, name)
	}
	return name
}

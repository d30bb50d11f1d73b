package fromir

import (
	"fmt"

	"offlink/ir"
	"offlink/spirv"
)

// scopeState is the scope that the last DebugScope of a block set, as NodeIDs plus 1, like
// those of ir.Location.
type scopeState struct{ scope, inlinedAt uint32 }

// writeScope writes the scope of an instruction when it changes.
func (f *function) writeScope(in *ir.Instruction) {
	now := scopeState{}
	if l := in.Location; l != nil {
		now = scopeState{l.Scope, l.InlinedAt}
	}
	if now == f.scopeNow {
		return
	}
	f.scopeNow = now
	if now.scope == 0 {
		f.debugCall(debugNoScope)
		return
	}
	words := []uint32{f.debugLocationScope(now.scope)}
	if now.inlinedAt != 0 {
		words = append(words, f.debugEntry(ir.Operand{Kind: ir.OperandNode, Node: ir.NodeID(now.inlinedAt - 1)}))
	}
	f.debugCall(debugScope, words...)
}

// debugLocationScope returns the instruction of a scope, or a compile unit for a scope that
// is only a file.
func (f *function) debugLocationScope(scope uint32) id {
	o := ir.Operand{Kind: ir.OperandNode, Node: ir.NodeID(scope - 1)}
	if n, ok := f.debugScopeOf(o); ok {
		return n
	}
	return f.debugEntry(f.session.compileUnits[0])
}

// debugCall writes an instruction of the debug set into the function's code.
func (f *function) debugCall(number uint32, words ...uint32) {
	set, void := f.debugSet(), f.voidType()
	f.code = appendInstruction(f.code, spirv.OpExtInst, append([]uint32{void, f.b.newID(), set, number}, words...)...)
}

// writeDebugLine writes a DebugLine, which the sets for shaders have in place of OpLine: a
// range of lines and columns, here of one column.
func (f *function) writeDebugLine(l *ir.Location) {
	file := f.debugFileOf(ir.NodeID(l.Scope-1), 0)
	if file == 0 {
		return
	}
	f.debugCall(debugLine, file, f.constWord(l.Line), f.constWord(l.Line), f.constWord(l.Column), f.constWord(l.Column+1))
}

// debugFileOf returns the DebugSource of the file that a scope is in, or 0 if it is not
// known. The bound of depth ends circles of scopes.
func (t *translator) debugFileOf(scope ir.NodeID, depth int) id {
	n := t.debugNode(ir.Operand{Kind: ir.OperandNode, Node: scope})
	switch {
	case n.kind == "DIFile" || n.hasField("file"):
		return t.debugSource(&n)
	case n.nodeField("scope").Kind == ir.OperandNode && depth < 100:
		return t.debugFileOf(n.nodeField("scope").Node, depth+1)
	}
	return 0
}

// debugVariable writes a record of a variable or a call of llvm.dbg.declare or
// llvm.dbg.value. The operands are its place or value, the variable and an expression.
// Records that the sets cannot express are left out.
func (f *function) debugVariable(kind string, operands []ir.Value) {
	if !f.describesDebug() || len(operands) < 3 || kind != "declare" && kind != "value" {
		return
	}
	var uses [3]*ir.MetadataUse
	for i := range uses {
		if operands[i].Kind != ir.ValueMetadata {
			return
		}
		uses[i] = &f.ir.Metadata[operands[i].Index]
	}
	if uses[1].Kind != ir.OperandNode {
		return
	}
	expression, ok := f.debugExpression(uses[2].Operand)
	if len(uses[0].Values) != 1 || !ok {
		return
	}
	variable := f.debugEntry(uses[1].Operand)
	v := uses[0].Values[0]
	if kind == "declare" {
		f.debugCall(debugDeclare, variable, f.declaredPlace(v), expression)
		return
	}
	// Optimizers leave records whose value is not defined yet. LLVM takes such a value as
	// unknown.
	if v.Kind == ir.ValueInstruction && (!f.isDefined(v.Index) || f.skipInput(&f.ir.Instructions[v.Index])) || f.moduleType(v.Type).Kind == ir.TypeOther {
		return
	}
	value := f.valueID(v)
	f.debugCall(debugValue, variable, value, expression)
}

// declaredPlace returns the alloca or parameter that holds a variable, or DebugInfoNone.
func (f *function) declaredPlace(v ir.Value) id {
	switch v.Kind {
	case ir.ValueArgument:
		return f.args[v.Index]
	case ir.ValueInstruction:
		if in := &f.ir.Instructions[v.Index]; in.Op == ir.OpAlloca && f.isDefined(v.Index) {
			return f.reserveID(int(v.Index))
		}
	}
	return f.noDebug()
}

// debugExpression returns a DebugExpression; ok is false if it has operations that are not
// known or not allowed.
func (t *translator) debugExpression(o ir.Operand) (id, bool) {
	n := t.debugNode(o)
	var steps [][]uint32
	key := "expression"
	for i := 0; i < len(n.fields); i++ {
		op, known := debugOperations.Get()[dwarfNumber(n.fields[i])]
		if !known || op.number > 9 && !t.options.ExtraExpressions && t.options.Debug != DebugShader200 || i+op.operands >= len(n.fields) {
			return 0, false
		}
		step := []uint32{op.number}
		for range op.operands {
			i++
			step = append(step, uint32(dwarfNumber(n.fields[i])))
		}
		steps = append(steps, step)
		key += fmt.Sprint(" ", step)
	}
	return t.debugInstruction(key, debugExpression, func(d *debugWords) {
		for _, step := range steps {
			d.addIDs(t.debugInstruction("operation "+fmt.Sprint(step), debugOperationNumber, func(d *debugWords) { d.addLiterals(step...) }))
		}
	}), true
}

// functionDefinition writes the instruction that ties a function to its description, which
// the sets for shaders want at the start of its first block, and DebugEntryPoint for a
// kernel.
func (f *function) functionDefinition() {
	o, ok := f.value.Attached("dbg")
	if !ok || !f.describesDebug() || !f.shaderDebug() {
		return
	}
	described := f.debugEntry(o)
	f.debugCall(debugFunctionDefinition, described, f.functionID(f.unit))
	if f.info.kernel {
		unit := f.debugNode(f.session.compileUnits[0])
		f.debugInstruction(fmt.Sprint("entry point ", f.unit), debugEntryPoint, func(d *debugWords) {
			d.addIDs(described, f.debugEntry(f.session.compileUnits[0]), f.b.stringID(unit.fieldText("producer")), f.b.stringID(unit.fieldText("flags")))
		})
	}
}

// debugUnit translates the compile units with the enumerations, types, global variables and
// imported entities that they list.
func (t *translator) debugUnit() *unit {
	u := &unit{}
	t.beginUnit(noValue, nil)
	defer t.endUnit()
	for _, o := range t.session.compileUnits {
		t.debugEntry(o)
		n := t.debugNode(o)
		for _, list := range []string{"enums", "retainedTypes", "globals", "imports"} {
			for _, e := range t.resolveNode(n.nodeField(list)) {
				t.debugListed(e)
			}
		}
	}
	t.completeUnit(u)
	return u
}

// noValue is the value of the unit that belongs to no value: that of debugUnit.
const noValue = ^ir.ValueID(0)

// debugListed translates an element of a list of a compile unit.
func (t *translator) debugListed(o ir.Operand) {
	n := t.debugNode(o)
	if n.kind == "DIGlobalVariableExpression" {
		o = n.nodeField("var")
	}
	t.debugEntry(o)
}

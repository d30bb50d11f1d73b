package bitcode

import (
	"offlink/ir"
	"offlink/ir/llvmschema"
)

// declareBlocks reads [number of basic blocks]. The count comes first in a body, and every branch
// is checked against it. Blocks take no memory, so that a large count alone costs nothing.
func (r *bodyReader) declareBlocks() (bool, error) {
	list := r.cursor.Operands
	if len(list) < 1 || list[0] == 0 || r.blocks != 0 || list[0] > ir.MaxIndex {
		return false, r.cursor.Errorf("DECLAREBLOCKS record that is not the first or declares none")
	}
	r.blocks = list[0]
	r.out.appendLiteral(list[0])
	return false, nil
}

// readBranch reads [block] or [block, block, condition].
func (r *bodyReader) readBranch() (bool, error) {
	list := r.cursor.Operands
	kinds := "b"
	if len(list) == 3 {
		kinds = "bbv"
	}
	rest, err := r.takeOperands("BR", kinds, list)
	if err == nil && len(rest) > 0 {
		err = r.cursor.Errorf("instruction BR with %d operands", len(list))
	}
	return false, err
}

// readPhi reads [type, (value, block)..., flags if the number of operands is even]. LLVM, too,
// tells by the number whether there are flags.
func (r *bodyReader) readPhi() (bool, error) {
	list, err := r.takeOperands("PHI", "t", r.cursor.Operands)
	for err == nil && len(list) >= 2 {
		list, err = r.takeOperands("PHI", "sb", list)
	}
	if err == nil {
		r.out.appendLiterals(list)
	}
	return true, err
}

// readBundle reads [tag, operands...], which stands in front of its call. An operand is a value
// with its type if need be, or a mark and metadata.
func (r *bodyReader) readBundle() (bool, error) {
	list := r.cursor.Operands
	if len(list) == 0 || list[0] >= uint64(len(r.source.tags)) {
		return false, r.cursor.Errorf("operand bundle without a tag of the table")
	}
	list, err := r.takeOperands("OPERAND_BUNDLE", ".", list)
	for err == nil && len(list) > 0 {
		if list[0] != llvmschema.BundleMetadata {
			list, err = r.takeOperands("OPERAND_BUNDLE", "p", list)
			continue
		}
		r.out.appendLiteral(llvmschema.BundleMetadata)
		if len(list) < 2 {
			return false, r.cursor.Errorf("operand bundle is cut short")
		}
		err = r.nodeOperand(&r.out, uint64(r.next-uint32(list[1])), opNodeRel, opFunNodeRel)
		list = list[2:]
	}
	r.bundles = true
	return false, err
}

// readCall reads [attributes, convention and flags, fast-math flags if flagged,
// function type, callee, arguments...].
func (r *bodyReader) readCall() (bool, error) {
	list, err := r.takeOperands("CALL", "l.", r.cursor.Operands)
	if err != nil {
		return false, err
	}
	// CALL_EXPLICIT_TYPE is set by every LLVM from 4 on; without it the type would have to
	// be found through the callee's pointer.
	flags := r.cursor.Operands[1]
	if flags&llvmschema.CallExplicitType == 0 {
		return false, r.cursor.Errorf("instruction CALL without its function type is of a form that LLVM before 4 wrote")
	}
	if flags&llvmschema.CallFMF != 0 {
		if list, err = r.takeOperands("CALL", ".", list); err != nil {
			return false, err
		}
	}
	return r.readCallee("CALL", list)
}

// readInvoke reads [attributes, convention and flags, block, block, function type,
// callee, arguments...].
func (r *bodyReader) readInvoke() (bool, error) {
	list, err := r.takeOperands("INVOKE", "l.bb", r.cursor.Operands)
	if err != nil {
		return false, err
	}
	if r.cursor.Operands[1]&llvmschema.InvokeExplicitType == 0 {
		return false, r.cursor.Errorf("instruction INVOKE without its function type is of a form that LLVM before 4 wrote")
	}
	return r.readCallee("INVOKE", list)
}

// callBr reads [attributes, convention and flags, block, number of further
// blocks, these, function type, callee, arguments...].
func (r *bodyReader) callBr() (bool, error) {
	list, err := r.takeOperands("CALLBR", "l.b.", r.cursor.Operands)
	if err != nil {
		return false, err
	}
	if r.cursor.Operands[1]&llvmschema.CallExplicitType == 0 {
		return false, r.cursor.Errorf("instruction CALLBR without its function type")
	}
	for range r.cursor.Operands[3] {
		if list, err = r.takeOperands("CALLBR", "b", list); err != nil {
			return false, err
		}
	}
	return r.readCallee("CALLBR", list)
}

// readCallee takes the function type, the callee and the arguments.
func (r *bodyReader) readCallee(name string, list []uint64) (defines bool, err error) {
	r.bundles = false
	if len(list) < 2 {
		return false, r.cursor.Errorf("instruction %s is cut short", name)
	}
	id := list[0]
	if id >= uint64(len(r.module.Types)) || r.module.Types[id].Kind != ir.TypeFunction {
		return false, r.cursor.Errorf("instruction %s with type %d, which is not a function type", name, id)
	}
	if err := r.valueType(id); err != nil {
		return false, err
	}
	if list, err = r.calleeValue(ir.TypeID(id), list[1], list[2:]); err != nil {
		return false, err
	}
	t := &r.module.Types[id]
	if _, err = r.readArguments(name, t, list); err != nil {
		return false, err
	}
	return !r.isVoid(t.Elements[0]), nil
}

func (r *bodyReader) isVoid(t ir.TypeID) bool { return r.source.types[t].code == llvmschema.TypeVoid }

// calleeValue takes the callee and notes which kind of call it is. Only a callee that is a value of
// the module is a direct call. A constant expression (a cast of a function) is a use of the
// address, as in text.
func (r *bodyReader) calleeValue(t ir.TypeID, v uint64, list []uint64) ([]uint64, error) {
	id := r.next - uint32(v)
	if id < uint32(r.source.values.count()) {
		r.out.appendOperand(opGlobalRel, uint64(id))
		return list, r.useValue(id, ir.RefCallee)
	}
	if !r.isAsm(id) && r.indirect.firstTime(uint32(t)) {
		r.refs = append(r.refs, ir.MakeRef(ir.RefIndirectCall, uint32(t)))
	}
	return r.relativePair(v, list)
}

// isAsm reports whether the value is inline assembly, the one constant that a call may name and
// that is not a function whose address was taken.
func (r *bodyReader) isAsm(id uint32) bool {
	table, i := &r.source.constants, int64(id)-int64(r.source.values.count())
	if i >= int64(table.count()) {
		table, i = &r.body.constants, int64(id)-int64(r.globals)-int64(r.body.arguments)
	}
	if i < 0 || i >= int64(table.count()) {
		return false
	}
	d := table.openRecord(int(i))
	switch d.takeHead().code {
	case llvmschema.ConstantInlineAsm, llvmschema.ConstantInlineAsmOld, llvmschema.ConstantInlineAsmOld2, llvmschema.ConstantInlineAsmOld3:
		return true
	}
	return false
}

// readArguments takes the arguments of a call of that function type. Fixed arguments carry no types
// in the record; the function type has them.
func (r *bodyReader) readArguments(name string, t *ir.Type, list []uint64) ([]uint64, error) {
	if len(list) < len(t.Elements)-1 {
		return nil, r.cursor.Errorf("instruction %s with %d arguments for %d parameters", name, len(list), len(t.Elements)-1)
	}
	for _, parameter := range t.Elements[1:] {
		var err error
		switch r.source.types[parameter].code {
		case llvmschema.TypeLabel:
			err = r.basicBlock(list[0])
		case llvmschema.TypeMetadata:
			err = r.nodeOperand(&r.out, uint64(r.next-uint32(list[0])), opNodeRel, opFunNodeRel)
		default:
			err = r.relativeOperand(list[0])
		}
		if err != nil {
			return nil, err
		}
		list = list[1:]
	}
	if len(list) > 0 && !t.Variadic {
		return nil, r.cursor.Errorf("instruction %s with %d arguments too many", name, len(list))
	}
	var err error
	for err == nil && len(list) > 0 {
		list, err = r.takeOperands(name, "p", list)
	}
	return list, err
}

// useValue notes a use of a global value, or of the values that a constant of the module refers to.
// References are kept once for each body and kind, in the order of first use, so that the model's
// lists are the same in every run.
func (r *bodyReader) useValue(id uint32, kind ir.RefKind) error {
	n := uint32(r.source.values.count())
	if id >= n {
		return r.useConstant(id - n)
	}
	marks := &r.addresses
	if kind == ir.RefCallee {
		marks = &r.callees
	}
	if marks.firstTime(id) {
		r.refs = append(r.refs, ir.MakeRef(kind, id))
	}
	return nil
}

// useConstant notes a constant of the module and the global values that it is made of, each once
// for the body. Constants are not values of the model, so a body refers to the global values in
// them, and remembers the constant itself for the writer.
func (r *bodyReader) useConstant(i uint32) error {
	if !r.constants.firstTime(i) {
		return nil
	}
	r.uses = append(r.uses, makeUse(useConstant, i))
	return r.source.walkConstants(&r.constants, i, func(id uint32) {
		if r.addresses.firstTime(id) {
			r.refs = append(r.refs, ir.MakeRef(ir.RefAddress, id))
		}
	})
}

// useType notes a type, once for the body.
func (r *bodyReader) useType(v uint64) {
	if r.types.firstTime(uint32(v)) {
		r.refs = append(r.refs, ir.MakeRef(ir.RefType, uint32(v)))
	}
}

// useList notes an attribute list and the groups of the function that it
// holds. Groups of parameters and results belong to no value of the model.
func (r *bodyReader) useList(i uint32) {
	if !r.lists.firstTime(i) {
		return
	}
	r.uses = append(r.uses, makeUse(useList, i))
	for _, g := range r.source.functionGroups(uint64(i) + 1) {
		if r.groups.firstTime(uint32(g)) {
			r.refs = append(r.refs, ir.MakeRef(ir.RefAttributes, uint32(g)))
		}
	}
}

// useNode notes that the body names metadata of the module. Strings and values of metadata are
// entries of the same table but not nodes: they are kept with the body that names them.
func (r *bodyReader) useNode(id uint64) error {
	if !r.moduleNodes.firstTime(uint32(id)) {
		return nil
	}
	if r.source.metadata.isNode(int(id)) {
		r.refs = append(r.refs, ir.MakeRef(ir.RefNode, uint32(id)))
		return nil
	}
	r.uses = append(r.uses, makeUse(useMetadata, uint32(id)))
	return r.useValues(&r.source.metadata, int(id))
}

// useOwnNode notes that the body names metadata of the function, whose nodes are numbered from
// first.
func (r *bodyReader) useOwnNode(i, first uint64) error {
	if !r.localNodes.firstTime(uint32(i)) {
		return nil
	}
	if r.body.metadata.isNode(int(i)) {
		r.refs = append(r.refs, ir.MakeRef(ir.RefNode, uint32(i+first)))
	}
	return r.useValues(&r.body.metadata, int(i))
}

// useValues notes the values that metadata is or lists, where the body names
// it. References from nodes do not count as uses: such a value may be lacking.
func (r *bodyReader) useValues(t *metadataTable, i int) error {
	if t.entries[i].size != isRecord {
		return nil
	}
	d := t.openRecord(i)
	rec := d.takeHead()
	if rec.code != llvmschema.MetadataValue && rec.code != llvmschema.MetadataArgList {
		return nil
	}
	for range rec.count {
		var err error
		switch o := d.takeOperand(); o.kind {
		case opGlobal:
			err = r.useValue(uint32(o.value), ir.RefAddress)
		case opNode:
			err = r.useValues(&r.source.metadata, int(o.value))
		case opFunNode:
			if int(o.value) < i { // values come before their list
				err = r.useValues(t, int(o.value))
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

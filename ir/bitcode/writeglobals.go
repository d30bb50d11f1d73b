package bitcode

import (
	"slices"

	"offlink/ir"
	"offlink/ir/llvmschema"
)

// collectParts finds everything that the partition keeps of the module and adds to it.
func (w *partitionWriter) collectParts() error {
	for i := range w.kept {
		// Only the entries of the last partition: tables are as large as the module's, and a
		// partition should cost as much as it keeps.
		w.numbers.values.forgetEntry(uint32(w.kept[i].id()))
	}
	w.numbers.resetNumbers(w.reach)
	w.added.resetAdditions()
	clear(w.units)
	w.kept, w.parts, w.named = w.kept[:0], w.parts[:0], w.named[:0]
	for _, id := range w.reach.Comdats {
		w.numbers.comdats.keepEntry(uint32(id))
	}
	if err := w.collectValues(); err != nil {
		return err
	}
	for _, id := range w.reach.Nodes {
		// Nodes of functions are written with their bodies.
		if int(id) < len(w.source.metadata.entries) {
			w.numbers.keepNode(uint32(id))
		}
	}
	w.collectUnits()
	w.collectNamed()
	w.keepAdditions()
	return nil
}

// collectValues keeps the values of the partition and the entries that they need.
func (w *partitionWriter) collectValues() error {
	n := len(w.partition.Definitions) + len(w.partition.Declarations)
	w.kept = slices.Grow(w.kept, n)
	var v ir.PartitionValue // one for all, as it is on the heap
	for v = range w.partition.Values() {
		if !w.numbers.values.markEntry(uint32(v.ID)) {
			continue
		}
		k := newKept(&v)
		if comdat := v.Comdat(); comdat != ir.NoComdat {
			w.editParts(&k).comdat = comdat
		}
		w.kept = append(w.kept, k)
	}
	i := 0
	for v = range w.partition.Values() {
		// In two passes, as a constant is kept only if the partition has the values that it is
		// made of.
		if i == len(w.kept) || w.kept[i].id() != v.ID {
			continue // named twice
		}
		if err := w.collectValue(&w.kept[i], &v); err != nil {
			return err
		}
		i++
	}
	return nil
}

// collectValue keeps the entries that a value needs. All values of the partition have been
// kept before: constants are checked against them.
func (w *partitionWriter) collectValue(k *keptValue, v *ir.PartitionValue) error {
	w.collectHeader(k, v)
	w.collectAttachments(k, v)
	if !k.definition() {
		return nil
	}
	if err := w.collectElements(k, v); err != nil {
		return err
	}
	if w.source.values.entryOf(k.id()).body() >= 0 {
		return w.body.collectBody(k, v.Edit)
	}
	return nil
}

// collectHeader keeps the entries that the record of the value names.
func (w *partitionWriter) collectHeader(k *keptValue, v *ir.PartitionValue) {
	rec := w.source.headerRecord(k.id())
	if section, gc := rec.tableFields(); section+gc > 0 {
		if section > 0 {
			w.numbers.sections.keepEntry(uint32(section - 1))
		}
		if gc > 0 {
			w.numbers.gcs.keepEntry(uint32(gc - 1))
		}
	}
	list := rec.attributeList()
	// Attributes that a step gave the value itself, such as those of annotations, are in no
	// group of the module: they go into a list of its own, too.
	add := v.Edit.Add
	if own := v.Value.Details().Attributes; len(own) > 0 {
		add = slices.Concat(own, add)
	}
	if len(add)+len(v.Edit.Remove) > 0 {
		parts := w.editParts(k)
		parts.list, parts.relisted = uint32(w.added.changedList(list, add, v.Edit.Remove)), true
	} else if list > 0 {
		w.numbers.keepList(uint32(list - 1))
	}
	w.numbers.keepType(w.typeOf(k))
	// Its constants are not written, or are others.
	if v.BecomesDeclaration() || v.Elements() != nil {
		return
	}
	values, n := rec.headerValues()
	for _, id := range values[:n] {
		w.numbers.keepValue(id)
	}
}

// collectElements makes the initialiser and type of a variable that is wrapped, and of an array of
// which only some elements are left.
func (w *partitionWriter) collectElements(k *keptValue, v *ir.PartitionValue) error {
	if v.Edit.Wrap {
		w.collectWrapped(k)
		return nil
	}
	keep := v.Elements()
	if keep == nil {
		return nil
	}
	list, t, err := w.source.arrayElements(k.id())
	if err != nil {
		return err
	}
	// The record of an array is its length and its element's type.
	element := w.source.types[t].operands[1]
	typ := w.added.addType(llvmschema.TypeArray, uint64(len(keep)), element)
	init := addedValue{typ: typ, code: llvmschema.ConstantAggregate}
	for _, i := range keep {
		init.operands = append(init.operands, operand{opGlobal, uint64(list[i])})
	}
	parts := w.editParts(k)
	parts.typ, parts.init = typ+1, w.added.addValue(init)+1
	return nil
}

// collectWrapped makes the structure that a variable becomes, and its initialiser.
func (w *partitionWriter) collectWrapped(k *keptValue) {
	const packed = 0
	typ := w.added.addType(llvmschema.TypeStructAnon, packed, uint64(w.typeOf(k)))
	parts := w.editParts(k)
	parts.typ = typ + 1
	if values, n := w.source.headerRecord(k.id()).headerValues(); n > 0 {
		init := addedValue{typ: typ, code: llvmschema.ConstantAggregate, operands: []operand{{opGlobal, uint64(values[0])}}}
		parts.init = w.added.addValue(init) + 1
	}
}

// collectAttachments notes the metadata attached to a value.
func (w *partitionWriter) collectAttachments(k *keptValue, v *ir.PartitionValue) {
	for a := range v.Attached() {
		w.attachNode(k, attachedNode{w.added.kindNumber(a.Kind), w.added.addOperand(&a.Operand)})
	}
	for i := range v.Edit.Attach {
		a := &v.Edit.Attach[i]
		w.attachNode(k, attachedNode{w.added.kindNumber(a.Kind), w.added.addTuple(a.Node.Operands)})
	}
}

// collectUnits makes the lists of variables of compile units that changed.
func (w *partitionWriter) collectUnits() {
	for _, u := range w.reach.Units {
		refs := make([]metadataRef, len(u.Globals))
		for i, g := range u.Globals {
			refs[i] = w.source.nodeRef(g)
		}
		w.units[uint32(u.Node)] = w.added.addNode(refs)
	}
}

// collectNamed notes the named metadata of the partition.
func (w *partitionWriter) collectNamed() {
	for list := range w.reach.Named() {
		named := namedList{name: list.Name}
		for i := range list.Operands() {
			named.nodes = append(named.nodes, w.added.addOperand(&w.module.NamedMetadata[list.Index].Operands[i]))
		}
		for i := range list.New {
			named.nodes = append(named.nodes, w.added.addTuple(list.New[i].Operands))
		}
		w.named = append(w.named, named)
	}
}

// keepAdditions keeps the module's entries that the additions name.
func (w *partitionWriter) keepAdditions() {
	a, n := w.added, w.numbers
	for _, m := range a.metadata {
		if m.value {
			w.keepType(m.typ)
		}
	}
	for _, v := range a.values {
		w.keepType(v.typ)
		for _, o := range v.operands {
			switch o.kind {
			case opGlobal:
				n.keepValue(uint32(o.value))
			case opType:
				w.keepType(uint32(o.value))
			}
		}
	}
	for _, f := range a.functions {
		w.keepType(f.typ)
	}
	for _, list := range a.lists {
		for _, g := range list {
			if int(g) < len(w.source.groups) {
				n.keepGroup(g)
			}
		}
	}
	for _, g := range a.groups {
		for _, at := range g.types {
			n.keepType(uint32(g.attributes[at]))
		}
	}
	for i := range w.kept {
		w.keepType(w.typeOf(&w.kept[i]))
	}
	for i := range a.types {
		w.keepType(uint32(len(w.source.types) + i))
	}
}

// keepType keeps a type of the module. Of a type that the partition adds, it keeps the elements,
// which may be types of the module.
func (w *partitionWriter) keepType(id uint32) {
	if id < uint32(len(w.source.types)) {
		w.numbers.keepType(id)
		return
	}
	t := w.added.typeRecord(id)
	first, last := t.childFields()
	for _, child := range t.operands[first:last] {
		w.keepType(uint32(child))
	}
}

// numberParts numbers the kept entries.
func (w *partitionWriter) numberParts() {
	n, a := w.numbers, w.added
	// Numbers are given when everything is known, as the writers of records only look them
	// up. Types that the additions need have come to the reached ones by now.
	n.takeReached()
	n.types.assignNumbers(0)
	n.groups.assignNumbers(1)
	n.lists.assignNumbers(0)
	n.comdats.assignNumbers(1)
	n.sections.assignNumbers(1)
	n.gcs.assignNumbers(1)
	// Values come first, then the functions that the partition adds, then constants: the order
	// in which a reader counts them.
	for i := range w.kept { // in the order of the module
		n.values.setNumber(uint32(w.kept[i].id()), uint32(i))
	}
	next := uint32(len(w.kept))
	for i := range a.functions {
		a.functions[i].number = next
		next++
	}
	next = n.constants.assignNumbers(next)
	for i := range a.values {
		a.values[i].number = next
		next++
	}
	w.body.globals = next
	w.numberMetadata()
}

// numberMetadata numbers strings first: the module's, then added ones. Then
// come the module's values and nodes, and those that are added.
func (w *partitionWriter) numberMetadata() {
	n, t := &w.numbers.nodes, &w.source.metadata
	slices.Sort(n.kept)
	w.stringsKept = 0
	for _, id := range n.kept {
		if t.entries[id].size != isRecord {
			n.setNumber(id, uint32(w.stringsKept))
			w.stringsKept++
		}
	}
	next := uint32(w.stringsKept + len(w.added.strings))
	for _, id := range n.kept {
		if t.entries[id].size == isRecord {
			n.setNumber(id, next)
			next++
		}
	}
	w.nodesEnd = uint64(next)
}

// writeGlobal writes the record of a global value: that of the module, with every field that
// numbers an entry of the module changed to the partition's number.
func (w *partitionWriter) writeGlobal(k *keptValue) {
	rec := w.source.headerRecord(k.id())
	span := w.strtab.valueName(w.module.Values[k.id()].Name)
	w.operands = rec.appendFields(append(w.operands[:0], span.offset, span.size))
	fields := w.operands[2:]
	fields[0] = w.typeNumber(w.typeOf(k))
	switch rec.code {
	case llvmschema.ModuleVariable:
		w.writeVariable(k, fields)
	case llvmschema.ModuleFunction:
		w.writeFunction(k, fields)
	default:
		fields[aliasTarget] = w.valueNumber(uint32(fields[aliasTarget]))
		fields[aliasLinkage] = linkageNumbers[k.linkage()]
		// An ifunc has no DLL storage class.
		if rec.code == llvmschema.ModuleAlias {
			setLocal(k, fields, aliasVisible, aliasDLL)
		} else {
			setLocal(k, fields, aliasVisible, len(fields))
		}
	}
	// The partition of LLVM's own kind ("partition" in text) is a name in the string table.
	if at := rec.partitionField(); len(fields) > at+1 {
		name, _ := w.source.symbolName(fields[at], fields[at+1])
		span := w.strtab.addSymbol(name)
		fields[at], fields[at+1] = span.offset, span.size
	}
	w.out.Record(-1, rec.code, w.operands)
}

// setField sets a field if the record has it.
func setField(fields []uint64, at int, v uint64) {
	if at < len(fields) {
		fields[at] = v
	}
}

// setLocal drops the properties that a local value must not have.
func setLocal(k *keptValue, fields []uint64, visible, dll int) {
	if k.linkage() == ir.Internal || k.linkage() == ir.Private {
		setField(fields, visible, 0)
		setField(fields, dll, 0)
	}
}

// comdatField returns the number of the value's comdat in the partition, 0 for none.
func (w *partitionWriter) comdatField(k *keptValue) uint64 {
	comdat := w.partsOf(k).comdat
	if comdat == ir.NoComdat {
		return 0
	}
	return w.numbers.comdats.newNumber(uint32(comdat))
}

// tableNumber returns the partition's number of an entry of a table of names. v is the number in
// the module plus one, 0 for none; the partition's tables are numbered from 1, so that 0 is none
// there, too.
func tableNumber(n *numbering, v uint64) uint64 {
	if v == 0 {
		return 0
	}
	return n.newNumber(uint32(v - 1))
}

// setList sets the attribute list if the record has one.
func (w *partitionWriter) setList(k *keptValue, fields []uint64, at int) {
	if at >= len(fields) {
		return
	}
	list := fields[at]
	if p := w.partsOf(k); p.relisted {
		list = uint64(p.list)
	}
	fields[at] = w.listNumber(list)
}

// writeVariable puts the partition's numbers into the record of a variable. A
// declaration has no initialiser.
func (w *partitionWriter) writeVariable(k *keptValue, fields []uint64) {
	init := fields[varInit]
	if changed := w.partsOf(k).init; changed > 0 {
		init = uint64(changed)
	}
	fields[varInit] = 0
	if k.definition() && init > 0 {
		fields[varInit] = w.valueNumber(uint32(init-1)) + 1
	}
	fields[varLinkage] = linkageNumbers[k.linkage()]
	fields[varSection] = tableNumber(&w.numbers.sections, fields[varSection])
	setLocal(k, fields, varVisible, varDLL)
	setField(fields, varComdat, w.comdatField(k))
	w.setList(k, fields, varLists)
}

// writeFunction puts the partition's numbers into the record of a function. A
// declaration keeps its attributes and loses the parts of a body.
func (w *partitionWriter) writeFunction(k *keptValue, fields []uint64) {
	fields[funcDeclaration] = 1
	if k.definition() {
		fields[funcDeclaration] = 0
	}
	w.callingConv(&w.module.Values[k.id()], fields)
	fields[funcLinkage] = linkageNumbers[k.linkage()]
	w.setList(k, fields, funcLists)
	fields[funcSection] = tableNumber(&w.numbers.sections, fields[funcSection])
	setLocal(k, fields, funcVisible, funcDLL)
	if len(fields) > funcGC {
		fields[funcGC] = tableNumber(&w.numbers.gcs, fields[funcGC])
	}
	setField(fields, funcComdat, w.comdatField(k))
	for _, at := range []int{funcPrologue, funcPrefix, funcPersonality} {
		if at >= len(fields) || fields[at] == 0 {
			continue
		}
		// A function that loses its body loses the constants that only a body may have; one that
		// was a declaration in the module keeps them.
		if k.definition() || w.module.Values[k.id()].Declaration {
			fields[at] = w.valueNumber(uint32(fields[at]-1)) + 1
		} else {
			fields[at] = 0
		}
	}
}

// callingConv writes a function's calling convention where the model has
// another than the record: a mark has made the function a kernel.
func (w *partitionWriter) callingConv(v *ir.GlobalValue, fields []uint64) {
	convention := w.module.CallingConv(v)
	if convention == callingConv(fields[funcCC]) {
		return
	}
	if n, ok := callingConvNumber(convention); ok {
		fields[funcCC] = n
	}
}

// writeAddedFunction writes the declaration of a function that the module does not have.
func (w *partitionWriter) writeAddedFunction(f *addedFunction) {
	span := w.strtab.addSymbol(f.name)
	fields := make([]uint64, funcAddrSpace+1)
	fields[funcType], fields[funcCC], fields[funcDeclaration] = w.typeNumber(f.typ), f.cc, 1
	w.out.Record(-1, llvmschema.ModuleFunction, append([]uint64{span.offset, span.size}, fields...))
}

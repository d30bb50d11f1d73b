package bitcode

import (
	"offlink/ir"
	"offlink/ir/llvmschema"
	"offlink/lazy"
)

// Bits of the calling-convention operand of calls besides those of llvmschema.
const (
	callTail     = 1 << 0
	callMustTail = 1 << 14
	callNoTail   = 1 << 16
)

// decodeCall decodes call, invoke and callbr: attributes, calling convention and flags, targets,
// fast-math flags if bit 17 is set, then the callee.
func (d *bodyDecoder) decodeCall(code uint32, in *ir.Instruction) {
	var detail ir.CallDetail
	if o := d.takeOperand(); o.kind == opList {
		detail.Attributes = d.attributeSet(o.value)
	}
	bits := d.takeLiteral()
	var targets []ir.Value
	switch code {
	case llvmschema.FunctionCall:
		in.Op = ir.OpCall
		detail.CallingConv = callingConv(bits >> 1 & 0x3ff)
		in.Flags = callFlags(bits)
		if bits&llvmschema.CallFMF != 0 {
			in.Flags |= fastMathFlags(d.takeLiteral())
		}
	case llvmschema.FunctionInvoke:
		in.Op = ir.OpInvoke
		detail.CallingConv = callingConv(bits &^ llvmschema.InvokeExplicitType)
		targets = append(targets, d.takeBlock(), d.takeBlock())
	case llvmschema.FunctionCallBr:
		in.Op = ir.OpCallBr
		detail.CallingConv = callingConv(bits >> 1 & 0x3ff)
		targets = d.indirectTargets()
	}
	in.Element = d.takeType()
	function := d.types[in.Element]
	in.Type = function.Elements[0]
	d.decodeCallee(&detail)
	// The function type states how many arguments are fixed; the other arguments of a variadic
	// call bring their types.
	d.decodeArguments(function.Elements[1:])
	for _, t := range targets {
		d.pushOperand(t)
	}
	// Bundles are records in front of their call.
	detail.Bundles, d.bundles = d.bundles, nil
	in.Call = len(d.body.Calls)
	d.body.Calls = append(d.body.Calls, detail)
}

// indirectTargets decodes the blocks of a callbr: the default, then a counted list.
func (d *bodyDecoder) indirectTargets() []ir.Value {
	targets := []ir.Value{d.takeBlock()}
	for range d.takeLiteral() {
		targets = append(targets, d.takeBlock())
	}
	return targets
}

// callFlags decodes the tail-call bits. Only one of them is meant: the later ones take precedence.
func callFlags(bits uint64) (flags ir.Flags) {
	if bits&callTail != 0 {
		flags |= ir.FlagTail
	}
	if bits&callMustTail != 0 {
		flags = ir.FlagMustTail
	}
	if bits&callNoTail != 0 {
		flags = ir.FlagNoTail
	}
	return flags
}

// decodeCallee decodes the callee. Its function type is explicit since LLVM 4. A callee that is
// defined later brings its pointer type as well.
func (d *bodyDecoder) decodeCallee(detail *ir.CallDetail) {
	o := d.takeOperand()
	if a := d.inlineAsm(o); a != nil {
		detail.Asm = a
		d.pushOperand(ir.NoValue)
		return
	}
	typ := ir.NoType
	if d.hasMore() && d.operands[d.at].kind == opForwardType {
		typ = d.takeType()
	}
	d.pushOperand(d.decodeValue(o, typ))
}

// inlineAsm decodes the constant that an operand names if it is inline assembly, or returns nil.
// The flags are one number: side effects, stack alignment, Intel's dialect, unwinding, from the
// lowest bit on.
func (d *bodyDecoder) inlineAsm(o operand) *ir.InlineAsm {
	var c decoder
	switch n := uint64(d.source.values.count()); {
	// Inline assembly is a constant in bitcode, of the module or of the function. Only a callee
	// may be one.
	case (o.kind == opGlobalRel || o.kind == opGlobal) && o.value >= n:
		c = d.source.constants.openRecord(int(o.value - n))
	case o.kind == opLocalRel:
		i := int64(o.value) - int64(d.compact.arguments)
		if i < 0 || i >= int64(d.compact.constants.count()) {
			return nil
		}
		c = d.compact.constants.openRecord(int(i))
	default:
		return nil
	}
	rec := c.takeHead()
	switch rec.code {
	case llvmschema.ConstantInlineAsm, llvmschema.ConstantInlineAsmOld, llvmschema.ConstantInlineAsmOld2, llvmschema.ConstantInlineAsmOld3:
	default:
		return nil
	}
	list := c.takeOperands(rec, nil)
	if rec.code == llvmschema.ConstantInlineAsm {
		// LLVM 15 added the type. Each newer code has one flag more, in the same first operand.
		list = list[1:] // the function type
	}
	a := &ir.InlineAsm{SideEffects: list[0].value&1 != 0, AlignStack: list[0].value&2 != 0, IntelDialect: list[0].value&4 != 0}
	a.Template, list = d.sizedText(list[1:])
	a.Constraints, _ = d.sizedText(list)
	return a
}

// sizedText takes the length of a string, and its characters, which are operands of one byte each.
func (d *bodyDecoder) sizedText(list []operand) (string, []operand) {
	if len(list) == 0 || list[0].value > uint64(len(list)-1) {
		d.failf("inline assembly is cut short")
	}
	n := list[0].value
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(list[1+i].value)
	}
	return string(b), list[1+n:]
}

// decodeArguments decodes the fixed arguments, then those of a variadic call. The types of fixed
// arguments are those of the function type, so records have only their values; labels and metadata
// have numberings of their own.
func (d *bodyDecoder) decodeArguments(parameters []ir.TypeID) {
	for _, t := range parameters {
		switch d.source.types[t].code {
		case llvmschema.TypeLabel:
			d.pushOperand(d.takeBlock())
		case llvmschema.TypeMetadata:
			d.pushOperand(d.metadataValue(d.takeOperand()))
		default:
			d.pushOperand(d.valueOfType(t))
		}
	}
	for d.hasMore() {
		d.pushOperand(d.typedValue())
	}
}

// decodeBundle decodes an operand bundle, which stands in front of its call. Metadata among the
// operands has a mark in front of it, as its numbers are not those of values.
func (d *bodyDecoder) decodeBundle() {
	b := ir.Bundle{Tag: d.source.tags[d.takeLiteral()]}
	for d.hasMore() {
		if o := d.operands[d.at]; o.kind == opLiteral && o.value == llvmschema.BundleMetadata {
			d.at++
			b.Operands = append(b.Operands, d.metadataValue(d.takeOperand()))
			continue
		}
		b.Operands = append(b.Operands, d.typedValue())
	}
	d.bundles = append(d.bundles, b)
}

// metadataValue decodes metadata as an operand.
func (d *bodyDecoder) metadataValue(o operand) ir.Value {
	t := &d.source.metadata
	switch o.kind {
	case opFunNode, opFunNodeRel, opFunNodePlus1:
		t = &d.compact.metadata
	}
	if o.value >= uint64(len(t.entries)) {
		d.failf("metadata %d of %d", o.value, len(t.entries))
	}
	return d.addMetadata(d.metadataUse(t, o))
}

// addMetadata adds metadata that a call names to the body.
func (d *bodyDecoder) addMetadata(m ir.MetadataUse) ir.Value {
	d.body.Metadata = append(d.body.Metadata, m)
	return ir.Value{Kind: ir.ValueMetadata, Index: uint32(len(d.body.Metadata) - 1), Type: ir.NoType}
}

// metadataUse decodes metadata that is an operand: a string, a value, a list of values, or a node.
func (d *bodyDecoder) metadataUse(t *metadataTable, o operand) ir.MetadataUse {
	i := int(o.value)
	if e := t.entries[i]; e.size != isRecord {
		return ir.MetadataUse{Operand: ir.Operand{Kind: ir.OperandString, String: string(d.source.stringText(e))}}
	}
	c := t.openRecord(i)
	switch rec := c.takeHead(); rec.code {
	case llvmschema.MetadataValue:
		return ir.MetadataUse{Values: []ir.Value{d.wrappedValue(c, rec)}}
	case llvmschema.MetadataArgList:
		var use ir.MetadataUse
		for _, part := range c.takeOperands(rec, nil) {
			use.Values = append(use.Values, d.listedValue(t, part))
		}
		return use
	}
	return ir.MetadataUse{Operand: ir.Operand{Kind: ir.OperandNode, Node: d.nodeID(o)}}
}

// listedValue decodes a part of a DIArgList, which is a value of metadata.
func (d *bodyDecoder) listedValue(t *metadataTable, part operand) ir.Value {
	switch part.kind {
	case opNode, opNodePlus1:
		t = &d.source.metadata
	case opFunNode, opFunNodePlus1:
	default:
		d.failf("a list of arguments that are not metadata")
	}
	if part.value >= uint64(len(t.entries)) || t.entries[part.value].size != isRecord {
		d.failf("a list of arguments that are not values")
	}
	c := t.openRecord(int(part.value))
	rec := c.takeHead()
	if rec.code != llvmschema.MetadataValue {
		d.failf("a list of arguments that are not values")
	}
	return d.wrappedValue(c, rec)
}

// wrappedValue decodes the value of a record [type, value]. A local value has its number in the
// function, and may be defined later.
func (d *bodyDecoder) wrappedValue(c decoder, rec record) ir.Value {
	list := c.takeOperands(rec, nil)
	return d.decodeValue(list[1], ir.TypeID(list[0].value))
}

// recordNames has the names of debug records, and the order in which text has bitcode's operands.
var recordNames = lazy.Map[uint32, recordNameRow]{New: func() map[uint32]recordNameRow {
	return map[uint32]recordNameRow{
		llvmschema.FunctionRecordValue:        {"value", []int{3, 1, 2, 0}},
		llvmschema.FunctionRecordValueSimple:  {"value", []int{3, 1, 2, 0}},
		llvmschema.FunctionRecordDeclare:      {"declare", []int{3, 1, 2, 0}},
		llvmschema.FunctionRecordDeclareValue: {"declare_value", []int{3, 1, 2, 0}},
		llvmschema.FunctionRecordAssign:       {"assign", []int{3, 1, 2, 4, 6, 5, 0}},
		llvmschema.FunctionRecordLabel:        {"label", []int{1, 0}},
	}
}}

// recordNameRow is a row of recordNames.
type recordNameRow struct {
	name  string
	order []int
}

// debugRecord decodes a record of debug information (LLVM 19). It stands between instructions and
// replaces calls of llvm.dbg.*.
func (d *bodyDecoder) debugRecord(code uint32, in *ir.Instruction) {
	form := recordNames.Get()[code]
	in.Op, in.Scope = ir.OpDebugRecord, form.name
	parts := make([]ir.Value, 0, len(form.order))
	for d.hasMore() {
		if code == llvmschema.FunctionRecordValueSimple && len(parts) == 3 {
			parts = append(parts, d.addMetadata(ir.MetadataUse{Values: []ir.Value{d.typedValue()}}))
			continue
		}
		parts = append(parts, d.metadataValue(d.takeOperand()))
	}
	for _, i := range form.order {
		if i >= len(parts) {
			d.failf("a debug record is cut short")
		}
		d.pushOperand(parts[i])
	}
	in.Location = d.nodeLocation(d.body.Metadata[parts[0].Index].Operand)
}

// nodeLocation decodes a DILocation.
func (d *bodyDecoder) nodeLocation(o ir.Operand) *ir.Location {
	if o.Kind != ir.OperandNode {
		return nil
	}
	fields, err := d.source.Operands(o.Node)
	if err != nil {
		d.failf("%v", err)
	}
	return ir.NewLocation(fields)
}

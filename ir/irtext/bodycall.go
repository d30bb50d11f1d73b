package irtext

import (
	"strconv"
	"strings"

	"offlink/ir"
)

// readCall reads a call from its calling convention on, up to its bundles. The order is that of
// LLParser::parseCall: flags and calling convention, attributes of the result, type, callee,
// arguments, attributes of the function, bundles.
func (r *bodyReader) readCall(in *ir.Instruction) {
	var detail ir.CallDetail
	r.callPrefix(in, &detail)
	typ, shape := r.parseType()
	in.Type = typ
	if shape == shapeFunction {
		in.Type = r.extra.types[typ].Elements[0]
	}
	callee := r.calleeValue(&detail)
	r.addOperand(callee)
	r.callArguments(&detail)
	in.Element = typ
	if shape != shapeFunction {
		in.Element = r.callType(typ, r.scratch[1:])
	}
	// Text gives the function type of a callee, the model the type of its value: a pointer.
	if callee.Kind == ir.ValueGlobal {
		r.scratch[0].Type = r.PointerTo(in.Element, r.text.module.Values[callee.Index].AddressSpace)
	}
	r.callSuffix(&detail)
	in.Call = len(r.body.Calls)
	r.body.Calls = append(r.body.Calls, detail)
}

// callType builds the function type of a call that states only its result type, which is all that
// LLVM writes unless the call is variadic.
func (r *bodyReader) callType(result ir.TypeID, arguments []ir.Value) ir.TypeID {
	t := ir.Type{Kind: ir.TypeFunction, Elements: []ir.TypeID{result}}
	for _, v := range arguments {
		id := v.Type
		if v.Kind == ir.ValueMetadata {
			id = r.InternType(ir.Type{Name: "metadata"})
		}
		t.Elements = append(t.Elements, id)
	}
	return r.InternType(t)
}

// callPrefix takes fast-math flags, calling convention and attributes of the result. They may come
// in any order here, though LLVM has one: the module was checked by the same grammar, and newer
// words may stand between them.
func (r *bodyReader) callPrefix(in *ir.Instruction, detail *ir.CallDetail) {
	for {
		c := r.peekByte()
		if c == '"' {
			a := r.stringAttribute()
			detail.Attributes.Result = append(detail.Attributes.Result, stringDetail(a))
			continue
		}
		w := r.peekWord()
		if w == nil || isTypeWord(w) {
			return
		}
		start := r.pos
		switch {
		case isNumberedConvention(w):
			r.pos += len(w)
			detail.CallingConv = "cc " + string(w[2:])
		case isConvention(w):
			r.pos += len(w)
			if string(w) == "cc" || r.peekByte() == '(' {
				r.conventionArgument()
			}
			// C's convention is the one that is not written.
			if text := string(r.data[start:r.endOfToken()]); text != "ccc" {
				detail.CallingConv = text
			}
		case ir.ParseFlag(w)&ir.FlagsFast != 0:
			r.pos += len(w)
			in.Flags |= ir.ParseFlag(w)
			if r.byteAt(0) == '(' { // nofpclass and its like are not flags
				r.attributeArguments()
			}
		default:
			if a := r.attributeDetail(); a.Name != "addrspace" {
				detail.Attributes.Result = append(detail.Attributes.Result, a)
			}
		}
	}
}

// isNumberedConvention reports whether the word is "cc42". LLVM's printer joins the two (cc42); its
// parser takes them apart too.
func isNumberedConvention(w []byte) bool {
	if len(w) < 3 || w[0] != 'c' || w[1] != 'c' {
		return false
	}
	for _, c := range w[2:] {
		if class[c]&classDigit == 0 {
			return false
		}
	}
	return true
}

// calleeValue takes the callee, which is NoValue for inline assembly. The type in front of the
// callee is that of the function or of its result, never the pointer's, so a local callee has no
// type here.
func (r *bodyReader) calleeValue(detail *ir.CallDetail) ir.Value {
	switch c := r.peekByte(); {
	case c == '%':
		return r.localValue(ir.NoType)
	case r.acceptWord("asm"):
		detail.Asm = r.asmText()
		return ir.NoValue
	}
	return r.readConstant(ir.NoType)
}

// asmText reads `asm sideeffect alignstack inteldialect "template",
// "constraints"`.
func (r *bodyReader) asmText() *ir.InlineAsm {
	a := new(ir.InlineAsm)
	for r.peekByte() != '"' {
		switch string(r.readWord()) {
		case "sideeffect":
			a.SideEffects = true
		case "alignstack":
			a.AlignStack = true
		case "inteldialect":
			a.IntelDialect = true
		}
	}
	a.Template = string(r.readDecoded())
	r.expectByte(',')
	a.Constraints = string(r.readDecoded())
	return a
}

// callArguments reads the arguments with their attributes, which belong to the
// call and not to the function.
func (r *bodyReader) callArguments(detail *ir.CallDetail) {
	r.expectByte('(')
	for more := r.peekByte() != ')'; more; more = r.acceptByte(',') {
		if r.acceptDots() {
			break
		}
		typ, shape := r.parseType()
		if shape == shapeMetadata {
			r.addOperand(r.metadataValue())
			continue
		}
		// The common arguments begin with a byte that no attribute begins with: they need no list.
		if c := r.peekByte(); c != '%' && c != '@' && class[c]&classDigit == 0 {
			if list := r.parameterDetails(true); len(list) > 0 {
				set := &detail.Attributes
				for len(set.Parameters) < len(r.scratch) {
					set.Parameters = append(set.Parameters, nil)
				}
				set.Parameters[len(r.scratch)-1] = list
			}
		}
		r.addOperand(r.bodyValue(typ))
	}
	r.expectByte(')')
}

// callSuffix takes attributes and bundles after the arguments. Attributes of newer versions are
// taken as they come. As instructions have no end mark, a word that begins an instruction, a
// label, the `to` of an invoke or a use-list order ends the attributes.
func (r *bodyReader) callSuffix(detail *ir.CallDetail) {
	set := &detail.Attributes
	for {
		switch c := r.peekByte(); {
		case c == '#' && class[r.byteAt(1)]&classDigit != 0:
			set.Function = append(set.Function, r.groupDetails(r.groupUse())...)
		case c == '"':
			if r.quotedLabel() {
				return
			}
			set.Function = append(set.Function, stringDetail(r.stringAttribute()))
		case c == '[':
			r.readBundles(detail)
		case class[c]&classLetter != 0:
			w := r.peekWord()
			if r.byteAt(len(w)) == ':' || opcodeOf(w) != opNone || string(w) == "to" || string(w) == "uselistorder" {
				return
			}
			set.Function = append(set.Function, r.attributeDetail())
		default:
			return
		}
	}
}

// readBundles reads operand bundles: `[ "tag"(type value, ...), ... ]`.
func (r *bodyReader) readBundles(detail *ir.CallDetail) {
	r.expectByte('[')
	for more := r.peekByte() != ']'; more; more = r.acceptByte(',') {
		b := ir.Bundle{Tag: string(r.readDecoded())}
		r.expectByte('(')
		for more := r.peekByte() != ')'; more; more = r.acceptByte(',') {
			b.Operands = append(b.Operands, r.typedValue())
		}
		r.expectByte(')')
		detail.Bundles = append(detail.Bundles, b)
	}
	r.expectByte(']')
}

// stringDetail is a string attribute among those of other forms.
func stringDetail(a ir.Attribute) ir.AttributeDetail {
	return ir.AttributeDetail{Name: a.Key, String: true, Value: a.Value, Type: ir.NoType}
}

// attributeDetail takes an attribute that is a word, with its argument. `align 4` and `align(4)`
// are the same attribute; only older versions of text have the first after a type.
func (r *bodyReader) attributeDetail() ir.AttributeDetail {
	a := ir.AttributeDetail{Name: string(r.readWord()), Type: ir.NoType}
	switch {
	case r.peekByte() == '(':
		r.attributeArgument(&a)
	case a.Name == "align" || a.Name == "alignstack" || a.Name == "cc":
		a.Int = r.readInteger()
	}
	return a
}

// attributeArgument takes the contents of parentheses: a type, a number, or an argument that is
// kept as text.
func (r *bodyReader) attributeArgument(a *ir.AttributeDetail) {
	start := r.pos
	switch a.Name {
	case "byval", "sret", "byref", "inalloca", "preallocated", "elementtype":
		r.expectByte('(')
		a.Type, _ = r.parseType()
		r.expectByte(')')
		return
	}
	r.attributeArguments()
	a.Value = strings.TrimSpace(string(r.data[start+1 : r.endOfToken()-1]))
	if n, err := strconv.ParseUint(a.Value, 10, 64); err == nil {
		a.Int, a.Value = n, ""
	}
}

// parameterDetails takes the attributes between the type and the value of an argument or
// parameter. withValue says that a value follows, which may be a word too (null, undef, a constant
// expression): only the list of words that begin values tells the two apart.
func (r *bodyReader) parameterDetails(withValue bool) (list []ir.AttributeDetail) {
	for {
		c := r.peekByte()
		switch {
		case c == '"':
			list = append(list, stringDetail(r.stringAttribute()))
		case class[c]&classLetter != 0 && c != '-' && c != '.':
			if withValue && startsValue(r.peekWord()) {
				return list
			}
			list = append(list, r.attributeDetail())
		default:
			return list
		}
	}
}

// groupDetails returns the attributes of the group of that number.
func (r *bodyReader) groupDetails(number uint32) []ir.AttributeDetail {
	// Groups are decoded once by each reader: thousands of calls name the same few.
	if list, ok := r.groupSets[number]; ok {
		return list
	}
	id, ok := r.text.groupByNum[number]
	if !ok {
		return nil
	}
	pos := r.pos
	r.pos = int(r.text.groups[id].start)
	r.expectWord("attributes")
	r.expectByte('#')
	r.number32()
	r.expectByte('=')
	r.expectByte('{')
	var list []ir.AttributeDetail
	for !r.acceptByte('}') {
		if r.peekByte() == '"' {
			list = append(list, stringDetail(r.stringAttribute()))
			continue
		}
		list = append(list, r.groupAttribute())
	}
	r.pos = pos
	r.groupSets[number] = list
	return list
}

// groupAttribute is attributeDetail for groups, where "align=4" may stand.
func (r *bodyReader) groupAttribute() ir.AttributeDetail {
	w := r.peekWord()
	if r.byteAt(len(w)) != '=' {
		return r.attributeDetail()
	}
	r.pos += len(w) + 1
	return ir.AttributeDetail{Name: string(w), Int: r.readInteger(), Type: ir.NoType}
}

// eachParameter calls yield for each parameter of the header that was parsed last, and returns the
// attributes of the result. The header was stepped over when it was found, and keeps places only:
// the attributes of parameters are decoded here, for the one function whose body is wanted.
func (r *bodyReader) eachParameter(yield func(ir.TypeID, []ir.AttributeDetail, name)) (result []ir.AttributeDetail) {
	for _, at := range r.header.items {
		if at.kind == itemSignature {
			r.pos = at.start
		}
	}
	var prefix ir.CallDetail
	r.callPrefix(new(ir.Instruction), &prefix)
	r.parseType()
	r.expectByte('@')
	r.readName()
	r.expectByte('(')
	// Parameters without a name count from 0, and so do the values of the body after them.
	next := uint32(0)
	for more := r.peekByte() != ')'; more; more = r.acceptByte(',') {
		if r.acceptDots() {
			break
		}
		typ, _ := r.parseType()
		list := r.parameterDetails(false)
		n := name{number: next, numbered: true}
		if r.acceptByte('%') {
			n = r.readName()
		}
		if n.numbered {
			next = n.number + 1
		}
		yield(typ, list, n)
	}
	r.expectByte(')')
	return prefix.Attributes.Result
}

// ReadHeader implements [ir.BodyReader].
func (r *bodyReader) ReadHeader(id ir.ValueID) (*ir.Header, error) {
	h := new(ir.Header)
	err := r.catchFault(func() { r.readHeader(id, h) })
	return h, err
}

// readHeader decodes the items of a header that the model does not hold. Only translation and
// lowering ask for these; a split copies them as text.
func (r *bodyReader) readHeader(id ir.ValueID, h *ir.Header) {
	value := &r.text.values[id]
	r.parser.locals.beginFunction()
	r.valueHeader(value)
	items := r.header.items
	for _, at := range items {
		r.pos = at.start
		r.acceptByte(',')
		switch at.kind {
		case itemSection:
			r.expectWord("section")
			h.Section = string(r.readDecoded())
		case itemPlain:
			// The other plain words are in the model, or matter to the writer alone.
			if w := r.readWord(); string(w) == "align" {
				h.Alignment = r.readAlign()
			} else if string(w) == "thread_local" {
				h.ThreadLocal = true
			}
		case itemWord:
			h.Attributes.Function = append(h.Attributes.Function, r.attributeDetail())
		case itemString:
			h.Attributes.Function = append(h.Attributes.Function, stringDetail(r.stringAttribute()))
		case itemGroup:
			h.Attributes.Function = append(h.Attributes.Function, r.groupDetails(r.groupUse())...)
		}
	}
	if r.text.module.Values[id].Kind == ir.Function {
		h.Attributes.Result = r.eachParameter(func(_ ir.TypeID, list []ir.AttributeDetail, _ name) {
			h.Attributes.Parameters = append(h.Attributes.Parameters, list)
		})
	}
}

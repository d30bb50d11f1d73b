package irtext

import (
	"slices"

	"offlink/ir"
	"offlink/lazy"
)

// startsValue reports whether the word begins a value, which ends the attributes in front of it:
// there is no mark between the two.
func startsValue(w []byte) bool {
	switch string(w) {
	case "null", "true", "false", "undef", "poison", "zeroinitializer", "none", "c", "asm",
		"blockaddress", "dso_local_equivalent", "no_cfi":
		return true
	}
	return isConstantExpression(w) || hexWord(w)
}

// typeAttributes have a type in parentheses. With typed pointers the type was optional (byval alone
// took the pointee), so the parser looks for the parentheses.
var typeAttributes = lazy.Map[string, bool]{New: func() map[string]bool {
	return wordSet("byval byref sret inalloca preallocated elementtype")
}}

// parseAttribute steps over one attribute of a parameter, result or function: a word with its
// argument, or a string with its value. The types that it names are noted.
func (p *parser) parseAttribute() {
	if p.peekByte() == '"' {
		p.stringAttribute()
		return
	}
	p.wordAttribute(p.readWord())
}

// wordAttribute steps over the argument of the attribute w.
func (p *parser) wordAttribute(w []byte) {
	switch {
	case p.peekByte() == '(' && typeAttributes.Get()[string(w)]:
		p.pos++
		p.parseType()
		p.expectByte(')')
	case p.peekByte() == '(':
		p.attributeArguments()
	case string(w) == "align" || string(w) == "alignstack" || string(w) == "cc":
		p.readInteger()
	}
}

// stringAttribute steps over "key" or "key"="value".
func (p *parser) stringAttribute() ir.Attribute {
	a := ir.Attribute{Key: string(p.readDecoded())}
	if p.acceptByte('=') {
		a.Value = string(p.readDecoded())
	}
	return a
}

// skipStringAttribute is stringAttribute without decoding the strings.
func (p *parser) skipStringAttribute() {
	p.readQuoted()
	if p.acceptByte('=') {
		p.readQuoted()
	}
}

// attributeArguments steps over the parentheses after an attribute: byval(%T), captures(none),
// initializes((0, 8)), range(i32 0, 5), ... The argument of an unknown attribute is accepted by its
// brackets and kept as it is, so that a newer attribute is not an error.
func (p *parser) attributeArguments() {
	p.enterNesting()
	p.expectByte('(')
	for {
		switch c := p.peekByte(); {
		case c == ')':
			p.pos++
			p.leaveNesting()
			return
		case c == '(':
			p.attributeArguments()
		case c == '"':
			p.readQuoted()
		case c == '%', c == '[', c == '<', c == '{':
			p.parseType()
		case c == ',', c == ':', c == '|', c == '=', c == '*':
			p.pos++
		case class[c]&classLetter != 0:
			p.attributeWord()
		case class[c]&classDigit != 0, c == '+':
			p.readNumber()
		default:
			p.failUnexpected("an attribute's argument")
		}
	}
}

// attributeWord steps over a word in an attribute's parentheses: the type of byval(i32), or a plain
// word such as that of memory(read). A type must be parsed as one: byval(%struct.a) is a reference
// that keeps the struct in the partition.
func (p *parser) attributeWord() {
	w := p.peekWord()
	if isTypeWord(w) && string(w) != "label" && string(w) != "metadata" && string(w) != "token" && string(w) != "target" {
		p.parseType()
		return
	}
	p.pos += len(w)
}

// valueAttributes steps over the attributes between the type and the value of an argument or
// parameter. withValue says that a value follows, which may begin with a word.
func (p *parser) valueAttributes(withValue bool) {
	for {
		c := p.peekByte()
		switch {
		case c == '"':
			p.skipStringAttribute()
		case class[c]&classLetter != 0 && c != '-' && c != '.':
			w := p.peekWord()
			if withValue && startsValue(w) || !mayBeAttribute(w) {
				return
			}
			p.pos += len(w)
			p.wordAttribute(w)
		default:
			return
		}
	}
}

// resultAttributes steps over calling convention, flags and attributes in front of a result type.
func (p *parser) resultAttributes() {
	for {
		switch c := p.peekByte(); {
		case c == '"':
			p.skipStringAttribute()
		case class[c]&classLetter != 0:
			w := p.peekWord()
			if isTypeWord(w) {
				return
			}
			if !mayBeAttribute(w) && !isConvention(w) && string(w) != "addrspace" {
				p.failUnexpected("a type")
			}
			p.pos += len(w)
			p.wordAttribute(w)
		default:
			return
		}
	}
}

// skipFlags steps over words that qualify an instruction and stand in front of a type. Words that
// begin an instruction are refused: they show that an operand is missing, and stepping over them
// would report the fault on another line.
func (p *parser) skipFlags() {
	for class[p.peekByte()]&classLetter != 0 {
		w := p.peekWord()
		if isTypeWord(w) {
			return
		}
		if op := opcodeOf(w); isPlacedWord(w) && string(w) != "weak" || op != opNone && op != opBinary { // cmpxchg weak, atomicrmw add
			p.failUnexpected("a type")
		}
		p.pos += len(w)
		if p.byteAt(0) == '(' {
			p.attributeArguments()
		}
	}
}

// attributeGroup steps over "attributes #N = { ... }". Several definitions of one number are
// merged, as by LLVM; files that were joined by hand have them.
func (p *parser) attributeGroup() {
	start := p.pos
	p.expectWord("attributes")
	p.expectByte('#')
	number := p.number32()
	p.checkNumber(start, number)
	p.expectByte('=')
	group := p.groupBody()
	t := p.text
	if id, ok := t.groupByNum[number]; ok {
		p.mergeGroup(id, group, start)
		return
	}
	t.groupByNum[number] = ir.AttributeGroupID(len(t.groups))
	t.groups = append(t.groups, p.spanFrom(start))
	t.groupNumber = append(t.groupNumber, number)
	t.lastGroup = max(t.lastGroup, number)
	t.module.AttributeGroups = append(t.module.AttributeGroups, group)
}

// mergeGroup adds a further definition to a group; its strings replace those of the same key.
func (p *parser) mergeGroup(id ir.AttributeGroupID, more ir.AttributeGroup, start int) {
	t := p.text
	if t.moreGroups == nil {
		t.moreGroups = make(map[ir.AttributeGroupID][]span)
	}
	t.moreGroups[id] = append(t.moreGroups[id], p.spanFrom(start))
	group := &t.module.AttributeGroups[id]
	strings := slices.DeleteFunc(group.Strings, func(a ir.Attribute) bool {
		return slices.ContainsFunc(more.Strings, func(b ir.Attribute) bool { return a.Key == b.Key })
	})
	group.Strings = append(strings, more.Strings...)
	group.Types = append(group.Types, more.Types...)
}

// groupBody steps over the attributes in braces.
func (p *parser) groupBody() (group ir.AttributeGroup) {
	p.typesNamed = &group.Types
	defer func() { p.typesNamed = nil }()
	p.expectByte('{')
	for !p.acceptByte('}') {
		if p.peekByte() == '"' {
			group.Strings = append(group.Strings, p.stringAttribute())
			continue
		}
		start, w := p.pos, p.peekWord()
		if !mayBeAttribute(w) && !functionAttributes.Get()[string(w)] {
			p.failAt(start, "expected an attribute")
		}
		p.pos += len(w)
		if p.acceptByte('=') {
			p.readNumber()
			continue
		}
		p.wordAttribute(w)
	}
	return group
}

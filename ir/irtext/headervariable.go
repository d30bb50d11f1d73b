package irtext

import (
	"offlink/ir"
)

// globalHeader steps over a variable, alias or ifunc. The header is kept as items (see header.go
// for their kinds), since a partition writes it anew item by item: linkage, comdat and attachments
// may differ there, and everything else has to stay as it was written.
func (p *parser) globalHeader() {
	h := &p.header
	h.resetHeader()
	start := p.pos
	p.expectByte('@')
	h.namePos = p.pos
	h.name = p.readName()
	h.nameEnd = p.pos
	p.expectByte('=')
	p.parseItem(itemName, start)
	p.parseLeading(rankLast)
	for !isGlobalKeyword(p.peekWord()) && p.unknownWord(isGlobalKeyword) {
		p.parseLeading(rankLast)
	}
	p.peekByte()
	start = p.pos
	w := p.readWord()
	p.parseItem(itemKeyword, start)
	switch string(w) {
	case "global", "constant":
		h.kind, h.constant = ir.Variable, string(w) == "constant"
		p.checkLinkage()
		p.parseVariable()
	case "alias", "ifunc":
		h.kind = ir.Alias
		if string(w) == "ifunc" {
			h.kind = ir.IFunc
		}
		p.checkLinkage()
		p.parseAliasee()
	default:
		p.failAt(start, "expected 'global', 'constant', 'alias' or 'ifunc', found '"+string(w)+"'")
	}
}

// parseVariable steps over the type, initialiser and trailer of a variable. The
// references of the initialiser come last: a declaration has none.
func (p *parser) parseVariable() {
	h := &p.header
	p.itemizedType()
	h.declare = h.external
	// The initialiser is stepped over without names first and read again after the trailer,
	// so that its references come after those of the signature.
	start, end := 0, 0
	if !h.declare {
		p.peekByte()
		start = p.pos
		p.withoutNodes(p.parseValue)
		end = p.pos
		p.parseItem(itemInitializer, start)
	}
	p.variableTrailer()
	h.signature = p.refCount()
	if !h.declare && p.resolve {
		p.parseAgain(start, end, p.parseValue)
	}
}

// withoutNodes runs a step without looking up names. The text that it steps over was looked up
// before, or will be.
func (p *parser) withoutNodes(step func()) {
	resolve := p.resolve
	p.resolve = false
	step()
	p.resolve = resolve
}

// parseAgain runs a step on text that has been stepped over before.
func (p *parser) parseAgain(start, end int, step func()) {
	pos := p.pos
	p.pos = start
	step()
	p.pos = pos
}

// itemizedType steps over the value type and notes its place.
func (p *parser) itemizedType() {
	p.peekByte()
	start := p.pos
	p.header.valueType, _ = p.parseType()
	p.parseItem(itemType, start)
}

// variableTrailer steps over the text after an initialiser: parts with
// commas before them, then attributes.
func (p *parser) variableTrailer() {
	h := &p.header
	for p.peekByte() == ',' {
		start := p.pos
		p.pos++
		p.variablePart(start)
	}
	// Only variables have attributes after their properties; LLVM's parser takes them after
	// every comma was read.
	for h.kind == ir.Variable {
		c := p.peekByte()
		start := p.pos
		switch {
		case c == '#':
			h.groups = append(h.groups, p.groupUse())
			p.parseItem(itemGroup, start)
		case c == '"':
			h.attributes = append(h.attributes, p.stringAttribute())
			p.parseItem(itemString, start)
		case class[c]&classLetter != 0 && attributeFollows(p.peekWord()):
			p.parseAttribute()
			p.parseItem(itemWord, start)
		default:
			return
		}
	}
}

// variablePart steps over the text after a comma. The item begins at the
// comma.
func (p *parser) variablePart(start int) {
	if p.peekByte() == '!' && p.header.kind == ir.Variable {
		p.headerAttachment()
		p.header.items[len(p.header.items)-1].start = start
		return
	}
	kind := itemPlain
	if w := p.peekWord(); p.header.kind != ir.Variable && string(w) != "partition" && !p.unknownPart(w) {
		p.failUnexpected("'partition'")
	}
	switch w := p.peekWord(); string(w) {
	case "section", "comdat", "align", "partition", "code_model", "no_sanitize_address", "no_sanitize_hwaddress",
		"sanitize_memtag", "sanitize_address_dyninit":
	default:
		if !p.unknownPart(w) {
			p.failUnexpected("a property of a variable")
		}
	}
	switch w := p.readWord(); string(w) {
	case "section":
		p.readQuoted()
		kind = itemSection
	case "comdat":
		p.comdatUse()
		kind = itemComdat
	case "align":
		p.parseAlign()
	case "partition", "code_model":
		p.readQuoted()
	default: // no_sanitize_address and its like
		if p.peekByte() == '(' {
			p.attributeArguments()
		}
	}
	p.parseItem(kind, start)
}

// unknownPart reports whether the word after a comma may be a property that a newer LLVM knows. It
// has to be on the line of the comma: a word on the next line begins a definition.
func (p *parser) unknownPart(w []byte) bool {
	return mayBeAttribute(w) && !functionAttributes.Get()[string(w)] && p.onLine()
}

// parseAliasee steps over the rest of an alias or ifunc.
func (p *parser) parseAliasee() {
	p.itemizedType()
	p.header.signature = p.refCount()
	p.expectByte(',')
	p.peekByte()
	start := p.pos
	// An ifunc's resolver and an alias's aliasee are constants, so a local name fails in
	// parseValue.
	if isConstantExpression(p.peekWord()) {
		p.parseValue() // of old: an alias to a cast has no type before it
	} else {
		p.parseOperand()
	}
	p.parseItem(itemInitializer, start)
	for p.peekByte() == ',' {
		start := p.pos
		p.pos++
		p.variablePart(start)
	}
}

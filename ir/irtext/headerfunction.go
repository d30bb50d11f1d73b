package irtext

import (
	"bytes"

	"offlink/ir"
)

// functionHeader steps over the header of a function, up to its body. The order of the parts is
// that of LLParser::parseFunctionHeader. Attachments stand in front of the linkage in a
// declaration and after everything else in a definition, which is why both ends look for them.
func (p *parser) functionHeader() {
	h := &p.header
	h.resetHeader()
	h.kind = ir.Function
	start := p.pos
	h.declare = p.acceptWord("declare")
	if !h.declare {
		p.expectWord("define")
	}
	p.parseItem(itemKeyword, start)
	for h.declare && p.peekByte() == '!' {
		p.headerAttachment()
	}
	p.parseLeading(rankStorage)
	p.conventionWord()
	for p.unknownWord(leadsFunction) {
		p.parseLeading(rankStorage)
		p.conventionWord()
	}
	p.checkLinkage()
	p.parseSignature()
	p.functionTrailer()
	if h.signature < 0 {
		h.signature = p.refCount()
	}
}

// unknownWord steps over a word that is not known here, with the parentheses after it, if one of
// the words between it and the type is accepted by known. This way a keyword of a newer LLVM does
// not hide what follows it.
func (p *parser) unknownWord(known func([]byte) bool) bool {
	start, w := p.pos, p.peekWord()
	if !mayBeAttribute(w) || functionAttributes.Get()[string(w)] || startsResult(w) {
		return false
	}
	// A parser without tables: it cannot note a type or a reference while it only looks.
	ahead := parser{scanner: p.scanner}
	ahead.parseAttribute()
	end := ahead.endOfToken()
	for w = ahead.peekWord(); w != nil && !isTypeWord(w); w = ahead.peekWord() {
		if known(w) {
			p.pos = end
			p.parseItem(itemPlain, start)
			return true
		}
		ahead.parseAttribute()
	}
	return false
}

// startsResult reports whether the word is an attribute of results, which stand right before the
// type. They end the search for known words: an unknown word in front of one of them is an
// attribute as well, and resultAttributes keeps those.
func startsResult(w []byte) bool {
	switch string(w) {
	case "zeroext", "signext", "noext", "inreg", "noalias", "noundef", "nonnull", "dereferenceable",
		"dereferenceable_or_null", "range", "nofpclass", "inalloca", "sret", "byval", "byref":
		return true
	}
	return false
}

// leadsFunction reports whether the word belongs in front of a function's
// result.
func leadsFunction(w []byte) bool {
	_, leading := leadingKind(w)
	return leading || isConvention(w)
}

// isGlobalKeyword reports whether the word ends the part of a variable's or alias's header that
// comes before its type.
func isGlobalKeyword(w []byte) bool {
	switch string(w) {
	case "global", "constant", "alias", "ifunc":
		return true
	}
	return false
}

// conventionWord steps over a calling convention.
func (p *parser) conventionWord() {
	w := p.peekWord()
	if !isConvention(w) {
		return
	}
	start := p.pos
	p.pos += len(w)
	if string(w) == "cc" || p.peekByte() == '(' {
		p.conventionArgument()
	}
	p.parseItem(itemConvention, start)
	// The default convention has two spellings, none and `ccc`; one of them has to win for
	// comparisons.
	if c := p.internString(p.data[start:p.endOfToken()]); c != "ccc" {
		p.header.convention = c
	}
}

// conventionArgument steps over the number of `cc 42`, or the argument in
// parentheses that newer conventions have.
func (p *parser) conventionArgument() {
	if p.peekByte() == '(' {
		p.skipBalanced()
		return
	}
	p.readInteger()
}

// isConvention reports whether the word is a calling convention. `cc` has its number as the next
// token. The words are those of LLParser::parseOptionalCallingConv in the versions of
// ir/llvmschema. They are listed apart from the numbers there since text has a word without a
// number of its own (cc).
func isConvention(w []byte) bool {
	switch string(w) {
	case "ccc", "fastcc", "coldcc", "cc", "spir_kernel", "spir_func", "ptx_kernel", "ptx_device",
		"amdgpu_kernel", "amdgpu_vs", "amdgpu_gs", "amdgpu_ps", "amdgpu_cs", "amdgpu_hs",
		"amdgpu_ls", "amdgpu_es", "amdgpu_gfx", "amdgpu_gfx_whole_wave", "amdgpu_cs_chain",
		"amdgpu_cs_chain_preserve", "intel_ocl_bicc", "x86_stdcallcc", "x86_fastcallcc",
		"x86_regcallcc", "x86_thiscallcc", "x86_vectorcallcc", "x86_intrcc", "x86_64_sysvcc",
		"win64cc", "arm_apcscc", "arm_aapcscc", "arm_aapcs_vfpcc", "aarch64_vector_pcs",
		"aarch64_sve_vector_pcs", "aarch64_sme_preservemost_from_x0", "aarch64_sme_preservemost_from_x1",
		"aarch64_sme_preservemost_from_x2", "msp430_intrcc", "avr_intrcc", "avr_signalcc",
		"preserve_mostcc", "preserve_allcc", "preserve_nonecc", "anyregcc", "ghccc", "webkit_jscc",
		"swiftcc", "swifttailcc", "swiftcorocc", "cxx_fast_tlscc", "hhvmcc", "hhvm_ccc", "cfguard_checkcc",
		"tailcc", "m68k_intrcc", "m68k_rtdcc", "graalcc", "riscv_vector_cc", "riscv_vls_cc",
		"cheriot_compartmentcallcc", "cheriot_compartmentcalleecc", "cheriot_librarycallcc":
		return true
	}
	return false
}

// parseSignature steps over result attributes, result type, name and parameters.
func (p *parser) parseSignature() {
	h := &p.header
	p.peekByte()
	start := p.pos
	if isConvention(p.peekWord()) {
		p.failUnexpected("a type")
	}
	p.resultAttributes()
	result, _ := p.parseType()
	if p.peekByte() != '@' {
		p.failUnexpected("a function's name")
	}
	p.pos++
	h.namePos = p.pos
	h.name = p.readName()
	h.nameEnd = p.pos
	h.valueType = p.parseParameters(result)
	p.parseItem(itemSignature, start)
}

// parseParameters steps over the parameters of a function and defines their names.
func (p *parser) parseParameters(result ir.TypeID) ir.TypeID {
	p.expectByte('(')
	t := ir.Type{Kind: ir.TypeFunction, Elements: []ir.TypeID{result}}
	// Declarations that were written by hand may name their parameters too, with the same
	// numbering.
	for index, more := 0, p.peekByte() != ')'; more; index, more = index+1, p.acceptByte(',') {
		if p.acceptDots() {
			t.Variadic = true
			break
		}
		id, _ := p.parseType()
		if p.types != nil {
			t.Elements = append(t.Elements, id)
		}
		start := p.pos
		p.valueAttributes(false)
		if bytes.IndexByte(p.data[start:p.pos], '"') >= 0 {
			p.parameterStrings(start, index)
		}
		p.parameterName()
	}
	p.expectByte(')')
	return p.builtType(t)
}

// parameterStrings notes the string attributes of a parameter, whose attributes begin at start.
// Most parameters have none, so it is only called where a quote was seen: the attributes are read
// a second time for it, and the other parameters need no list.
func (p *parser) parameterStrings(start, index int) {
	end := p.pos
	p.pos = start
	for p.pos < end {
		if p.peekByte() == '"' {
			p.header.parameters = append(p.header.parameters, ir.ParameterAttribute{Index: index, Attribute: p.stringAttribute()})
		} else if p.pos < end {
			p.wordAttribute(p.readWord())
		}
	}
	p.pos = end
}

// parameterName notes the name of a parameter; one without a name takes the
// next number.
func (p *parser) parameterName() {
	named := p.acceptByte('%')
	start := p.pos
	switch {
	case p.locals == nil && named:
		p.readName()
	case p.locals == nil:
	case named:
		n := p.readName()
		p.locals.defineLocal(p, n, start-1, false)
		p.noteLocalName(start, n)
	default:
		p.locals.defineNext(p, start, false)
	}
}

// functionTrailer steps over the words after the parameters.
func (p *parser) functionTrailer() {
	h := &p.header
	h.signature = -1
	// A part that comes after a later one is not part of this header: `align` of the next
	// line's call, say, in text without a body. LLVM fails at such a word, and so does the
	// caller, at its place.
	rank := 0
	for {
		c := p.peekByte()
		start := p.pos
		switch {
		case c == '#':
			if isDebugRecord(p) || rank > rankAttribute {
				return
			}
			rank = rankAttribute
			h.groups = append(h.groups, p.groupUse())
			p.parseItem(itemGroup, start)
		case c == '"':
			if rank > rankAttribute {
				return
			}
			rank = rankAttribute
			h.attributes = append(h.attributes, p.stringAttribute())
			p.parseItem(itemString, start)
		case c == '!':
			if h.declare {
				return // metadata that follows a declaration
			}
			p.endSignature()
			p.headerAttachment()
		case class[c]&classLetter != 0:
			next, belongs := trailerFollows(p.peekWord(), rank)
			if !belongs {
				return
			}
			rank = next
			p.trailerWord()
		default:
			return
		}
	}
}

// trailerFollows reports whether the word may come after parts of that rank, and which rank the
// trailer has with it.
func trailerFollows(w []byte, rank int) (next int, ok bool) {
	isAlign := string(w) == "align"
	next = trailerRank(w)
	if isAlign && rank <= rankAttribute { // LLVM takes it for an attribute
		next = rankAttribute
	}
	switch {
	case next == 0 && (rank > rankAttribute || !attributeFollows(w)):
		return rank, false
	case next != 0 && next < rank && !isAlign:
		return rank, false
	}
	if functionAttributes.Get()[string(w)] && !isAlign {
		next = max(next, rankAttribute)
	}
	return max(rank, next), true
}

// trailerRank returns the place of a word in the order of the words after the parameters of a
// function. It is 0 for attributes, whose rank is rankAttribute, and for words that are not known.
func trailerRank(w []byte) int {
	switch string(w) {
	case "unnamed_addr", "local_unnamed_addr":
		return 1
	case "addrspace":
		return 2
	case "section":
		return rankAttribute + 1
	case "partition":
		return rankAttribute + 2
	case "comdat":
		return rankAttribute + 3
	case "align":
		return rankAttribute + 4
	case "gc":
		return rankAttribute + 5
	case "prefix":
		return rankAttribute + 6
	case "prologue":
		return rankAttribute + 7
	case "personality":
		return rankAttribute + 8
	}
	return 0
}

// rankAttribute is the rank of all attributes, as they may stand in any order.
const rankAttribute = 3

// isDebugRecord reports whether the `#` that is next begins a debug record, such as `#dbg_value`.
// In an attribute group, a number follows it.
func isDebugRecord(p *parser) bool { return class[p.byteAt(1)]&classDigit == 0 }

// endSignature notes that the references of a declaration end here. A definition that a partition
// turns into a declaration loses the parts after it: personality, prefix data and the body.
func (p *parser) endSignature() {
	if p.header.signature < 0 {
		p.header.signature = p.refCount()
	}
}

// refCount returns how many references have been noted so far, so that those of a part can be
// told apart later.
func (p *parser) refCount() int {
	if p.refs == nil {
		return 0
	}
	return len(p.refs.list)
}

// trailerWord steps over a word after the parameters, with its arguments.
func (p *parser) trailerWord() {
	start := p.pos
	w := p.readWord()
	kind := itemWord
	switch string(w) {
	case "unnamed_addr", "local_unnamed_addr":
		kind = itemPlain
	case "addrspace":
		p.header.space = p.addressSpace()
		kind = itemPlain
	case "section":
		p.readQuoted()
		kind = itemSection
	case "partition", "gc":
		p.readQuoted()
		kind = itemPlain
	case "comdat":
		p.comdatUse()
		kind = itemComdat
	case "align":
		p.parseAlign()
		kind = itemPlain
	case "prefix", "prologue", "personality":
		p.endSignature()
		p.parseOperand()
		kind = itemBody
	default:
		p.wordAttribute(w)
	}
	p.parseItem(kind, start)
}

// comdatUse steps over the name in parentheses after "comdat", if there is one. `comdat` alone
// names the comdat of the value's own name (Language Reference, "Comdats").
func (p *parser) comdatUse() {
	p.header.hasComdat = true
	p.header.comdatPos = p.pos
	if p.peekByte() != '(' {
		p.header.comdat = p.header.name
		return
	}
	p.pos++
	if p.peekByte() != '$' {
		p.failUnexpected("a comdat's name")
	}
	p.header.comdatPos = p.pos
	p.pos++
	p.header.comdat = p.readName()
	p.expectByte(')')
}

// headerAttachment steps over "!kind !node". A node that has a number is left out of the
// references: the attachment itself is in the model. The place is kept, not the node, since nodes
// are not numbered until the whole text has been seen.
func (p *parser) headerAttachment() {
	start := p.pos
	kind := p.internString(p.attachmentName())
	p.peekByte()
	p.header.attached = append(p.header.attached, attachedText{kind, p.pos})
	if class[p.byteAt(1)]&classDigit != 0 {
		p.pos++
		p.number32()
	} else {
		p.parseMetadata()
	}
	p.parseItem(itemAttachment, start)
}

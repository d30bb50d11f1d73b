package irtext

import (
	"bytes"

	"offlink/ir"
)

// itemKind tells the pieces of a header apart.
type itemKind uint8

const (
	itemKeyword      itemKind = iota // define, declare; global, constant; alias; ifunc
	itemName                         // @name of a variable or alias, with the '=' after it
	itemLinkage                      // a word
	itemPreemption                   // dso_local, dso_preemptable
	itemVisibility                   // hidden, ...
	itemStorage                      // dllimport, dllexport
	itemConvention                   // a calling convention
	itemSignature                    // result, name and parameters of a function
	itemPlain                        // whatever else is copied as it is
	itemAddressSpace                 // addrspace(N)
	itemType                         // the value type of a variable or alias
	itemInitializer                  // the initialiser, aliasee or resolver
	itemString                       // a string attribute
	itemGroup                        // #N
	itemWord                         // an attribute that is a word
	itemSection                      // section "..."
	itemComdat                       // comdat or comdat($name)
	itemBody                         // prefix, prologue and personality, which a declaration does not have
	itemAttachment                   // !kind !node
)

// item is a piece of a header and where it is.
type item struct {
	kind       itemKind
	start, end int
}

// header holds the parts of a global value's header that a parser found. It is
// overwritten by the next one.
type header struct {
	items      []item
	kind       ir.Kind
	declare    bool
	constant   bool
	external   bool // the header has a linkage that only declarations have
	linkage    ir.Linkage
	convention string
	space      uint32
	name       name
	namePos    int // where the name is, after the '@'
	nameEnd    int
	valueType  ir.TypeID
	hasComdat  bool
	comdat     name
	comdatPos  int
	groups     []uint32
	attributes []ir.Attribute
	parameters []ir.ParameterAttribute
	attached   []attachedText
	signature  int  // number of references of the signature
	hidden     bool // the header has a visibility other than the default
	rank       int  // of the last word in front of the type; see leadingRank
}

// attachedText is an attachment in a header.
type attachedText struct {
	kind string
	pos  int // where the node is, at its '!'
}

func (h *header) resetHeader() {
	*h = header{items: h.items[:0], groups: h.groups[:0], attributes: h.attributes[:0], parameters: h.parameters[:0], attached: h.attached[:0]}
}

// parseItem notes a piece of the header that ends here.
func (p *parser) parseItem(kind itemKind, start int) {
	p.header.items = append(p.header.items, item{kind, start, p.endOfToken()})
}

// parseLeading steps over the words between the start of a header and its type:
// linkage, preemption, visibility, storage class, and so on.
// It stops at any other word, and at one whose rank is above limit or not
// above that of the word before it.
func (p *parser) parseLeading(limit int) {
	for {
		w := p.peekWord()
		kind, ok := leadingKind(w)
		rank := leadingRank(w, kind)
		if !ok || rank <= p.header.rank || rank > limit {
			return
		}
		p.header.rank = rank
		start := p.pos
		p.pos += len(w)
		switch kind {
		case itemLinkage:
			p.linkageWord(w)
		case itemVisibility:
			p.header.hidden = string(w) != "default"
		case itemAddressSpace:
			p.header.space = p.addressSpace()
		case itemPlain:
			if string(w) == "thread_local" && p.acceptByte('(') {
				p.threadModel()
			}
		}
		p.parseItem(kind, start)
	}
}

// threadModel steps over the model of thread-local storage.
func (p *parser) threadModel() {
	switch p.peekByte(); string(p.peekWord()) {
	case "localdynamic", "initialexec", "localexec":
		p.readWord()
		p.expectByte(')')
	default:
		p.failUnexpected("'localdynamic', 'initialexec' or 'localexec'")
	}
}

// leadingRank orders the words before a type. Those after rankStorage are of
// variables and aliases only.
func leadingRank(w []byte, kind itemKind) int {
	switch kind {
	case itemLinkage:
		return 1
	case itemPreemption:
		return 2
	case itemVisibility:
		return 3
	case itemStorage:
		return rankStorage
	case itemAddressSpace:
		return 7
	}
	switch string(w) {
	case "thread_local":
		return 5
	case "unnamed_addr", "local_unnamed_addr":
		return 6
	}
	return rankLast
}

const (
	rankStorage = 4
	rankLast    = 8
)

// checkLinkage fails if a function, alias or ifunc cannot have the linkage
// that was read, or a local value the visibility.
func (p *parser) checkLinkage() {
	h := &p.header
	allowed := true
	switch h.linkage {
	case ir.Common, ir.Appending:
		allowed = h.kind == ir.Variable
	case ir.ExternWeak:
		allowed = h.kind == ir.Variable || h.kind == ir.Function && h.declare
	case ir.AvailableExternally:
		allowed = h.kind == ir.Variable || h.kind == ir.Function && !h.declare
	case ir.External:
	default:
		allowed = h.kind != ir.Function || !h.declare
	}
	if !allowed {
		what := map[ir.Kind]string{ir.Function: "a function", ir.Alias: "an alias", ir.IFunc: "an ifunc"}[h.kind]
		if h.declare {
			what = "a declared function"
		}
		p.failAt(p.pos, "'"+h.linkage.String()+"' is not a linkage of "+what)
	}
	if h.hidden && (h.linkage == ir.Internal || h.linkage == ir.Private) {
		p.failAt(p.pos, "a value of local linkage has a visibility")
	}
}

// linkageWord notes a linkage. `external` and `extern_weak` make a declaration
// of a variable.
func (p *parser) linkageWord(w []byte) {
	p.header.linkage, _ = ir.ParseLinkage(string(w))
	switch p.header.linkage {
	case ir.External, ir.ExternWeak:
		p.header.external = true
	}
}

// leadingKind tells the words before a type apart.
func leadingKind(w []byte) (itemKind, bool) {
	switch string(w) {
	case "external", "available_externally", "linkonce", "linkonce_odr", "weak", "weak_odr",
		"appending", "internal", "private", "extern_weak", "common":
		return itemLinkage, true
	case "dso_local", "dso_preemptable":
		return itemPreemption, true
	case "default", "hidden", "protected":
		return itemVisibility, true
	case "dllimport", "dllexport":
		return itemStorage, true
	case "thread_local", "unnamed_addr", "local_unnamed_addr", "externally_initialized":
		return itemPlain, true
	case "addrspace":
		return itemAddressSpace, true
	}
	return 0, false
}

// functionHeader steps over the header of a function, up to its body.
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

// unknownWord steps over a word that is not known here, with the parentheses
// after it, if words follow of which one is of those that known says. So a
// newer keyword hides nothing after it.
func (p *parser) unknownWord(known func([]byte) bool) bool {
	start, w := p.pos, p.peekWord()
	if !mayBeAttribute(w) || functionAttributes[string(w)] || startsResult(w) {
		return false
	}
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

// startsResult reports whether the word is an attribute of results, which
// stand right before the type.
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

// isGlobalKeyword reports whether the word ends the part of a variable's or
// alias's header in front of its type.
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

// isConvention reports whether the word is a calling convention. `cc` has its
// number as the next token.
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

// parameterStrings notes the string attributes of a parameter, which most
// have none of. Its attributes begin at start.
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
		p.noteLocalName(start, n, true)
	default:
		p.locals.defineNext(p, start, false)
	}
}

// functionTrailer steps over the words after the parameters.
func (p *parser) functionTrailer() {
	h := &p.header
	h.signature = -1
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
			w := p.peekWord()
			next := trailerRank(w)
			if string(w) == "align" && rank <= rankAttribute { // LLVM takes it for one
				next = rankAttribute
			}
			switch {
			case next == 0 && !attributeFollows(w):
				return
			case next == 0 && rank > rankAttribute:
				return
			case next != 0 && next < rank && string(w) != "align":
				return
			}
			rank = max(rank, next)
			if functionAttributes[string(w)] && string(w) != "align" {
				rank = max(rank, rankAttribute)
			}
			p.trailerWord()
		default:
			return
		}
	}
}

// trailerRank orders the words after the parameters of a function, and is 0
// for attributes, which have rankAttribute.
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

const rankAttribute = 3

func isDebugRecord(p *parser) bool { return class[p.byteAt(1)]&classDigit == 0 }

// endSignature notes that the references of a declaration end here.
func (p *parser) endSignature() {
	if p.header.signature < 0 {
		p.header.signature = p.refCount()
	}
}

// refCount returns how many references were noted so far, so that those of a
// part can be taken back.
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

// comdatUse steps over the name in parentheses after "comdat", if any.
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

// headerAttachment steps over "!kind !node". A node that has a number is left
// out of the references: the attachment itself is in the model.
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

// globalHeader steps over a variable, alias or ifunc.
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

// withoutNodes runs a step without looking up names.
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

// unknownPart reports whether the word after a comma may be a property that a
// newer LLVM knows.
func (p *parser) unknownPart(w []byte) bool {
	return mayBeAttribute(w) && !functionAttributes[string(w)] && p.onLine()
}

// parseAliasee steps over the rest of an alias or ifunc.
func (p *parser) parseAliasee() {
	p.itemizedType()
	p.header.signature = p.refCount()
	p.expectByte(',')
	p.peekByte()
	start := p.pos
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

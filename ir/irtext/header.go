package irtext

import (
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

// item is a piece of a header: its kind and its place in the text.
type item struct {
	kind       itemKind
	start, end int
}

// header holds the parts of a global value's header that a parser found. The next header overwrites
// it.
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

// parseItem notes a piece of the header, which begins at start and ends here.
func (p *parser) parseItem(kind itemKind, start int) {
	p.header.items = append(p.header.items, item{kind, start, p.endOfToken()})
}

// parseLeading steps over the words between the start of a header and its type: linkage,
// preemption, visibility, storage class, and so on. It stops at any other word, at one whose rank
// is above limit, and at one whose rank is not above that of the word before it.
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

// leadingRank returns the place of a word in the order of the words before a type. Those after
// rankStorage occur with variables and aliases only.
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

// checkLinkage fails if a function, alias or ifunc cannot have the linkage that was read, or if a
// local value has a visibility.
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

// linkageWord notes a linkage. `external` and `extern_weak` make a variable a declaration.
func (p *parser) linkageWord(w []byte) {
	p.header.linkage, _ = ir.ParseLinkage(string(w))
	switch p.header.linkage {
	case ir.External, ir.ExternWeak:
		p.header.external = true
	}
}

// leadingKind returns the kind of a word that may stand before a type, if it is such a word.
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

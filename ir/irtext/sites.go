package irtext

import (
	"offlink/ir"
)

// instructionSite is an instruction in a body and where its parts are. The references of the
// instruction are those between its refs and the next one's.
type instructionSite struct {
	start, end int // of the instruction with its result and attachments
	tail       int // after its operands
	arguments  int // the opening parenthesis of a call's
	refs       int // number of references before it
	// result has the number that a result without a name gets.
	result  name
	hasName bool
}

// siteList holds the places of the instructions and local names of a body.
type siteList struct {
	instructions []instructionSite
	names        []localName // in the order of the text
}

// collectSites makes the next scan of a body note its places.
func (l *siteList) collectSites(p *parser) {
	p.localNames = &l.names
	p.onInstruction = func(site *instructionSite) { l.instructions = append(l.instructions, *site) }
}

// endCollection makes the scans after that one note nothing.
func (l *siteList) endCollection(p *parser) { p.localNames, p.onInstruction = nil, nil }

// localName is a place where a body names a local value or label, after the
// '%' or in front of the ':'.
type localName struct {
	start, end int
	name       name
}

// noteLocalName notes the place of a local name that has just been stepped over.
func (p *parser) noteLocalName(start int, n name) {
	if p.localNames != nil {
		*p.localNames = append(*p.localNames, localName{start, p.pos, n})
	}
}

// scanBody parses the header and body of a function once more.
func (p *parser) scanBody(id ir.ValueID) {
	value := &p.text.values[id]
	if p.text.partsOf(value).body == 0 {
		return
	}
	p.function = id
	if p.locals == nil {
		p.locals = newLocals()
	}
	p.locals.beginFunction()
	p.valueHeader(value)
	p.parseBody()
}

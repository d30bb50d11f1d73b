package irtext

import (
	"offlink/ir"
)

// instructionSite is an instruction in a body and where its parts are.
// refs makes it possible to tell which references are of that instruction: those between
// its count and the next one's.
type instructionSite struct {
	op         opcode
	start, end int // of the instruction with its result and attachments
	word       int // its first word
	tail       int // after its operands
	refs       int // number of references before it
	direct     bool
	callee     ir.ValueID // of a direct call
	result     name
	hasResult  bool
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

// endCollection is called after the scan.
func (l *siteList) endCollection(p *parser) { p.localNames, p.onInstruction = nil, nil }

// servingStores returns the stores that serve those calls alone, in the order
// of the text. Instructions of the text and of the decoded body have the same
// numbers.
func (l *siteList) servingStores(p *parser, function ir.ValueID, gone func(call int) bool) []int {
	stores, err := ir.ServingStores(p.text.module, function, gone)
	if err != nil {
		p.failAt(int(p.text.values[function].start), err.Error())
	}
	var list []int
	for i := range l.instructions {
		if stores[i] {
			list = append(list, i)
		}
	}
	return list
}

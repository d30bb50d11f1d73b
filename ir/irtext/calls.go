package irtext

import (
	"slices"

	"offlink/ir"
)

// callSite is a direct call in a body and where its parts are.
type callSite struct {
	direct     bool // the instruction is such a call
	index      int
	callee     ir.ValueID
	start, end int // of the instruction with its result and attachments
	result     name
	hasName    bool
	number     uint32 // of the result, if it has no name
	typePos    int    // the type in front of the callee
	arguments  int    // the opening parenthesis
	tail       int    // after the attributes of the call
	refs       int    // number of references before the instruction
}

// localName is a place where a body names a local value or label, after the
// '%' or in front of the ':'.
type localName struct {
	start, end int
	name       name
	defined    bool
}

// noteLocalName notes the place of a local name that has just been stepped over.
func (p *parser) noteLocalName(start int, n name, defined bool) {
	if p.localNames != nil {
		*p.localNames = append(*p.localNames, localName{start, p.pos, n, defined})
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

// decodeCall decodes the types of a call: its result, its arguments, and the result
// that an argument points to.
func (p *parser) decodeCall(site *callSite) ir.Call {
	call := ir.Call{Index: site.index, Callee: site.callee}
	p.pos = site.typePos
	call.Result, _ = p.parseType()
	if id := call.Result; id != ir.NoType && p.text.module.Types[id].Kind == ir.TypeFunction {
		call.Result = p.text.module.Types[id].Elements[0]
	}
	p.pos = site.arguments + 1
	for more := p.peekByte() != ')'; more; more = p.acceptByte(',') {
		if p.acceptDots() {
			break
		}
		call.Arguments = append(call.Arguments, p.decodeArgument())
	}
	return call
}

func (p *parser) decodeArgument() ir.Argument {
	id, shape := p.parseType()
	a := ir.Argument{Type: id}
	if shape == shapeMetadata {
		p.metadataOperand()
		return a
	}
	p.argumentAttributes(&a)
	if p.peekByte() == '%' {
		p.localUse(false)
	} else {
		p.parseValue()
	}
	return a
}

// argumentAttributes steps over the attributes of an argument and notes sret.
func (p *parser) argumentAttributes(a *ir.Argument) {
	for {
		c := p.peekByte()
		if c != '"' && (class[c]&classLetter == 0 || c == '-' || startsValue(p.peekWord())) {
			return
		}
		if p.acceptWord("sret") {
			a.SRet, a.Pointee = true, p.pointeeType(a.Type)
			continue
		}
		p.parseAttribute()
	}
}

// pointeeType steps over the type in parentheses after sret, which typed pointers
// may lack.
func (p *parser) pointeeType(pointer ir.TypeID) ir.TypeID {
	if p.acceptByte('(') {
		id, _ := p.parseType()
		p.expectByte(')')
		return id
	}
	if t := p.text.module.Types; pointer != ir.NoType && len(t[pointer].Elements) == 1 {
		return t[pointer].Elements[0]
	}
	return ir.NoType
}

// borrowSink returns an empty sink, which is to be put back into t.sinks: a
// sink is as large as the tables of the module.
func (t *text) borrowSink() *refSink {
	sink, ok := t.sinks.Get().(*refSink)
	if !ok {
		sink = newRefSink(t.module, len(t.nodes))
	}
	sink.beginValue()
	return sink
}

// RefsWithout implements [ir.Source].
func (t *text) RefsWithout(function ir.ValueID, calls []int) ([]ir.Ref, error) {
	p := t.newParser()
	p.refs = t.borrowSink()
	defer t.sinks.Put(p.refs)
	f := catchFault(func() {
		gone := p.removedWith(function, calls)
		p.refs.beginValue()
		p.onInstruction = func(site *instructionSite) {
			if gone[site.start] {
				p.refs.dropAfter(site.refs)
				p.parseAgain(site.tail, site.end, p.instructionTail)
			}
		}
		p.scanBody(function)
	})
	if f != nil {
		return nil, errorAt(t.module.Path, t.data, f)
	}
	refs := slices.Clone(p.refs.list)
	for _, r := range t.module.Refs(&t.module.Values[function]) {
		if r.Kind() == ir.RefIndirectCall {
			refs = append(refs, r)
		}
	}
	return refs, nil
}

// removedWith returns where the calls of those numbers begin, and the stores
// that serve them alone.
func (p *parser) removedWith(function ir.ValueID, calls []int) map[int]bool {
	without := make(map[int]bool, len(calls))
	for _, index := range calls {
		without[index] = true
	}
	gone := make(map[int]bool, len(calls))
	p.onCall = func(site *callSite) {
		if without[site.index] {
			gone[site.start] = true
		}
	}
	var sites siteList
	sites.collectSites(p)
	p.scanBody(function)
	sites.endCollection(p)
	p.onCall = nil
	for _, i := range sites.servingStores(p, function, func(call int) bool { return without[call] }) {
		gone[sites.instructions[i].start] = true
	}
	return gone
}

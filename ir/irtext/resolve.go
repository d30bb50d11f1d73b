package irtext

import (
	"cmp"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"offlink/ir"
)

// nodeBatch is how many metadata nodes are a unit of work. A module with debug information has
// hundreds of thousands of nodes.
const nodeBatch = 1 << 12

// resolver is the second pass: workers parse bodies, initialisers and nodes. They share the model
// but write disjoint parts of it: each value, and each batch of nodes, belongs to one of them. All
// that needs an order is joined at the end, so that results do not depend on which worker came
// first.
type resolver struct {
	text    *text
	values  atomic.Int64 // values taken
	batches atomic.Int64 // batches of nodes taken
	tables  []ir.NodeTable

	mu     sync.Mutex
	faults []*fault
	calls  []indirectCall
	labels []labelUse
}

// resolveNames runs the second pass and returns the first fault in the text.
func (t *text) resolveNames() *fault {
	batches := (len(t.nodes) + nodeBatch - 1) / nodeBatch
	r := &resolver{text: t, tables: make([]ir.NodeTable, batches)}
	var group sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), 1+len(t.data)/minimumShare) {
		group.Go(r.resolveItems)
	}
	group.Wait()
	if len(r.faults) > 0 {
		// The first in the text is reported, so that the message is the same for any number
		// of workers. One of them has found it: values are taken in order, and so are nodes,
		// each by workers that have met no fault of the kind.
		return slices.MinFunc(r.faults, func(a, b *fault) int { return cmp.Compare(a.pos, b.pos) })
	}
	if len(t.intrinsics) > 0 {
		return nil // the module is read again
	}
	return catchFault(r.joinResults)
}

// newParser returns a parser that looks names up.
func (t *text) newParser() *parser {
	return &parser{scanner: scanner{data: t.data}, text: t, resolve: true}
}

// minimumShare is how many bytes of input are worth a worker, which has tables of names and
// references of its own.
const minimumShare = 1 << 17

// resolveItems parses values until none is left or one is faulty, then nodes likewise. A fault
// leaves a parser in the middle of a step, so that nodes get a new one.
func (r *resolver) resolveItems() {
	p := r.newWorker()
	var faults []*fault
	for _, work := range []func(*parser){r.workValues, r.workNodes} {
		if f := catchFault(func() { work(p) }); f != nil {
			faults = append(faults, f)
			p = r.newWorker()
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.faults = append(r.faults, faults...)
	r.calls = append(r.calls, p.indirects...)
	r.labels = append(r.labels, p.labels...)
	r.text.typed = r.text.typed || p.typedPointers
	r.text.intrinsics = append(r.text.intrinsics, p.intrinsics...)
}

// newWorker returns the parser of a goroutine.
func (r *resolver) newWorker() *parser {
	p := r.text.newParser()
	p.declaresIntrinsics = true
	p.locals = newLocals()
	p.refs = newRefSink(r.text.module, len(r.text.nodes))
	return p
}

// workValues takes values one by one until none is left: their sizes differ by orders of
// magnitude. References go into blocks of memory that one worker fills, since one allocation for
// each value would be most of the cost of small ones.
func (r *resolver) workValues(p *parser) {
	arena := r.text.module.NewRefArena()
	for {
		i := int(r.values.Add(1)) - 1
		if i >= len(r.text.values) {
			return
		}
		p.resolveValue(ir.ValueID(i), arena)
	}
}

// workNodes takes nodes in batches, as one node is too little work for an
// atomic operation.
func (r *resolver) workNodes(p *parser) {
	for {
		i := int(r.batches.Add(1)) - 1
		if i >= len(r.tables) {
			return
		}
		first := i * nodeBatch
		p.resolveNodes(&r.tables[i], first, min(first+nodeBatch, len(r.text.nodes)))
	}
}

// resolveValue parses the whole text of a value and fills in the rest of the
// model.
func (p *parser) resolveValue(id ir.ValueID, arena *ir.RefArena) {
	value := &p.text.values[id]
	p.function = id
	p.namesUnnamed = false
	p.refs.beginValue()
	p.locals.beginFunction()
	p.valueHeader(value)
	if parts := p.text.partsOf(value); parts.body != 0 {
		parts.cut = uint32(p.parseBody())
		p.locals.checkDefined(p)
	}
	value.namesNumber = p.namesUnnamed || p.header.name.numbered
	p.fillValue(id, value)
	v := &p.text.module.Values[id]
	p.storeRefs(arena, id, p.refs.list)
	v.SignatureRefs = p.signatureRefs()
}

// storeRefs makes the list the references of a value. The place of a list is a 32-bit number in
// the model, which bounds the references of the whole module.
func (p *parser) storeRefs(arena *ir.RefArena, id ir.ValueID, list []ir.Ref) {
	if !arena.Store(&p.text.module.Values[id], list) {
		p.failAt(int(p.text.values[id].start), "the module has too many references")
	}
}

// signatureRefs returns how many of the references belong to the signature that was parsed last.
// A value that becomes a declaration keeps this many of its references, from the front.
func (p *parser) signatureRefs() uint16 {
	if p.header.signature > ir.MaxSignatureRefs {
		p.failAt(p.header.namePos, "a signature that refers to too many types and attributes")
	}
	return uint16(p.header.signature)
}

// valueHeader parses the header of a value.
func (p *parser) valueHeader(value *valueText) {
	p.pos = int(value.start)
	if p.data[p.pos] != '@' {
		p.functionHeader()
		return
	}
	// Variables have no local values; a '%' in an initialiser has to fail.
	locals := p.locals
	p.locals = nil
	p.globalHeader()
	p.locals = locals
}

// fillValue puts those parts into the model that the first pass could not know.
func (p *parser) fillValue(id ir.ValueID, value *valueText) {
	h, v := &p.header, &p.text.module.Values[id]
	if h.hasComdat {
		comdat, ok := p.text.comdats[string(h.comdat.text)]
		if !ok {
			p.failAt(h.comdatPos, "use of undefined comdat '$"+h.comdat.String()+"'")
		}
		v.Comdat = comdat
		p.text.partsOf(value).comdat = comdat
	}
	value.linkage = v.Linkage
	if len(h.groups)+len(h.attributes)+len(h.parameters)+len(h.attached) > 0 {
		p.fillDetails(v.EditDetails(), value)
	}
}

// fillDetails puts the attributes and attachments of the header into the model.
func (p *parser) fillDetails(d *ir.ValueDetails, value *valueText) {
	h := &p.header
	for _, number := range h.groups {
		if group, ok := p.text.groupByNum[number]; ok {
			d.Groups = append(d.Groups, group)
		}
	}
	d.Attributes, d.Parameters = slices.Clone(h.attributes), slices.Clone(h.parameters)
	for _, a := range h.attached {
		d.Attachments = append(d.Attachments, ir.Attachment{Kind: a.kind, Operand: p.decodeAt(a.pos)})
	}
	if len(d.Attributes)+len(d.Groups) > 0 {
		parts := p.text.partsOf(value)
		parts.attributes, parts.groups = uint32(len(d.Attributes)), uint32(len(d.Groups))
	}
}

// internString returns the text as a string, the same one for equal texts: a module names a
// handful of kinds and conventions, thousands of times.
func (p *parser) internString(text []byte) string {
	if known, ok := p.strings[string(text)]; ok {
		return known
	}
	if p.strings == nil {
		p.strings = make(map[string]string)
	}
	s := string(text)
	p.strings[s] = s
	return s
}

// resolveNodes parses metadata nodes into a table.
func (p *parser) resolveNodes(table *ir.NodeTable, first, end int) {
	table.Grow(end-first, end-first)
	p.locals = nil
	for i := first; i < end; i++ {
		node := &p.text.nodes[i]
		p.pos = int(node.start) + 1
		p.number32()
		p.expectByte('=')
		p.refs.beginValue()
		kind := p.nodeBody()
		if p.namesValues() {
			node.length |= nodeNamesValues
		}
		table.Add(kind, p.refs.list)
		if table.Kinds() > maxNodeKinds {
			p.failAt(int(node.start), "too many kinds of metadata nodes")
		}
	}
}

// maxNodeKinds limits the specialised nodes that are told apart; LLVM has about forty. The model
// numbers kinds in 16 bits, and hostile input may make up a name for each node.
const maxNodeKinds = 1000

// namesValues reports whether the references just collected name values.
func (p *parser) namesValues() bool {
	return slices.ContainsFunc(p.refs.list, func(r ir.Ref) bool { return r.Kind() == ir.RefAddress })
}

// joinResults does the work that needs the results of all workers. Types are added in the order of
// the text, so that their numbers, and with them every output, are the same in each run.
func (r *resolver) joinResults() {
	t := r.text
	t.joinNodes(r.tables)
	p := t.newParser()
	p.types = t.table
	slices.SortFunc(r.calls, func(a, b indirectCall) int { return cmp.Compare(a.result, b.result) })
	p.addIndirect(r.calls)
	p.checkLabels(r.labels)
	p.types = t.table.frozenCopy()
	p.resolveNamed()
	p.checkAliases()
}

// joinNodes joins the tables of the workers, in the order of the nodes.
func (t *text) joinNodes(tables []ir.NodeTable) {
	if len(tables) == 1 {
		t.module.Nodes = tables[0]
		return
	}
	nodes, refs := 0, 0
	for i := range tables {
		nodes += tables[i].Len()
		refs += tables[i].RefCount()
	}
	t.module.Nodes.Grow(nodes, refs)
	for i := range tables {
		t.module.Nodes.Append(&tables[i])
		tables[i] = ir.NodeTable{}
	}
}

// addIndirect builds the function types of the indirect calls, which are in the
// order of the text, and adds them to the references of their callers.
func (p *parser) addIndirect(calls []indirectCall) {
	m := p.text.module
	// A function calls through a few types, many times; each is one reference.
	last := make(map[ir.TypeID]ir.ValueID) // caller that has the type already
	arena := m.NewRefArena()
	var refs []ir.Ref
	for i, call := range calls {
		v := &m.Values[call.caller]
		if i == 0 || calls[i-1].caller != call.caller {
			refs = append(refs[:0], m.Refs(v)...)
		}
		id := p.indirectType(call)
		if caller, ok := last[id]; !ok || caller != call.caller {
			last[id] = call.caller
			refs = append(refs, ir.MakeRef(ir.RefIndirectCall, uint32(id)))
		}
		if i+1 == len(calls) || calls[i+1].caller != call.caller {
			p.storeRefs(arena, call.caller, refs)
		}
	}
}

// indirectType returns the function type of a call whose callee is a value.
func (p *parser) indirectType(call indirectCall) ir.TypeID {
	p.pos = call.result
	result, _ := p.parseType()
	if call.args == nil {
		if t := &p.text.module.Types[result]; t.Alias {
			return t.Of
		}
		return result
	}
	t := ir.Type{Kind: ir.TypeFunction, Elements: []ir.TypeID{result}}
	for _, pos := range call.args {
		p.pos = pos
		argument, _ := p.parseType()
		t.Elements = append(t.Elements, argument)
	}
	return p.builtType(t)
}

// checkLabels fails if a blockaddress names a label that its function lacks. A label is known once
// the body of its function was parsed, which may be after the use and by another worker. So the
// function is scanned once more, which modules of device code hardly ever need. It is marked as one
// whose label is taken.
func (p *parser) checkLabels(uses []labelUse) {
	slices.SortStableFunc(uses, func(a, b labelUse) int {
		return cmp.Or(cmp.Compare(a.function, b.function), cmp.Compare(a.pos, b.pos))
	})
	for i, use := range uses {
		if i == 0 || uses[i-1].function != use.function {
			if p.text.partsOf(&p.text.values[use.function]).body == 0 {
				p.failAt(use.pos, "blockaddress of a function without a body")
			}
			p.scanBody(use.function)
			p.text.module.Values[use.function].EditDetails().LabelTaken = true
		}
		if p.locals.findLocal(use.label).flags&localIsLabel == 0 {
			p.failAt(use.pos, "use of undefined label '%"+use.label.String()+"'")
		}
	}
	p.locals = nil
}

// aliaseeOf returns the value that an alias or ifunc leads to, if it names one.
func aliaseeOf(m *ir.Module, v *ir.GlobalValue) (ir.ValueID, bool) {
	if v.Kind != ir.Alias && v.Kind != ir.IFunc {
		return 0, false
	}
	for _, r := range m.Refs(v) {
		if r.Kind() == ir.RefAddress {
			return ir.ValueID(r.Index()), true
		}
	}
	return 0, false
}

// checkAliases fails if an alias or ifunc leads to itself: steps that follow an alias to its
// function would not end.
func (p *parser) checkAliases() {
	m := p.text.module
	state := make([]uint8, len(m.Values)) // 1 while being walked, 2 done
	var path []ir.ValueID
	for i := range m.Values {
		path = path[:0]
		id, ok := ir.ValueID(i), true
		for ok && state[id] == 0 {
			state[id] = 1
			path = append(path, id)
			id, ok = aliaseeOf(m, &m.Values[id])
		}
		if ok && state[id] == 1 {
			p.failAt(int(p.text.values[id].start), "alias '@"+string(appendName(nil, []byte(m.Values[id].Name)))+"' leads to itself")
		}
		for _, id := range path {
			state[id] = 2
		}
	}
}

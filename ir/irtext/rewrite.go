package irtext

import (
	"bytes"
	"slices"

	"offlink/ir"
)

// rewriter writes a body of which calls are replaced.
// Nothing of the body is rebuilt: the text is scanned once more for the places of the calls
// and of all local names, and the pieces between are copied. Unnamed values are numbered by
// their order, so a result that goes moves every number after it.
type rewriter struct {
	*writer
	edits   map[int]*ir.Expression // by the index of the call
	sites   []callSite             // of edits, in the order of the text
	places  siteList
	removed []uint32 // numbers of the results that constants take the place of, ascending
	values  map[string]string
	prefix  string // of the names of new values
	count   int
	lines   []byte // the new instructions of the call being replaced
	debug   string // the debug location of that call
}

// rewriteBody writes the body of a function, up to end, with its calls
// replaced.
func (w *writer) rewriteBody(id ir.ValueID, edit *ir.Edit, end int) {
	r := &rewriter{writer: w, edits: make(map[int]*ir.Expression), values: make(map[string]string)}
	for i := range edit.Calls {
		r.edits[edit.Calls[i].Call] = &edit.Calls[i].Value
	}
	r.scanFunction(id)
	r.choosePrefix()
	for i := range r.sites {
		r.dropResult(&r.sites[i])
	}
	slices.Sort(r.removed)
	r.namePatches()
	var calls []patch
	for i := range r.sites {
		calls = append(calls, r.replaceCall(&r.sites[i]))
	}
	calls = append(calls, r.dropStores(id)...)
	w.patches = append(w.patches, calls...)
	w.removeOverlaps()
	w.copyPatched(int(w.text.partsOf(&w.text.values[id]).body), end)
}

// scanFunction finds the calls to be replaced and the places of all names.
func (r *rewriter) scanFunction(id ir.ValueID) {
	p := r.parser
	r.globals = r.globals[:0]
	p.globals = &r.globals
	r.places.collectSites(p)
	p.onCall = func(site *callSite) {
		if r.edits[site.index] != nil {
			r.sites = append(r.sites, *site)
		}
	}
	p.scanBody(id)
	p.globals, p.onCall = nil, nil
	r.places.endCollection(p)
}

// dropStores returns the patches that take out the stores that served the
// replaced calls alone.
func (r *rewriter) dropStores(id ir.ValueID) (patches []patch) {
	for _, i := range r.places.servingStores(r.parser, id, func(call int) bool { return r.edits[call] != nil }) {
		in := &r.places.instructions[i]
		patches = append(patches, patch{r.lineStart(in.start), in.end, ""})
	}
	return patches
}

// choosePrefix chooses a prefix that no name of the function begins with.
// New values need names that cannot clash, and names that do not depend on anything but the
// function, for equal bytes in each run.
func (r *rewriter) choosePrefix() {
	r.prefix = "spec."
	for slices.ContainsFunc(r.parser.locals.named, func(l local) bool { return bytes.HasPrefix(l.name, []byte(r.prefix)) }) {
		r.prefix += "."
	}
}

// dropResult notes the constant that takes the place of a call's result, before
// any text is made: arguments of other calls may name the result.
func (r *rewriter) dropResult(site *callSite) {
	e, call := r.edits[site.index], r.callAt(site)
	if e.Kind != ir.ExpressionConstant {
		return
	}
	x, err := ir.NewReplacement(r.text.module, &call, e)
	if err != nil {
		r.parser.failAt(site.start, err.Error())
	}
	if x.Result == ir.NoValue {
		return
	}
	text := string(r.appendConstant(nil, e.Type, &e.Constant))
	// A call without a name still defines the next number.
	result := site.result
	if result.numbered || !site.hasName {
		result = name{number: site.number, numbered: true}
		r.removed = append(r.removed, site.number)
	}
	r.values[result.lookupKey()] = text
}

// lookupKey is a form of a local name that tells numbers from names.
// %1 and %"1" are different values.
func (n name) lookupKey() string {
	if n.numbered {
		return formatNumber(n.number)
	}
	return "%" + string(n.text)
}

// namePatches makes patches for globals and locals that have another number,
// and for the uses of results that are now constants.
func (r *rewriter) namePatches() {
	r.patches = r.patches[:0]
	for _, use := range r.globals {
		if use.numbered && r.renumbered {
			r.patches = append(r.patches, patch{int(use.start), int(use.end), formatNumber(r.numbers[use.value])})
		}
	}
	for _, l := range r.places.names {
		if text, ok := r.values[l.name.lookupKey()]; ok {
			// The sigil goes with the name: a constant has none.
			r.patches = append(r.patches, patch{l.start - 1, l.end, text})
			continue
		}
		if l.name.numbered {
			if below, _ := slices.BinarySearch(r.removed, l.name.number); below > 0 {
				r.patches = append(r.patches, patch{l.start, l.end, formatNumber(l.name.number - uint32(below))})
			}
		}
	}
	r.sortPatches()
}

// callAt decodes the call of a site.
func (r *rewriter) callAt(site *callSite) ir.Call {
	p := r.parser
	p.types = r.text.table.frozenCopy()
	call := p.decodeCall(site)
	p.types = nil
	return call
}

// replaceCall returns the patch that puts the edit's value in the place of a
// call. One whose result became a constant goes with its whole line.
// Patches of names inside of the call lie in this one and are dropped with it
// (removeOverlaps).
func (r *rewriter) replaceCall(site *callSite) patch {
	call := r.callAt(site)
	x, err := ir.NewReplacement(r.text.module, &call, r.edits[site.index])
	if err != nil {
		r.parser.failAt(site.start, err.Error())
	}
	if len(x.Instructions) == 0 {
		return patch{r.lineStart(site.start), site.end, ""}
	}
	r.lines = r.lines[:0]
	r.debug = r.locationOf(site)
	w := replacementWriter{rewriter: r, site: site, replacement: x, firstName: r.count}
	r.count += x.Named
	for i := range x.Instructions {
		w.writeInstruction(&x.Instructions[i])
	}
	return patch{site.start, site.end, string(r.lines)}
}

// lineStart returns where the line of an instruction begins, so that it goes
// as a whole; pos itself where something else is before it.
func (r *rewriter) lineStart(pos int) int {
	start := pos
	for start > 0 && (r.text.data[start-1] == ' ' || r.text.data[start-1] == '\t') {
		start--
	}
	if start > 0 && r.text.data[start-1] == '\n' {
		return start - 1
	}
	return pos
}

// locationOf returns the debug location attached to a call, with the comma
// before it.
func (r *rewriter) locationOf(site *callSite) (location string) {
	p := r.parser
	p.pos = site.tail
	for p.pos < site.end && p.acceptByte(',') {
		if p.peekByte() != '!' {
			p.alignOrSpace()
			continue
		}
		start := p.pos
		kind := string(p.attachmentName())
		p.withoutNodes(p.parseMetadata)
		if kind == "dbg" {
			location = ", " + string(p.data[start:p.endOfToken()])
		}
	}
	return location
}

// afterName returns where the result's name of an instruction ends.
func (r *rewriter) afterName(site *callSite) int {
	p := r.parser
	p.pos = site.start
	p.expectByte('%')
	p.readName()
	return p.pos
}

// argumentText returns type and value of an argument of the call as text.
// Arguments are copied as text, patched: their types may be of any kind, and writing them
// from the model would need every form of constant.
func (r *rewriter) argumentText(site *callSite, index int) (typ, value string) {
	p := r.parser
	p.pos = site.arguments + 1
	for i := 0; ; i++ {
		p.peekByte()
		start := p.pos
		p.parseType()
		end := p.endOfToken()
		p.valueAttributes(true)
		p.peekByte()
		valueStart := p.pos
		p.parseValue()
		if i == index {
			return r.patchedText(start, end), r.patchedText(valueStart, p.endOfToken())
		}
		p.expectByte(',')
	}
}

// patchedText returns a piece of the input with the patches that lie in it.
func (r *rewriter) patchedText(start, end int) string {
	before := len(r.buf)
	r.copyPatched(start, end)
	text := string(r.buf[before:])
	r.buf = r.buf[:before]
	return text
}

package irtext

import (
	"slices"

	"offlink/ir"
)

// rewriter writes a body of which calls are replaced. Nothing of the body is rebuilt: the text is
// scanned once more for the places of the instructions and of all local names, and the pieces
// between are copied. Unnamed values are numbered by their order, so a result that is removed moves
// every number after it.
type rewriter struct {
	*writer
	places  siteList
	removed []uint32 // numbers of the results that constants take the place of, ascending
	values  map[string]string
	lines   []byte // the new instructions of the call being replaced
	debug   string // the debug location of that call
}

// rewriteBody writes the body of a function, up to end, with its calls
// replaced.
func (w *writer) rewriteBody(id ir.ValueID, edit *ir.Edit, end int) {
	rewrite, err := edit.BodyRewrite(w.text.module, id)
	if err != nil {
		w.parser.failAt(int(w.text.values[id].start), err.Error())
	}
	r := &rewriter{writer: w, values: make(map[string]string)}
	r.scanFunction(id)
	for i := range rewrite.Changes {
		r.dropResult(&rewrite.Changes[i])
	}
	slices.Sort(r.removed)
	r.namePatches()
	var changes []patch
	for i := range rewrite.Changes {
		changes = append(changes, r.changeInstruction(&rewrite.Changes[i]))
	}
	w.patches = append(w.patches, changes...)
	w.removeOverlaps()
	w.copyPatched(int(w.text.partsOf(&w.text.values[id]).body), end)
}

// scanFunction finds the places of the instructions and of all names.
func (r *rewriter) scanFunction(id ir.ValueID) {
	p := r.parser
	r.globals = r.globals[:0]
	p.globals = &r.globals
	r.places.collectSites(p)
	p.scanBody(id)
	p.globals = nil
	r.places.endCollection(p)
}

// dropResult notes the constant that replaces a call's result, before any text is made: arguments
// of other calls may name the result.
func (r *rewriter) dropResult(c *ir.InstructionChange) {
	x := c.Replacement
	if x == nil || x.Result == ir.NoValue {
		return
	}
	// A call without a name still defines the next number.
	result := r.places.instructions[c.Number].result
	if result.numbered {
		r.removed = append(r.removed, result.number)
	}
	r.values[result.lookupKey()] = string(r.appendConstant(nil, x.Result.Type, &x.Constants[x.Result.Index]))
}

// lookupKey returns a form of a local name that tells numbers from names: %1 and %"1" are different
// values.
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

// changeInstruction returns the patch that takes an instruction out, with its whole line, or puts
// others in its place. Patches of names inside the instruction lie in this one and are dropped with
// it (removeOverlaps).
func (r *rewriter) changeInstruction(c *ir.InstructionChange) patch {
	site, x := &r.places.instructions[c.Number], c.Replacement
	if x == nil || len(x.Instructions) == 0 {
		return patch{r.lineStart(site.start), site.end, ""}
	}
	r.lines = r.lines[:0]
	r.debug = r.locationOf(site)
	w := replacementWriter{rewriter: r, site: site, replacement: x}
	for i := range x.Instructions {
		w.writeInstruction(&x.Instructions[i])
	}
	return patch{site.start, site.end, string(r.lines)}
}

// lineStart returns where the line of an instruction begins, so that the whole line is removed, or
// pos itself if something else stands before it.
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
func (r *rewriter) locationOf(site *instructionSite) (location string) {
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
func (r *rewriter) afterName(site *instructionSite) int {
	p := r.parser
	p.pos = site.start
	p.expectByte('%')
	p.readName()
	return p.pos
}

// argumentText returns type and value of an argument of the call as text. Arguments are copied as
// patched text: their types may be of any kind, and writing them from the model would need every
// form of constant.
func (r *rewriter) argumentText(site *instructionSite, index int) (typ, value string) {
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

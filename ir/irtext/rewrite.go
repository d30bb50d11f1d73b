package irtext

import (
	"bytes"
	"slices"
	"strconv"

	"offlink/ir"
)

// declaration is a function that the partition adds because an edit calls it.
type declaration struct{ name, text string }

// writeDeclared declares the functions that edits call, but for those that
// the partition has.
func (w *writer) writeDeclared() {
	for i := range w.declared {
		w.appendString("\n" + w.declared[i].text + "\n")
	}
}

// declare notes that a function is called.
func (w *writer) declare(e *ir.Expression) {
	if id, ok := w.text.module.Lookup(e.Callee); ok && w.reach.Keeps(id) {
		return
	}
	if slices.ContainsFunc(w.declared, func(d declaration) bool { return d.name == e.Callee }) {
		return
	}
	b := append(w.text.appendType([]byte("declare spir_func "), e.Type), " @"...)
	b = append(appendName(b, []byte(e.Callee)), '(')
	for i := range e.Operands {
		if i > 0 {
			b = append(b, ", "...)
		}
		b = w.text.appendType(b, e.Operands[i].Type)
	}
	w.declared = append(w.declared, declaration{e.Callee, string(append(b, ')'))})
}

// rewriter writes a body of which calls are replaced.
type rewriter struct {
	*writer
	edits   map[int]*ir.Expression // by the index of the call
	sites   []callSite             // of edits, in the order of the text
	slots   slotFinder
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
	r.scan(id)
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
	calls = append(calls, r.dropStores()...)
	w.patches = append(w.patches, calls...)
	w.removeOverlaps()
	w.copyPatched(int(w.text.values[id].body), end)
}

// scan finds the calls to be replaced and the places of all names.
func (r *rewriter) scan(id ir.ValueID) {
	p := r.parser
	r.globals = r.globals[:0]
	p.globals = &r.globals
	r.slots.collect(p)
	p.onCall = func(site *callSite) {
		if r.edits[site.index] != nil {
			r.sites = append(r.sites, *site)
		}
	}
	p.scanBody(id)
	p.globals, p.onCall = nil, nil
	r.slots.finish()
}

// dropStores returns the patches that take out the stores that served the
// replaced calls alone.
func (r *rewriter) dropStores() (patches []patch) {
	calls := make(map[int]bool, len(r.sites))
	for i := range r.sites {
		calls[r.sites[i].start] = true
	}
	for _, i := range r.slots.serving(calls) {
		in := &r.slots.instructions[i]
		patches = append(patches, patch{r.lineStart(in.start), in.end, ""})
	}
	return patches
}

// choosePrefix chooses a prefix that no name of the function begins with.
func (r *rewriter) choosePrefix() {
	r.prefix = "spec."
	for slices.ContainsFunc(r.parser.locals.named, func(l local) bool { return bytes.HasPrefix(l.name, []byte(r.prefix)) }) {
		r.prefix += "."
	}
}

// dropResult notes the constant that takes the place of a call's result.
func (r *rewriter) dropResult(site *callSite) {
	e := r.edits[site.index]
	if e.Kind != ir.ExpressionConstant || r.stores(site) {
		return
	}
	if call := r.call(site); r.truncates(call.Result, e.Type) {
		return
	}
	text := string(r.appendConstant(nil, e.Type, &e.Constant))
	result := site.result
	if result.numbered || !site.hasName {
		result = name{number: site.number, numbered: true}
		r.removed = append(r.removed, site.number)
	}
	r.values[result.key()] = text
}

// key is a form of a local name that tells numbers from names.
func (n name) key() string {
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
	for _, l := range r.slots.names {
		if text, ok := r.values[l.name.key()]; ok {
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

// call decodes the call of a site.
func (r *rewriter) call(site *callSite) ir.Call {
	p := r.parser
	p.types = r.text.table.frozenCopy()
	call := p.decodeCall(site, nil)
	p.types = nil
	return call
}

// stores reports whether the call gives its value through its first argument.
func (r *rewriter) stores(site *callSite) bool {
	call := r.call(site)
	return len(call.Arguments) > 0 && call.Arguments[0].SRet
}

// truncates reports whether a value has to be made an i1.
func (r *rewriter) truncates(want, got ir.TypeID) bool {
	if want == ir.NoType || want == got {
		return false
	}
	t := &r.text.module.Types[want]
	return t.Kind == ir.TypeInteger && t.Bits == 1
}

// replaceCall returns the patch that puts the edit's value in the place of a
// call.
func (r *rewriter) replaceCall(site *callSite) patch {
	e := r.edits[site.index]
	r.lines = r.lines[:0]
	r.debug = r.location(site)
	switch {
	case r.stores(site):
		r.store(site, e)
	case e.Kind == ir.ExpressionConstant && !r.truncates(r.call(site).Result, e.Type):
		return patch{r.lineStart(site.start), site.end, ""}
	default:
		r.define(site, e)
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

// location returns the debug location attached to a call, with the comma
// before it.
func (r *rewriter) location(site *callSite) (location string) {
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

// store writes the value through the first argument.
func (r *rewriter) store(site *callSite, e *ir.Expression) {
	value := r.value(site, e)
	typ, pointer := r.argument(site, 0)
	r.begin("")
	r.lines = append(r.lines, "store "...)
	r.lines = r.text.appendType(r.lines, e.Type)
	r.lines = append(r.lines, " "+value+", "+typ+" "+pointer...)
	r.align(e.Align)
	r.lines = append(r.lines, r.debug...)
}

// define writes instructions of which the last has the name of the call.
func (r *rewriter) define(site *callSite, e *ir.Expression) {
	result := ""
	if site.hasName {
		result = r.patched(site.start, r.afterName(site))
	}
	call := r.call(site)
	if !r.truncates(call.Result, e.Type) {
		r.expression(site, e, result)
		return
	}
	wide := r.value(site, e)
	r.begin(result)
	r.lines = append(r.lines, "trunc "...)
	r.lines = r.text.appendType(r.lines, e.Type)
	r.lines = append(r.lines, " "+wide+" to i1"+r.debug...)
}

// afterName returns where the result's name of an instruction ends.
func (r *rewriter) afterName(site *callSite) int {
	p := r.parser
	p.pos = site.start
	p.expectByte('%')
	p.readName()
	return p.pos
}

// value returns the text of a value: of a constant, or the name of a new
// value that new instructions compute.
func (r *rewriter) value(site *callSite, e *ir.Expression) string {
	if e.Kind == ir.ExpressionConstant {
		return string(r.appendConstant(nil, e.Type, &e.Constant))
	}
	var operands []string
	for i := range e.Operands {
		operands = append(operands, r.value(site, &e.Operands[i]))
	}
	name := r.newName()
	r.compute(site, e, operands, name)
	return name
}

// expression writes an expression whose value gets that name.
func (r *rewriter) expression(site *callSite, e *ir.Expression, result string) {
	var operands []string
	for i := range e.Operands {
		operands = append(operands, r.value(site, &e.Operands[i]))
	}
	r.compute(site, e, operands, result)
}

func (r *rewriter) newName() string {
	r.count++
	return "%" + r.prefix + strconv.Itoa(r.count-1)
}

// begin begins a new instruction.
func (r *rewriter) begin(result string) {
	if len(r.lines) > 0 {
		r.lines = append(r.lines, "\n  "...)
	}
	if result != "" {
		r.lines = append(r.lines, result+" = "...)
	}
}

// compute writes the instruction of an expression.
func (r *rewriter) compute(site *callSite, e *ir.Expression, operands []string, result string) {
	switch e.Kind {
	case ir.ExpressionLoad:
		r.load(site, e, result)
		return
	case ir.ExpressionAlloca:
		r.allocate(e, operands[0], result)
		return
	}
	r.declare(e)
	r.begin(result)
	b := r.text.appendType(append(r.lines, "call spir_func "...), e.Type)
	b = append(appendName(append(b, " @"...), []byte(e.Callee)), '(')
	for i := range operands {
		if i > 0 {
			b = append(b, ", "...)
		}
		b = append(r.text.appendType(b, e.Operands[i].Type), " "+operands[i]...)
	}
	r.lines = append(append(b, ')'), r.debug...)
}

// load writes the load from an argument of the call, which is taken for a
// pointer to bytes.
func (r *rewriter) load(site *callSite, e *ir.Expression, result string) {
	typ, pointer := r.bytes(site, e.Argument)
	address := r.newName()
	r.begin(address)
	r.lines = append(r.lines, "getelementptr i8, "+typ+" "+pointer+", i64 "...)
	r.lines = strconv.AppendUint(r.lines, e.Offset, 10)
	r.lines = append(r.lines, r.debug...)

	target, cast := typ, address
	if to := &r.text.module.Types[e.Type]; to.Kind != ir.TypeInteger || to.Bits != 8 {
		target, cast = r.pointerTo(site, e), r.newName()
		r.begin(cast)
		r.lines = append(r.lines, "bitcast "+typ+" "+address+" to "+target+r.debug...)
	}

	r.begin(result)
	r.lines = r.text.appendType(append(r.lines, "load "...), e.Type)
	r.lines = append(r.lines, ", "+target+" "+cast...)
	r.align(e.Align)
	r.lines = append(r.lines, r.debug...)
}

// allocate writes the allocation of count elements.
func (r *rewriter) allocate(e *ir.Expression, count, result string) {
	r.begin(result)
	b := r.text.appendType(append(r.lines, "alloca "...), e.Element)
	b = append(r.text.appendType(append(b, ", "...), e.Operands[0].Type), " "+count...)
	r.lines = b
	r.align(e.Align)
	if space := r.text.module.Types[e.Type].AddressSpace; space != 0 {
		r.lines = append(r.lines, ", addrspace("+formatNumber(space)+")"...)
	}
	r.lines = append(r.lines, r.debug...)
}

// pointerTo returns the type of a pointer to the expression's type in the
// address space of the argument that it is loaded from.
func (r *rewriter) pointerTo(site *callSite, e *ir.Expression) string {
	call := r.call(site)
	b, space := []byte("ptr"), uint32(0)
	if id := call.Arguments[e.Argument].Type; id != ir.NoType {
		space = r.text.module.Types[id].AddressSpace
	}
	if !r.text.typed {
		return string(appendSpace(b, space))
	}
	return string(append(appendSpace(r.text.appendType(b[:0], e.Type), space), '*'))
}

func (r *rewriter) align(n uint64) {
	if n != 0 {
		r.lines = strconv.AppendUint(append(r.lines, ", align "...), n, 10)
	}
}

// bytes returns type and value of a pointer argument. One that is typed, and
// not a pointer to bytes, is cast to that.
func (r *rewriter) bytes(site *callSite, index int) (typ, value string) {
	typ, value = r.argument(site, index)
	types := r.text.module.Types
	pointer := r.call(site).Arguments[index].Type
	if pointer == ir.NoType || len(types[pointer].Elements) == 0 {
		return typ, value
	}
	if to := &types[types[pointer].Elements[0]]; to.Kind == ir.TypeInteger && to.Bits == 8 {
		return typ, value
	}
	target := string(appendSpace([]byte("i8"), types[pointer].AddressSpace)) + "*"
	name := r.newName()
	r.begin(name)
	r.lines = append(r.lines, "bitcast "+typ+" "+value+" to "+target+r.debug...)
	return target, name
}

// argument returns type and value of an argument of the call as text.
func (r *rewriter) argument(site *callSite, index int) (typ, value string) {
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
			return r.patched(start, end), r.patched(valueStart, p.endOfToken())
		}
		p.expectByte(',')
	}
}

// patched returns a piece of the input with the patches that lie in it.
func (r *rewriter) patched(start, end int) string {
	before := len(r.buf)
	r.copyPatched(start, end)
	text := string(r.buf[before:])
	r.buf = r.buf[:before]
	return text
}

package irtext

import (
	"bytes"
	"fmt"

	"offlink/ir"
)

// Parse reads a module. path is the input's name for messages. The module
// refers to data, which must not change while the module is used.
//
// Errors about the input are of type *[Error].
func Parse(path string, data []byte) (*ir.Module, error) {
	if len(data) > MaxSize {
		return nil, fmt.Errorf("%s: the module has %d bytes; text of more than %d is not read: use bitcode, or split the sources", path, len(data), MaxSize)
	}
	t, err := parseText(path, data)
	if err != nil {
		return nil, err
	}
	if len(t.intrinsics) > 0 {
		return withIntrinsics(path, data, t.intrinsics)
	}
	return t.module, nil
}

// parseText is Parse without the declaration of intrinsics that the module uses and does not
// declare.
func parseText(path string, data []byte) (*text, error) {
	t := newText(path, data)
	if f := catchFault(t.outlineFile); f != nil {
		return nil, errorAt(path, data, f)
	}
	if f := t.resolveNames(); f != nil {
		return nil, errorAt(path, data, f)
	}
	return t, nil
}

// leastValue is the length of the shortest line that defines a value.
const leastValue = len("@a=global i8 0")

// countValues counts the lines that look like a definition or declaration of a global value, and
// those of functions among them. It is a guess that only decides how much room is made: growing the
// table of values by doubling would copy it, and hold twice its size, in modules of a million
// variables. Only lines of at least leastValue bytes count, so that the room is in proportion to
// the input.
func countValues(data []byte) (values, functions int) {
	for len(data) >= leastValue {
		end := bytes.IndexByte(data, '\n')
		if end < 0 {
			end = len(data)
		}
		line := data[:end]
		switch {
		case len(line) < leastValue:
		case line[0] == '@':
			values++
		case bytes.HasPrefix(line, []byte("define ")) || bytes.HasPrefix(line, []byte("declare ")):
			values++
			functions++
		}
		data = data[min(end+1, len(data)):]
	}
	return values, functions
}

// newText makes the tables of a module.
func newText(path string, data []byte) *text {
	t := &text{
		data:       data,
		module:     &ir.Module{Path: path, Size: int64(len(data))},
		unnamed:    make(map[uint32]ir.ValueID),
		typeByName: make(map[string]ir.TypeID),
		typeByNum:  make(map[uint32]ir.TypeID),
		groupByNum: make(map[uint32]ir.AttributeGroupID),
		comdats:    make(map[string]ir.ComdatID),
	}
	t.module.Source = t
	values, functions := countValues(data)
	t.values = make([]valueText, 0, values)
	t.more = make([]valueParts, 0, functions)
	t.module.Grow(values)
	return t
}

// outlineFile is the first pass: it finds the definitions at top level. Structs, metadata nodes and
// attribute groups may be used before they are defined, which is why a single pass would not do.
func (t *text) outlineFile() {
	p := &parser{scanner: scanner{data: t.data}, text: t}
	t.table = newTypeTable(t)
	p.types = t.table
	for p.peekByte() != 0 {
		p.topLevel()
	}
	if pos, name, found := p.types.firstUndefined(); found {
		p.failAt(pos, "use of undefined type '"+name+"'")
	}
	if twice, bad := t.nodeIndex.finishIndex(); bad {
		pos := int(t.nodes[twice].start)
		p.failAt(pos, "metadata '!"+formatNumber(t.nodeIndex.numberOf(twice))+"' is defined twice")
	}
	p.checkTypes()
}

// topLevel steps over one definition. The first byte decides which, as in LLVM's parser; an input
// that is not IR fails at its first token.
func (p *parser) topLevel() {
	switch c := p.peekByte(); {
	case c == '@':
		start := p.pos
		p.globalHeader()
		p.defineValue(start, 0)
	case c == '!':
		p.metadataDefinition()
	case c == '%':
		p.typeDefinition()
	case c == '$':
		p.comdatDefinition()
	case c == '^':
		p.parseSummary()
	case class[c]&classLetter != 0:
		p.topLevelWord()
	default:
		p.failUnexpected("a definition")
	}
}

// topLevelWord parses a definition that begins with a word.
func (p *parser) topLevelWord() {
	w := p.peekWord()
	switch string(w) {
	case "define":
		p.functionDefinition()
	case "declare":
		start := p.pos
		p.functionHeader()
		p.defineValue(start, 0)
	case "attributes":
		p.attributeGroup()
	case "source_filename":
		p.pos += len(w)
		p.expectByte('=')
		p.text.module.SourceFilename = string(p.readDecoded())
	case "target":
		p.pos += len(w)
		p.parseTarget()
	case "module":
		p.moduleAsm()
	case "uselistorder":
		// Orders of global values; see useListOrders for why they are dropped.
		p.pos += len(w)
		p.useListOrder()
	case "uselistorder_bb":
		p.pos += len(w)
		p.useListOrderBlock()
	default:
		p.failAt(p.pos, "expected a definition, found '"+string(w)+"'")
	}
}

// parseTarget parses `target datalayout = "..."` or `target triple = "..."`.
func (p *parser) parseTarget() {
	start := p.pos
	w := p.readWord()
	p.expectByte('=')
	value := string(p.readDecoded())
	switch string(w) {
	case "datalayout":
		p.text.module.DataLayout = value
	case "triple":
		p.text.module.Triple = value
	default:
		p.failAt(start, "expected 'datalayout' or 'triple'")
	}
}

// moduleAsm notes a line of module assembly, which every partition copies: it may define any
// symbol, so that no part of a module can do without it.
func (p *parser) moduleAsm() {
	start := p.pos
	p.expectWord("module")
	p.expectWord("asm")
	p.readQuoted()
	p.text.asm = append(p.text.asm, p.spanFrom(start))
	p.text.module.HasAssembly = true
}

// parseSummary steps over an entry of a ThinLTO summary: ^N = word: (...), where some entries have
// no parentheses. Summaries describe whole modules to a linker of many. They are not written, since
// none of them would be true of a part.
func (p *parser) parseSummary() {
	p.expectByte('^')
	p.readInteger()
	p.expectByte('=')
	p.readWord()
	p.expectByte(':')
	if p.peekByte() == '(' {
		p.skipBalanced()
		return
	}
	p.readInteger()
}

// comdatDefinition parses `$name = comdat any`. The five words are the selection kinds of the
// Language Reference, "Comdats".
func (p *parser) comdatDefinition() {
	start := p.pos
	p.expectByte('$')
	n := p.readName()
	p.expectByte('=')
	p.expectWord("comdat")
	p.peekByte()
	at := p.pos
	selection := string(p.readWord())
	switch selection {
	case "any", "exactmatch", "largest", "nodeduplicate", "samesize":
	default:
		p.failAt(at, "comdats are not selected by '"+selection+"'")
	}
	t := p.text
	if _, ok := t.comdats[string(n.text)]; ok {
		p.failAt(start, "redefinition of comdat '$"+n.String()+"'")
	}
	t.comdats[string(n.text)] = ir.ComdatID(len(t.module.Comdats))
	t.module.Comdats = append(t.module.Comdats, ir.Comdat{Name: string(n.text), Selection: selection})
}

// functionDefinition steps over the header of a function, and over its body by its brackets. Bodies
// are most of the text. The second pass parses them in parallel, so this one only has to find their
// ends.
func (p *parser) functionDefinition() {
	start := p.pos
	p.functionHeader()
	if p.peekByte() != '{' {
		p.failUnexpected("'{'")
	}
	body := p.pos
	p.skipBalanced()
	p.defineValue(start, body)
}

// defineValue adds the value whose header was parsed last.
func (p *parser) defineValue(start, body int) {
	h, t := &p.header, p.text
	convention, ok := t.module.CallingConvID(h.convention)
	if !ok {
		p.failAt(start, "too many calling conventions")
	}
	id, ok := t.module.Define(ir.GlobalValue{
		Kind:         h.kind,
		Linkage:      h.linkage,
		Declaration:  h.declare,
		Constant:     h.constant,
		Name:         string(h.name.text),
		AddressSpace: h.space,
		Comdat:       ir.NoComdat,
		CallingConv:  convention,
		Type:         h.valueType,
	})
	if !ok {
		p.failAt(h.namePos-1, "redefinition of '@"+h.name.String()+"'")
	}
	if id > ir.MaxIndex {
		p.failAt(start, "too many global values")
	}
	if !h.name.numbered && len(h.name.text) == 0 { // @"" takes the next number
		h.name.number, h.name.numbered = t.nextUnnamed, true
	}
	value := valueText{span: p.spanFrom(start)}
	// Most values of large modules are variables with none of these, and parts of their own
	// would double their size in memory.
	if h.name.numbered || h.hasComdat || h.kind == ir.Function || len(h.groups)+len(h.attributes) > 0 {
		t.more = append(t.more, valueParts{body: uint32(body), comdat: ir.NoComdat, convention: convention})
		value.more = uint32(len(t.more))
	}
	if h.name.numbered {
		t.partsOf(&value).number = h.name.number
		p.defineUnnamed(id)
	}
	t.values = append(t.values, value)
}

// defineUnnamed notes the number of an unnamed value. Numbers ascend; LLVM before 19 leaves no
// gaps.
func (p *parser) defineUnnamed(id ir.ValueID) {
	h, t := &p.header, p.text
	if h.name.number < t.nextUnnamed {
		p.failAt(h.namePos-1, "unnamed value expected to be numbered '@"+formatNumber(t.nextUnnamed)+"' or greater")
	}
	t.nextUnnamed = h.name.number + 1
	t.unnamed[h.name.number] = id
}

// checkTypes notes the structs that contain themselves, and fails if types are nested too deep for
// the functions that walk them: later steps (sizes, layouts, translation) recurse over types
// without a bound of their own.
func (p *parser) checkTypes() {
	depth := make([]int, len(p.text.module.Types)) // 0 unknown
	for id := range p.text.module.Types {
		p.typeDepth(ir.TypeID(id), depth, 0)
	}
	for id, d := range depth {
		if d == depthEndless {
			if p.text.endless == nil {
				p.text.endless = make(map[ir.TypeID]bool)
			}
			p.text.endless[ir.TypeID(id)] = true
		}
	}
}

const (
	depthWalked  = -1 // being walked
	depthEndless = -2 // contains itself, or a type that does
)

// typeDepth returns how deep a type nests, or depthEndless for a struct that holds itself by value
// and so has no size; only pointers may form a cycle.
func (p *parser) typeDepth(id ir.TypeID, depth []int, above int) int {
	switch depth[id] {
	case 0:
	case depthWalked:
		return depthEndless
	default:
		return depth[id]
	}
	t := &p.text.module.Types[id]
	deepest := 0
	if above > maxNesting {
		p.failAt(int(p.text.types[id].start), "types nested too deep")
	}
	// Pointers hold only an address; with typed pointers they are how a list
	// refers to itself.
	if t.Kind != ir.TypePointer && t.Kind != ir.TypeFunction {
		depth[id] = depthWalked
		endless := false
		for _, e := range t.Elements {
			d := p.typeDepth(e, depth, above+1)
			deepest, endless = max(deepest, d), endless || d == depthEndless
		}
		if endless {
			depth[id] = depthEndless
			return depthEndless
		}
	}
	depth[id] = deepest + 1
	if depth[id] > maxNesting {
		p.failAt(int(p.text.types[id].start), "types nested too deep")
	}
	return depth[id]
}

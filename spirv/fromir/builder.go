package fromir

import (
	"encoding/binary"
	"maps"
	"slices"

	"offlink/spirv"
)

// id is the identifier of something in the module that is written.
type id = uint32

// entry is a type, constant or global variable, whose place is found at the
// end.
type entry struct {
	op    spirv.Opcode
	words []uint32 // operands, with result type and result
	deps  []id     // identifiers among them
	state uint8
}

// builder collects a SPIR-V module.
type builder struct {
	next         id
	version      spirv.Version
	capabilities map[uint32]bool
	extensions   map[string]bool
	importWords  []uint32 // OpExtInstImport
	setIDs       map[string]id
	model        [2]uint32

	entryPoints []uint32
	modes       []uint32
	strings     []uint32
	stringIDs   map[string]id
	source      []uint32
	names       map[id]string
	memberNames []uint32
	decorations []uint32
	decorated   map[string]bool
	alias       map[id]id // identifiers that became others
	aliasing    []uint32
	entries     map[id]*entry
	order       []id // entries in the order of their identifiers
	unique      map[string]id
	forward     []uint32
	asm         []uint32
	debug       []uint32
	declared    []uint32
	functions   []uint32
	cyclic      bool // a constant or variable is part of itself
}

func newBuilder(version spirv.Version) *builder {
	return &builder{
		next: 1, version: version,
		capabilities: make(map[uint32]bool), extensions: make(map[string]bool), setIDs: make(map[string]id),
		stringIDs: make(map[string]id), names: make(map[id]string), alias: make(map[id]id), decorated: make(map[string]bool),
		entries: make(map[id]*entry), unique: make(map[string]id),
	}
}

func (b *builder) newID() id {
	b.next++
	return b.next - 1
}

// appendInstruction appends an instruction to the words of a section.
func appendInstruction(words []uint32, op spirv.Opcode, operands ...uint32) []uint32 {
	words = append(words, uint32(len(operands)+1)<<16|uint32(op))
	return append(words, operands...)
}

// appendText appends a string as SPIR-V has it: in words, ended by a zero.
func appendText(words []uint32, text string) []uint32 {
	for i := 0; i <= len(text); i += 4 {
		var word [4]byte
		copy(word[:], text[min(i, len(text)):])
		words = append(words, binary.LittleEndian.Uint32(word[:]))
	}
	return words
}

// importSet returns the identifier of an instruction set.
func (b *builder) importSet(name string) id {
	if n, ok := b.setIDs[name]; ok {
		return n
	}
	n := b.newID()
	b.setIDs[name] = n
	b.importWords = appendInstruction(b.importWords, spirv.OpExtInstImport, appendText([]uint32{n}, name)...)
	return n
}

// text returns the identifier of an OpString.
func (b *builder) text(s string) id {
	if n, ok := b.stringIDs[s]; ok {
		return n
	}
	n := b.newID()
	b.stringIDs[s] = n
	b.strings = appendInstruction(b.strings, spirv.OpString, appendText([]uint32{n}, s)...)
	return n
}

func (b *builder) name(n id, name string) {
	if name != "" {
		b.names[n] = name
	}
}

// decorate adds a decoration once.
func (b *builder) decorate(n id, decoration uint32, operands ...uint32) {
	b.addDecoration(spirv.OpDecorate, append([]uint32{n, decoration}, operands...))
}

func (b *builder) addDecoration(op spirv.Opcode, operands []uint32) {
	key := uniqueKey(op, operands)
	if b.decorated[key] {
		return
	}
	b.decorated[key] = true
	b.decorations = appendInstruction(b.decorations, op, operands...)
}

func uniqueKey(op spirv.Opcode, words []uint32) string {
	key := make([]byte, 0, 2+4*len(words))
	key = binary.LittleEndian.AppendUint16(key, uint16(op))
	for _, w := range words {
		key = binary.LittleEndian.AppendUint32(key, w)
	}
	return string(key)
}

// typeEntry returns the type that op and operands, after the result, make.
// deps are the identifiers among the operands.
func (b *builder) typeEntry(op spirv.Opcode, operands []uint32, deps ...id) id {
	key := uniqueKey(op, operands)
	if n, ok := b.unique[key]; ok {
		return n
	}
	n := b.newID()
	b.unique[key] = n
	b.add(n, op, append([]uint32{n}, operands...), deps)
	return n
}

// constantEntry returns the constant of a type that op and operands make.
func (b *builder) constantEntry(op spirv.Opcode, typ id, operands []uint32, deps ...id) id {
	key := uniqueKey(op, append([]uint32{typ}, operands...))
	if n, ok := b.unique[key]; ok {
		return n
	}
	n := b.newID()
	b.unique[key] = n
	b.add(n, op, append([]uint32{typ, n}, operands...), append([]id{typ}, deps...))
	return n
}

func (b *builder) add(n id, op spirv.Opcode, words []uint32, deps []id) {
	b.entries[n] = &entry{op: op, words: words, deps: deps}
	b.order = append(b.order, n)
}

// sorter puts entries into an order in which each comes after its parts.
// Integer types and integer constants come first, then types, then the rest.
type sorter struct {
	b                                *builder
	integers, constants, types, rest []uint32
	forwarded                        map[id]bool
}

const (
	entryNew = iota
	entryOpen
	entryDone
)

// visit writes an entry after its parts. It returns false when the entry is
// part of itself, which only a pointer may be: it is then announced.
func (s *sorter) visit(n id) bool {
	e := s.b.entries[n]
	if e == nil || e.state == entryDone {
		return true
	}
	if e.state == entryOpen {
		return false
	}
	e.state = entryOpen
	for _, d := range e.deps {
		if !s.visit(d) {
			e.state = entryNew
			if e.op != spirv.OpTypePointer {
				return false
			}
			if !s.forwarded[n] {
				s.forwarded[n] = true
				s.b.forward = appendInstruction(s.b.forward, spirv.OpTypeForwardPointer, n, e.words[1])
			}
			return true
		}
	}
	s.place(e)
	e.state = entryDone
	return true
}

func (s *sorter) place(e *entry) {
	list := &s.rest
	switch {
	case e.op == spirv.OpTypeInt:
		list = &s.integers
	case e.op >= spirv.OpConstantTrue && e.op <= spirv.OpSpecConstantOp:
		if t := s.b.entries[e.words[0]]; t != nil && t.op == spirv.OpTypeInt && s.plain(e) {
			list = &s.constants
		}
	case isTypeOp(e.op):
		list = &s.types
	}
	*list = appendInstruction(*list, e.op, e.words...)
}

// plain reports whether a constant is made of nothing but its type.
func (s *sorter) plain(e *entry) bool { return len(e.deps) <= 1 }

func isTypeOp(op spirv.Opcode) bool {
	return op >= spirv.OpTypeVoid && op <= spirv.OpTypeForwardPointer || typeOps[op]
}

// typeOps are the types of extensions.
var typeOps = map[spirv.Opcode]bool{
	spirv.OpTypePipeStorage: true, spirv.OpTypeNamedBarrier: true, opTypeCooperativeMatrixKHR: true,
	opTypeJointMatrixINTEL: true, opTypeBufferSurfaceINTEL: true, opTypeTaskSequenceINTEL: true,
	spirv.OpTypeVmeImageINTEL: true,
}

// globals returns the words of types, constants and variables.
func (b *builder) globals() []uint32 {
	s := sorter{b: b, forwarded: make(map[id]bool)}
	for _, n := range b.order {
		if !s.visit(n) {
			b.cyclic = true
		}
	}
	words := append([]uint32{}, b.forward...)
	for _, list := range [][]uint32{s.integers, s.constants, s.types, s.rest} {
		words = append(words, list...)
	}
	return words
}

// entryNames are the entry points, whose names are in OpEntryPoint.
func (b *builder) nameWords(entryPoints map[id]bool) []uint32 {
	var words []uint32
	for _, n := range slices.Sorted(maps.Keys(b.names)) {
		if !entryPoints[n] {
			words = appendInstruction(words, spirv.OpName, appendText([]uint32{n}, b.names[n])...)
		}
	}
	return words
}

// realias makes decorations of identifiers that became others those of the
// others.
func (b *builder) realias() {
	for at := 0; at < len(b.decorations); at += int(b.decorations[at] >> 16) {
		if to, ok := b.alias[b.decorations[at+1]]; ok {
			b.decorations[at+1] = to
		}
	}
}

// Generator is the number under which the Khronos translator is registered,
// which consumers look at, and the version of its output.
const generator = 6<<16 | 14

// bytes returns the module.
func (b *builder) bytes(entryPoints map[id]bool) []byte {
	globals := b.globals()
	b.realias()
	var head []uint32
	for _, c := range slices.Sorted(maps.Keys(b.capabilities)) {
		head = appendInstruction(head, spirv.OpCapability, c)
	}
	for _, e := range slices.Sorted(maps.Keys(b.extensions)) {
		head = appendInstruction(head, spirv.OpExtension, appendText(nil, e)...)
	}
	head = append(head, b.importWords...)
	head = appendInstruction(head, spirv.OpMemoryModel, b.model[0], b.model[1])
	sections := [][]uint32{
		{spirv.Magic, uint32(b.version), generator, b.next, 0},
		head, b.entryPoints, b.modes, b.strings, b.source, b.nameWords(entryPoints), b.memberNames, b.aliasing, b.decorations,
		globals, b.asm, b.debug, b.declared, b.functions,
	}
	size := 0
	for _, s := range sections {
		size += 4 * len(s)
	}
	out := make([]byte, 0, size)
	for _, s := range sections {
		for _, w := range s {
			out = binary.LittleEndian.AppendUint32(out, w)
		}
	}
	return out
}

// newIDOnce returns the identifier for a key, making it when it
// is first asked for.
func (b *builder) newIDOnce(key string, make func(n id)) id {
	if n, ok := b.unique[key]; ok {
		return n
	}
	n := b.newID()
	b.unique[key] = n
	make(n)
	return n
}

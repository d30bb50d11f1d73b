package fromir

import (
	"encoding/binary"

	"offlink/spirv"
)

// id is the identifier of something in the unit that is written. Identifiers of
// a unit begin at firstID, far above the numbers that instructions have as
// literals, and get the numbers of a module when the unit is put into one.
type id = uint32

const firstID id = 1 << 31

// section is the part of a module that an entry belongs to.
type section uint8

const (
	sectionGlobals section = iota // types, constants, variables
	sectionImport                 // OpExtInstImport
	sectionString
	sectionAssembly
	sectionAliasing
	sectionFunction // functions that the translation adds
	sectionExternal // a function or variable of the module: a unit of its own
	sectionDebug
	sections
)

// entry is a thing outside of functions that a unit uses: entries of several
// units that are the same become one.
type entry struct {
	section section
	op      spirv.Opcode
	words   []uint32 // operands, with result type and result
	deps    []id     // identifiers among them, in the order of the words
	late    int      // how many of the last of them may come after the entry
	// key tells entries apart whose words do not, such as structs.
	key string
}

// builder collects the words of one unit.
type builder struct {
	next         id
	version      spirv.Version
	capabilities map[uint32]bool
	extensions   map[string]bool

	names       map[id]string
	decorations []decoration
	decorated   map[string]bool
	alias       map[id]id // identifiers that became others
	entries     map[id]*entry
	order       []id // entries in the order in which they were made
	unique      map[string]id
	modes       []uint32 // execution modes
	functions   []uint32
}

// decoration is an annotation of an identifier: its opcode and the words after
// the target.
type decoration struct {
	target id
	op     spirv.Opcode
	words  []uint32
}

func newBuilder() *builder {
	return &builder{
		next: firstID, version: spirv.Version1_0,
		capabilities: make(map[uint32]bool), extensions: make(map[string]bool), names: make(map[id]string),
		alias: make(map[id]id), decorated: make(map[string]bool), entries: make(map[id]*entry), unique: make(map[string]id),
	}
}

// resetUnit empties the builder for the next unit and keeps its memory.
func (b *builder) resetUnit() {
	b.next, b.version = firstID, spirv.Version1_0
	clear(b.capabilities)
	clear(b.extensions)
	clear(b.names)
	clear(b.alias)
	clear(b.decorated)
	clear(b.entries)
	clear(b.unique)
	b.decorations, b.order, b.modes, b.functions = b.decorations[:0], b.order[:0], b.modes[:0], b.functions[:0]
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
	return b.keyedEntry(sectionImport, "import "+name, func(n id) entry {
		return entry{op: spirv.OpExtInstImport, words: appendText([]uint32{n}, name)}
	})
}

// stringID returns the identifier of an OpString.
func (b *builder) stringID(s string) id {
	return b.keyedEntry(sectionString, "string "+s, func(n id) entry {
		return entry{op: spirv.OpString, words: appendText([]uint32{n}, s)}
	})
}

// externalID returns the identifier of a function or variable of the module.
func (b *builder) externalID(key string) id {
	return b.keyedEntry(sectionExternal, key, func(n id) entry { return entry{words: []uint32{n}} })
}

// setName names an identifier; the empty name is none.
func (b *builder) setName(n id, name string) {
	if name != "" {
		b.names[n] = name
	}
}

// decorateID adds a decoration once.
func (b *builder) decorateID(n id, kind uint32, operands ...uint32) {
	b.addDecoration(spirv.OpDecorate, n, append([]uint32{kind}, operands...))
}

func (b *builder) addDecoration(op spirv.Opcode, target id, words []uint32) {
	key := uniqueKey(op, append([]uint32{target}, words...))
	if b.decorated[key] {
		return
	}
	b.decorated[key] = true
	b.decorations = append(b.decorations, decoration{target, op, words})
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
// deps are the identifiers among the operands, in their order.
func (b *builder) typeEntry(op spirv.Opcode, operands []uint32, deps ...id) id {
	key := uniqueKey(op, operands)
	if n, ok := b.unique[key]; ok {
		return n
	}
	n := b.newID()
	b.unique[key] = n
	b.addEntry(n, &entry{op: op, words: append([]uint32{n}, operands...), deps: deps})
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
	b.addEntry(n, &entry{op: op, words: append([]uint32{typ, n}, operands...), deps: append([]id{typ}, deps...)})
	return n
}

// keyedEntry returns the identifier of the entry of that key, which describe makes
// when it is first asked for. It may make other entries.
func (b *builder) keyedEntry(s section, key string, describe func(n id) entry) id {
	if n, ok := b.unique[key]; ok {
		return n
	}
	n := b.newID()
	b.unique[key] = n
	e := describe(n)
	e.section, e.key = s, key
	b.addEntry(n, &e)
	return n
}

// addEntry adds an entry in the order in which the unit makes them, which images keep.
func (b *builder) addEntry(n id, e *entry) {
	b.entries[n] = e
	b.order = append(b.order, n)
}

// isTypeOp reports whether an instruction declares a type.
func isTypeOp(op spirv.Opcode) bool {
	return op >= spirv.OpTypeVoid && op <= spirv.OpTypeForwardPointer || typeOps[op]
}

// typeOps are the types of extensions.
var typeOps = map[spirv.Opcode]bool{
	spirv.OpTypePipeStorage: true, spirv.OpTypeNamedBarrier: true, opTypeCooperativeMatrixKHR: true,
	opTypeJointMatrixINTEL: true, opTypeBufferSurfaceINTEL: true, opTypeTaskSequenceINTEL: true,
	spirv.OpTypeVmeImageINTEL: true,
}

// newIDOnce returns the identifier of a function that the translation adds, which
// write writes when it is first asked for: it returns the whole function.
func (b *builder) newIDOnce(key string, write func(n id) []uint32) id {
	return b.keyedEntry(sectionFunction, key, func(n id) entry { return entry{op: spirv.OpFunction, words: write(n)} })
}

package fromir

import (
	"fmt"
	"slices"

	"offlink/abort"
	"offlink/ir"
	"offlink/lazy"
	"offlink/spirv"
)

// id is an identifier within the unit that is being written. Identifiers of a unit begin
// at firstID, far above nearly all literals, so that a word shows which of the two it is.
// They are replaced by numbers of a module when the unit is put into one.
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

// entry is an instruction outside of functions that a unit uses: a type, a constant, an
// import and the like. Equal entries of several units become one.
type entry struct {
	section section
	op      spirv.Opcode
	words   []uint32 // operands, with result type and result
	deps    []id     // identifiers among words, in their order
	late    int      // how many of the last deps may come after the entry
	// key tells apart entries whose words may be equal, such as structs. For functions and
	// variables of the module, value does so.
	key   string
	value ir.ValueID
}

// builder collects the words and entries of one unit.
type builder struct {
	next         id
	version      spirv.Version
	capabilities map[uint32]bool
	extensions   map[string]bool

	names       []string // by identifier, as far as there are names
	decorations []decoration
	decorated   wordTable               // of decorations
	kinds       map[decorationKind]bool // of the first decorations; hasDecoration lists the rest
	listed      int                     // how many those are
	key         []byte                  // scratch of keys
	alias       map[id]id               // identifiers that became others
	entries     []*entry                // by identifier, nil for others
	arena       entryArena
	order       []id          // entries in the order in which they were made
	unique      wordTable     // entries that their words tell apart, by identifier
	keyed       map[string]id // those with keys
	literals    []unitLiteral
	externals   map[ir.ValueID]id
	bfloat16    id       // the type, 0 if the unit does not use it
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
		capabilities: make(map[uint32]bool), extensions: make(map[string]bool),
		alias: make(map[id]id), kinds: make(map[decorationKind]bool), keyed: make(map[string]id), externals: make(map[ir.ValueID]id),
	}
}

// resetUnit empties the builder for the next unit but keeps its memory.
func (b *builder) resetUnit() {
	b.next, b.version = firstID, spirv.Version1_0
	clear(b.capabilities)
	clear(b.extensions)
	clear(b.names)
	clear(b.entries)
	b.names, b.entries = b.names[:0], b.entries[:0]
	b.arena.reset()
	clear(b.alias)
	b.decorated.resetTable()
	clear(b.kinds)
	b.listed = 0
	b.unique.resetTable()
	clear(b.keyed)
	clear(b.externals)
	b.decorations, b.order, b.modes, b.functions = b.decorations[:0], b.order[:0], b.modes[:0], b.functions[:0]
	b.literals = b.literals[:0]
	b.bfloat16 = 0
}

func (b *builder) newID() id {
	b.next++
	return b.next - 1
}

// unitLiteral is the literal for which an identifier of the unit stands.
type unitLiteral struct{ local, value uint32 }

// literalWord returns the word for a literal in the code of a unit. A literal as large as
// an identifier would be taken for one, so a new identifier stands for it.
func (b *builder) literalWord(v uint32) uint32 {
	if v < firstID {
		return v
	}
	n := b.newID()
	b.literals = append(b.literals, unitLiteral{n - firstID, v})
	return n
}

// maxWords is the length of the longest instruction: its first word has 16 bits for
// that.
const maxWords = 0xffff

// headWord returns the first word of an instruction of that many words.
func headWord(words int, op spirv.Opcode) uint32 {
	if words > maxWords {
		abort.With(&Error{Msg: fmt.Sprintf("an instruction of %d words: SPIR-V has at most %d", words, maxWords)})
	}
	return uint32(words)<<16 | uint32(op)
}

// appendInstruction appends an instruction to the words of a section.
func appendInstruction(words []uint32, op spirv.Opcode, operands ...uint32) []uint32 {
	words = append(words, headWord(len(operands)+1, op))
	return append(words, operands...)
}

// appendText appends a string as SPIR-V has it: in words, ended by a zero.
func appendText(words []uint32, text string) []uint32 {
	for ; len(text) >= 4; text = text[4:] {
		words = append(words, uint32(text[0])|uint32(text[1])<<8|uint32(text[2])<<16|uint32(text[3])<<24)
	}
	last := uint32(0)
	for i := range len(text) {
		last |= uint32(text[i]) << (8 * i)
	}
	return append(words, last)
}

// importSet returns the identifier of an instruction set. The key is also that by which
// importStandard finds OpenCL.std.
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
func (b *builder) externalID(v ir.ValueID) id {
	if n, ok := b.externals[v]; ok {
		return n
	}
	n := b.newID()
	b.externals[v] = n
	e := b.arena.newEntry(0)
	e.section, e.value, e.words = sectionExternal, v, b.arena.listWords([]uint32{n}, nil)
	b.addEntry(n, e)
	return n
}

// setName names an identifier; the empty name is none.
func (b *builder) setName(n id, name string) {
	if name == "" {
		return
	}
	for int(n-firstID) >= len(b.names) {
		b.names = append(b.names, "")
	}
	b.names[n-firstID] = name
}

// nameOf returns the name of an identifier.
func (b *builder) nameOf(n id) string {
	if i := int(n - firstID); i < len(b.names) {
		return b.names[i]
	}
	return ""
}

// entryOf returns the entry that an identifier is, nil for others.
func (b *builder) entryOf(n id) *entry {
	if i := int(n - firstID); n >= firstID && i < len(b.entries) {
		return b.entries[i]
	}
	return nil
}

// entryArena is memory for the entries of a unit and their words. It is used again for the
// next unit, so everything that is kept must be copied (fillShared).
type entryArena struct {
	chunks [][]entry
	used   int // entries
	words  []uint32
}

const entryChunk = 64

func (a *entryArena) reset() { a.used, a.words = 0, a.words[:0] }

// newEntry returns an entry of an instruction.
func (a *entryArena) newEntry(op spirv.Opcode) *entry {
	if a.used == len(a.chunks)*entryChunk {
		a.chunks = append(a.chunks, make([]entry, entryChunk))
	}
	e := &a.chunks[a.used/entryChunk][a.used%entryChunk]
	a.used++
	*e = entry{op: op}
	return e
}

// listWords returns the concatenation of two lists, in the arena.
func (a *entryArena) listWords(first, rest []uint32) []uint32 {
	start := len(a.words)
	a.words = append(append(a.words, first...), rest...)
	return a.words[start:len(a.words):len(a.words)]
}

// decorateID adds a decoration, unless the identifier has it already.
func (b *builder) decorateID(n id, kind uint32, operands ...uint32) {
	b.addDecoration(spirv.OpDecorate, n, append([]uint32{kind}, operands...))
}

// hasDecoration reports whether an identifier has a decoration of that kind.
func (b *builder) hasDecoration(n id, kind uint32) bool {
	for ; b.listed < len(b.decorations); b.listed++ {
		d := &b.decorations[b.listed]
		b.kinds[decorationKind{d.target, d.words[0]}] = true
	}
	return b.kinds[decorationKind{n, kind}]
}

// decorationKind is a kind of decoration that an identifier has.
type decorationKind struct {
	target id
	kind   uint32
}

// addDecoration adds a decoration, unless it is there already. The table makes the check cheap even
// for an identifier with many decorations.
func (b *builder) addDecoration(op spirv.Opcode, target id, words []uint32) {
	same := func(n uint32) bool {
		d := &b.decorations[n]
		return d.target == target && d.op == op && slices.Equal(d.words, words)
	}
	_, found := b.decorated.findNumber(hashEntry(op, target, words), uint32(len(b.decorations)), same, b.hashDecoration)
	if !found {
		b.decorations = append(b.decorations, decoration{target, op, words})
	}
}

func (b *builder) hashDecoration(n uint32) uint64 {
	d := &b.decorations[n]
	return hashEntry(d.op, d.target, d.words)
}

func hashEntry(op spirv.Opcode, first uint32, words []uint32) uint64 {
	return hashWords(hashWord(uint64(op), first), words)
}

// typeEntry returns the type of an opcode and its operands after the result. deps are the
// identifiers among the operands, in their order.
func (b *builder) typeEntry(op spirv.Opcode, operands []uint32, deps ...id) id {
	n, found := b.uniqueID(op, 0, operands)
	if !found {
		e := b.arena.newEntry(op)
		e.words, e.deps = b.arena.listWords([]uint32{n}, operands), b.arena.listWords(nil, deps)
		b.addEntry(n, e)
	}
	return n
}

// constantEntry returns the constant of type typ of an opcode and its operands. deps are
// the identifiers among these, in their order.
func (b *builder) constantEntry(op spirv.Opcode, typ id, operands []uint32, deps ...id) id {
	n, found := b.uniqueID(op, typ, operands)
	if !found {
		e := b.arena.newEntry(op)
		e.words, e.deps = b.arena.listWords([]uint32{typ, n}, operands), b.arena.listWords([]uint32{typ}, deps)
		b.addEntry(n, e)
	}
	return n
}

// uniqueID returns the identifier of the constant with these words, or of the type if typ
// is 0. If found is false, the identifier is new and the caller must add its entry.
func (b *builder) uniqueID(op spirv.Opcode, typ id, operands []uint32) (n id, found bool) {
	same := func(n uint32) bool {
		e := b.entries[n]
		if typ == 0 {
			return e.op == op && slices.Equal(e.words[1:], operands)
		}
		return e.op == op && e.words[0] == typ && slices.Equal(e.words[2:], operands)
	}
	at, found := b.unique.findNumber(hashEntry(op, typ, operands), b.next-firstID, same, b.hashUnique)
	if !found {
		b.newID()
	}
	return firstID + at, found
}

// hashUnique returns the hash of an entry that uniqueID found.
func (b *builder) hashUnique(n uint32) uint64 {
	e := b.entries[n]
	if e.words[0] == firstID+n {
		return hashEntry(e.op, 0, e.words[1:])
	}
	return hashEntry(e.op, e.words[0], e.words[2:])
}

// keyedEntry returns the identifier of the entry of that key. describe makes the entry on
// the first use; it may make others, and may use n, which is known before its parts.
func (b *builder) keyedEntry(s section, key string, describe func(n id) entry) id {
	if n, ok := b.keyed[key]; ok {
		return n
	}
	n := b.newID()
	b.keyed[key] = n
	e := b.arena.newEntry(0)
	*e = describe(n)
	e.section, e.key = s, key
	b.addEntry(n, e)
	return n
}

// addEntry adds an entry in the order in which the unit makes them, which images keep.
func (b *builder) addEntry(n id, e *entry) {
	for int(n-firstID) >= len(b.entries) {
		b.entries = append(b.entries, nil)
	}
	b.entries[n-firstID] = e
	b.order = append(b.order, n)
}

// isTypeOp reports whether an instruction declares a type.
func isTypeOp(op spirv.Opcode) bool {
	return op >= spirv.OpTypeVoid && op <= spirv.OpTypeForwardPointer || typeOps.Get()[op] ||
		op >= spirv.OpTypeAvcImePayloadINTEL && op <= spirv.OpTypeAvcSicResultINTEL
}

// typeOps are the types of extensions.
var typeOps = lazy.Map[spirv.Opcode, bool]{New: func() map[spirv.Opcode]bool {
	return map[spirv.Opcode]bool{
		spirv.OpTypePipeStorage: true, spirv.OpTypeNamedBarrier: true, opTypeCooperativeMatrixKHR: true,
		opTypeJointMatrixINTEL: true, opTypeBufferSurfaceINTEL: true, opTypeTaskSequenceINTEL: true, spirv.OpTypeTokenINTEL: true,
		spirv.OpTypeVmeImageINTEL: true,
	}
}}

// newIDOnce returns the identifier of a function that the translation adds. write returns
// the words of the whole function; it is called on the first use of the key.
func (b *builder) newIDOnce(key string, write func(n id) []uint32) id {
	return b.keyedEntry(sectionFunction, key, func(n id) entry { return entry{op: spirv.OpFunction, words: write(n)} })
}

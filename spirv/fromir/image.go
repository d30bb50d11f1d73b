package fromir

import (
	"encoding/binary"
	"maps"
	"slices"

	"offlink/abort"
	"offlink/ir"
	"offlink/spirv"
)

// image assembles units into a module: it numbers their entries and their own
// identifiers in the order in which it meets them.
//
// A translator has one image and reuses its memory for every module. Where thousands
// of modules share their units, assembling them is nearly all of the work, so it
// must not allocate much.
type image struct {
	*translator
	next     id
	entries  []*shared
	contents map[*shared]*unit // of variables

	values       []imageValue // as view.values has them
	work         []int        // scratch of walks
	capabilities map[uint32]bool
	extensions   map[string]bool
	version      spirv.Version
	head         []uint32
	entryPoints  []uint32
	processed    []uint32 // OpModuleProcessed
	modes        []uint32
	nameWords    []uint32

	// numbers and states are by the index of entries.
	numbers   []id
	states    []entryState
	local     []id // numbers of a unit's identifiers
	names     []idName
	nameAt    []int32 // by number, the index in names plus 1
	noteWords []uint32
	functions []uint32
	sorter    sorter
}

// imageValue is a value of the view in the image.
type imageValue struct {
	unit         *unit // nil for values that leave nothing in the module
	self         id
	kernel       id // the entry point
	needed, seen bool
}

// idName is the name of a number of the module: the words of its OpName, in which
// writeNames sets the target.
type idName struct {
	number id
	words  []uint32
}

// makeImage translates the values of the view and appends their module to to. The
// order of the steps is the order in which numbers are given, so it is part of the
// output.
func (t *translator) makeImage(to []byte) []byte {
	clear(t.prepared)
	m := &t.image
	m.beginImage(t)
	m.translateValues()
	m.addUnits()
	m.addDebugUnit()
	m.entryPointsAndModes()
	m.annotateGlobals()
	m.initializerModes()
	m.moduleFacts()
	return m.moduleBytes(to)
}

// beginImage empties the image for the next partition but keeps its memory.
func (m *image) beginImage(t *translator) {
	if m.translator == nil {
		m.translator, m.sorter.image = t, m
		m.contents, m.sorter.forwarded = make(map[*shared]*unit), make(map[*shared]bool)
		m.capabilities, m.extensions = make(map[uint32]bool), make(map[string]bool)
	}
	// The tables have a row for each entry of the session: only those that the last
	// image used are cleared.
	for _, e := range m.entries {
		m.numbers[e.index], m.states[e.index] = 0, entryState{}
	}
	clear(m.contents)
	clear(m.capabilities)
	clear(m.extensions)
	clear(m.entries)
	m.next, m.version, m.entries = 1, max(spirv.Version1_0, m.options.LeastVersion), m.entries[:0]
	m.head, m.entryPoints, m.processed, m.modes, m.nameWords = m.head[:0], m.entryPoints[:0], m.processed[:0], m.modes[:0], m.nameWords[:0]
	m.names, m.noteWords, m.functions = m.names[:0], m.noteWords[:0], m.functions[:0]
	m.values = slices.Grow(m.values[:0], len(m.view.values))[:len(m.view.values)]
	clear(m.values)
	m.sorter.reset()
}

// translateValues makes sure that each value of the image has its unit. It goes in
// the order of the view and stops at the first value that cannot be translated, so
// that the message does not depend on which worker came first.
func (m *image) translateValues() {
	m.findNeeded()
	used := int64(0)
	for i := range m.view.values {
		v := &m.view.values[i]
		if m.skipsValue(i, v) {
			continue
		}
		u := m.unitOf(v.ID)
		if u.err != nil {
			abort.With(u.err)
		}
		m.values[i].unit = u
		if v.Value.Kind == ir.Function && v.Definition {
			used++
		}
	}
	m.translation.used.Add(used)
}

// findNeeded marks the functions that the module must hold: those that other modules
// see, and those that these or the variables refer to, directly or indirectly.
func (m *image) findNeeded() {
	m.work = m.work[:0]
	for i := range m.view.values {
		value := &m.view.values[i]
		linkage := value.Linkage()
		if value.Value.Kind != ir.Function || value.Definition && linkage != ir.Internal && linkage != ir.Private {
			m.values[i].needed = true
			m.work = append(m.work, i)
		}
	}
	for len(m.work) > 0 {
		at := m.work[len(m.work)-1]
		m.work = m.work[:len(m.work)-1]
		// A declaration has no body here, whatever the module's own has: its
		// references are another image's.
		if m.view.declared[m.view.values[at].ID] {
			continue
		}
		m.eachReference(at, func(next int) {
			if !m.values[next].needed {
				m.values[next].needed = true
				m.work = append(m.work, next)
			}
		})
	}
}

// eachReference calls visit for the values of the image to which value at refers.
func (m *image) eachReference(at int, visit func(int)) {
	for _, r := range m.module.Refs(m.view.values[at].Value) {
		if r.Kind() != ir.RefCallee && r.Kind() != ir.RefAddress {
			continue
		}
		if next, ok := m.view.indexOf(ir.ValueID(r.Index())); ok {
			visit(next)
		}
	}
}

// eachReached calls visit once for a value and for each of those that it refers to,
// directly or indirectly, until visit returns false.
func (m *image) eachReached(from int, visit func(int) bool) {
	for i := range m.values {
		m.values[i].seen = false
	}
	m.work = append(m.work[:0], from)
	for len(m.work) > 0 {
		at := m.work[len(m.work)-1]
		m.work = m.work[:len(m.work)-1]
		if m.values[at].seen {
			continue
		}
		m.values[at].seen = true
		if !visit(at) {
			return
		}
		m.eachReference(at, func(next int) {
			if !m.values[next].seen {
				m.work = append(m.work, next)
			}
		})
	}
}

// selfOf returns the number of a value, or 0 for one that left nothing in the module.
func (m *image) selfOf(n ir.ValueID) id {
	if i, ok := m.view.indexOf(n); ok {
		return m.values[i].self
	}
	return 0
}

// kernelOf returns the entry point of a kernel, or 0 for other values.
func (m *image) kernelOf(n ir.ValueID) id {
	if i, ok := m.view.indexOf(n); ok {
		return m.values[i].kernel
	}
	return 0
}

// skipsValue reports whether a value leaves nothing in the module: unused functions,
// functions whose calls become instructions, variables that are only for compilers or
// that each function copies, and aliases, which become constant expressions.
func (m *image) skipsValue(i int, v *ir.PartitionValue) bool {
	switch v.Value.Kind {
	case ir.Function:
		return !m.values[i].needed || m.factsOf(v.ID).builtin != nil
	case ir.Variable:
		_, input := m.isInput(v.ID)
		return input || ignoredVariable(v.Value.Name) || m.onlyAnnotates(v.ID) || m.isPrivateConstant(v.ID)
	}
	return true
}

// addUnits adds variables, then built-in variables, then declarations, then
// definitions; declarations must precede definitions in a module.
func (m *image) addUnits() {
	m.importStandard()
	m.addUnitsWhere(func(v *ir.PartitionValue) bool { return v.Value.Kind == ir.Variable })
	m.eachUnit(func(_ int, _ *ir.PartitionValue, u *unit) {
		for _, e := range u.inputs {
			m.entryNumber(e)
		}
	})
	m.addUnitsWhere(func(v *ir.PartitionValue) bool { return v.Value.Kind == ir.Function && !v.Definition })
	m.addUnitsWhere(func(v *ir.PartitionValue) bool { return v.Value.Kind == ir.Function && v.Definition })
	m.eachUnit(m.addWrapper)
}

// importStandard gives the import of OpenCL.std the first number. Every unit has it, so an
// image without units does not: the table may have the entry, by another image.
func (m *image) importStandard() {
	if !slices.ContainsFunc(m.values, func(v imageValue) bool { return v.unit != nil }) {
		return
	}
	table := &m.session.table
	table.mu.Lock()
	std := table.byKey["import OpenCL.std"]
	table.mu.Unlock()
	if std != nil {
		m.entryNumber(std)
	}
}

// eachUnit calls visit for the values that have a unit, in the order of the view.
func (m *image) eachUnit(visit func(int, *ir.PartitionValue, *unit)) {
	for i := range m.values {
		if u := m.values[i].unit; u != nil {
			visit(i, &m.view.values[i], u)
		}
	}
}

func (m *image) addUnitsWhere(which func(*ir.PartitionValue) bool) {
	m.eachUnit(func(i int, v *ir.PartitionValue, u *unit) {
		if which(v) {
			m.addUnit(i, v, u)
		}
	})
}

// entryNumber returns the number of an entry, giving it one when it is first
// met. The order of numbers is that of the image alone, so that its bytes do
// not depend on the units that the session translated before, nor on -j.
func (m *image) entryNumber(e *shared) id {
	if e.index >= len(m.numbers) {
		m.numbers = append(m.numbers, make([]id, e.index+1-len(m.numbers))...)
		m.states = append(m.states, make([]entryState, e.index+1-len(m.states))...)
	}
	if n := m.numbers[e.index]; n != 0 {
		return n
	}
	m.next++
	n := m.next - 1
	m.numbers[e.index] = n
	m.entries = append(m.entries, e)
	if e.name != nil {
		m.names = append(m.names, idName{n, e.name})
	}
	for _, d := range e.deps {
		m.entryNumber(d)
	}
	for _, note := range e.notes {
		m.addNote(n, note)
	}
	return n
}

// addNote appends a decoration whose target is number n of the module.
func (m *image) addNote(n id, note decoration) {
	m.noteWords = append(m.noteWords, headWord(len(note.words)+2, note.op), n)
	m.noteWords = append(m.noteWords, note.words...)
}

// addUnit adds the words of a value.
func (m *image) addUnit(i int, v *ir.PartitionValue, u *unit) {
	m.beginUnit(u)
	self := m.local[u.self]
	m.values[i].self = self
	m.states[u.meanings[u.self].index].present = true
	if u.variable != nil {
		m.contents[u.meanings[u.self]] = u
	}
	if !u.kernel || u.isWrapped() {
		m.decorateLinkage(self, v)
	}
	m.functions = m.copyCode(m.functions, u, 0, u.wrapperAt)
	m.describeUnit(u, func(local uint32) bool { return !u.isWrapped() || local < u.entry })
	m.noteNeeds(u)
}

// beginUnit gives the entries of a unit their numbers.
func (m *image) beginUnit(u *unit) {
	m.local = slices.Grow(m.local[:0], len(u.meanings))[:len(u.meanings)]
	clear(m.local)
	for _, s := range u.shares {
		m.local[s.local] = m.entryNumber(s.entry)
	}
	for _, l := range u.literals {
		m.local[l.local] = l.value
	}
}

// describeUnit adds the names and decorations of those identifiers of the unit for
// which which returns true.
func (m *image) describeUnit(u *unit, which func(local uint32) bool) {
	for words := u.names; len(words) > 0; words = words[words[0]>>16:] {
		if local := words[1]; which(local) {
			m.names = append(m.names, idName{m.ownNumber(local), words[:words[0]>>16]})
		}
	}
	for _, note := range u.notes {
		if !which(note.target) {
			continue
		}
		if note.op == spirv.OpDecorateId {
			note.words = m.ownWords(note.words)
		}
		m.addNote(m.ownNumber(note.target), note)
	}
}

// ownWords returns a copy of words of a unit in which the numbers of the module stand
// for its identifiers.
func (m *image) ownWords(words []uint32) []uint32 {
	own := slices.Clone(words)
	for i, w := range own {
		if n := w - firstID; n < uint32(len(m.local)) {
			own[i] = m.ownNumber(n)
		}
	}
	return own
}

// addWrapper adds the entry point of a kernel whose unit has one as a function of its own.
// These functions come after all others.
func (m *image) addWrapper(i int, _ *ir.PartitionValue, u *unit) {
	if u.kernel && !u.isWrapped() {
		m.values[i].kernel = m.values[i].self
	}
	if !u.isWrapped() {
		return
	}
	m.beginUnit(u)
	m.functions = m.copyCode(m.functions, u, u.wrapperAt, len(u.code))
	m.values[i].kernel = m.ownNumber(u.entry)
	m.describeUnit(u, func(local uint32) bool { return local >= u.entry && u.meanings[local] == nil })
}

// ownNumber returns the number of one of the unit's identifiers, giving it the next
// one when it is first met.
func (m *image) ownNumber(local uint32) id {
	if m.local[local] == 0 {
		m.local[local] = m.next
		m.next++
	}
	return m.local[local]
}

// copyCode appends the unit's words from start to end, with the numbers of the module
// for its identifiers.
func (m *image) copyCode(words []uint32, u *unit, start, end int) []uint32 {
	at := len(words)
	words = append(words, u.code[start:end]...)
	code := words[at:]
	// Relocations are in the order of the words. Those of a wrapper are at the end of
	// a list that may be long, so they are found by a binary search.
	relocs := u.relocs
	if start > 0 {
		first, _ := slices.BinarySearchFunc(relocs, start, func(r codeReloc, at int) int { return int(r.at) - at })
		relocs = relocs[first:]
	}
	local, next := m.local, m.next
	for _, r := range relocs {
		if int(r.at) >= end {
			break
		}
		n := local[r.local]
		if n == 0 { // as in ownNumber
			n = next
			local[r.local] = n
			next++
		}
		code[int(r.at)-start] = n
	}
	m.next = next
	return words
}

// noteNeeds adds the capabilities, extensions and version of a unit to those of the module.
func (m *image) noteNeeds(u *unit) {
	for _, c := range u.capabilities {
		m.capabilities[c] = true
	}
	for _, e := range u.extensions {
		m.extensions[e] = true
	}
	m.version = max(m.version, u.version)
}

// addDebugUnit adds the compile units of the debug information, with everything that
// they list. OpModuleProcessed, which names the producer, is of SPIR-V 1.1.
func (m *image) addDebugUnit() {
	if !m.describesDebug() {
		return
	}
	u := m.debugUnit()
	m.beginUnit(u)
	m.noteNeeds(u)
	if m.options.Debug != DebugOpenCL100 || m.options.Version < spirv.Version1_1 {
		return
	}
	m.needVersion(spirv.Version1_1)
	for _, o := range m.session.compileUnits {
		n := m.debugNode(o)
		m.processed = appendInstruction(m.processed, spirv.OpModuleProcessed, appendText(nil, "Debug info producer: "+n.fieldText("producer"))...)
	}
}

// moduleFacts notes the extensions and capabilities that the metadata of the module
// name, and the capabilities that every module has.
func (m *image) moduleFacts() {
	for _, e := range m.session.extensions {
		m.useExtension(e)
	}
	for _, c := range append([]uint32{capAddresses, capKernel}, m.session.capability...) {
		m.useCapabilities(c)
	}
	// A module without entry points must say that it is to be linked.
	if len(m.view.values) == 0 {
		m.useCapabilities(capLinkage)
	}
}

// sorter puts entries into an order in which each comes after its parts: integer
// types, integer constants, other types, the rest. Array types need integer constants
// for their lengths, and these need nothing but their own types.
type sorter struct {
	*image
	forward, integers, constants, types, rest []uint32
	list                                      [sections][]uint32 // of the other sections
	forwarded                                 map[*shared]bool
}

// reset empties the sections and keeps their memory.
func (s *sorter) reset() {
	s.forward, s.integers, s.constants, s.types, s.rest = s.forward[:0], s.integers[:0], s.constants[:0], s.types[:0], s.rest[:0]
	for i := range s.list {
		s.list[i] = s.list[i][:0]
	}
	clear(s.forwarded)
}

// entryState is the state of an entry in the image.
type entryState struct {
	order   uint8
	present bool // a function or variable that the image has
}

const (
	entryNew = iota
	entryOpen
	entryDone
)

// visitEntry writes an entry after its parts. It returns false when the entry is being
// written already, that is, when it is part of itself. Such a circle is broken at a
// pointer type: OpTypeForwardPointer announces it, and it is written when the walk
// comes to it again, after its pointee.
func (s *sorter) visitEntry(e *shared) bool {
	content := s.entryContent(e)
	if content == nil || content.section != sectionGlobals || s.states[e.index].order == entryDone {
		return true
	}
	if s.states[e.index].order == entryOpen {
		return false
	}
	s.states[e.index].order = entryOpen
	for _, d := range content.deps {
		if d == e || s.visitEntry(d) {
			continue
		}
		s.states[e.index].order = entryNew
		if e.op != spirv.OpTypePointer {
			return false
		}
		if !s.forwarded[e] {
			s.forwarded[e] = true
			s.forward = appendInstruction(s.forward, spirv.OpTypeForwardPointer, s.numbers[e.index], e.words[1])
		}
		return true
	}
	s.placeEntry(content)
	s.states[e.index].order = entryDone
	return true
}

// visitDebug writes an instruction of debug information after those that it names,
// except the last e.late of them, which may follow it. The sets for shaders have no
// such exceptions: an instruction that names a later one needs the form with forward
// references there. A function or variable that the image lacks is DebugInfoNone.
func (s *sorter) visitDebug(e *shared) {
	if e.section != sectionDebug || s.states[e.index].order != entryNew {
		return
	}
	s.states[e.index].order = entryOpen
	late := e.late
	if s.shaderDebug() {
		late = 0
	}
	forward := false
	for _, d := range e.deps[:len(e.deps)-late] {
		s.visitDebug(d)
		forward = forward || d.section == sectionDebug && s.states[d.index].order == entryOpen
	}
	op := e.op
	if forward && s.shaderDebug() && s.options.allowsExtension("SPV_KHR_relaxed_extended_instruction") {
		s.extensions["SPV_KHR_relaxed_extended_instruction"] = true
		op = opExtInstWithForwardRefs
	}
	debug := s.list[sectionDebug]
	at := len(debug)
	debug = s.appendEntry(debug, e)
	debug[at] = debug[at]&^0xffff | uint32(op)
	for _, r := range e.relocs {
		if r.entry.section == sectionExternal && !s.states[r.entry.index].present {
			debug[at+1+int(r.at)] = s.debugAbsent(e)
		}
	}
	s.list[sectionDebug] = debug
	s.states[e.index].order = entryDone
	for _, d := range e.deps[len(e.deps)-late:] {
		s.visitDebug(d)
	}
}

// debugAbsent returns the number of DebugInfoNone, or 0 if the image does not have it.
// Each unit with an instruction that names a function or variable makes that entry.
func (m *image) debugAbsent(e *shared) id {
	t := &m.session.table
	t.mu.Lock()
	defer t.mu.Unlock()
	if none := t.byKey["debug none"]; none != nil && none.index < len(m.numbers) {
		return m.numbers[none.index]
	}
	return 0
}

// opExtInstWithForwardRefs is the OpExtInst of SPV_KHR_relaxed_extended_instruction,
// whose operands may be defined later.
const opExtInstWithForwardRefs spirv.Opcode = 4433

// visitPlain writes an entry of another section after those of that section that
// it names.
func (s *sorter) visitPlain(e *shared) {
	if s.states[e.index].order != entryNew {
		return
	}
	s.states[e.index].order = entryDone
	for _, d := range e.deps {
		if d.section == e.section {
			s.visitPlain(d)
		}
	}
	s.list[e.section] = s.appendEntry(s.list[e.section], e)
}

// entryContent returns the entry that holds the words of e: e itself, or for a variable
// the one that its unit made; nil for functions and for values that the image lacks.
func (m *image) entryContent(e *shared) *shared {
	if e.section != sectionExternal {
		return e
	}
	if u := m.contents[e]; u != nil {
		return u.variable
	}
	return nil
}

// placeEntry appends an entry to the list that its kind belongs to.
func (s *sorter) placeEntry(e *shared) {
	list := &s.rest
	switch {
	case e.op == spirv.OpTypeInt:
		list = &s.integers
	case e.op >= spirv.OpConstantTrue && e.op <= spirv.OpSpecConstantOp:
		if len(e.deps) == 1 && e.deps[0].op == spirv.OpTypeInt {
			list = &s.constants
		}
	case isTypeOp(e.op):
		list = &s.types
	}
	*list = s.appendEntry(*list, e)
}

// appendEntry appends the instruction of an entry.
func (m *image) appendEntry(words []uint32, e *shared) []uint32 {
	if len(e.words) >= maxWords {
		return m.appendLongEntry(words, e)
	}
	words = append(words, headWord(len(e.words)+1, e.op))
	start := len(words)
	words = append(words, e.words...)
	for _, r := range e.relocs {
		words[start+int(r.at)] = m.numbers[r.entry.index]
	}
	return words
}

// appendFunction appends a function that the translation adds; its own identifiers get
// the next numbers.
func (m *image) appendFunction(words []uint32, e *shared) []uint32 {
	start := len(words)
	words = append(words, e.words...)
	first := m.next
	m.next += uint32(e.locals)
	for _, r := range e.relocs {
		if r.entry != nil {
			words[start+int(r.at)] = m.numbers[r.entry.index]
		} else {
			words[start+int(r.at)] = first + r.local
		}
	}
	return words
}

// writeSections writes the words of types, constants and variables, and those of
// the other sections of entries.
func (m *image) writeSections() {
	s := &m.sorter
	for _, e := range m.entries {
		switch e.section {
		case sectionGlobals, sectionExternal:
			if !s.visitEntry(e) {
				m.failf("an initialiser that has the address of its own variable has no counterpart in SPIR-V")
			}
		case sectionDebug:
			s.visitDebug(e)
		case sectionFunction:
			s.list[e.section] = m.appendFunction(s.list[e.section], e)
		default:
			s.visitPlain(e)
		}
	}
}

// writeNames writes OpName in the order of numbers.
func (m *image) writeNames() {
	m.nameAt = slices.Grow(m.nameAt[:0], int(m.next))[:m.next]
	clear(m.nameAt)
	for i, n := range m.names {
		m.nameAt[n.number] = int32(i) + 1
	}
	for number, i := range m.nameAt {
		if i != 0 {
			at := len(m.nameWords)
			m.nameWords = append(m.nameWords, m.names[i-1].words...)
			m.nameWords[at+1] = id(number)
		}
	}
}

// appendName appends the OpName of an identifier. A name that is too long for an
// instruction is left out: nothing depends on it.
func appendName(words []uint32, n id, name string) []uint32 {
	if name == "" || len(name) >= 4*(maxWords-2) {
		return words
	}
	at := len(words)
	words = appendText(append(words, 0, n), name)
	words[at] = headWord(len(words)-at, spirv.OpName)
	return words
}

// generator is the generator word of the header: the number under which the Khronos
// translator is registered, 6, and the version of its output. Consumers look at it.
const generator = 6<<16 | 14

// moduleBytes appends the module to to, its parts in the order of the logical layout.
func (m *image) moduleBytes(to []byte) []byte {
	m.writeSections()
	m.writeNames()
	s := &m.sorter
	for _, c := range slices.Sorted(maps.Keys(m.capabilities)) {
		m.head = appendInstruction(m.head, spirv.OpCapability, c)
	}
	for _, e := range slices.Sorted(maps.Keys(m.extensions)) {
		m.head = appendInstruction(m.head, spirv.OpExtension, appendText(nil, m.options.declaredName(e))...)
	}
	m.head = append(m.head, s.list[sectionImport]...)
	m.head = appendInstruction(m.head, spirv.OpMemoryModel, m.session.model[0], m.session.model[1])
	parts := [...][]uint32{
		{spirv.Magic, uint32(m.version), generator, m.next, 0},
		m.head, m.entryPoints, m.modes, s.list[sectionString], m.session.source, m.nameWords, m.processed, s.list[sectionAliasing], m.noteWords,
		s.forward, s.integers, s.constants, s.types, s.rest, s.list[sectionAssembly], s.list[sectionDebug], s.list[sectionFunction], m.functions,
	}
	size := 0
	for _, part := range parts {
		size += 4 * len(part)
	}
	start := len(to)
	to = slices.Grow(to, size)[:start+size]
	rest := to[start:]
	for _, part := range parts {
		putWords(rest[:4*len(part)], part)
		rest = rest[4*len(part):]
	}
	return to
}

// putWords writes words into a slice of exactly their size, two to a store: where
// thousands of images share their functions, this loop takes most of the time.
func putWords(to []byte, words []uint32) {
	for len(words) >= 4 && len(to) >= 16 {
		binary.LittleEndian.PutUint64(to, uint64(words[0])|uint64(words[1])<<32)
		binary.LittleEndian.PutUint64(to[8:], uint64(words[2])|uint64(words[3])<<32)
		to, words = to[16:], words[4:]
	}
	for i, w := range words {
		binary.LittleEndian.PutUint32(to[4*i:], w)
	}
}

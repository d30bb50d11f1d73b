package fromir

import (
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

package fromir

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"

	"offlink/abort"
	"offlink/ir"
	"offlink/spirv"
)

// Translation translates partitions of one module to SPIR-V. A function that
// several partitions hold is translated once, and its words are shared. Its
// methods may be called from several goroutines; the module must not change
// meanwhile.
type Translation struct {
	module  *ir.Module
	options Options
	reader  bodyReader

	mu       sync.Mutex
	sessions map[string]*session // by the metadata that change translations
	scratch  sync.Pool

	translated, used atomic.Int64
}

// bodyReader is a reader of bodies that goroutines share under its lock: the numbers of
// the types that it adds must mean the same to all of them.
type bodyReader struct {
	sync.Mutex
	ir.BodyReader
}

// NewTranslation returns a translation of the partitions of a module, whose
// Source must be an [ir.BodySource].
func NewTranslation(m *ir.Module, o Options) (*Translation, error) {
	source, ok := m.Source.(ir.BodySource)
	if !ok {
		return nil, fmt.Errorf("%s: the module has no bodies that can be decoded", m.Path)
	}
	if m.HasAssembly {
		return nil, &Error{Path: m.Path, Msg: "module-level inline assembly has no counterpart in SPIR-V", Kind: ErrorInput, Subject: "module asm"}
	}
	if o.Version == 0 {
		o.Version = spirv.Version1_4
	}
	return &Translation{
		module: m, options: o, reader: bodyReader{BodyReader: source.NewBodyReader()}, sessions: make(map[string]*session),
	}, nil
}

// Translate translates a whole module. m.Source must be an [ir.BodySource]. The
// module must not change meanwhile. Errors about constructs are of type
// *[Error].
func Translate(m *ir.Module, o Options) ([]byte, error) {
	t, err := NewTranslation(m, o)
	if err != nil {
		return nil, err
	}
	return t.Partition(nil, m.Path)
}

// Functions returns how many functions have been translated so far, and how many functions
// there are in all modules that were made of them.
func (t *Translation) Functions() (translated, used int64) {
	return t.translated.Load(), t.used.Load()
}

// Takes reports whether [Translation.Partition] can translate a partition. It cannot
// translate one that replaces calls, since its bodies are not those of the module.
func (t *Translation) Takes(p *ir.Partition) bool {
	for _, e := range p.Edits {
		if len(e.Calls) > 0 {
			return false
		}
	}
	return true
}

// Partition translates a partition, or the whole module if p is nil. path names it in
// errors. The result is the same as if the partition were written to a file and that file
// were translated.
func (t *Translation) Partition(p *ir.Partition, path string) (code []byte, err error) {
	return t.AppendPartition(nil, p, path)
}

// AppendPartition is [Translation.Partition], but appends the module to to: a goroutine can
// use one buffer for all its images.
func (t *Translation) AppendPartition(to []byte, p *ir.Partition, path string) (code []byte, err error) {
	s, err := t.sessionFor(p)
	if err != nil {
		return nil, t.nameOutput(err, path)
	}
	w, _ := t.scratch.Get().(*translator)
	if w == nil {
		w = newTranslator(t)
	}
	defer t.scratch.Put(w)
	w.session, w.language = s, s.language
	w.view = newView(t.module, p, s.namedKernels, w.viewValues)
	err = abort.Catch(func() { code = w.makeImage(to) })
	w.viewValues, w.view = w.view.values, nil
	if err != nil {
		return nil, t.nameOutput(err, path)
	}
	return code, nil
}

// nameOutput puts the name of the output into an error.
func (t *Translation) nameOutput(err error, path string) error {
	if e, ok := err.(*Error); ok {
		named := *e
		named.Path = path
		return &named
	}
	return err
}

// session holds the parts of a translation that depend on the named metadata of the module:
// its facts and all units. Few partitions change such metadata, so most share one session.
type session struct {
	language     sourceInfo
	source       []uint32 // OpSource and OpSourceExtension
	modes        map[ir.ValueID][]executionRow
	extensions   []string
	capability   []uint32
	model        [2]uint32
	bits         uint32 // of a pointer
	groups       []uint32
	namedKernels map[ir.ValueID]bool // to which something in the module refers
	compileUnits []ir.Operand        // of debug information
	dwarf        uint32              // version of DWARF
	bitcode      bool                // the form of the input
	// vectorCompute is true for modules of explicit SIMD kernels after their lowering.
	vectorCompute bool
	table         sharedTable

	// facts are those of functions, by value: facts[0] as the module defines them, facts[1]
	// as declared. units are the usual units. Each is made once and then only read.
	facts [2][]atomic.Pointer[functionFacts]
	units []atomic.Pointer[unitSlot]

	mu       sync.Mutex
	variants map[unitKey]*unitSlot
}

// unitKey names a unit that differs from the usual one because the image lacks functions
// that the value reaches: variantKey lists these.
type unitKey struct {
	value   ir.ValueID
	variant string
}

// unitSlot is the place of one unit, which the first goroutine that needs it fills.
type unitSlot struct {
	once       sync.Once
	unit       *unit
	filled     atomic.Bool // there is a unit; the functions to which the value refers have theirs too
	shapesOnce sync.Once
	shapes     []*shape // of the parameters of a function that is in a circle of calls
	result     *shape
}

// metadataName reports whether a change of the named metadata of that name gives a
// partition a session of its own. spirv.ExecutionMode is read from the whole module. The
// flags of the module have the version of DWARF.
func (o *Options) metadataName(name string) bool {
	if name == "llvm.module.flags" {
		return o.Debug != DebugNone
	}
	return strings.HasPrefix(name, "spirv.") && name != "spirv.ExecutionMode" || strings.HasPrefix(name, "opencl.")
}

// sessionFor returns the session for a partition. Its key is the changes that the partition
// makes to the metadata, empty for most.
func (t *Translation) sessionFor(p *ir.Partition) (s *session, err error) {
	key := ""
	if p != nil {
		for _, e := range p.Named {
			if t.options.metadataName(e.Name) {
				key += fmt.Sprintf("%q %v %v\n", e.Name, e.Keep, e.New)
			}
		}
		for _, name := range p.Removed {
			if t.options.metadataName(name) {
				key += fmt.Sprintf("%q\n", name)
			}
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if s = t.sessions[key]; s != nil {
		return s, nil
	}
	err = abort.Catch(func() { s = newSession(t, p) })
	if err == nil {
		t.sessions[key] = s
	}
	return s, err
}

// newSession reads the metadata that all units of a session share.
func newSession(t *Translation, p *ir.Partition) *session {
	s := &session{
		units:    make([]atomic.Pointer[unitSlot], len(t.module.Values)),
		variants: make(map[unitKey]*unitSlot), groups: callGroups(t.module),
		table: sharedTable{byKey: make(map[string]*shared)}, namedKernels: namedKernels(t.module),
	}
	for i := range s.facts {
		s.facts[i] = make([]atomic.Pointer[functionFacts], len(t.module.Values))
	}
	r := &metadataReader{module: t.module, partition: p}
	s.findAddressing(t.module.Triple)
	s.sourceLanguage(r)
	s.moduleMetadata(r)
	s.debugMetadata(r)
	s.vectorCompute = t.options.allowsExtension(vectorCompute) && hasVectorCompute(t.module)
	return s
}

// findAddressing finds the width of pointers by the triple.
func (s *session) findAddressing(triple string) {
	arch, _, _ := strings.Cut(triple, "-")
	s.model, s.bits = [2]uint32{uint32(spirv.AddressingPhysical64), 2}, 64
	if strings.HasSuffix(arch, "32") || arch == "spir" || strings.HasPrefix(arch, "spirv32") {
		s.model[0], s.bits = uint32(spirv.AddressingPhysical32), 32
	}
}

// slotFor returns the place of a unit.
func (s *session) slotFor(n ir.ValueID, variant string) *unitSlot {
	if variant == "" {
		slot := s.units[n].Load()
		if slot == nil {
			s.units[n].CompareAndSwap(nil, new(unitSlot))
			slot = s.units[n].Load()
		}
		return slot
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	key := unitKey{n, variant}
	if s.variants[key] == nil {
		s.variants[key] = new(unitSlot)
	}
	return s.variants[key]
}

// unitOf returns the unit of a value. If there is none yet, it translates the functions to
// which the value refers, then the value. A value whose attachments the partition edits
// gets a unit of its own each time.
func (t *translator) unitOf(n ir.ValueID) *unit {
	e := t.view.edits[n]
	attaches := e != nil && len(e.Attach) > 0
	if slot := t.viewSlot(n); slot.filled.Load() && !attaches {
		return slot.unit
	}
	if t.module.Values[n].Kind == ir.Function && !t.view.isDeclared(n) {
		t.prepareCallees(n)
	}
	if attaches {
		return t.translateUnit(n, e)
	}
	return t.fillSlot(n)
}

// viewSlot returns the place of a value's unit in the image.
func (t *translator) viewSlot(n ir.ValueID) *unitSlot {
	return t.session.slotFor(n, t.view.variantKey(n))
}

// fillSlot translates a value if no image has needed it yet.
func (t *translator) fillSlot(n ir.ValueID) *unit {
	slot := t.viewSlot(n)
	slot.once.Do(func() {
		if v := &t.module.Values[n]; v.Kind == ir.Function && !t.view.isDeclared(n) {
			t.translation.translated.Add(1)
		}
		slot.unit = t.translateUnit(n, nil)
		slot.filled.Store(true)
	})
	return slot.unit
}

// preparation walks the functions to which a function refers, directly or indirectly, and
// translates each after those to which it refers: their parameters must be known. For
// functions that call each other in a circle, the parameters of all are found first.
type preparation struct {
	*translator
	stack   []preparedFunction
	circles map[uint32][]ir.ValueID // members that wait for the rest of their group
	roots   map[uint32]ir.ValueID   // the member by which a group was entered
}

type preparedFunction struct {
	value ir.ValueID
	next  int // reference
}

// prepareCallees translates the functions to which a function refers, directly or
// indirectly. It does not recurse: the input chooses how deep calls nest.
func (t *translator) prepareCallees(n ir.ValueID) {
	if t.prepared[n] {
		return
	}
	p := preparation{translator: t, circles: make(map[uint32][]ir.ValueID), roots: make(map[uint32]ir.ValueID)}
	p.enterFunction(n)
	for len(p.stack) > 0 {
		top := &p.stack[len(p.stack)-1]
		refs := t.module.Refs(&t.module.Values[top.value])
		if top.next == len(refs) {
			done := top.value
			p.stack = p.stack[:len(p.stack)-1]
			p.leaveFunction(done, done == n)
			continue
		}
		r := refs[top.next]
		top.next++
		if t.isFollowed(r) {
			p.enterFunction(ir.ValueID(r.Index()))
		}
	}
}

// enterFunction puts a function on the stack, unless it was there before. The first member of a
// circle of calls that is entered becomes the circle's root.
func (p *preparation) enterFunction(n ir.ValueID) {
	if p.prepared[n] {
		return
	}
	p.prepared[n] = true
	if g := p.session.groups[n]; g != 0 {
		if _, entered := p.roots[g]; !entered {
			p.roots[g] = n
		}
	}
	p.stack = append(p.stack, preparedFunction{n, 0})
}

// leaveFunction translates a function after those to which it refers. A circle of calls is
// translated when the walk leaves the member by which it entered. The last function, for
// which the walk was started, is left to the caller.
func (p *preparation) leaveFunction(n ir.ValueID, last bool) {
	g := p.session.groups[n]
	if g == 0 {
		if !last {
			p.fillSlot(n)
		}
		return
	}
	p.circles[g] = append(p.circles[g], n)
	if p.roots[g] != n {
		return
	}
	for _, member := range p.circles[g] {
		p.circleShapes(member)
	}
	for _, member := range p.circles[g] {
		if member != n || !last {
			p.fillSlot(member)
		}
	}
	delete(p.circles, g)
	delete(p.roots, g)
}

// isFollowed reports whether a reference is to a function that the view defines.
func (t *translator) isFollowed(r ir.Ref) bool {
	if r.Kind() != ir.RefCallee && r.Kind() != ir.RefAddress {
		return false
	}
	n := ir.ValueID(r.Index())
	return t.module.Values[n].Kind == ir.Function && !t.view.isDeclared(n)
}

// circleShapes finds the pointees of the parameters of a function that is in a circle of
// calls, from its own body alone. If that fails, those that its declaration tells will do:
// the translation of the function reports the error.
func (t *translator) circleShapes(n ir.ValueID) {
	slot := t.viewSlot(n)
	slot.shapesOnce.Do(func() {
		t.beginUnit(n, nil)
		defer t.endUnit()
		t.inCircle = true
		err := abort.Catch(func() {
			t.readBody(n)
			info := t.functionOf(n)
			t.inferPointees(&t.body, info)
			slot.shapes, slot.result = t.shapesOf(info)
		})
		if t.inCircle = false; err != nil {
			slot.shapes, slot.result = t.factsOf(n).shapes, t.factsOf(n).result
		}
	})
}

package fromir

import (
	"strings"

	"offlink/ir"
)

// translator translates values of one module to units, one after the other, and assembles
// the units of an image. It holds the scratch memory of one goroutine and must not be used
// by two at the same time.
type translator struct {
	translation *Translation
	module      *ir.Module
	options     *Options
	session     *session
	view        *view
	viewValues  []ir.PartitionValue // memory of views
	prepared    map[ir.ValueID]bool // functions of the view whose callees are translated
	image       image
	annotates   map[ir.ValueID]bool // the results of onlyAnnotates
	relocs      []codeReloc         // scratch of units
	nameWords   []uint32            // the same
	memory      functionMemory

	// The unit that is being translated.
	unit         ir.ValueID
	edit         *ir.Edit // its changes of metadata, or nil
	b            *builder
	types        []ir.Type
	typeIDs      typeTable
	terms        terms
	nesting      int
	pointerBits  uint32
	inCircle     bool
	current      *function // nil outside of bodies
	body         ir.Body
	opencl       id // OpenCL.std
	language     sourceInfo
	variable     *entry
	entry        id           // the entry point of a kernel
	wrapperAt    int          // where in the words its function begins
	inputs       []id         // built-in variables that the function reads
	uncontracted bool         // kernels that reach the function must not be contracted
	zeroFlags    id           // the constant for kernels that must not be contracted, or 0
	retained     []ir.Operand // lists of variables of the functions that debug information has described
	files        map[ir.NodeID]id
	layouts      map[ir.TypeID][2]uint64 // sizes and alignments
	boolParts    map[ir.TypeID]bool      // whether aggregates have vectors of i1
	constants    map[constantKey]id      // of the pools that are being translated

	functionInfos map[ir.ValueID]*functionInfo
	globals       map[ir.ValueID]*globalInfo
}

// functionFacts are the facts of a function that do not depend on its body. They do not
// change after they are made, so goroutines share them.
type functionFacts struct {
	value   *ir.GlobalValue
	header  *ir.Header
	kernel  bool
	shapes  []*shape // of the parameters, as attributes and names tell them
	result  *shape
	builtin *builtin // the replacement of its calls, nil for an ordinary function
	// err is the reader's error for the header; the other facts are missing then.
	err error
}

// functionInfo is a function as the unit that is being translated sees it.
type functionInfo struct {
	*functionFacts
	number     ir.ValueID
	parameters []term
	resultTerm term
	typ        id
}

// globalInfo holds the facts of a variable or alias.
type globalInfo struct {
	pointee term
	self    id
	busy    bool // it is being resolved; meeting it again is a circle of aliases
	// alias is the aliasee, a value of pool.
	alias ir.Value
	pool  *ir.ConstantPool
}

func newTranslator(t *Translation) *translator {
	return &translator{
		translation: t, module: t.module, options: &t.options, b: newBuilder(),
		functionInfos: make(map[ir.ValueID]*functionInfo),
		globals:       make(map[ir.ValueID]*globalInfo), files: make(map[ir.NodeID]id), prepared: make(map[ir.ValueID]bool), annotates: make(map[ir.ValueID]bool),
		layouts: make(map[ir.TypeID][2]uint64), boolParts: make(map[ir.TypeID]bool), constants: make(map[constantKey]id),
		terms: terms{byType: make(map[ir.TypeID]term), byMade: make(map[mangledType]term)},
	}
}

// factsOf returns the facts of a function of the view.
func (t *translator) factsOf(n ir.ValueID) *functionFacts {
	declared := t.view.isDeclared(n)
	facts := &t.session.facts[0]
	if declared {
		facts = &t.session.facts[1]
	}
	found := (*facts)[n].Load()
	if found == nil {
		found = t.findFacts(n, declared) // another goroutine finds the same
		(*facts)[n].Store(found)
	}
	if found.err != nil {
		t.failRead(n, found.err)
	}
	return found
}

// findFacts makes the facts of a function: its kernel flag, the pointees that attributes,
// names and metadata tell, and whether its calls become something else.
func (t *translator) findFacts(n ir.ValueID, declared bool) *functionFacts {
	v := &t.module.Values[n]
	r := &t.translation.reader
	r.Lock()
	h, err := r.ReadHeader(n)
	t.types = r.Types()
	r.Unlock()
	info := &functionFacts{value: v, header: h, err: err}
	if err != nil {
		return info
	}
	info.kernel = t.module.CallingConv(v) == "spir_kernel"
	elements := t.moduleType(v.Type).Elements
	info.result = t.pointeeShape(elements[0])
	for j, p := range elements[1:] {
		found := t.pointeeShape(p)
		for _, name := range []string{"byval", "sret", "elementtype", "inalloca", "preallocated"} {
			if a := ir.FindAttribute(h.Attributes.Parameter(j), name); a != nil && a.Type != ir.NoType && found == unknownShape {
				found = t.memoryShape(a.Type)
			}
		}
		info.shapes = append(info.shapes, found)
	}
	t.argumentTypes(info)
	t.blockArguments(info)
	t.findBuiltin(info, declared)
	return info
}

// functionOf returns a function as the unit sees it. The pointees of its parameters are
// those that its own unit found or, within a circle of calls, that circleShapes found;
// those of a declaration are the ones that names and attributes tell.
func (t *translator) functionOf(n ir.ValueID) *functionInfo {
	if info := t.functionInfos[n]; info != nil {
		return info
	}
	info := &functionInfo{functionFacts: t.factsOf(n), number: n}
	shapes, result := info.shapes, info.result
	if !t.view.isDeclared(n) && info.builtin == nil {
		group := t.session.groups[n]
		switch {
		case group != 0 && (!t.inCircle || group != t.session.groups[t.unit]):
			if slot := t.viewSlot(n); slot.shapes != nil || len(shapes) == 0 {
				shapes, result = slot.shapes, slot.result
			}
		case group == 0 && n != t.unit:
			if u := t.viewSlot(n).unit; u != nil && u.err == nil {
				shapes, result = u.shapes, u.result
			}
		}
	}
	for _, s := range shapes {
		info.parameters = append(info.parameters, t.shapeTerm(s))
	}
	info.resultTerm = t.shapeTerm(result)
	if n != t.unit && info.builtin == nil {
		t.freezeParameters(info)
	}
	t.functionInfos[n] = info
	return info
}

// shapesOf returns the shapes of a function's parameters and result.
func (t *translator) shapesOf(info *functionInfo) (list []*shape, result *shape) {
	for _, p := range info.parameters {
		list = append(list, t.terms.shapeOf(p))
	}
	return list, t.terms.shapeOf(info.resultTerm)
}

// argumentTypes finds the parameters of a kernel that are images or other opaque types of
// OpenCL, by the names of their types in the metadata: LLVM 16 has them as opaque pointers.
func (t *translator) argumentTypes(info *functionFacts) {
	if !info.kernel {
		return
	}
	qualifiers := t.attachedOperands(info.value, "kernel_arg_access_qual")
	for i, o := range t.attachedOperands(info.value, "kernel_arg_type") {
		if i >= len(info.shapes) || info.shapes[i] == nil || !strings.HasSuffix(o.String, "_t") {
			continue
		}
		name := o.String
		if base, ok := strings.CutSuffix(name, "_t"); ok && strings.HasPrefix(name, "image") {
			access := "_ro"
			if i < len(qualifiers) {
				switch qualifiers[i].String {
				case "write_only":
					access = "_wo"
				case "read_write":
					access = "_rw"
				}
			}
			name = base + access + "_t"
		}
		if isOpenCLType(name) && info.shapes[i] == unknownShape {
			info.shapes[i] = &shape{kind: termOpaque, made: mangledType{name: name}}
		}
	}
}

// freezeTerm makes the unknown part of a term a byte. That must happen before a type is
// made of it, so that no later use can change the type. A function becomes a byte as well:
// it may take or return its own address, and then its type would have no end.
func (t *translator) freezeTerm(a term) {
	for a != noTerm {
		a = t.terms.findRoot(a)
		switch n := &t.terms.nodes[a]; n.kind {
		case termUnknown:
			t.terms.bindUnknown(a, t.terms.findRoot(t.byteTerm()))
			return
		case termFunction:
			made := byteType
			n.kind, n.typ, n.made = termMade, 0, &made
			return
		case termPointer:
			a = n.elem
		default:
			return
		}
	}
}

// freezeParameters freezes the terms of the parameters and the result: callers must see the
// same types as the function.
func (t *translator) freezeParameters(info *functionInfo) {
	t.freezeTerm(info.resultTerm)
	for _, p := range info.parameters {
		t.freezeTerm(p)
	}
}

// readBody reads the body of a function into t.body, which the next call overwrites.
func (t *translator) readBody(n ir.ValueID) {
	r := &t.translation.reader
	r.Lock()
	err := r.ReadBody(n, &t.body)
	t.types = r.Types()
	r.Unlock()
	if err != nil {
		t.failRead(n, err)
	}
	t.lowerAccessIndices()
}

// readInitializer reads the initialiser of a variable into a pool.
func (t *translator) readInitializer(n ir.ValueID, pool *ir.ConstantPool) ir.Value {
	r := &t.translation.reader
	r.Lock()
	v, err := r.ReadInitializer(n, pool)
	t.types = r.Types()
	r.Unlock()
	if err != nil {
		t.failRead(n, err)
	}
	return v
}

// readHeader reads the attributes of a value.
func (t *translator) readHeader(n ir.ValueID) *ir.Header {
	r := &t.translation.reader
	r.Lock()
	h, err := r.ReadHeader(n)
	t.types = r.Types()
	r.Unlock()
	if err != nil {
		t.failRead(n, err)
	}
	return h
}

package fromir

import (
	"strings"

	"offlink/ir"
	"offlink/spirv"
)

// translator translates one module.
type translator struct {
	module  *ir.Module
	reader  ir.BodyReader
	options *Options
	b       *builder
	types   []ir.Type

	typeIDs     map[ir.TypeID]id
	terms       terms
	byteTerm    term
	nesting     int
	pointerBits uint32
	fp16        bool

	functions   map[ir.ValueID]*functionInfo
	globals     map[ir.ValueID]*globalInfo
	entryPoints map[id]bool
	current     *function // being translated, nil outside
	body        ir.Body
	builtins    map[string]id // built-in variables
	opencl      id            // OpenCL.std
	language    sourceInfo
	kernels     []kernelInfo
	inputs      map[ir.ValueID][]id // built-in variables that functions read
	inputOrder  []id
	// inputGlobals are the built-in variables that are globals of the module.
	inputGlobals []ir.ValueID
	files        map[ir.NodeID]id
	contracted   map[ir.ValueID]bool // false for functions that must not be
	mangled      map[mangledType]term
	layouts      map[ir.TypeID][2]uint64 // sizes and alignments
	constants    map[constantKey]id      // of the pools that are being translated
}

// functionInfo holds the facts of a function outside of its body.
type functionInfo struct {
	value      *ir.GlobalValue
	header     *ir.Header
	parameters []term
	result     term
	kernel     bool
	self       id
	typ        id
	builtin    *builtin // the replacement of its calls, nil for a function
}

// globalInfo holds the facts of a variable or alias.
type globalInfo struct {
	pointee term
	self    id
	space   uint32
	busy    bool
	// alias is the aliasee.
	alias ir.Value
	pool  *ir.ConstantPool
}

func newTranslator(m *ir.Module, source ir.BodySource, o *Options) *translator {
	t := &translator{
		module: m, reader: source.NewBodyReader(), options: o, b: newBuilder(spirv.Version1_0),
		typeIDs: make(map[ir.TypeID]id), functions: make(map[ir.ValueID]*functionInfo), globals: make(map[ir.ValueID]*globalInfo),
		entryPoints: make(map[id]bool), byteTerm: noTerm, pointerBits: 64, builtins: make(map[string]id),
		inputs: make(map[ir.ValueID][]id), files: make(map[ir.NodeID]id), contracted: make(map[ir.ValueID]bool),
		mangled: make(map[mangledType]term), layouts: make(map[ir.TypeID][2]uint64), constants: make(map[constantKey]id),
	}
	t.terms.byType = make(map[ir.TypeID]term)
	t.types = t.reader.Types()
	return t
}

// run translates the module.
func (t *translator) run() {
	t.addressing()
	t.sourceLanguage()
	t.declareFunctions()
	t.inferBodies()
	t.opencl = t.b.importSet("OpenCL.std")
	t.translateVariables()
	t.translateInputs()
	t.translateFunctions()
	t.annotations()
	t.executionModes()
	t.initializers()
	t.moduleMetadata()
	if t.b.capabilities[capKernel] || len(t.functions) > 0 {
		t.capability(capKernel)
	}
	if len(t.module.Values) == 0 {
		t.capability(capLinkage)
	}
}

func (t *translator) addressing() {
	t.capability(capAddresses, capKernel)
	triple := t.module.Triple
	t.b.model = [2]uint32{uint32(spirv.AddressingPhysical64), 2}
	arch, _, _ := strings.Cut(triple, "-")
	switch {
	case strings.HasSuffix(arch, "32"), arch == "spir", strings.HasPrefix(arch, "spirv32"):
		t.b.model[0] = uint32(spirv.AddressingPhysical32)
		t.pointerBits = 32
	}
}

// declareFunctions notes the functions and the facts that their attributes and
// names tell of their parameters.
func (t *translator) declareFunctions() {
	for i := range t.module.Values {
		v := &t.module.Values[i]
		if v.Kind != ir.Function {
			continue
		}
		h, err := t.reader.ReadHeader(ir.ValueID(i))
		if err != nil {
			t.failf("%v", err)
		}
		info := &functionInfo{value: v, header: h, result: noTerm}
		info.kernel = v.CallingConv == "spir_kernel"
		elements := t.typ(v.Type).Elements
		info.result = t.pointee(elements[0])
		for j, p := range elements[1:] {
			found := t.pointee(p)
			for _, name := range []string{"byval", "sret", "elementtype", "inalloca", "preallocated"} {
				if a := ir.FindAttribute(h.Attributes.Parameter(j), name); a != nil && a.Type != ir.NoType && found != noTerm {
					t.terms.unify(found, t.memory(a.Type))
				}
			}
			info.parameters = append(info.parameters, found)
		}
		t.functions[ir.ValueID(i)] = info
		t.argumentTypes(info)
		t.recognize(ir.ValueID(i), info)
	}
}

// argumentTypes finds the parameters of a kernel that are images or the like,
// which LLVM 16 has as opaque pointers, by the names of their types.
func (t *translator) argumentTypes(info *functionInfo) {
	if !info.kernel {
		return
	}
	qualifiers := t.attached(info.value, "kernel_arg_access_qual")
	for i, o := range t.attached(info.value, "kernel_arg_type") {
		if i >= len(info.parameters) || info.parameters[i] == noTerm || !strings.HasSuffix(o.String, "_t") {
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
		if found := t.opaqueTerm(name); found != noTerm {
			t.terms.unify(info.parameters[i], found)
		}
	}
}

// inferBodies finds the pointees of pointers.
func (t *translator) inferBodies() {
	for i := range t.module.Values {
		v := &t.module.Values[i]
		if v.Kind != ir.Function || v.Declaration || t.functions[ir.ValueID(i)].builtin != nil {
			continue
		}
		t.readBody(ir.ValueID(i))
		t.infer(&t.body, t.functions[ir.ValueID(i)])
	}
	for i := range t.module.Values {
		if info := t.functions[ir.ValueID(i)]; info != nil {
			t.freeze(info.result)
			for _, p := range info.parameters {
				t.freeze(p)
			}
		}
	}
}

// freeze makes the unknown part of a term a byte, before types are made of
// it.
func (t *translator) freeze(a term) {
	for a != noTerm {
		a = t.terms.find(a)
		switch n := &t.terms.nodes[a]; n.kind {
		case termUnknown:
			t.terms.bind(a, t.terms.find(t.bytes()))
			return
		case termPointer:
			a = n.elem
		default:
			return
		}
	}
}

func (t *translator) readBody(n ir.ValueID) {
	if err := t.reader.ReadBody(n, &t.body); err != nil {
		t.failf("%v", err)
	}
	t.types = t.reader.Types()
}

// translateFunctions writes the declarations, then the definitions.
func (t *translator) translateFunctions() {
	for i := range t.module.Values {
		v := &t.module.Values[i]
		if info := t.functions[ir.ValueID(i)]; v.Kind == ir.Function && v.Declaration && info.builtin == nil {
			t.functionID(ir.ValueID(i))
		}
	}
	for i := range t.module.Values {
		v := &t.module.Values[i]
		if info := t.functions[ir.ValueID(i)]; v.Kind == ir.Function && !v.Declaration && info.builtin == nil {
			t.translateFunction(ir.ValueID(i))
		}
	}
}

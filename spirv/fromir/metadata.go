package fromir

import (
	"slices"
	"strings"

	"offlink/abort"
	"offlink/ir"
	"offlink/spirv"
)

// sourceInfo is the language that a module was compiled from.
type sourceInfo struct {
	number, version uint32
	opencl, fp16    bool
}

// metadataReader reads the named metadata of a module as a partition has them: it removes
// and adds the rows that the partition's edits do, so that an image says the same as if it
// were translated from its own file of IR.
type metadataReader struct {
	module    *ir.Module
	partition *ir.Partition // nil for the whole module
}

// namedRows returns the operands of each node of named metadata.
func (r *metadataReader) namedRows(name string) (rows [][]ir.Operand) {
	var list []ir.Operand
	if named := r.module.Named(name); named != nil {
		list = named.Operands
	}
	if r.partition != nil {
		if slices.Contains(r.partition.Removed, name) {
			return nil
		}
		if e := r.partition.NamedEdit(name); e != nil {
			kept := make([]ir.Operand, 0, len(e.Keep))
			for _, k := range e.Keep {
				kept = append(kept, list[k])
			}
			for _, n := range e.New {
				kept = append(kept, ir.Operand{Kind: ir.OperandTuple, Elements: n.Operands})
			}
			list = kept
		}
	}
	for _, o := range list {
		operands, err := r.module.Resolve(o)
		if err != nil {
			abort.With(&Error{Path: r.module.Path, Msg: err.Error()})
		}
		rows = append(rows, operands)
	}
	return rows
}

// numberAt returns a number of a row, or 0 if the row is too short or has no number there.
func numberAt(row []ir.Operand, i int) uint32 {
	if i < len(row) && row[i].Kind == ir.OperandInt {
		return uint32(row[i].Int)
	}
	return 0
}

// sourceLanguage writes OpSource. The numbers are SPIR-V's source languages: 3 is OpenCL C,
// 4 OpenCL C++, 6 C++ for OpenCL. Drivers choose the rules for built-in functions by the
// language and its version. Functions are OpenCL C's by their names in 3 and 6 alone: SYCL's front
// end, which states 4, calls those of SPIR-V, so that a declared mix or step is the program's own.
func (s *session) sourceLanguage(r *metadataReader) {
	l := &s.language
	for _, row := range r.namedRows("spirv.Source") {
		l.number, l.version = numberAt(row, 0), numberAt(row, 1)
		break
	}
	if rows := r.namedRows("opencl.ocl.version"); l.number == 0 && len(rows) > 0 {
		major, minor := numberAt(rows[0], 0), numberAt(rows[0], 1)
		l.number, l.version = 3, 100000*major+1000*minor
		if cxx := r.namedRows("opencl.cxx.version"); len(cxx) > 0 {
			l.number, l.version = 6, 100000*numberAt(cxx[0], 0)+1000*numberAt(cxx[0], 1)
		}
	}
	l.opencl = l.number == 3 || l.number == 6
	s.source = appendInstruction(s.source, spirv.OpSource, l.number, l.version)
	for _, name := range []string{"opencl.used.extensions", "spirv.SourceExtension"} {
		for _, row := range r.namedRows(name) {
			for _, o := range row {
				s.sourceExtension(o.String)
			}
		}
	}
}

// sourceExtension writes OpSourceExtension. cl_khr_fp16 also decides whether the module declares
// arithmetic on halves (floatType).
func (s *session) sourceExtension(name string) {
	if name == "" {
		return
	}
	if name == "cl_khr_fp16" {
		s.language.fp16 = true
	}
	s.source = appendInstruction(s.source, spirv.OpSourceExtension, appendText(nil, name)...)
}

// attachedOperands returns the operands of the node of that kind that is attached to a
// function or variable, or nil. Edits come first: a partition may replace attachments of
// the module. A function that the image only declares has none.
func (t *translator) attachedOperands(v *ir.GlobalValue, kind string) []ir.Operand {
	if t.edit != nil && v == &t.module.Values[t.unit] {
		for _, a := range t.edit.Attach {
			if a.Kind == kind {
				return a.Node.Operands
			}
		}
	}
	o, ok := v.Attached(kind)
	if !ok || v.Kind == ir.Function && !v.Declaration && t.view.declared[t.unit] {
		return nil
	}
	operands, err := t.module.Resolve(o)
	if err != nil {
		t.failf("%v", err)
	}
	return operands
}

// argumentMetadata writes names and decorations of a kernel's arguments. The nodes are those
// of "Kernel argument metadata" in SPIR 1.2, with one element for each argument.
func (t *translator) argumentMetadata(info *functionInfo, args []id) {
	v := info.value
	if t.options.KernelArgTypes {
		t.argumentStrings(v, "kernel_arg_type")
	}
	for i, o := range t.attachedOperands(v, "kernel_arg_type_qual") {
		if i >= len(args) {
			break
		}
		if strings.Contains(o.String, "volatile") {
			t.b.decorateID(args[i], decVolatile)
		}
		if strings.Contains(o.String, "restrict") {
			t.b.decorateID(args[i], decFuncParamAttr, attrNoAlias)
		}
	}
	if t.options.KernelArgTypes {
		t.argumentStrings(v, "kernel_arg_type_qual")
	}
	for i, o := range t.attachedOperands(v, "kernel_arg_name") {
		if i < len(args) && o.String != "" {
			t.b.setName(args[i], o.String)
		}
	}
	for i, o := range t.attachedOperands(v, "spirv.ParameterDecorations") {
		if i < len(args) {
			t.metadataDecorations(args[i], t.resolveNode(o))
		}
	}
	t.argumentNumbers(v, args, "kernel_arg_buffer_location", decBufferLocation, func(n int64) bool { return n >= 0 })
	t.argumentNumbers(v, args, "kernel_arg_runtime_aligned", decRuntimeAligned, func(n int64) bool { return n == 1 })
}

// argumentNumbers decorates pointers among the arguments with the numbers of a node for
// which which returns true.
func (t *translator) argumentNumbers(v *ir.GlobalValue, args []id, kind string, decoration uint32, which func(int64) bool) {
	parameters := t.moduleType(v.Type).Elements[1:]
	for i, o := range t.attachedOperands(v, kind) {
		if i >= len(args) || i >= len(parameters) || !t.isPointer(parameters[i]) || o.Kind != ir.OperandInt || !t.allowsDecoration(decoration) {
			continue
		}
		number := o.Int
		if o.Bits == 1 {
			number &= 1
		}
		if which(number) {
			t.decorateNeeded(args[i], decoration, uint32(number))
		}
	}
}

// argumentStrings keeps the strings of a node in an OpString. Runtimes read the types of
// arguments (CL_KERNEL_ARG_TYPE_NAME) from it, in the form of the Khronos translator:
// KIND.KERNEL. and then each string with a comma.
func (t *translator) argumentStrings(v *ir.GlobalValue, kind string) {
	list := t.attachedOperands(v, kind)
	if list == nil {
		return
	}
	text := kind + "." + v.Name + "."
	for _, o := range list {
		text += o.String + ","
	}
	t.b.stringID(text)
}

// resolveNode returns the operands of a node.
func (t *translator) resolveNode(o ir.Operand) []ir.Operand {
	operands, err := t.module.Resolve(o)
	if err != nil {
		t.failf("%v", err)
	}
	return operands
}

// executionRow is a row of !spirv.ExecutionMode. typ is the type of the first operand where
// that is a value which serves only to name a type.
type executionRow struct {
	number   uint32
	typ      string
	operands []uint32
}

// moduleMetadata finds extensions, capabilities, the memory model and execution modes.
// Frontends that know SPIR-V state these directly in such lists (LLVM, SPIRVUsage).
func (s *session) moduleMetadata(r *metadataReader) {
	for _, row := range r.namedRows("spirv.Extension") {
		if len(row) > 0 && row[0].String != "" {
			s.extensions = append(s.extensions, row[0].String)
		}
	}
	for _, row := range r.namedRows("spirv.Capability") {
		s.capability = append(s.capability, numberAt(row, 0))
	}
	for _, row := range r.namedRows("spirv.MemoryModel") {
		if len(row) > 1 {
			s.model = [2]uint32{numberAt(row, 0), numberAt(row, 1)}
		}
	}
	s.modes = make(map[ir.ValueID][]executionRow)
	whole := metadataReader{module: r.module} // partitions only drop the modes of functions that they lack
	for _, row := range whole.namedRows("spirv.ExecutionMode") {
		if len(row) < 2 || row[0].Kind != ir.OperandValue {
			continue
		}
		mode := executionRow{number: numberAt(row, 1)}
		for i, o := range row[2:] {
			if i == 0 && o.Kind != ir.OperandInt {
				mode.typ = o.String
				continue
			}
			mode.operands = append(mode.operands, numberAt(row, i+2))
		}
		s.modes[row[0].Value] = append(s.modes[row[0].Value], mode)
	}
}

// debugMetadata finds the compile units and the version of DWARF.
func (s *session) debugMetadata(r *metadataReader) {
	s.bitcode = r.module.Producer != ""
	if list := r.module.Named("llvm.dbg.cu"); list != nil {
		for _, o := range list.Operands {
			if o.Kind == ir.OperandNode {
				s.compileUnits = append(s.compileUnits, o)
			}
		}
	}
	for _, row := range r.namedRows("llvm.module.flags") {
		if len(row) > 2 && row[1].String == "Dwarf Version" {
			s.dwarf = numberAt(row, 2)
		}
	}
}

// annotateID decorates an identifier with the text of an annotation, for which SPIR-V has
// UserSemantic from 1.4 on. The specification wants OpDecorateString for it, but the
// translators write OpDecorate.
func (t *translator) annotateID(n id, text string) {
	if t.options.Version < spirv.Version1_4 {
		return
	}
	t.needVersion(spirv.Version1_4)
	t.b.addDecoration(spirv.OpDecorate, n, appendText([]uint32{decUserSemantic}, text))
}

// annotateGlobals decorates the values that llvm.global.annotations lists, an array of
// structs of the annotated value, the text and the place in the source. The array itself is
// not written: it is only the means by which clang passes annotations on.
func (m *image) annotateGlobals() {
	list, ok := m.module.Lookup("llvm.global.annotations")
	if !ok || m.options.Version < spirv.Version1_4 {
		return
	}
	for _, e := range m.listedElements(list) {
		if len(e.Elements) < 2 || e.Elements[0].Kind != ir.ConstantValue || e.Elements[1].Kind != ir.ConstantValue {
			continue
		}
		self, text := m.selfOf(e.Elements[0].Value), m.stringVariable(e.Elements[1].Value)
		if self != 0 && text != "" {
			m.annotateGlobal(self, text)
		}
	}
}

// annotateGlobal decorates a value with the decorations of an annotation.
func (m *image) annotateGlobal(self id, text string) {
	for _, d := range m.annotationDecorations(text) {
		if d.number == decUserSemantic {
			m.version = max(m.version, spirv.Version1_4)
			m.addNote(self, decoration{op: spirv.OpDecorate, words: appendText([]uint32{decUserSemantic}, d.values[0])})
			continue
		}
		needs, known := decorationNeeds.Get()[d.number]
		words, ok := d.operandWords()
		if known && ok && m.allowsDecoration(d.number) {
			m.useExtension(needs.extension)
			m.useCapabilities(needs.capability)
			m.addNote(self, decoration{op: spirv.OpDecorate, words: append([]uint32{d.number}, words...)})
		}
	}
}

// listedElements returns those elements of an array of structs that the image has: a
// partition drops the elements for values that it lacks.
func (m *image) listedElements(n ir.ValueID) (list []ir.Constant) {
	v := m.view.findValue(n)
	if v == nil || !v.Definition {
		return nil
	}
	init, err := m.module.Initializer(n)
	if err != nil {
		m.failf("%v", err)
	}
	keep := v.Elements()
	if keep == nil {
		return init.Elements
	}
	for _, k := range keep {
		if k < len(init.Elements) {
			list = append(list, init.Elements[k])
		}
	}
	return list
}

// stringVariable returns the string that a variable holds, or "" if it holds none.
func (t *translator) stringVariable(n ir.ValueID) string {
	if v := &t.module.Values[n]; v.Kind != ir.Variable || v.Declaration {
		return ""
	}
	init, err := t.module.Initializer(n)
	if err != nil || init.Kind != ir.ConstantBytes {
		return ""
	}
	return strings.TrimRight(string(init.Bytes), "\x00")
}

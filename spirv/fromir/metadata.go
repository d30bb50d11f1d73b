package fromir

import (
	"math"
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

// metadataReader reads the named metadata of a module as a partition has it.
type metadataReader struct {
	module    *ir.Module
	partition *ir.Partition // nil for the whole module
}

// namedRows returns the operands of the nodes of named metadata.
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

func numberAt(row []ir.Operand, i int) uint32 {
	if i < len(row) && row[i].Kind == ir.OperandInt {
		return uint32(row[i].Int)
	}
	return 0
}

// sourceLanguage writes OpSource.
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
	l.opencl = l.number == 3 || l.number == 4 || l.number == 6
	s.source = appendInstruction(s.source, spirv.OpSource, l.number, l.version)
	for _, name := range []string{"opencl.used.extensions", "spirv.SourceExtension"} {
		for _, row := range r.namedRows(name) {
			for _, o := range row {
				s.sourceExtension(o.String)
			}
		}
	}
}

func (s *session) sourceExtension(name string) {
	if name == "" {
		return
	}
	if name == "cl_khr_fp16" {
		s.language.fp16 = true
	}
	s.source = appendInstruction(s.source, spirv.OpSourceExtension, appendText(nil, name)...)
}

// attachedOperands returns the operands of a node that is attached to a function.
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

// argumentMetadata writes names and decorations of a kernel's arguments.
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
	t.argumentNumbers(v, args, "kernel_arg_buffer_location", "SPV_INTEL_fpga_buffer_location", 5921, 5920)
}

// argumentNumbers decorates arguments with the numbers of a node.
func (t *translator) argumentNumbers(v *ir.GlobalValue, args []id, kind, extension string, decoration, capability uint32) {
	if !t.options.allowsExtension(extension) {
		return
	}
	for i, o := range t.attachedOperands(v, kind) {
		if i < len(args) && o.Kind == ir.OperandInt && o.Int >= 0 {
			t.useExtension(extension)
			t.useCapabilities(capability)
			t.b.decorateID(args[i], decoration, uint32(o.Int))
		}
	}
}

// argumentStrings keeps the strings of a node in an OpString.
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

// metadataDecorations writes the decorations of a !spirv.Decorations node: tuples of
// a number and its operands.
func (t *translator) metadataDecorations(n id, rows []ir.Operand) {
	for _, o := range rows {
		row := t.resolveNode(o)
		if len(row) > 0 && row[0].Kind == ir.OperandInt {
			t.metadataDecoration(n, uint32(row[0].Int), row[1:])
		}
	}
}

// metadataDecoration writes one decoration of metadata.
func (t *translator) metadataDecoration(n id, number uint32, operands []ir.Operand) {
	words := []uint32{number}
	for _, o := range operands {
		if o.Kind == ir.OperandString {
			words = appendText(words, o.String)
			continue
		}
		if o.Bits == 64 && o.Int > math.MaxUint32 {
			words = append(words, uint32(o.Int), uint32(o.Int>>32))
			continue
		}
		words = append(words, uint32(o.Int))
	}
	if d, ok := decorationNeeds[number]; ok {
		if d.extension != "" {
			if !t.options.allowsExtension(d.extension) {
				return
			}
			t.useExtension(d.extension)
		}
		t.useCapabilities(d.capability)
	}
	if number == decLinkageAttributes {
		t.useCapabilities(capLinkage)
	}
	t.b.addDecoration(spirv.OpDecorate, n, words)
}

type need struct {
	extension  string
	capability uint32
}

// decorationNeeds are the decorations of extensions.
var decorationNeeds = map[uint32]need{
	6147: {"SPV_INTEL_global_variable_decorations", 6146}, 6188: {"SPV_INTEL_global_variable_host_access", 6187},
	6190: {"SPV_INTEL_global_variable_fpga_decorations", 6189}, 6191: {"SPV_INTEL_global_variable_fpga_decorations", 6189},
	6148: {"SPV_INTEL_global_variable_decorations", 6146}, 6149: {"SPV_INTEL_global_variable_decorations", 6146},
	5826: {"SPV_INTEL_fpga_memory_attributes", 5824}, 5921: {"SPV_INTEL_fpga_buffer_location", 5920},
	5905: {"SPV_INTEL_fpga_argument_interfaces", 6174}, 6175: {"SPV_INTEL_fpga_argument_interfaces", 6174},
	6176: {"SPV_INTEL_fpga_argument_interfaces", 6174}, 6177: {"SPV_INTEL_fpga_argument_interfaces", 6174},
	6178: {"SPV_INTEL_fpga_argument_interfaces", 6174}, 6179: {"SPV_INTEL_fpga_argument_interfaces", 6174},
	6180: {"SPV_INTEL_fpga_argument_interfaces", 6174}, 6181: {"SPV_INTEL_fpga_argument_interfaces", 6174},
	6182: {"SPV_INTEL_fpga_argument_interfaces", 6174}, 6183: {"SPV_INTEL_fpga_argument_interfaces", 6174},
	6442: {"SPV_INTEL_cache_controls", 6441}, 6443: {"SPV_INTEL_cache_controls", 6441}, 6140: {"SPV_INTEL_fp_max_error", 6169},
	6170: {"SPV_INTEL_fp_max_error", 6169},
}

// Execution modes.
const (
	modeLocalSize       = 17
	modeLocalSizeHint   = 18
	modeVecTypeHint     = 30
	modeContractionOff  = 31
	modeInitializer     = 33
	modeFinalizer       = 34
	modeSubgroupSize    = 35
	modeMaxWorkgroup    = 5893
	modeMaxWorkDim      = 5894
	modeNoGlobalOffset  = 5895
	modeNumSIMD         = 5896
	modeSchedulerFmax   = 5903
	modeMaxRegisters    = 6461
	modeMaxRegistersID  = 6462
	modeNamedMaxRegs    = 6463
	modeStreaming       = 6154
	modeRegisterMap     = 6160
	modeNamedBarrier    = 6417
	modeSharedLocalSize = 5618
)

// entryPointsAndModes writes entry points and execution modes.
func (m *image) entryPointsAndModes() {
	m.eachUnit(func(i int, v *ir.PartitionValue, u *unit) {
		if !u.kernel {
			return
		}
		self := m.values[i].kernel
		at := len(m.entryPoints)
		m.entryPoints = m.appendInterfaces(appendText(append(m.entryPoints, 0, 6, self), v.Value.Name), i)
		m.entryPoints[at] = uint32(len(m.entryPoints)-at)<<16 | uint32(spirv.OpEntryPoint)
		for at := 0; at < len(u.modes); at += int(u.modes[at] >> 16) {
			m.modes = append(m.modes, u.modes[at:at+int(u.modes[at]>>16)]...)
			m.modes[len(m.modes)-int(u.modes[at]>>16)+1] = self
		}
		if m.options.Contract == ContractOff || m.options.Contract == ContractOn && m.keepsApart(i) {
			m.modes = appendInstruction(m.modes, spirv.OpExecutionMode, self, modeContractionOff)
		}
	})
}

// appendInterfaces appends the variables that an entry point uses: before SPIR-V 1.4
// only those of storage class Input.
func (m *image) appendInterfaces(words []uint32, kernel int) []uint32 {
	var inputs []*shared
	m.eachReached(kernel, func(at int) bool {
		if u := m.values[at].unit; u != nil {
			for _, e := range u.inputs {
				if !slices.Contains(inputs, e) {
					inputs = append(inputs, e)
				}
			}
		}
		return true
	})
	if m.options.Version >= spirv.Version1_4 {
		m.eachUnit(func(i int, v *ir.PartitionValue, _ *unit) {
			if v.Value.Kind == ir.Variable && m.values[i].seen {
				m.version = max(m.version, spirv.Version1_4)
				words = append(words, m.values[i].self)
			}
		})
	}
	start := len(words)
	for _, e := range inputs {
		words = append(words, m.numbers[e.index])
	}
	slices.Sort(words[start:]) // as they were met first
	return words
}

// executionMode writes an execution mode of the unit's kernel.
func (t *translator) executionMode(number uint32, operands ...uint32) {
	t.b.modes = appendInstruction(t.b.modes, spirv.OpExecutionMode, append([]uint32{0, number}, operands...)...)
}

// kernelModes writes the execution modes of the unit's kernel.
func (t *translator) kernelModes(info *functionInfo) {
	v, metadata := info.value, t.session.modes[info.number]
	numbers := func(kind string) (list []uint32) {
		for _, o := range t.attachedOperands(v, kind) {
			if o.Kind == ir.OperandInt {
				list = append(list, uint32(o.Int))
			}
		}
		return list
	}
	three := func(list []uint32) []uint32 {
		for len(list) < 3 {
			list = append(list, 1)
		}
		return list[:3]
	}
	done := map[uint32]bool{}
	for _, m := range metadata {
		done[m[0]] = true
	}
	for _, h := range []struct {
		kind string
		mode uint32
	}{{"reqd_work_group_size", modeLocalSize}, {"work_group_size_hint", modeLocalSizeHint}} {
		if list := numbers(h.kind); len(list) > 0 && !done[h.mode] {
			t.executionMode(h.mode, three(list)...)
		}
	}
	if list := t.attachedOperands(v, "vec_type_hint"); len(list) > 1 && !done[modeVecTypeHint] {
		if hint, ok := vectorTypeHint(list[0].String); ok {
			t.executionMode(modeVecTypeHint, hint)
		}
	}
	if list := numbers("intel_reqd_sub_group_size"); len(list) > 0 && !done[modeSubgroupSize] {
		t.useSubgroupDispatch()
		t.executionMode(modeSubgroupSize, list[0])
	}
	t.intelModes(v, numbers, three)
	for _, m := range metadata {
		t.metadataMode(m)
	}
}

// hintedTypes are the numbers of types in the execution mode VecTypeHint.
var hintedTypes = map[string]uint32{"i8": 0, "i16": 1, "i32": 2, "i64": 3, "half": 4, "float": 5, "double": 6}

// vectorTypeHint returns the operand of VecTypeHint of a type that is spelled: the
// number of elements, 0 for one, and the number of the type.
func vectorTypeHint(text string) (uint32, bool) {
	length, element := uint32(0), text
	if rest, ok := strings.CutPrefix(text, "<"); ok {
		count, name, _ := strings.Cut(strings.TrimSuffix(rest, ">"), " x ")
		length, element = parseNumbers([]string{strings.TrimSpace(count)})[0], strings.TrimSpace(name)
	}
	n, ok := hintedTypes[element]
	return length<<16 | n, ok
}

func (t *translator) intelModes(v *ir.GlobalValue, numbers func(string) []uint32, three func([]uint32) []uint32) {
	if list := numbers("max_work_group_size"); len(list) > 0 && t.options.allowsExtension("SPV_INTEL_kernel_attributes") {
		t.useExtension("SPV_INTEL_kernel_attributes")
		t.useCapabilities(5892)
		t.executionMode(modeMaxWorkgroup, three(list)...)
	}
	if _, ok := v.Attached("no_global_work_offset"); ok && t.options.allowsExtension("SPV_INTEL_kernel_attributes") {
		t.useExtension("SPV_INTEL_kernel_attributes")
		t.useCapabilities(5892)
		t.executionMode(modeNoGlobalOffset)
	}
	for _, m := range []struct {
		kind string
		mode uint32
	}{{"max_global_work_dim", modeMaxWorkDim}, {"num_simd_work_items", modeNumSIMD}, {"scheduler_target_fmax_mhz", modeSchedulerFmax}} {
		if list := numbers(m.kind); len(list) > 0 && t.options.allowsExtension("SPV_INTEL_kernel_attributes") {
			t.useExtension("SPV_INTEL_kernel_attributes")
			t.useCapabilities(5897)
			t.executionMode(m.mode, list[0])
		}
	}
	t.registerMode(v)
}

// registerMode writes the mode of !RegisterAllocMode.
func (t *translator) registerMode(v *ir.GlobalValue) {
	if !t.options.allowsExtension("SPV_INTEL_maximum_registers") {
		return
	}
	for _, o := range t.attachedOperands(v, "RegisterAllocMode") {
		switch {
		case o.Kind == ir.OperandString && o.String == "AutoINTEL":
			t.useExtension("SPV_INTEL_maximum_registers")
			t.useCapabilities(6460)
			t.executionMode(modeNamedMaxRegs, 0)
		case o.Kind == ir.OperandInt:
			t.useExtension("SPV_INTEL_maximum_registers")
			t.useCapabilities(6460)
			t.executionMode(modeMaxRegisters, uint32(o.Int))
		}
	}
}

// useSubgroupDispatch notes the capability of sizes of sub-groups, which SPIR-V
// has from 1.1 on.
func (t *translator) useSubgroupDispatch() {
	t.needVersion(spirv.Version1_1)
	t.useCapabilities(capSubgroupDispatch)
}

// metadataMode writes a row of !spirv.ExecutionMode.
func (t *translator) metadataMode(m []uint32) {
	switch m[0] {
	case modeSubgroupSize:
		t.useSubgroupDispatch()
	case modeMaxWorkgroup, modeNoGlobalOffset:
		if !t.options.allowsExtension("SPV_INTEL_kernel_attributes") {
			return
		}
		t.useExtension("SPV_INTEL_kernel_attributes")
		t.useCapabilities(5892)
	case modeMaxWorkDim, modeNumSIMD, modeSchedulerFmax, modeStreaming, modeRegisterMap:
		if !t.options.allowsExtension("SPV_INTEL_kernel_attributes") {
			return
		}
		t.useExtension("SPV_INTEL_kernel_attributes")
		t.useCapabilities(5897)
		if m[0] == modeRegisterMap {
			t.useCapabilities(6161)
		}
	case 4459, 4460, 4461, 4462, 4463: // of SPV_KHR_float_controls
		t.useCapabilities(m[0] + 5)
		if t.options.Version >= spirv.Version1_4 {
			t.needVersion(spirv.Version1_4)
		} else {
			t.useExtension("SPV_KHR_float_controls")
		}
	}
	t.executionMode(m[0], m[1:]...)
}

// moduleMetadata finds the facts that metadata give of the module.
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
	s.modes = make(map[ir.ValueID][][]uint32)
	whole := metadataReader{module: r.module} // partitions drop the modes of functions that they do not have
	for _, row := range whole.namedRows("spirv.ExecutionMode") {
		if len(row) < 2 || row[0].Kind != ir.OperandValue {
			continue
		}
		mode := []uint32{numberAt(row, 1)}
		for i := 2; i < len(row); i++ {
			mode = append(mode, numberAt(row, i))
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

// annotateID decorates with the text of an annotation, which SPIR-V has a place
// for from 1.4 on.
func (t *translator) annotateID(n id, text string) {
	if t.options.Version < spirv.Version1_4 {
		return
	}
	t.needVersion(spirv.Version1_4)
	t.b.addDecoration(spirv.OpDecorate, n, appendText([]uint32{decUserSemantic}, text))
}

// annotateGlobals decorates the values of llvm.global.annotations: structs of
// the annotated value, the text, and the place in the source.
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
			m.version = max(m.version, spirv.Version1_4)
			m.addNote(self, decoration{op: spirv.OpDecorate, words: appendText([]uint32{decUserSemantic}, text)})
		}
	}
}

// listedElements returns the elements that the image has of an array of structs.
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

// stringVariable returns the string that a variable holds, "" for others.
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

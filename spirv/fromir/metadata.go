package fromir

import (
	"math"
	"strings"

	"offlink/ir"
	"offlink/spirv"
)

// sourceInfo is the language that a module was compiled from.
type sourceInfo struct {
	number, version uint32
	opencl          bool
}

// rows returns the operands of the nodes of named metadata.
func (t *translator) rows(name string) (rows [][]ir.Operand) {
	list := t.module.Named(name)
	if list == nil {
		return nil
	}
	for _, o := range list.Operands {
		operands, err := t.module.Resolve(o)
		if err != nil {
			t.failf("%v", err)
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
func (t *translator) sourceLanguage() {
	s := &t.language
	for _, row := range t.rows("spirv.Source") {
		s.number, s.version = numberAt(row, 0), numberAt(row, 1)
		break
	}
	if rows := t.rows("opencl.ocl.version"); s.number == 0 && len(rows) > 0 {
		major, minor := numberAt(rows[0], 0), numberAt(rows[0], 1)
		s.number, s.version = 3, 100000*major+1000*minor
		if cxx := t.rows("opencl.cxx.version"); len(cxx) > 0 {
			s.number, s.version = 6, 100000*numberAt(cxx[0], 0)+1000*numberAt(cxx[0], 1)
		}
	}
	s.opencl = s.number == 3 || s.number == 4 || s.number == 6
	for _, name := range []string{"opencl.used.extensions", "spirv.SourceExtension"} {
		for _, row := range t.rows(name) {
			for _, o := range row {
				t.sourceExtension(o.String)
			}
		}
	}
	t.b.source = appendInstruction(t.b.source, spirv.OpSource, s.number, s.version)
}

func (t *translator) sourceExtension(name string) {
	if name == "" {
		return
	}
	if name == "cl_khr_fp16" {
		t.fp16 = true
	}
	t.b.source = appendInstruction(t.b.source, spirv.OpSourceExtension, appendText(nil, name)...)
}

// kernel writes the entry point of a kernel.
func (t *translator) kernel(n ir.ValueID, info *functionInfo, args []id) {
	t.entryPoints[info.self] = true
	t.kernels = append(t.kernels, kernelInfo{n, info})
	t.argumentMetadata(info, args)
}

type kernelInfo struct {
	value ir.ValueID
	info  *functionInfo
}

// attached returns the operands of a node that is attached to a function.
func (t *translator) attached(v *ir.GlobalValue, kind string) []ir.Operand {
	o, ok := v.Attached(kind)
	if !ok {
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
	for i, o := range t.attached(v, "kernel_arg_type_qual") {
		if i >= len(args) {
			break
		}
		if strings.Contains(o.String, "volatile") {
			t.b.decorate(args[i], decVolatile)
		}
		if strings.Contains(o.String, "restrict") {
			t.b.decorate(args[i], decFuncParamAttr, attrNoAlias)
		}
	}
	if t.options.KernelArgTypes {
		t.argumentStrings(v, "kernel_arg_type_qual")
	}
	for i, o := range t.attached(v, "kernel_arg_name") {
		if i < len(args) && o.String != "" {
			t.b.name(args[i], o.String)
		}
	}
	for i, o := range t.attached(v, "spirv.ParameterDecorations") {
		if i < len(args) {
			t.decorations(args[i], o)
		}
	}
	t.argumentNumbers(v, args, "kernel_arg_buffer_location", "SPV_INTEL_fpga_buffer_location", 5921, 5920)
}

// argumentNumbers decorates arguments with the numbers of a node.
func (t *translator) argumentNumbers(v *ir.GlobalValue, args []id, kind, extension string, decoration, capability uint32) {
	if !t.options.allowed(extension) {
		return
	}
	for i, o := range t.attached(v, kind) {
		if i < len(args) && o.Kind == ir.OperandInt && o.Int >= 0 {
			t.use(extension)
			t.capability(capability)
			t.b.decorate(args[i], decoration, uint32(o.Int))
		}
	}
}

// argumentStrings keeps the strings of a node in an OpString.
func (t *translator) argumentStrings(v *ir.GlobalValue, kind string) {
	list := t.attached(v, kind)
	if list == nil {
		return
	}
	text := kind + "." + v.Name + "."
	for _, o := range list {
		text += o.String + ","
	}
	t.b.text(text)
}

// decorations writes the decorations of a !spirv.Decorations node: tuples of
// a number and its operands.
func (t *translator) decorations(n id, list ir.Operand) {
	rows, err := t.module.Resolve(list)
	if err != nil {
		t.failf("%v", err)
	}
	for _, o := range rows {
		row, err := t.module.Resolve(o)
		if err != nil {
			t.failf("%v", err)
		}
		if len(row) > 0 && row[0].Kind == ir.OperandInt {
			t.decoration(n, uint32(row[0].Int), row[1:])
		}
	}
}

// decoration writes one decoration of metadata.
func (t *translator) decoration(n id, number uint32, operands []ir.Operand) {
	words := []uint32{n, number}
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
			if !t.options.allowed(d.extension) {
				return
			}
			t.use(d.extension)
		}
		t.capability(d.capability)
	}
	if number == decLinkageAttributes {
		t.capability(capLinkage)
	}
	t.b.addDecoration(spirv.OpDecorate, words)
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

// executionModes writes entry points and execution modes.
func (t *translator) executionModes() {
	metadata := make(map[ir.ValueID][][]uint32)
	for _, row := range t.rows("spirv.ExecutionMode") {
		if len(row) < 2 || row[0].Kind != ir.OperandValue {
			continue
		}
		mode := []uint32{numberAt(row, 1)}
		for i := 2; i < len(row); i++ {
			mode = append(mode, numberAt(row, i))
		}
		metadata[row[0].Value] = append(metadata[row[0].Value], mode)
	}
	for _, k := range t.kernels {
		words := appendText([]uint32{6, k.info.self}, k.info.value.Name)
		t.b.entryPoints = appendInstruction(t.b.entryPoints, spirv.OpEntryPoint, append(words, t.interfaces(k.value)...)...)
	}
	for _, k := range t.kernels {
		t.kernelModes(k, metadata[k.value])
	}
}

// interfaces returns the variables that an entry point uses: before SPIR-V 1.4
// only those of storage class Input.
func (t *translator) interfaces(kernel ir.ValueID) (list []id) {
	reached := map[ir.ValueID]bool{}
	work := []ir.ValueID{kernel}
	variables := map[ir.ValueID]bool{}
	input := map[id]bool{}
	for len(work) > 0 {
		n := work[len(work)-1]
		work = work[:len(work)-1]
		if reached[n] {
			continue
		}
		reached[n] = true
		for _, name := range t.inputs[n] {
			input[name] = true
		}
		for _, r := range t.module.Values[n].Refs {
			if r.Kind() != ir.RefCallee && r.Kind() != ir.RefAddress {
				continue
			}
			switch target := ir.ValueID(r.Index()); t.module.Values[target].Kind {
			case ir.Variable:
				variables[target] = true
				work = append(work, target)
			default:
				work = append(work, target)
			}
		}
	}
	for i := range t.module.Values {
		if g := t.globals[ir.ValueID(i)]; g != nil && variables[ir.ValueID(i)] && g.self != 0 && t.module.Values[i].Kind == ir.Variable {
			e := t.b.entries[g.self]
			if e == nil || e.op != spirv.OpVariable {
				continue
			}
			if isInput := e.words[2] == uint32(spirv.StorageInput); isInput || t.options.Version >= spirv.Version1_4 {
				if !isInput {
					t.needVersion(spirv.Version1_4)
				}
				list = append(list, g.self)
			}
		}
	}
	for _, n := range t.inputOrder {
		if input[n] {
			list = append(list, n)
		}
	}
	return list
}

// mode writes an execution mode.
func (t *translator) mode(self id, number uint32, operands ...uint32) {
	t.b.modes = appendInstruction(t.b.modes, spirv.OpExecutionMode, append([]uint32{self, number}, operands...)...)
}

func (t *translator) kernelModes(k kernelInfo, metadata [][]uint32) {
	self, v := k.info.self, k.info.value
	numbers := func(kind string) (list []uint32) {
		for _, o := range t.attached(v, kind) {
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
			t.mode(self, h.mode, three(list)...)
		}
	}
	if list := numbers("intel_reqd_sub_group_size"); len(list) > 0 && !done[modeSubgroupSize] {
		t.capability(capSubgroupDispatch)
		t.mode(self, modeSubgroupSize, list[0])
	}
	t.intelModes(self, v, numbers, three)
	for _, m := range metadata {
		t.metadataMode(self, m)
	}
	if t.options.Contract == ContractOff || t.options.Contract == ContractOn && t.uncontracted(k.value) {
		t.mode(self, modeContractionOff)
	}
}

func (t *translator) intelModes(self id, v *ir.GlobalValue, numbers func(string) []uint32, three func([]uint32) []uint32) {
	if list := numbers("max_work_group_size"); len(list) > 0 && t.options.allowed("SPV_INTEL_kernel_attributes") {
		t.use("SPV_INTEL_kernel_attributes")
		t.capability(5892)
		t.mode(self, modeMaxWorkgroup, three(list)...)
	}
	if _, ok := v.Attached("no_global_work_offset"); ok && t.options.allowed("SPV_INTEL_kernel_attributes") {
		t.use("SPV_INTEL_kernel_attributes")
		t.capability(5892)
		t.mode(self, modeNoGlobalOffset)
	}
	for _, m := range []struct {
		kind string
		mode uint32
	}{{"max_global_work_dim", modeMaxWorkDim}, {"num_simd_work_items", modeNumSIMD}, {"scheduler_target_fmax_mhz", modeSchedulerFmax}} {
		if list := numbers(m.kind); len(list) > 0 && t.options.allowed("SPV_INTEL_kernel_attributes") {
			t.use("SPV_INTEL_kernel_attributes")
			t.capability(5897)
			t.mode(self, m.mode, list[0])
		}
	}
	t.registers(self, v)
}

// registers writes the mode of !RegisterAllocMode.
func (t *translator) registers(self id, v *ir.GlobalValue) {
	if !t.options.allowed("SPV_INTEL_maximum_registers") {
		return
	}
	for _, o := range t.attached(v, "RegisterAllocMode") {
		switch {
		case o.Kind == ir.OperandString && o.String == "AutoINTEL":
			t.use("SPV_INTEL_maximum_registers")
			t.capability(6460)
			t.mode(self, modeNamedMaxRegs, 0)
		case o.Kind == ir.OperandInt:
			t.use("SPV_INTEL_maximum_registers")
			t.capability(6460)
			t.mode(self, modeMaxRegisters, uint32(o.Int))
		}
	}
}

// metadataMode writes a row of !spirv.ExecutionMode.
func (t *translator) metadataMode(self id, m []uint32) {
	switch m[0] {
	case modeSubgroupSize:
		t.capability(capSubgroupDispatch)
	case modeMaxWorkgroup, modeNoGlobalOffset:
		if !t.options.allowed("SPV_INTEL_kernel_attributes") {
			return
		}
		t.use("SPV_INTEL_kernel_attributes")
		t.capability(5892)
	case modeMaxWorkDim, modeNumSIMD, modeSchedulerFmax, modeStreaming, modeRegisterMap:
		if !t.options.allowed("SPV_INTEL_kernel_attributes") {
			return
		}
		t.use("SPV_INTEL_kernel_attributes")
		t.capability(5897)
		if m[0] == modeRegisterMap {
			t.capability(6161)
		}
	case 4459, 4460, 4461, 4462, 4463: // of SPV_KHR_float_controls
		t.capability(m[0] + 5)
		if t.options.Version >= spirv.Version1_4 {
			t.needVersion(spirv.Version1_4)
		} else {
			t.use("SPV_KHR_float_controls")
		}
	}
	t.mode(self, m[0], m[1:]...)
}

// moduleMetadata writes the facts that metadata give of the module.
func (t *translator) moduleMetadata() {
	for _, row := range t.rows("spirv.Extension") {
		if len(row) > 0 && row[0].String != "" {
			t.use(row[0].String)
		}
	}
	for _, row := range t.rows("spirv.Capability") {
		t.capability(numberAt(row, 0))
	}
	for _, row := range t.rows("spirv.MemoryModel") {
		if len(row) > 1 {
			t.b.model = [2]uint32{numberAt(row, 0), numberAt(row, 1)}
		}
	}
}

// annotate decorates with the text of an annotation, which SPIR-V has a place
// for from 1.4 on.
func (t *translator) annotate(n id, text string) {
	if t.options.Version < spirv.Version1_4 {
		return
	}
	t.needVersion(spirv.Version1_4)
	t.b.addDecoration(spirv.OpDecorate, appendText([]uint32{n, decUserSemantic}, text))
}

// annotations decorates the values of llvm.global.annotations: structs of
// the annotated value, the text, and the place in the source.
func (t *translator) annotations() {
	list, ok := t.module.Lookup("llvm.global.annotations")
	if !ok || t.module.Values[list].Declaration {
		return
	}
	init, err := t.module.Source.Initializer(list)
	if err != nil {
		t.failf("%v", err)
	}
	for _, e := range init.Elements {
		if len(e.Elements) < 2 || e.Elements[0].Kind != ir.ConstantValue || e.Elements[1].Kind != ir.ConstantValue {
			continue
		}
		target, text := e.Elements[0].Value, t.stringVariable(e.Elements[1].Value)
		self := id(0)
		if info := t.functions[target]; info != nil {
			self = info.self
		} else if g := t.globals[target]; g != nil {
			self = g.self
		}
		if self != 0 && text != "" {
			t.annotate(self, text)
		}
	}
}

// stringVariable returns the string that a variable holds, "" for others.
func (t *translator) stringVariable(n ir.ValueID) string {
	if v := &t.module.Values[n]; v.Kind != ir.Variable || v.Declaration {
		return ""
	}
	init, err := t.module.Source.Initializer(n)
	if err != nil || init.Kind != ir.ConstantBytes {
		return ""
	}
	return strings.TrimRight(string(init.Bytes), "\x00")
}

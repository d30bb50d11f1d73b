package spirv

import "strings"

// EntryPoint is one kernel (or shader) that a module offers to the host.
type EntryPoint struct {
	Name      string
	Model     ExecutionModel
	Function  ID
	Interface []ID // its declared interface: Input and Output variables, all globals from 1.4 on
}

// ExecutionModel is the number of an execution model.
type ExecutionModel uint32

// ExecutionModelKernel is the model of OpenCL and SYCL kernels.
const ExecutionModelKernel ExecutionModel = 6

// String returns the model's name, "Kernel".
func (e ExecutionModel) String() string { return enumName(kindExecutionModel, uint32(e)) }

// EntryPoints returns the entry points in the order of the module.
func (m *Module) EntryPoints() []EntryPoint {
	list := make([]EntryPoint, 0, len(m.sections[sectionEntryPoint]))
	for in := range m.known(sectionEntryPoint) {
		e := EntryPoint{Model: ExecutionModel(in.Words[0]), Function: ID(in.Words[1])}
		var ids []uint32
		e.Name, ids = getString(in.Words[2:])
		for _, id := range ids {
			e.Interface = append(e.Interface, ID(id))
		}
		list = append(list, e)
	}
	return list
}

// ExecutionMode is one mode of an entry point.
type ExecutionMode struct {
	Mode  uint32
	Words []uint32 // literals, or identifiers of constants for an Id mode
}

// The execution modes that offlink reads.
const (
	ExecutionModeLocalSize     = 17
	ExecutionModeLocalSizeHint = 18
	ExecutionModeVecTypeHint   = 30
	ExecutionModeSubgroupSize  = 35
	ExecutionModeLocalSizeId   = 38
)

// ExecutionModes returns the modes of the entry points of a function.
func (m *Module) ExecutionModes(function ID) []ExecutionMode {
	var list []ExecutionMode
	for in := range m.known(sectionExecutionMode) {
		if ID(in.Words[0]) == function {
			list = append(list, ExecutionMode{in.Words[1], in.Words[2:]})
		}
	}
	return list
}

// SpecConstant is a scalar specialization constant: Specialize can give it another value.
type SpecConstant struct {
	SpecID  uint32
	ID      ID
	Type    ID
	Default []uint32 // words of an OpSpecConstant; 0 or 1 for a boolean
}

// SpecConstants returns the scalar constants that have a SpecId.
func (m *Module) SpecConstants() []SpecConstant {
	var list []SpecConstant
	for _, in := range m.sections[sectionGlobal] {
		words, ok := m.Decoration(in.Result(), DecorationSpecId)
		if !ok {
			continue
		}
		c := SpecConstant{SpecID: words[0], ID: in.Result(), Type: in.Type()}
		switch in.Op {
		case OpSpecConstantTrue:
			c.Default = []uint32{1}
		case OpSpecConstantFalse:
			c.Default = []uint32{0}
		case OpSpecConstant:
			c.Default = in.Words[2:]
		default:
			continue
		}
		list = append(list, c)
	}
	return list
}

// The numbers of OpenCL C, and of its version 2.0, in OpSource.
const (
	sourceOpenCLC  = 3
	sourceVersion2 = 200000
)

// AllowsUneven reports whether launches of the module's kernels may have a local size that does
// not divide the global size. OpenCL C allows it from version 2.0 on; SYCL does not. The sources
// that the module names tell, all of them, as it may be linked of several.
func (m *Module) AllowsUneven() bool {
	allows := false
	for _, in := range m.sections[sectionDebug] {
		if in.Op != OpSource {
			continue
		}
		if allows = in.Words[0] == sourceOpenCLC && in.Words[1] >= sourceVersion2; !allows {
			return false
		}
	}
	return allows
}

// KernelArgTypes returns the types of a kernel's parameters as the source
// spells them, or nil if the module does not have them: llvm-spirv writes them
// into an OpString "kernel_arg_type.NAME.int*,float," with the option
// --preserve-ocl-kernel-arg-type-metadata-through-string.
func (m *Module) KernelArgTypes(kernel string) []string {
	return m.kernelArgStrings("kernel_arg_type." + kernel + ".")
}

// KernelArgQualifiers returns the qualifiers of a kernel's parameters, each a list with spaces
// ("const restrict"), from an OpString as that of KernelArgTypes; nil if the module does not have
// them.
func (m *Module) KernelArgQualifiers(kernel string) []string {
	return m.kernelArgStrings("kernel_arg_type_qual." + kernel + ".")
}

func (m *Module) kernelArgStrings(prefix string) []string {
	for _, in := range m.sections[sectionDebug] {
		if in.Op != OpString {
			continue
		}
		text, _ := getString(in.Words[1:])
		if list, ok := strings.CutPrefix(text, prefix); ok {
			return strings.Split(strings.TrimSuffix(list, ","), ",")
		}
	}
	return nil
}

package sycl

import (
	"strings"

	"offlink/ir"
)

// IsKernelConvention reports whether functions of that calling convention are
// kernels. Textual IR may give a convention by its number.
func IsKernelConvention(convention string) bool {
	switch convention {
	case "spir_kernel", "amdgpu_kernel", "ptx_kernel", "cc 76", "cc 91", "cc 71":
		return true
	}
	return false
}

// KernelConvention returns the calling convention of kernels on a target.
func KernelConvention(triple string) string {
	switch {
	case strings.HasPrefix(triple, "nvptx"):
		return "ptx_kernel"
	case strings.HasPrefix(triple, "amdgcn"):
		return "amdgpu_kernel"
	}
	return "spir_kernel"
}

// IsSPIR reports whether a target is SPIR or SPIR-V.
func IsSPIR(triple string) bool { return strings.HasPrefix(triple, "spir") }

// Kernels returns the functions with a body that are kernels by their calling
// convention or by !nvvm.annotations, in the order of the module.
func Kernels(m *ir.Module) ([]ir.ValueID, error) {
	nvvm, err := NVVMKernels(m)
	if err != nil {
		return nil, err
	}
	var kernels []ir.ValueID
	for i := range m.Values {
		v := &m.Values[i]
		if v.Kind == ir.Function && !v.Declaration && (IsKernelConvention(m.CallingConv(v)) || nvvm[ir.ValueID(i)]) {
			kernels = append(kernels, ir.ValueID(i))
		}
	}
	return kernels, nil
}

// NVVMKernels returns the functions that !nvvm.annotations calls kernels: older
// front ends for NVPTX do not use the calling convention ptx_kernel. An entry is
// {function, !"kernel", i32 1, further pairs}.
func NVVMKernels(m *ir.Module) (map[ir.ValueID]bool, error) {
	list := m.Named("nvvm.annotations")
	if list == nil {
		return nil, nil
	}
	kernels := make(map[ir.ValueID]bool)
	for _, o := range list.Operands {
		entry, err := m.Resolve(o)
		if err != nil {
			return nil, err
		}
		if len(entry) == 0 || entry[0].Kind != ir.OperandValue {
			continue
		}
		for i := 1; i+1 < len(entry); i += 2 {
			if entry[i].Kind == ir.OperandString && entry[i].String == "kernel" && entry[i+1].Int != 0 {
				kernels[entry[0].Value] = true
			}
		}
	}
	return kernels, nil
}

package sycl

import (
	"fmt"

	"offlink/ir"
)

// Kinds of metadata that front ends attach to functions.
const (
	KindUsedAspects         = "sycl_used_aspects"
	KindWorkGroupSize       = "reqd_work_group_size"
	KindWorkGroupDimensions = "work_group_num_dim"
	KindSubGroupSize        = "intel_reqd_sub_group_size"
	KindJointMatrix         = "sycl_joint_matrix"
	KindJointMatrixMad      = "sycl_joint_matrix_mad"
	KindFixedTargets        = "sycl_fixed_targets"
	KindMaxWorkGroupSize    = "max_work_group_size"
	KindMaxLinearSize       = "max_linear_work_group_size"
	KindExplicitSIMD        = "sycl_explicit_simd"
	KindDecorations         = "spirv.Decorations"

	// A boolean for each argument of a kernel, true where the argument was
	// optimised away; the second is older.
	KindOmittedArgs    = "sycl_kernel_omit_args"
	KindOldOmittedArgs = "spir_kernel_omit_args"
)

// Attached returns the operands of the metadata that is attached to v under
// the kind, and whether there is any.
func Attached(m *ir.Module, v *ir.GlobalValue, kind string) ([]ir.Operand, bool, error) {
	o, ok := v.Attached(kind)
	if !ok {
		return nil, false, nil
	}
	operands, err := m.Resolve(o)
	return operands, true, err
}

// FirstString returns the string that the metadata of that kind starts with,
// and whether there is any.
func FirstString(m *ir.Module, v *ir.GlobalValue, kind string) (string, bool, error) {
	operands, ok, err := Attached(m, v, kind)
	if err != nil || !ok {
		return "", false, err
	}
	if len(operands) == 0 || operands[0].Kind != ir.OperandString {
		return "", false, fmt.Errorf("@%s: !%s: want a string", v.Name, kind)
	}
	return operands[0].String, true, nil
}

// Integers returns the numbers in the metadata of that kind, or nil if there is none. An operand is
// a number, or, among aspects, a pair of name and number.
func Integers(m *ir.Module, v *ir.GlobalValue, kind string) ([]int64, error) {
	operands, ok, err := Attached(m, v, kind)
	if err != nil || !ok {
		return nil, err
	}
	numbers := make([]int64, 0, len(operands))
	for _, o := range operands {
		n, err := integerOf(m, o)
		if err != nil {
			return nil, fmt.Errorf("@%s: !%s: %w", v.Name, kind, err)
		}
		numbers = append(numbers, n)
	}
	return numbers, nil
}

// HasModuleFlag reports whether the module has that flag, an entry
// {i32 behaviour, !"name", value} of !llvm.module.flags.
func HasModuleFlag(m *ir.Module, name string) (bool, error) {
	flags := m.Named("llvm.module.flags")
	if flags == nil {
		return false, nil
	}
	for _, o := range flags.Operands {
		operands, err := m.Resolve(o)
		if err != nil {
			return false, err
		}
		if len(operands) == 3 && operands[1].Kind == ir.OperandString && operands[1].String == name {
			return true, nil
		}
	}
	return false, nil
}

// IsLateFrontEnd reports whether a front end of 2025.3 or later made the module: these set a module
// flag. The splitters that come with them differ from earlier ones. They write sub-group sizes
// among the program metadata, write the dimensions of work-groups among the requirements of a
// module that is not split, and leave device globals in llvm.compiler.used.
func IsLateFrontEnd(m *ir.Module) (bool, error) { return HasModuleFlag(m, "sycl-device") }

// integerOf reads a number, alone or in a pair with its name.
func integerOf(m *ir.Module, o ir.Operand) (int64, error) {
	if o.Kind == ir.OperandInt {
		return o.Int, nil
	}
	pair, err := m.Resolve(o)
	if err != nil {
		return 0, err
	}
	if len(pair) != 2 || pair[0].Kind != ir.OperandString || pair[1].Kind != ir.OperandInt {
		return 0, fmt.Errorf("an operand is neither a number nor a pair of name and number")
	}
	return pair[1].Int, nil
}

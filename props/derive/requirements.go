package derive

import (
	"fmt"
	"math"
	"slices"

	"offlink/ir"
	"offlink/ir/sycl"
	"offlink/props"
)

// deriveRequirements writes the features that a device must have to run the image. The
// set is always there, and its keys are in alphabetical order.
//
// Aspects and targets are unions over the functions of the image; matrices are
// the last function's that has them, work-group sizes and dimensions the
// first's, sub-group sizes the first entry point's: a function that is called
// may have another one (a callee of invoke_simd has 1). Splitting puts only
// entry points that agree into an image. Where nothing was split they may not
// agree, and then no work-group size is required, nor, of modules of older
// front ends, dimensions.
func (i *image) deriveRequirements() error {
	r, err := i.collectRequirements()
	if err != nil {
		return err
	}
	const set = props.SetDeviceRequirements
	i.putProperty(set, "aspects", props.Uint32s(r.aspects...))
	if r.targets != nil {
		i.putProperty(set, "fixed_target", props.Uint32s(r.targets...))
	}
	if r.jointMatrix != "" {
		i.putProperty(set, "joint_matrix", props.String(r.jointMatrix))
	}
	if r.jointMatrixMad != "" {
		i.putProperty(set, "joint_matrix_mad", props.String(r.jointMatrixMad))
	}
	if r.subGroupSize != nil {
		i.putProperty(set, "reqd_sub_group_size", props.Uint32(r.subGroupSize[0]))
	}
	if r.workGroupSize != nil && !i.Group.Whole {
		i.putProperty(set, "reqd_work_group_size_uint64_t", uint64Value(r.workGroupSize))
	}
	if r.dimensions != nil && (i.Graph.LateFrontEnd() || !i.Group.Whole) {
		i.putProperty(set, "work_group_num_dim", props.Uint32(r.dimensions[0]))
	}
	return nil
}

// requirements are the facts of an image before they become properties. nil and an
// empty list differ: aspects are written even if there are none.
type requirements struct {
	aspects, targets            []uint32 // sorted, each once
	jointMatrix, jointMatrixMad string
	// nil, or the metadata of the first function that has it
	subGroupSize, workGroupSize, dimensions []uint32
}

// collectRequirements walks the functions in the order of the module, as "the first
// that has it" is part of the result.
func (i *image) collectRequirements() (requirements, error) {
	var r requirements
	for _, v := range i.eachFunction {
		if err := i.addRequirements(&r, v); err != nil {
			return r, err
		}
	}
	if err := i.addSubGroupSize(&r); err != nil {
		return r, err
	}
	slices.Sort(r.aspects)
	slices.Sort(r.targets)
	r.aspects, r.targets = slices.Compact(r.aspects), slices.Compact(r.targets)
	return r, nil
}

// addRequirements adds one function's metadata. Most functions have none, which is
// known without reading them.
func (i *image) addRequirements(r *requirements, v *ir.GlobalValue) error {
	if len(v.Details().Attachments) == 0 {
		return nil
	}
	if err := i.addMatrix(&r.jointMatrix, v, sycl.KindJointMatrix); err != nil {
		return err
	}
	if err := i.addMatrix(&r.jointMatrixMad, v, sycl.KindJointMatrixMad); err != nil {
		return err
	}
	for _, list := range []struct {
		kind string
		to   *[]uint32
	}{{sycl.KindUsedAspects, &r.aspects}, {sycl.KindFixedTargets, &r.targets}} {
		numbers, err := unsignedOperands(i.Module, v, list.kind)
		if err != nil {
			return err
		}
		*list.to = append(*list.to, numbers...)
	}
	for _, first := range []struct {
		kind string
		to   *[]uint32
	}{{sycl.KindWorkGroupSize, &r.workGroupSize}, {sycl.KindWorkGroupDimensions, &r.dimensions}} {
		if *first.to != nil {
			continue
		}
		numbers, err := unsignedOperands(i.Module, v, first.kind)
		if err != nil {
			return err
		}
		*first.to = numbers
	}
	return nil
}

// addSubGroupSize takes the sub-group size of the first entry point that has
// one.
func (i *image) addSubGroupSize(r *requirements) error {
	for _, id := range i.Group.Entries {
		size, err := unsignedOperands(i.Module, i.valueOf(id), sycl.KindSubGroupSize)
		if size != nil || err != nil {
			r.subGroupSize = size
			return err
		}
	}
	return nil
}

// addMatrix takes the description of the matrices that a function uses.
func (i *image) addMatrix(to *string, v *ir.GlobalValue, kind string) error {
	text, ok, err := sycl.FirstString(i.Module, v, kind)
	if ok && text != "" {
		*to = text
	}
	return err
}

// unsignedOperands returns the numbers of metadata, nil for none and where it is
// empty. Negative numbers are internal to the compiler and are left out.
func unsignedOperands(m *ir.Module, v *ir.GlobalValue, kind string) ([]uint32, error) {
	numbers, err := sycl.Integers(m, v, kind)
	if err != nil {
		return nil, err
	}
	var out []uint32
	for _, n := range numbers {
		if n > math.MaxUint32 {
			return nil, fmt.Errorf("@%s: !%s: %d has more than 32 bits", v.Name, kind, n)
		}
		if n >= 0 {
			out = append(out, uint32(n))
		}
	}
	return out, nil
}

// uint64Value widens sizes to the 64 bits that this one property has.
func uint64Value(numbers []uint32) props.Value {
	wide := make([]uint64, len(numbers))
	for i, n := range numbers {
		wide[i] = uint64(n)
	}
	return props.Uint64s(wide...)
}

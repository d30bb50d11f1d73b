package derive

import (
	"offlink/ir"
	"offlink/ir/sycl"
	"offlink/props"
)

// programMetadata gives the sizes that functions ask for, an entry for each
// function and kind, and the names of the variables of device globals. Unlike
// the requirements it names the function. Of variables with one id the first
// counts.
func (i *image) programMetadata() error {
	for _, v := range i.eachFunction {
		if len(v.Details().Attachments) == 0 {
			continue
		}
		if err := i.functionMetadata(v, i.Graph.LateFrontEnd()); err != nil {
			return err
		}
	}
	for id, v := range i.eachVariable {
		name := i.uniqueID(id) + "@global_id_mapping"
		if _, taken := i.sets.Get(props.SetProgramMetadata).Get(name); i.Graph.IsDeviceGlobal(id) && !taken {
			i.putProperty(props.SetProgramMetadata, name, props.String(v.Name))
		}
	}
	return nil
}

// functionMetadata lists the metadata of one function. Sub-group
// sizes are listed for late front ends only.
func (i *image) functionMetadata(v *ir.GlobalValue, late bool) error {
	for _, entry := range []struct {
		kind, key string
		single    bool
	}{
		{sycl.KindWorkGroupSize, "@reqd_work_group_size", false},
		{sycl.KindSubGroupSize, "@reqd_sub_group_size", true},
		{sycl.KindWorkGroupDimensions, "@work_group_num_dim", true},
		{sycl.KindMaxWorkGroupSize, "@max_work_group_size", false},
		{sycl.KindMaxLinearSize, "@max_linear_work_group_size", true},
	} {
		if entry.kind == sycl.KindSubGroupSize && !late {
			continue
		}
		numbers, err := sycl.Integers(i.Module, v, entry.kind)
		if err != nil {
			return err
		}
		switch {
		case len(numbers) == 0:
		case entry.single: // cut to 32 bits, as the format has no more
			i.putProperty(props.SetProgramMetadata, v.Name+entry.key, props.Uint32(uint32(numbers[0])))
		default:
			i.putProperty(props.SetProgramMetadata, v.Name+entry.key, cutUint32s(numbers))
		}
	}
	return nil
}

// cutUint32s cuts numbers to the 32 bits of the format, as the reference does.
func cutUint32s(numbers []int64) props.Value {
	cut := make([]uint32, len(numbers))
	for i, n := range numbers {
		cut[i] = uint32(n)
	}
	return props.Uint32s(cut...)
}

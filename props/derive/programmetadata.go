package derive

import (
	"offlink/ir"
	"offlink/props"
	"offlink/split"
)

// programMetadata gives the sizes that functions ask for, one entry a
// function and kind, and the variables' names of device globals. Unlike the
// requirements it says which function asks.
func (i *image) programMetadata() error {
	if !i.options.ProgramMetadata {
		return nil
	}
	late, err := i.isLateFrontEnd()
	if err != nil {
		return err
	}
	for _, v := range i.functions {
		if len(v.Attachments) == 0 {
			continue
		}
		if err := i.functionMetadata(v, late); err != nil {
			return err
		}
	}
	for id, v := range i.variables {
		if i.Graph.IsDeviceGlobal(id) {
			i.put(props.SetProgramMetadata, i.uniqueID(id)+"@global_id_mapping", props.String(v.Name))
		}
	}
	return nil
}

// functionMetadata lists what the metadata of one function says. Sub-group
// sizes are listed for late front ends only.
func (i *image) functionMetadata(v *ir.GlobalValue, late bool) error {
	for _, entry := range []struct {
		kind, key string
		single    bool
	}{
		{split.KindWorkGroupSize, "@reqd_work_group_size", false},
		{split.KindSubGroupSize, "@reqd_sub_group_size", true},
		{split.KindWorkGroupDimensions, "@work_group_num_dim", true},
		{"max_work_group_size", "@max_work_group_size", false},
		{"max_linear_work_group_size", "@max_linear_work_group_size", true},
	} {
		if entry.kind == split.KindSubGroupSize && !late {
			continue
		}
		numbers, err := split.Integers(i.Module, v, entry.kind)
		if err != nil {
			return err
		}
		switch {
		case len(numbers) == 0:
		case entry.single: // cut to 32 bits, as the format has no more
			i.put(props.SetProgramMetadata, v.Name+entry.key, props.Uint32(uint32(numbers[0])))
		default:
			i.put(props.SetProgramMetadata, v.Name+entry.key, cutUint32s(numbers))
		}
	}
	return nil
}

func cutUint32s(numbers []int64) props.Value {
	cut := make([]uint32, len(numbers))
	for i, n := range numbers {
		cut[i] = uint32(n)
	}
	return props.Uint32s(cut...)
}

// isLateFrontEnd reports whether a front end of 2025.3 or later made the
// module: these set a module flag. The splitters that come with them write
// sub-group sizes among the program metadata, and the dimensions of work-groups
// among the requirements of a module that is not split; earlier ones do not.
func (i *image) isLateFrontEnd() (bool, error) { return hasModuleFlag(i.Module, "sycl-device") }

// hasModuleFlag reports whether the module has that flag, an entry
// {i32 behaviour, !"name", value} of !llvm.module.flags.
func hasModuleFlag(m *ir.Module, name string) (bool, error) {
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

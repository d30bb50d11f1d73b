package derive

import (
	"offlink/ir"
	"offlink/props"
	"offlink/split"
)

// syclDeviceFlag is a module flag of front ends from 2025.3 on. The
// splitters that come with these write sub-group sizes among the program
// metadata, earlier ones do not.
const syclDeviceFlag = "sycl-device"

// programMetadata gives the sizes that functions ask for, one entry a
// function and kind, and the variables' names of device globals. Unlike the
// requirements it says which function asks.
func (i *image) programMetadata() error {
	if !i.options.ProgramMetadata {
		return nil
	}
	subGroups, err := hasModuleFlag(i.Module, syclDeviceFlag)
	if err != nil {
		return err
	}
	i.functions(func(_ ir.ValueID, v *ir.GlobalValue) bool {
		if len(v.Attachments) > 0 {
			err = i.functionMetadata(v, subGroups)
		}
		return err == nil
	})
	if err != nil {
		return err
	}
	i.variables(func(id ir.ValueID, v *ir.GlobalValue) bool {
		if i.Graph.IsDeviceGlobal(id) {
			i.put(props.SetProgramMetadata, i.uniqueID(id)+"@global_id_mapping", props.String(v.Name))
		}
		return true
	})
	return nil
}

func (i *image) functionMetadata(v *ir.GlobalValue, subGroups bool) error {
	for _, entry := range []struct {
		kind, key string
		single    bool
		left      bool
	}{
		{split.KindWorkGroupSize, "@reqd_work_group_size", false, false},
		{split.KindSubGroupSize, "@reqd_sub_group_size", true, !subGroups},
		{split.KindWorkGroupDimensions, "@work_group_num_dim", true, false},
		{"max_work_group_size", "@max_work_group_size", false, false},
		{"max_linear_work_group_size", "@max_linear_work_group_size", true, false},
	} {
		if entry.left {
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

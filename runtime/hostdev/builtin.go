package hostdev

import "offlink/spirv"

// builtins are the values of the built-in variables. A sub-group has one
// work-item.
var builtins = map[spirv.BuiltIn]func(it *item) [3]uint64{
	spirv.BuiltInNumWorkgroups:             func(it *item) [3]uint64 { return triple(it.group.launch.r.groups) },
	spirv.BuiltInWorkgroupSize:             func(it *item) [3]uint64 { return triple(it.group.launch.r.local) },
	spirv.BuiltInEnqueuedWorkgroupSize:     func(it *item) [3]uint64 { return triple(it.group.launch.r.local) },
	spirv.BuiltInWorkgroupId:               func(it *item) [3]uint64 { return triple(it.group.id) },
	spirv.BuiltInLocalInvocationId:         func(it *item) [3]uint64 { return triple(it.local) },
	spirv.BuiltInGlobalInvocationId:        func(it *item) [3]uint64 { return triple(it.globalID()) },
	spirv.BuiltInGlobalSize:                func(it *item) [3]uint64 { return triple(it.group.launch.r.global) },
	spirv.BuiltInGlobalOffset:              func(it *item) [3]uint64 { return triple(it.group.launch.r.offset) },
	spirv.BuiltInWorkDim:                   func(it *item) [3]uint64 { return single(it.group.launch.r.dims) },
	spirv.BuiltInLocalInvocationIndex:      func(it *item) [3]uint64 { return single(it.localIndex()) },
	spirv.BuiltInGlobalLinearId:            globalLinearID,
	spirv.BuiltInSubgroupSize:              func(it *item) [3]uint64 { return single(1) },
	spirv.BuiltInSubgroupMaxSize:           func(it *item) [3]uint64 { return single(1) },
	spirv.BuiltInNumSubgroups:              func(it *item) [3]uint64 { return single(groupSize(it.group.launch.r.local)) },
	spirv.BuiltInNumEnqueuedSubgroups:      func(it *item) [3]uint64 { return single(groupSize(it.group.launch.r.local)) },
	spirv.BuiltInSubgroupId:                func(it *item) [3]uint64 { return single(it.localIndex()) },
	spirv.BuiltInSubgroupLocalInvocationId: func(it *item) [3]uint64 { return single(0) },
}

func triple(v [3]int) [3]uint64 { return [3]uint64{uint64(v[0]), uint64(v[1]), uint64(v[2])} }

func single(v int) [3]uint64 { return [3]uint64{uint64(v)} }

// localIndex numbers the work-items of a group.
func (it *item) localIndex() int {
	size := it.group.launch.r.local
	return (it.local[2]*size[1]+it.local[1])*size[0] + it.local[0]
}

func globalLinearID(it *item) [3]uint64 {
	r := &it.group.launch.r
	id := it.globalID()
	for i := range id {
		id[i] -= r.offset[i]
	}
	return single((id[2]*r.global[1]+id[1])*r.global[0] + id[0])
}

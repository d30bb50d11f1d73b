package hostdev

import (
	"offlink/lazy"
	"offlink/spirv"
)

// builtins are the values of the built-in variables.
var builtins = lazy.Map[spirv.BuiltIn, func(it *item) [4]uint64]{New: func() map[spirv.BuiltIn]func(it *item) [4]uint64 {
	return map[spirv.BuiltIn]func(it *item) [4]uint64{
		spirv.BuiltInNumWorkgroups:             func(it *item) [4]uint64 { return triple(it.group.launch.r.allGroups) },
		spirv.BuiltInWorkgroupSize:             func(it *item) [4]uint64 { return triple(it.group.launch.r.local) },
		spirv.BuiltInEnqueuedWorkgroupSize:     func(it *item) [4]uint64 { return triple(it.group.launch.r.enqueued) },
		spirv.BuiltInWorkgroupId:               func(it *item) [4]uint64 { return triple(it.group.id) },
		spirv.BuiltInLocalInvocationId:         func(it *item) [4]uint64 { return triple(it.local) },
		spirv.BuiltInGlobalInvocationId:        func(it *item) [4]uint64 { return triple(it.globalID()) },
		spirv.BuiltInGlobalSize:                func(it *item) [4]uint64 { return triple(it.group.launch.r.global) },
		spirv.BuiltInGlobalOffset:              func(it *item) [4]uint64 { return triple(it.group.launch.r.offset) },
		spirv.BuiltInWorkDim:                   func(it *item) [4]uint64 { return single(it.group.launch.r.dims) },
		spirv.BuiltInLocalInvocationIndex:      func(it *item) [4]uint64 { return single(it.localIndex()) },
		spirv.BuiltInGlobalLinearId:            globalLinearID,
		spirv.BuiltInSubgroupSize:              func(it *item) [4]uint64 { return single(it.subgroupSize()) },
		spirv.BuiltInSubgroupMaxSize:           func(it *item) [4]uint64 { return single(it.group.launch.k.subgroup) },
		spirv.BuiltInNumSubgroups:              func(it *item) [4]uint64 { return it.countSubgroups(it.group.launch.r.local) },
		spirv.BuiltInNumEnqueuedSubgroups:      func(it *item) [4]uint64 { return it.countSubgroups(it.group.launch.r.enqueued) },
		spirv.BuiltInSubgroupId:                func(it *item) [4]uint64 { n, _ := it.subgroupOf(); return single(n) },
		spirv.BuiltInSubgroupLocalInvocationId: func(it *item) [4]uint64 { _, n := it.subgroupOf(); return single(n) },

		spirv.BuiltInSubgroupEqMask: func(it *item) [4]uint64 { return laneMask(it, 0, 1) },
		spirv.BuiltInSubgroupGeMask: func(it *item) [4]uint64 { return laneMask(it, 0, maxSubgroup) },
		spirv.BuiltInSubgroupGtMask: func(it *item) [4]uint64 { return laneMask(it, 1, maxSubgroup) },
		spirv.BuiltInSubgroupLeMask: func(it *item) [4]uint64 { return laneMask(it, -maxSubgroup, 1) },
		spirv.BuiltInSubgroupLtMask: func(it *item) [4]uint64 { return laneMask(it, -maxSubgroup, 0) },
	}
}}

// laneMask has the bits of the lanes from one to before another, counted from the item's own.
func laneMask(it *item, from, to int) (words [4]uint64) {
	_, own := it.subgroupOf()
	for lane := max(own+from, 0); lane < min(own+to, it.group.launch.k.subgroup); lane++ {
		words[lane/32] |= 1 << (lane % 32)
	}
	return words
}

// ofSubgroup are the built-in variables whose values depend on the size of
// sub-groups.
var ofSubgroup = lazy.Map[spirv.BuiltIn, bool]{New: func() map[spirv.BuiltIn]bool {
	return map[spirv.BuiltIn]bool{
		spirv.BuiltInSubgroupSize: true, spirv.BuiltInSubgroupMaxSize: true, spirv.BuiltInNumSubgroups: true,
		spirv.BuiltInNumEnqueuedSubgroups: true, spirv.BuiltInSubgroupId: true, spirv.BuiltInSubgroupLocalInvocationId: true,
		spirv.BuiltInSubgroupEqMask: true, spirv.BuiltInSubgroupGeMask: true, spirv.BuiltInSubgroupGtMask: true,
		spirv.BuiltInSubgroupLeMask: true, spirv.BuiltInSubgroupLtMask: true,
	}
}}

// countSubgroups is the number of sub-groups of a work-group of that size.
func (it *item) countSubgroups(size [3]int) [4]uint64 {
	n := it.group.launch.k.subgroup
	return single((groupSize(size) + n - 1) / n)
}

func triple(v [3]int) [4]uint64 { return [4]uint64{uint64(v[0]), uint64(v[1]), uint64(v[2])} }

func single(v int) [4]uint64 { return [4]uint64{uint64(v)} }

// localIndex is get_local_linear_id: the first dimension varies fastest.
func (it *item) localIndex() int {
	size := it.group.launch.r.local
	return (it.local[2]*size[1]+it.local[1])*size[0] + it.local[0]
}

func globalLinearID(it *item) [4]uint64 {
	r := &it.group.launch.r
	id := it.globalID()
	for i := range id {
		id[i] -= r.offset[i]
	}
	return single((id[2]*r.global[1]+id[1])*r.global[0] + id[0])
}

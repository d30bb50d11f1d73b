package hostdev

import (
	"encoding/binary"

	"offlink/lazy"
	"offlink/spirv"
)

// input is the memory of a built-in variable of a work-item, or of one that the work-items
// of a group share.
type input struct {
	index  int
	value  func(it *item) [4]uint64
	leaves []leaf
	data   []byte
	longs  int // how many components it has, if each has 64 bits; else 0
}

func newInput(v *variable) input {
	in := input{index: v.index, value: builtins.Get()[v.builtin], leaves: v.t.leaves(), data: make([]byte, v.t.size)}
	in.leaves = in.leaves[:min(len(in.leaves), 4)]
	in.longs = len(in.leaves)
	for i, l := range in.leaves {
		if l.size != 8 || l.offset != int64(8*i) {
			in.longs = 0
		}
	}
	return in
}

// setValue writes as many components of the value as the variable has.
func (in *input) setValue(it *item) {
	value := in.value(it)
	if in.longs > 0 {
		for i := range in.longs {
			binary.LittleEndian.PutUint64(in.data[8*i:], value[i])
		}
		return
	}
	for i, l := range in.leaves {
		storeWord(in.data[l.offset:], l.size, value[i])
	}
}

// ofGroup are the built-in variables that are the same for all work-items of a group.
var ofGroup = lazy.Map[spirv.BuiltIn, bool]{New: func() map[spirv.BuiltIn]bool {
	return map[spirv.BuiltIn]bool{
		spirv.BuiltInNumWorkgroups: true, spirv.BuiltInWorkgroupSize: true, spirv.BuiltInEnqueuedWorkgroupSize: true, spirv.BuiltInWorkgroupId: true,
		spirv.BuiltInGlobalSize: true, spirv.BuiltInGlobalOffset: true, spirv.BuiltInWorkDim: true, spirv.BuiltInSubgroupMaxSize: true,
		spirv.BuiltInNumSubgroups: true, spirv.BuiltInNumEnqueuedSubgroups: true,
	}
}}

// makeShared makes the built-in variables that the work-items of a group share.
func (g *group) makeShared() {
	for _, v := range g.launch.k.inputs {
		if ofGroup.Get()[v.builtin] {
			g.shared = append(g.shared, newInput(v))
		}
	}
}

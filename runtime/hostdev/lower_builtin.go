package hostdev

import (
	"offlink/runtime/hostdev/internal/lanes"
	"offlink/spirv"
)

// Built-in variables. The ids of a dimension are numbers of 31 bits, which a launch checks
// (fitsNative), so that they are computed in 32 bits.

// loadBuiltin loads a built-in variable or a component of one.
func (l *lowering) loadBuiltin(p *place, t *typ) lowered {
	v := p.builtin
	size := v.t.scalar().size
	if len(p.indexes) > 0 || p.offset%size != 0 || !t.is(kindInt) || t.scalar().size != size {
		l.unsupported("a part of a built-in variable")
	}
	first := int(p.offset / size)
	result := lowered{t: t}
	for i, w := range wordsOf(t) {
		result.words = append(result.words, l.resized(l.builtin(v.builtin, first+i), w))
	}
	return result
}

// builtin is a component of a built-in variable, as an I64. Variables may have more
// components than there are dimensions, which are 0.
func (l *lowering) builtin(b spirv.BuiltIn, i int) *lanes.Value {
	if i > 2 {
		return l.f.Const(lanes.I64, 0)
	}
	switch b {
	case spirv.BuiltInGlobalInvocationId:
		return l.widened(l.globalID(i, true))
	case spirv.BuiltInLocalInvocationId:
		return l.widened(l.b.ID(lanes.OpLocalID, i))
	case spirv.BuiltInWorkgroupId:
		return l.widened(l.b.Add(lanes.OpAdd, lanes.I32, l.b.ID(lanes.OpGroupID, i), l.field(lanes.RecordFirst, i)))
	case spirv.BuiltInWorkgroupSize:
		return l.widened(l.field(lanes.RecordLocal, i))
	case spirv.BuiltInEnqueuedWorkgroupSize:
		return l.widened(l.field(lanes.RecordEnqueued, i))
	case spirv.BuiltInNumWorkgroups:
		return l.widened(l.field(lanes.RecordAllGroups, i))
	case spirv.BuiltInGlobalSize:
		return l.f.Arg(lanes.I64, lanes.RecordGlobal+8*uint32(i))
	case spirv.BuiltInGlobalOffset:
		return l.f.Arg(lanes.I64, lanes.RecordOffset+8*uint32(i))
	}
	if i > 0 {
		return l.f.Const(lanes.I64, 0)
	}
	switch b {
	case spirv.BuiltInWorkDim:
		return l.f.Arg(lanes.I64, lanes.RecordDims)
	case spirv.BuiltInLocalInvocationIndex:
		return l.widened(l.localLinear())
	case spirv.BuiltInSubgroupSize, spirv.BuiltInSubgroupMaxSize:
		return l.f.Const(lanes.I64, uint64(l.k.subgroup))
	case spirv.BuiltInNumSubgroups:
		return l.subgroupsOf(lanes.RecordLocal)
	case spirv.BuiltInNumEnqueuedSubgroups:
		return l.subgroupsOf(lanes.RecordEnqueued)
	case spirv.BuiltInSubgroupId:
		// A sub-group is a step, whose first lane tells the number for all.
		first := l.localLinear()
		if l.k.subgroup > 1 {
			first = l.b.FromLane(first, 0)
		}
		return l.widened(l.b.Add(lanes.OpUDiv, lanes.I32, first, l.i32(int64(l.k.subgroup))))
	case spirv.BuiltInSubgroupLocalInvocationId:
		return l.widened(l.lane())
	case spirv.BuiltInSubgroupEqMask, spirv.BuiltInSubgroupGeMask, spirv.BuiltInSubgroupGtMask, spirv.BuiltInSubgroupLeMask, spirv.BuiltInSubgroupLtMask:
		return l.widened(l.laneMask(b))
	case spirv.BuiltInGlobalLinearId:
		return l.globalLinear()
	}
	l.unsupported("the built-in variable %v", b)
	return nil
}

func (l *lowering) widened(v *lanes.Value) *lanes.Value {
	l.ids[v] = true
	return l.b.Add(lanes.OpZExt, lanes.I64, v)
}

// field is a number of the record for each dimension.
func (l *lowering) field(base uint32, i int) *lanes.Value {
	return l.f.Arg(lanes.I32, base+4*uint32(i))
}

// globalID adds the parts that are the same for the group first, so that their sum is
// computed once for all its work-items.
func (l *lowering) globalID(i int, offset bool) *lanes.Value {
	b := l.b
	start := b.Add(lanes.OpMul, lanes.I32, b.ID(lanes.OpGroupID, i), l.field(lanes.RecordLocal, i))
	start = b.Add(lanes.OpAdd, lanes.I32, start, l.field(lanes.RecordStart, i))
	if offset {
		start = b.Add(lanes.OpAdd, lanes.I32, start, l.f.Arg(lanes.I32, lanes.RecordOffset+8*uint32(i)))
	}
	return b.Add(lanes.OpAdd, lanes.I32, start, b.ID(lanes.OpLocalID, i))
}

// subgroupsOf is the number of sub-groups of a work-group whose size is in the record.
func (l *lowering) subgroupsOf(size uint32) *lanes.Value {
	n := l.b.Add(lanes.OpAdd, lanes.I32, l.itemsOf(size), l.i32(int64(l.k.subgroup-1)))
	return l.widened(l.b.Add(lanes.OpUDiv, lanes.I32, n, l.i32(int64(l.k.subgroup))))
}

// globalLinear is computed in 64 bits, as a launch may have more than 2^32
// work-items. Only the last term varies between the work-items of a row.
func (l *lowering) globalLinear() *lanes.Value {
	b := l.b
	id := func(d int) *lanes.Value { return l.widened(l.globalID(d, false)) }
	size := func(d int) *lanes.Value { return l.f.Arg(lanes.I64, lanes.RecordGlobal+8*uint32(d)) }
	row := b.Add(lanes.OpAdd, lanes.I64, b.Add(lanes.OpMul, lanes.I64, id(2), size(1)), id(1))
	return b.Add(lanes.OpAdd, lanes.I64, b.Add(lanes.OpMul, lanes.I64, row, size(0)), id(0))
}

// linear is the number of an id where dimension 0 runs fastest.
func (l *lowering) linear(id, size func(int) *lanes.Value) *lanes.Value {
	b := l.b
	row := b.Add(lanes.OpAdd, lanes.I32, b.Add(lanes.OpMul, lanes.I32, id(2), size(1)), id(1))
	return b.Add(lanes.OpAdd, lanes.I32, b.Add(lanes.OpMul, lanes.I32, row, size(0)), id(0))
}

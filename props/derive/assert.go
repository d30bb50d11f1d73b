package derive

import (
	"slices"

	"offlink/ir"
	"offlink/ir/sycl"
	"offlink/props"
)

// assertFail is the function that a failing device-side assertion calls.
const assertFail = "__devicelib_assert_fail"

// assertUsed lists the kernels that reach a device-side assertion through calls, the nearest first.
// If a function on the way may be called indirectly, every kernel may reach it.
func (i *image) assertUsed() error {
	target, ok := i.Module.Lookup(assertFail)
	if !ok || !i.Has(target) {
		return nil
	}
	callers := i.callersOf()
	seen := map[ir.ValueID]bool{target: true}
	var found []ir.ValueID
	for queue := []ir.ValueID{target}; len(queue) > 0; queue = queue[1:] {
		for _, caller := range i.discoveryOrder(queue[0], callers[queue[0]]) {
			if seen[caller] {
				continue
			}
			seen[caller] = true
			if _, indirect := i.Module.Attribute(caller, sycl.AttributeReferencedIndirectly); indirect {
				return i.assertEverywhere()
			}
			if i.Graph.IsKernel(caller) {
				found = append(found, caller)
			}
			queue = append(queue, caller)
		}
	}
	for _, id := range found {
		i.putProperty(props.SetAssertUsed, i.valueOf(id).Name, present)
	}
	return nil
}

// assertEverywhere lists every kernel.
func (i *image) assertEverywhere() error {
	for v := range i.eachKernel {
		i.putProperty(props.SetAssertUsed, v.Name, present)
	}
	return nil
}

// discoveryOrder orders the callers of a function as the reference discovers them, in the order of
// LLVM's use lists: the last in the text first. In a module that was not split, the callers before
// the function's own text come after the others and in the order of the text, as the parser patched
// their forward references. The order of the properties depends on it.
func (i *image) discoveryOrder(function ir.ValueID, callers []ir.ValueID) []ir.ValueID {
	before := 0
	if i.Group.Whole {
		before, _ = slices.BinarySearch(callers, function)
	}
	last := slices.Clone(callers[before:])
	slices.Reverse(last)
	return append(last, callers[:before]...)
}

// callersOf returns for each function of the image those that call it, in
// module order.
func (i *image) callersOf() map[ir.ValueID][]ir.ValueID {
	callers := make(map[ir.ValueID][]ir.ValueID)
	for _, id := range i.Definitions {
		for _, ref := range i.Module.Refs(i.valueOf(id)) {
			if ref.Kind() == ir.RefCallee {
				to := ir.ValueID(ref.Index())
				callers[to] = append(callers[to], id)
			}
		}
	}
	return callers
}

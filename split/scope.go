package split

import (
	"fmt"

	"offlink/ir"
)

// PlaceImageScope refuses device_global variables with the property
// device_image_scope that the entry points of more than one group use, directly
// or through functions and data. Each image would have a copy of its own, and
// the host would write to one of them. The text is the reference's.
//
// Linkage that is visible from outside would bring a variable into the other
// images too. That stays so in modules of SYCL's front ends, as the reference has
// it; those of device.h leave the variable to the group that uses it.
func (g *Graph) PlaceImageScope(groups []Group) error {
	scoped := g.scopedVariables()
	if len(groups) < 2 || len(scoped) == 0 {
		return nil
	}
	users := g.groupsThatReach(groups)
	for _, id := range scoped {
		if users[id] == manyGroups {
			//lint:ignore ST1005 scripts look for the reference's text
			return fmt.Errorf("device_global variable '%s' with property \"device_image_scope\" is used in more than one device image.", g.Module.Values[id].Name)
		}
	}
	if !g.options.Annotated {
		return nil
	}
	for i, number := range groupNumbers(groups) {
		for _, id := range scoped {
			if users[id] != noGroup && users[id] != number {
				groups[i].elsewhere = append(groups[i].elsewhere, id)
			}
		}
	}
	return nil
}

func (g *Graph) scopedVariables() []ir.ValueID {
	var scoped []ir.ValueID
	for i := range g.Module.Values {
		if id := ir.ValueID(i); g.IsDeviceGlobal(id) && g.HasImageScope(id) {
			scoped = append(scoped, id)
		}
	}
	return scoped
}

// Results of groupsThatReach for a value: no group, the group of that number
// counted from 1, or more than one.
const (
	noGroup    = 0
	manyGroups = -1
)

// groupsThatReach returns for each value the group whose entry points refer to
// it, directly or not. A value changes twice at most, so the time is that of
// two walks through the module, however many groups there are.
func (g *Graph) groupsThatReach(groups []Group) []int32 {
	reach := make([]int32, len(g.Module.Values))
	var work []ir.ValueID
	join := func(id ir.ValueID, with int32) {
		switch {
		case reach[id] == with || reach[id] == manyGroups:
			return
		case reach[id] == noGroup:
			reach[id] = with
		default:
			reach[id] = manyGroups
		}
		work = append(work, id)
	}
	for i, number := range groupNumbers(groups) {
		for _, id := range groups[i].Entries {
			join(id, number)
		}
	}
	for len(work) > 0 {
		id := work[len(work)-1]
		work = work[:len(work)-1]
		for _, ref := range g.referencesOf(id) {
			if k := ref.Kind(); k == ir.RefCallee || k == ir.RefAddress {
				join(ir.ValueID(ref.Index()), reach[id])
			}
		}
	}
	return reach
}

// groupNumbers counts the groups from 1; both parts of a group have its number.
func groupNumbers(groups []Group) []int32 {
	numbers := make([]int32, len(groups))
	last := int32(0)
	for i, group := range groups {
		if i == 0 || group.Key != groups[i-1].Key {
			last++
		}
		numbers[i] = last
	}
	return numbers
}

package split

import (
	"fmt"
	"strings"

	"offlink/ir/sycl"
)

// Features describes the optional features that the entry points of a group
// share, in words; nil where the mode does not group by features.
func (g *Graph) Features(group *Group) ([]string, error) {
	if g.options.Mode == None || g.options.Mode == Kernel || len(group.Entries) == 0 {
		return nil, nil
	}
	v := &g.Module.Values[group.Entries[0]]
	var features []string
	for _, a := range []struct {
		key  attributeKey
		name string
	}{{keyIndirectlyCallable, "virtual functions of"}, {keyRegisterAllocMode, "register mode"}, {keyGRFSize, "GRF size"}, {keyOptLevel, "optimisation level"}} {
		if value, ok := g.attributes.lookupAttribute(v, a.key); ok {
			features = append(features, a.name+" "+value)
		}
	}
	for _, m := range []struct{ kind, name string }{
		{sycl.KindUsedAspects, "aspects"},
		{sycl.KindWorkGroupSize, "work-group size"},
		{sycl.KindWorkGroupDimensions, "work-group dimensions"},
		{sycl.KindSubGroupSize, "sub-group size"},
	} {
		numbers, err := sycl.Integers(g.Module, v, m.kind)
		if err != nil {
			return nil, err
		}
		if len(numbers) > 0 {
			features = append(features, m.name+" "+strings.Trim(fmt.Sprint(numbers), "[]"))
		}
	}
	return features, nil
}

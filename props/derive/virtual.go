package derive

import (
	"slices"
	"strings"

	"offlink/ir"
	"offlink/ir/sycl"
	"offlink/props"
)

// virtualFunctions names the set of virtual functions that the image defines, or
// the sets that its functions call. Splitting leaves one set to an image, so
// that the first virtual function decides; the order of the sets that are called
// has no meaning, and is alphabetical.
func (i *image) virtualFunctions() error {
	var uses []string
	for _, id := range i.Definitions {
		if i.valueOf(id).Kind != ir.Function {
			continue
		}
		if set, ok := i.Module.Attribute(id, sycl.AttributeIndirectlyCallable); ok {
			i.putProperty(props.SetVirtualFunctions, "virtual-functions-set", props.String(set))
			break
		}
		if sets, ok := i.Module.Attribute(id, sycl.AttributeCallsIndirectly); ok {
			uses = append(uses, strings.FieldsFunc(sets, func(c rune) bool { return c == ',' })...)
		}
	}
	if uses != nil {
		slices.Sort(uses)
		i.putProperty(props.SetVirtualFunctions, "uses-virtual-functions-set", props.String(strings.Join(slices.Compact(uses), ",")))
	}
	return nil
}

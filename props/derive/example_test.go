package derive_test

import (
	"fmt"
	"log"

	"offlink/ir/irtext"
	"offlink/props"
	"offlink/props/derive"
	"offlink/split"
)

// The property sets of an image are derived from its partition. Sets with an option
// of postlink are asked for by name.
func Example() {
	module, err := irtext.Parse("in.ll", []byte(`
		target triple = "spir64-unknown-unknown"
		define spir_kernel void @fill() "sycl-module-id"="app.cpp" !intel_reqd_sub_group_size !0 { ret void }
		!0 = !{i32 16}`))
	if err != nil {
		log.Fatal(err)
	}
	graph, err := split.NewGraph(module, split.Options{Mode: split.Source})
	if err != nil {
		log.Fatal(err)
	}
	groups, err := graph.Plan()
	if err != nil {
		log.Fatal(err)
	}
	partition, err := graph.NewExtractor().Extract(&groups[0])
	if err != nil {
		log.Fatal(err)
	}
	sets, err := derive.Sets(partition, derive.Options{
		Dialect:   derive.Dialect2026,
		Requested: map[string]bool{props.SetKernelNames: true},
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, set := range sets.All {
		for _, p := range set.Properties {
			fmt.Printf("%s: %s is %s\n", set.Name, p.Name, derive.Describe(set.Name, p.Name, p.Value))
		}
	}
	// Output:
	// SYCL/device requirements: aspects is []
	// SYCL/device requirements: reqd_sub_group_size is 16
	// SYCL/kernel names: fill is 1
}

package split_test

import (
	"fmt"
	"log"
	"os"
	"strings"

	"offlink/ir/irtext"
	"offlink/split"
)

// A module of two source files. The kernel of the second calls a function of
// the first.
const exampleModule = `
target triple = "spir64-unknown-unknown"
define spir_func i32 @twice(i32 %x) "sycl-module-id"="helpers.cpp" {
  %y = add i32 %x, %x
  ret i32 %y
}
define spir_kernel void @fill() "sycl-module-id"="app.cpp" {
  %y = call spir_func i32 @twice(i32 21)
  ret void
}
`

// A module is split by source file; each image is listed with the values that
// it defines and the functions that it imports.
func Example() {
	module, err := irtext.Parse("in.ll", []byte(exampleModule))
	if err != nil {
		log.Fatal(err)
	}
	// Needed for modules of stock compilers only.
	annotated, err := split.ApplyAnnotations(module)
	if err != nil {
		log.Fatal(err)
	}
	graph, err := split.NewGraph(module, split.Options{
		Mode: split.Source, Dependencies: split.DependenciesExternals, Annotated: annotated,
	})
	if err != nil {
		log.Fatal(err)
	}
	groups, err := graph.Plan()
	if err != nil {
		log.Fatal(err)
	}
	extractor := graph.NewExtractor() // one for each goroutine
	for i := range groups {
		partition, err := extractor.Extract(&groups[i])
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("image %d of %s:", i, partition.Group.Scope)
		for _, id := range partition.Definitions {
			fmt.Print(" defines ", module.Values[id].Name)
		}
		for _, id := range partition.Imports() {
			fmt.Print(" imports ", module.Values[id].Name)
		}
		fmt.Println()
	}
	// Output:
	// image 0 of helpers.cpp: defines twice
	// image 1 of app.cpp: defines fill imports twice
}

// The codec that read the module writes a partition of it.
func ExampleExtractor_Extract() {
	module, err := irtext.Parse("in.ll", []byte(exampleModule))
	if err != nil {
		log.Fatal(err)
	}
	graph, err := split.NewGraph(module, split.Options{Mode: split.Kernel, OnlyKernels: true})
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
	var text strings.Builder
	if err := module.Source.NewWriter().WritePartition(&text, &partition.Partition); err != nil {
		log.Fatal(err)
	}
	for line := range strings.Lines(text.String()) {
		if strings.HasPrefix(line, "define") {
			fmt.Fprint(os.Stdout, line)
		}
	}
	// Output:
	// define internal spir_func i32 @twice(i32 %x) "sycl-module-id"="helpers.cpp" {
	// define spir_kernel void @fill() "sycl-module-id"="app.cpp" "sycl-entry-point" {
}

// Why names the chain of references by which a function came into an image, and
// the rule that decided about its linkage there.
func ExampleExtractor_Why() {
	module, err := irtext.Parse("in.ll", []byte(exampleModule))
	if err != nil {
		log.Fatal(err)
	}
	graph, err := split.NewGraph(module, split.Options{Mode: split.Kernel, OnlyKernels: true})
	if err != nil {
		log.Fatal(err)
	}
	groups, err := graph.Plan()
	if err != nil {
		log.Fatal(err)
	}
	id, _ := module.Lookup("twice")
	answer := graph.NewExtractor().Why(&groups[0], id)
	fmt.Println(answer.Status, "-", answer.Rule)
	for _, step := range answer.Chain {
		fmt.Println(module.Values[step.Value].Name, "-", step.Reason)
	}
	// Output:
	// defined - made internal: it is not an entry point of this image
	// fill - entry point
	// twice - called by
}

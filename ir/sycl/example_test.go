package sycl_test

import (
	"fmt"
	"log"

	"offlink/ir/irtext"
	"offlink/ir/sycl"
)

// Kernels are found by their calling convention, names made readable.
func ExampleKernels() {
	module, err := irtext.Parse("app.ll", []byte(`
		target triple = "spir64-unknown-unknown"
		define spir_kernel void @_ZTS4Fill() { ret void }
		define spir_func void @_Z6helperPfj() { ret void }`))
	if err != nil {
		log.Fatal(err)
	}
	kernels, err := sycl.Kernels(module)
	if err != nil {
		log.Fatal(err)
	}
	for _, id := range kernels {
		fmt.Println(module.Values[id].Name)
	}
	fmt.Println(sycl.Demangle("_Z6helperPfj"))
	// Output:
	// _ZTS4Fill
	// helper(float*, unsigned int)
}

package fromir_test

import (
	"fmt"

	"offlink/ir/irfile"
	"offlink/spirv"
	"offlink/spirv/fromir"
)

// A kernel in LLVM IR becomes a module of SPIR-V. Nothing has to be installed.
func ExampleTranslate() {
	const text = `target triple = "spir64-unknown-unknown"
define spir_kernel void @zero(ptr addrspace(1) %out) {
  store i32 0, ptr addrspace(1) %out
  ret void
}
`
	module, err := irfile.Parse("zero.ll", []byte(text))
	if err != nil {
		fmt.Println(err)
		return
	}
	code, err := fromir.Translate(module, fromir.Options{Version: spirv.Version1_4})
	if err != nil {
		fmt.Println(err)
		return
	}
	translated, err := spirv.Parse(code)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, entry := range translated.EntryPoints() {
		fmt.Println(entry.Name)
	}
	// Output: zero
}

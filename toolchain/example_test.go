package toolchain_test

import (
	"fmt"

	"offlink/toolchain"
)

// Tools say many lines; an error of ours repeats the one that matters.
func ExampleFirstError() {
	fmt.Println(toolchain.FirstError("warning: unused\nllvm-spirv: error: no such file\nexit 1\n"))
	// Output: llvm-spirv: error: no such file
}

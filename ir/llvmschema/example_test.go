package llvmschema_test

import (
	"fmt"

	"offlink/ir/llvmschema"
)

// The schema knows which version of LLVM brought a construct.
func Example() {
	captures, known := llvmschema.AttributeSince("captures")
	fmt.Println(captures, known)
	for _, kind := range []string{"DILocation", "DIAssignID"} {
		fmt.Println(kind, llvmschema.NodeSince(kind))
	}
	// Output:
	// 21 true
	// DILocation 0
	// DIAssignID 16
}

package downgrade_test

import (
	"fmt"
	"log"

	"offlink/ir/downgrade"
)

// A flag that LLVM 15 cannot read is left out for it: it is only a promise.
func ExampleText() {
	text := "define i32 @f(i8 %x) {\n  %y = zext nneg i8 %x to i32\n  ret i32 %y\n}\n"
	old, err := downgrade.Text("new.ll", []byte(text), downgrade.Target{LLVM: 15})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(string(old))
	// Output:
	// define i32 @f(i8 %x) {
	//   %y = zext i8 %x to i32
	//   ret i32 %y
	// }
}

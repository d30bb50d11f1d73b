package irfile_test

import (
	"fmt"

	"offlink/ir/irfile"
)

// The form is told by the first bytes: the same call reads text and bitcode.
func ExampleParse() {
	const text = `
@table = internal constant [2 x i32] [i32 1, i32 2]
define i32 @first() {
  %v = load i32, ptr @table
  ret i32 %v
}
declare i32 @other()
`
	module, err := irfile.Parse("in.ll", []byte(text))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(irfile.Sniff([]byte(text)) == irfile.Text)
	for i := range module.Values {
		fmt.Println(module.Values[i].Name)
	}
	// Output:
	// true
	// table
	// first
	// other
}

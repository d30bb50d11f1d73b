package ptx_test

import (
	"fmt"

	"offlink/ptx"
)

// The kernels of a file and their parameters are found without a driver.
func ExampleParse() {
	const text = `.version 7.8
.target sm_75
.address_size 64
.visible .entry scale(.param .u64 data, .param .f32 by) { ret; }
`
	module, err := ptx.Parse("scale.ptx", []byte(text))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, entry := range module.Entries {
		fmt.Println(entry.Name, len(entry.Params))
	}
	// Output: scale 2
}

package abi_test

import (
	"fmt"

	"offlink/wrapper/abi"
)

// The place of a field depends on the record and on the pointers of the host.
func ExampleNewLayout() {
	for _, pointer := range []int{4, 8} {
		l := abi.NewLayout(pointer, abi.Record2)
		fmt.Println(l.Image.CodeBegin, l.Image.Len)
	}
	// Output:
	// 24 48
	// 48 96
}

package devicelib_test

import (
	"fmt"
	"log"

	"offlink/ir/devicelib"
	"offlink/ir/irtext"
)

// Only a module that declares functions of device libraries makes a folder of them worth
// reading.
func ExampleMayNeed() {
	for _, text := range []string{"declare float @cosf(float)", "define void @f() { ret void }"} {
		module, err := irtext.Parse("in.ll", []byte(text))
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(devicelib.MayNeed(module))
	}
	// Output:
	// true
	// false
}

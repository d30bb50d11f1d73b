package devicelib_test

import (
	"fmt"

	"offlink/runtime/devicelib"
)

// The library serves the functions of C and SYCL that compilers leave to the device.
func Example() {
	image := devicelib.Image("__mulsc3")
	fmt.Println(image != nil, devicelib.Image("no_such_function") == nil)
	fmt.Println(devicelib.Native("__devicelib_assert_fail", []string{"cl_intel_devicelib_assert"}))
	// Output:
	// true true
	// true
}

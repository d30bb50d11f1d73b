package selector_test

import (
	"fmt"

	"offlink/runtime/selector"
)

// A filter answers for devices that its caller has found, and before that for back
// ends that need not be opened. A mistake names the words that may stand there.
func ExampleFromEnvironment() {
	environment := map[string]string{"ONEAPI_DEVICE_SELECTOR": "opencl:gpu"}
	getenv := func(name string) string { return environment[name] }
	filter, err := selector.FromEnvironment(getenv)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(filter.MayChoose("cuda"), filter.MayChoose("opencl"))
	fmt.Println(filter.Chooses(selector.Device{Backend: "opencl", Type: "cpu", Path: []int{0}}))
	fmt.Println(filter.Chooses(selector.Device{Backend: "opencl", Type: "gpu", Path: []int{1}}))

	environment["ONEAPI_DEVICE_SELECTOR"] = "opencl:tpu"
	_, err = selector.FromEnvironment(getenv)
	fmt.Println(err)
	// Output:
	// false true
	// false
	// true
	// ONEAPI_DEVICE_SELECTOR="opencl:tpu": "tpu" is neither a type (*, cpu, gpu, fpga) nor a number of a device
}

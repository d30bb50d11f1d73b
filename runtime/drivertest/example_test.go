package drivertest_test

import (
	"context"
	"fmt"
	"log"

	"offlink/runtime/driver"
	"offlink/runtime/drivertest"
)

// A test of code above the back ends has a device whose kernels are Go
// functions, and looks at the launches that the device got.
func ExampleFake() {
	double := drivertest.FakeKernel{
		Params: []driver.Param{{Kind: driver.ParamBuffer, Size: 8}},
		Run: func(r driver.Range, args []drivertest.FakeArg) error {
			for i := range r.Global[0] {
				args[0].Buffer[i] *= 2
			}
			return nil
		},
	}
	fake := &drivertest.Fake{Kernels: map[string]drivertest.FakeKernel{"double": double}}
	devices, err := fake.Devices()
	if err != nil {
		log.Fatal(err)
	}
	code := drivertest.SPIRV(drivertest.Code{Kernels: []string{"double"}})
	program, err := driver.Build(context.Background(), devices[0], []driver.Module{{
		Name: "app", Image: driver.Image{Format: "spirv", Target: "spir64"}, Code: code,
	}}, driver.BuildOptions{})
	if err != nil {
		log.Fatal(err)
	}
	kernel, err := program.Kernel("double")
	if err != nil {
		log.Fatal(err)
	}
	queue, err := devices[0].NewQueue(driver.QueueOptions{})
	if err != nil {
		log.Fatal(err)
	}
	memory, err := devices[0].Alloc(driver.DeviceMemory, 4)
	if err != nil {
		log.Fatal(err)
	}
	fake.Calls() // those so far
	data, wait := []byte{1, 2, 3, 4}, driver.Sync{Block: true}
	if err := queue.Write(memory, 0, data, wait); err != nil {
		log.Fatal(err)
	}
	if err := queue.Launch(kernel, driver.Range{Global: []int{4}}, []driver.Arg{{Memory: memory}}, wait); err != nil {
		log.Fatal(err)
	}
	if err := queue.Read(memory, 0, data, wait); err != nil {
		log.Fatal(err)
	}
	fmt.Println(data)
	for _, call := range fake.Calls() {
		fmt.Println(call)
	}
	// Output:
	// [2 4 6 8]
	// launch double over [4] in [] with 1 args
}

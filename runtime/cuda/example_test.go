package cuda_test

import (
	"fmt"
	"log"

	"offlink/runtime/cuda"
)

// The GPUs of a machine with NVIDIA's driver. Without the driver or without a GPU, New
// fails, and a program goes on with another back end.
func Example() {
	d, err := cuda.New(cuda.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer d.Close()
	devices, err := d.Devices()
	if err != nil {
		log.Fatal(err)
	}
	for _, device := range devices {
		fmt.Println(device.Info().Name, device.Info().GlobalMemory>>30, "GiB")
	}
}

// Without the driver's library the error lists the names that were tried.
func ExampleNew() {
	_, err := cuda.New(cuda.Options{Library: "libcuda-of-nobody.so"})
	fmt.Println(err != nil)
	// Output: true
}

package levelzero_test

import (
	"fmt"
	"log"

	"offlink/runtime/levelzero"
)

// The devices of every driver of Level Zero. A driver that fails is an error of Devices,
// which lists the others all the same.
func Example() {
	d, err := levelzero.New(levelzero.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer d.Close()
	devices, err := d.Devices()
	if err != nil {
		log.Print(err)
	}
	for _, device := range devices {
		fmt.Println(device.Info().Name, device.Info().ComputeUnits)
	}
}

// The names are those of the specification.
func ExampleResultName() {
	fmt.Println(levelzero.ResultName(0))
	fmt.Println(levelzero.ResultName(0x70000001))
	// Output:
	// ZE_RESULT_SUCCESS
	// ZE_RESULT_ERROR_DEVICE_LOST
}

package backends_test

import (
	"context"
	"fmt"
	"log"

	"offlink/runtime/backends"
	"offlink/runtime/hostdev"
)

// A device proves itself with one kernel, as `devrun doctor` asks of each.
func ExampleSelfTest() {
	devices, err := hostdev.New(hostdev.Options{}).Devices()
	if err != nil {
		log.Fatal(err)
	}
	times, err := backends.SelfTest(context.Background(), devices[0])
	fmt.Println(err == nil && times.Build > 0)
	// Output: true
}

package props_test

import (
	"fmt"
	"log"

	"offlink/props"
)

// Property sets are read from .prop text, changed, and written again.
func Example() {
	sets, err := props.Parse([]byte("[SYCL/kernel names]\nfill=1|1\n[SYCL/device requirements]\naspects=2|AAAAAAAAAAA\n"))
	if err != nil {
		log.Fatal(err) // a *props.Error has the line
	}
	for _, name := range sets.Get(props.SetKernelNames).Names() {
		fmt.Println("kernel", name)
	}
	sets.Put(props.SetDeviceRequirements, "reqd_sub_group_size", props.Uint32(16))
	text, err := sets.Text()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s", text)
	// Output:
	// kernel fill
	// [SYCL/kernel names]
	// fill=1|1
	// [SYCL/device requirements]
	// aspects=2|AAAAAAAAAAA
	// reqd_sub_group_size=1|16
}

// A value of bytes keeps its length in bits: a mask of three parameters is
// three bits long.
func ExampleBits() {
	v := props.Bits([]byte{0b101}, 3)
	fmt.Println(v.Type(), v.BitLen(), v.Data())
	// Output: BYTE_ARRAY 3 [5]
}

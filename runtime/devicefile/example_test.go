package devicefile_test

import (
	"fmt"
	"log"

	"offlink/runtime/devicefile"
)

// A bare module becomes an image with the kernels that it has.
func ExampleOpen() {
	file, err := devicefile.Open("../../spirv/testdata/app.spv")
	if err != nil {
		log.Fatal(err)
	}
	defer file.Close()
	for _, image := range file.Images {
		fmt.Println(image.Format, image.Target, image.Entries)
	}
	// Output: spirv spir64 [app]
}

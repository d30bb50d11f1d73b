package opencl_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"offlink/runtime/driver"
	"offlink/runtime/opencl"
)

// The GPUs of every OpenCL driver that the loader finds.
func Example() {
	d, err := opencl.Open(opencl.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer d.Close()
	devices, err := d.Devices()
	if err != nil {
		log.Fatal(err)
	}
	for _, device := range devices {
		if info := device.Info(); info.Type == driver.GPU {
			fmt.Println(info.Name, info.Formats)
		}
	}
}

// The loader leaves out a driver whose file it cannot open, without a message; this names
// the file.
func ExampleVendorProblems() {
	folder, err := os.MkdirTemp("", "vendors")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(folder)
	if err := os.WriteFile(filepath.Join(folder, "gone.icd"), []byte("/nowhere/libgone.so\n"), 0o666); err != nil {
		log.Fatal(err)
	}
	fmt.Println(opencl.VendorProblems(folder) != nil)
	// Output: true
}

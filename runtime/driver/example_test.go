package driver_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"

	"offlink/runtime/driver"
	"offlink/runtime/hostdev"
	_ "offlink/runtime/hostdev/wazeroengine" // compiles its kernels
)

// The interface of a back end, used without the runtime above it: two modules are
// linked, and a kernel describes its parameters.
func ExampleBuild() {
	devices, err := hostdev.New(hostdev.Options{}).Devices()
	if err != nil {
		log.Fatal(err)
	}
	var modules []driver.Module
	for _, name := range []string{"app", "lib"} {
		code, err := os.ReadFile("../../spirv/testdata/" + name + ".spv")
		if err != nil {
			log.Fatal(err)
		}
		modules = append(modules, driver.Module{Name: name, Image: driver.Image{Format: "spirv", Target: "spir64"}, Code: code})
	}
	program, err := driver.Build(context.Background(), devices[0], modules, driver.BuildOptions{})
	if err != nil {
		log.Fatal(err)
	}
	defer program.Close()
	kernel, err := program.Kernel("app")
	if err != nil {
		log.Fatal(err)
	}
	defer kernel.Close()
	for _, p := range kernel.Params() {
		fmt.Println(kernel.Name(), p.Kind == driver.ParamBuffer)
	}
	_, err = program.Kernel("missing")
	fmt.Println(errors.Is(err, driver.ErrNotFound))
	// Output:
	// app true
	// true
}

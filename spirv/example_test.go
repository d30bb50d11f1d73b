package spirv_test

import (
	"fmt"
	"os"

	"offlink/spirv"
)

func read(name string) *spirv.Module {
	code, err := os.ReadFile("testdata/" + name)
	if err != nil {
		panic(err)
	}
	m, err := spirv.Parse(code)
	if err != nil {
		panic(err)
	}
	return m
}

// Parse reads a module; its methods list the symbols that it shares with others.
func ExampleParse() {
	app := read("app.spv")
	fmt.Println("version", app.Version)
	for _, s := range app.Imports() {
		fmt.Println("imports", s.Name, "as", s.Type)
	}
	// Output:
	// version 1.0
	// imports LibDeviceFunc as int (int)
}

// The entry points are the kernels that a host program can launch.
func ExampleModule_EntryPoints() {
	app := read("app.spv")
	for _, e := range app.EntryPoints() {
		fmt.Println(e.Model, e.Name)
	}
	// Output: Kernel app
}

// Link resolves the imports of one module with the exports of another.
func ExampleLink() {
	m, err := spirv.Link([]spirv.Input{
		{Name: "app.o", Module: read("app.spv")},
		{Name: "lib.o", Module: read("lib.spv")},
	}, spirv.LinkOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(m.Imports()), "imports,", len(m.EntryPoints()), "kernel")

	_, err = spirv.Link([]spirv.Input{{Name: "app.o", Module: read("app.spv")}}, spirv.LinkOptions{})
	fmt.Println(err)
	// Output:
	// 0 imports, 1 kernel
	// no module exports LibDeviceFunc (int (int)), imported by app.o
}

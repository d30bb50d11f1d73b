package main

import (
	"context"
	"fmt"
	"sync"

	"offlink/runtime/devicelib"
	"offlink/runtime/driver"
	"offlink/spirv"
)

// symbols are the names that a module imports and exports.
type symbols struct{ imports, exports []string }

func symbolsOf(m *spirv.Module) (s symbols) {
	for _, symbol := range m.Imports() {
		s.imports = append(s.imports, symbol.Name)
	}
	for _, symbol := range m.Exports() {
		s.exports = append(s.exports, symbol.Name)
	}
	return s
}

// libraryFunction is a function of the device library, compiled on first use. It lasts as
// long as the process, as programs share it.
type libraryFunction struct {
	once   sync.Once
	object driver.Object
	symbols
	err error
}

var libraryFunctions sync.Map // *libraryFunction by name

// libraryObjects are the functions of the device library that the programs import and none of
// them exports, and those that these call: hosts take the device for one that has them
// (cl_intel_devicelib_*).
func libraryObjects(parts []symbols) ([]driver.Object, error) {
	known := map[string]bool{}
	var wanted []string
	for _, part := range parts {
		for _, name := range part.exports {
			known[name] = true
		}
		wanted = append(wanted, part.imports...)
	}
	var list []driver.Object
	for len(wanted) > 0 {
		name := wanted[0]
		wanted = wanted[1:]
		image := devicelib.Image(name)
		if known[name] || image == nil {
			continue
		}
		known[name] = true
		function, _ := libraryFunctions.LoadOrStore(name, &libraryFunction{})
		f := function.(*libraryFunction)
		if f.once.Do(func() { f.compile(name) }); f.err != nil {
			return nil, fmt.Errorf("device library: %s: %w", name, f.err)
		}
		list = append(list, f.object)
		wanted = append(wanted, f.imports...)
	}
	return list, nil
}

func (f *libraryFunction) compile(name string) {
	image := devicelib.Image(name)
	code := make([]byte, image.Code.Size())
	if _, f.err = image.Code.ReadAt(code, 0); f.err != nil {
		return
	}
	m, err := spirv.Parse(code)
	if err != nil {
		f.err = err
		return
	}
	f.symbols = symbolsOf(m)
	f.object, f.err = device().Compile(context.Background(), driver.Module{
		Name: "device library", Image: driver.Image{Format: "spirv", Target: "spir64"}, Code: code,
	}, driver.CompileOptions{})
}

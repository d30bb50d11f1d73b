package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"slices"
	"sync/atomic"

	"offlink/runtime/driver"
	"offlink/spirv"
)

// compiled is an object for the link, with its code: a program has one after it was compiled, a
// library (the link option -create-library) has those of its parts, which it shares with them.
type compiled struct {
	driver.Object
	symbols
	code      []byte // SPIR-V
	described map[string]kernelDescription
	uses      atomic.Int32
}

// compileCode makes an object of SPIR-V.
func compileCode(code []byte, options string, constants map[uint32][]byte) (*compiled, error) {
	m, err := spirv.Parse(code)
	if err != nil {
		return nil, err
	}
	module := driver.Module{Name: "program", Image: driver.Image{Format: "spirv", Target: "spir64"}, Code: code}
	o, err := device().Compile(context.Background(), module, driver.CompileOptions{Options: options, SpecConstants: constants})
	if err != nil {
		return nil, err
	}
	c := &compiled{Object: o, symbols: symbolsOf(m), code: code, described: describeKernels(m)}
	c.uses.Store(1)
	return c, nil
}

// Close ends one program's use.
func (c *compiled) Close() error {
	if c.uses.Add(-1) > 0 {
		return nil
	}
	return c.Object.Close()
}

// linkObjects links objects with the device library.
func linkObjects(list []*compiled, options string) (driver.Program, error) {
	var objects []driver.Object
	var names []symbols
	for _, c := range list {
		objects, names = append(objects, c.Object), append(names, c.symbols)
	}
	library, err := libraryObjects(names)
	if err != nil {
		return nil, err
	}
	return device().Link(context.Background(), slices.Concat(objects, library), driver.LinkOptions{Options: options})
}

// The beginnings of the binaries of programs that are not linked. After them come the modules of
// SPIR-V, each with its length in bytes before it.
const (
	objectMagic  = "offlink embedded object 1\n"
	libraryMagic = "offlink embedded library 1\n"
)

func encodeObjects(list []*compiled, library bool) []byte {
	data := []byte(objectMagic)
	if library {
		data = []byte(libraryMagic)
	}
	for _, c := range list {
		data = append(binary.LittleEndian.AppendUint64(data, uint64(len(c.code))), c.code...)
	}
	return data
}

// decodeObjects compiles the modules of a binary; found is false for a binary of another form.
func decodeObjects(data []byte) (list []*compiled, library, found bool, err error) {
	rest, found := bytes.CutPrefix(data, []byte(objectMagic))
	if !found {
		rest, found = bytes.CutPrefix(data, []byte(libraryMagic))
		library = found
	}
	for found && len(rest) > 0 && err == nil {
		if len(rest) < 8 || binary.LittleEndian.Uint64(rest) > uint64(len(rest)-8) {
			err = failure(invalidBinary, "the binary ends within a module")
			break
		}
		length := binary.LittleEndian.Uint64(rest)
		var c *compiled
		if c, err = compileCode(slices.Clone(rest[8:8+length]), "", nil); err == nil {
			list = append(list, c)
		}
		rest = rest[8+length:]
	}
	if err != nil {
		closeAll(list)
		return nil, library, found, failure(invalidBinary, "%v", err)
	}
	return list, library, found, nil
}

func closeAll(list []*compiled) (err error) {
	for _, c := range list {
		if closed := c.Close(); err == nil {
			err = closed
		}
	}
	return err
}

package drivertest

import (
	"bytes"
	"errors"
	"testing"

	"offlink/runtime/driver"
)

func (s *suite) compile(t *testing.T, m driver.Module, opts driver.CompileOptions) driver.Object {
	t.Helper()
	o, err := s.device.Compile(t.Context(), m, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closing(t, o) })
	return o
}

func (s *suite) link(t *testing.T, objects ...driver.Object) driver.Program {
	t.Helper()
	p, err := s.device.Link(t.Context(), objects, driver.LinkOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closing(t, p) })
	return p
}

// objects: an object is linked again and again, and serves all its kernels.
func (s *suite) objects(t *testing.T) {
	q, out := s.queue(t), s.alloc(t, 16)
	lib := s.compile(t, module("lib", libSPIRV), driver.CompileOptions{})
	app := s.compile(t, module("app", appSPIRV), driver.CompileOptions{})
	alone := s.link(t, lib)
	for _, p := range []driver.Program{s.link(t, app, lib), s.link(t, lib, app), s.link(t, app, lib)} {
		run(t, q, kernel(t, p, "app"), driver.Range{Global: []int{4}}, driver.Arg{Memory: out})
		expect(t, "app", ints(read(t, q, out, 0, 16)), 0, 2, 4, 6)
		s.write(t, q, out, 0)
		run(t, q, kernel(t, p, "add_variable"), driver.Range{Global: []int{1}}, driver.Arg{Memory: out})
		expect(t, "add_variable", ints(read(t, q, out, 0, 4)), 7)
	}
	s.write(t, q, out, 0)
	run(t, q, kernel(t, alone, "add_variable"), driver.Range{Global: []int{1}}, driver.Arg{Memory: out})
	expect(t, "add_variable", ints(read(t, q, out, 0, 4)), 7)

	_, err := s.device.Link(t.Context(), []driver.Object{app}, driver.LinkOptions{})
	if _, ok := errors.AsType[*driver.BuildError](err); !ok {
		t.Errorf("a link without the import: %v; want a BuildError", err)
	}
	k := kernel(t, s.link(t, app, lib), "required")
	if info := k.Info(); info.RequiredGroup != [3]int{4, 2, 1} && info.RequiredGroup != [3]int{} {
		t.Errorf("required says its group is %v", info.RequiredGroup)
	}
}

// specConstants: each object has values of its own.
func (s *suite) specConstants(t *testing.T) {
	q, out := s.queue(t), s.alloc(t, 8)
	lib := s.compile(t, module("lib", libSPIRV), driver.CompileOptions{})
	for _, c := range []struct {
		values map[uint32][]byte
		want   []int32
	}{
		{nil, []int32{42, 43}},
		{map[uint32][]byte{3: {7, 0, 0, 0}}, []int32{7, 43}},
		{map[uint32][]byte{3: {0xff, 0xff, 0xff, 0xff}, 4: {5, 0, 0, 0}, 99: {1}}, []int32{-1, 5}},
	} {
		app := s.compile(t, module("app", appSPIRV), driver.CompileOptions{SpecConstants: c.values})
		run(t, q, kernel(t, s.link(t, app, lib), "special"), driver.Range{Global: []int{1}}, driver.Arg{Memory: out})
		expect(t, "special", ints(read(t, q, out, 0, 8)), c.want...)
	}
	if o, err := s.device.Compile(t.Context(), module("app", appSPIRV),
		driver.CompileOptions{SpecConstants: map[uint32][]byte{3: {1}}}); err == nil {
		t.Error("one byte was taken for four")
		closing(t, o)
	}
}

// binaries: a program is stored and loaded; other bytes are refused.
func (s *suite) binaries(t *testing.T) {
	app := s.compile(t, module("app", appSPIRV), driver.CompileOptions{SpecConstants: map[uint32][]byte{3: {7, 0, 0, 0}}})
	p := s.link(t, app, s.compile(t, module("lib", libSPIRV), driver.CompileOptions{}))
	source, ok := p.(driver.BinaryProgram)
	loader, loads := s.device.(driver.BinaryLoader)
	if !ok || !loads {
		t.Skip("no binaries")
	}
	binary, err := source.Binary()
	if err != nil {
		t.Fatal(err)
	}
	loaded, err := loader.LoadBinary(t.Context(), binary)
	if err != nil {
		t.Fatal(err)
	}
	defer closing(t, loaded)
	again, err := loaded.(driver.BinaryProgram).Binary()
	if err != nil || !bytes.Equal(again, binary) {
		t.Errorf("the binary of the loaded program differs: %v", err)
	}
	q, out := s.queue(t), s.alloc(t, 16)
	run(t, q, kernel(t, loaded, "special"), driver.Range{Global: []int{1}}, driver.Arg{Memory: out})
	expect(t, "special", ints(read(t, q, out, 0, 8)), 7, 43)
	run(t, q, kernel(t, loaded, "app"), driver.Range{Global: []int{4}}, driver.Arg{Memory: out})
	expect(t, "app", ints(read(t, q, out, 0, 16)), 0, 2, 4, 6)
	for i := range 64 {
		at := i * len(binary) / 64
		damaged := bytes.Clone(binary)
		damaged[at] ^= 0x10
		for what, data := range map[string][]byte{"with a changed byte": damaged, "cut short": binary[:at]} {
			if p, err := loader.LoadBinary(t.Context(), data); err == nil {
				t.Errorf("a binary %s at %d was loaded", what, at)
				closing(t, p)
			}
		}
	}
}

// handles: memory comes back from its native handle.
func (s *suite) handles(t *testing.T) {
	q, m := s.queue(t), s.alloc(t, 16)
	native, ok := m.(driver.NativeHandle)
	importer, imports := s.device.(driver.MemoryImporter)
	if !ok || !imports {
		t.Skip("no native handles of memory")
	}
	s.write(t, q, m, 1, 2, 3, 4)
	other, err := importer.ImportMemory(native.Handle(), 16)
	if err != nil {
		t.Fatal(err)
	}
	expect(t, "through the handle", ints(read(t, q, other, 0, 16)), 1, 2, 3, 4)
	s.write(t, q, other, 9)
	closing(t, other)
	expect(t, "after Close of the other", ints(read(t, q, m, 0, 16)), 9, 2, 3, 4)
	for _, c := range []struct {
		handle uint64
		size   int64
	}{{0, 16}, {native.Handle(), 17}, {native.Handle(), -1}} {
		if other, err := importer.ImportMemory(c.handle, c.size); err == nil {
			t.Errorf("%d bytes at handle %#x were imported", c.size, c.handle)
			closing(t, other)
		}
	}
}

package drivertest

import (
	"bytes"
	"encoding/binary"
	"errors"
	"testing"

	"offlink/runtime/driver"
)

func (s *suite) compileModule(t *testing.T, m driver.Module, opts driver.CompileOptions) driver.Object {
	t.Helper()
	o, err := s.device.Compile(t.Context(), m, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closeAtEnd(t, o) })
	return o
}

func (s *suite) linkObjects(t *testing.T, objects ...driver.Object) driver.Program {
	t.Helper()
	p, err := s.device.Link(t.Context(), objects, driver.LinkOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closeAtEnd(t, p) })
	return p
}

// testObjects: an object can be linked into several programs, each with variables of its
// own.
func (s *suite) testObjects(t *testing.T) {
	q, out := s.newQueue(t), s.newMemory(t, 16)
	lib := s.compileModule(t, s.libModule(), driver.CompileOptions{})
	app := s.compileModule(t, s.appModule(), driver.CompileOptions{})
	alone := s.linkObjects(t, lib)
	for _, p := range []driver.Program{s.linkObjects(t, app, lib), s.linkObjects(t, lib, app), s.linkObjects(t, app, lib)} {
		runKernel(t, q, kernelByName(t, p, "app"), driver.Range{Global: []int{4}}, driver.Arg{Memory: out})
		expectInts(t, "app", int32sOf(readMemory(t, q, out, 0, 16)), 0, 2, 4, 6)
		s.ownVariable(t, p, q, out)
	}
	s.ownVariable(t, alone, q, out)

	_, err := s.device.Link(t.Context(), []driver.Object{app}, driver.LinkOptions{})
	if _, ok := errors.AsType[*driver.BuildError](err); !ok {
		t.Errorf("a link without the import: %v; want a BuildError", err)
	}
	k := kernelByName(t, s.linkObjects(t, app, lib), "required")
	if info := k.Info(); info.RequiredGroup != [3]int{4, 2, 1} && info.RequiredGroup != [3]int{} {
		t.Errorf("required says its group is %v", info.RequiredGroup)
	}
}

// ownVariable: the variable of a new program has its first value.
func (s *suite) ownVariable(t *testing.T, p driver.Program, q driver.Queue, out driver.Memory) {
	t.Helper()
	if s.options.NoVariables {
		return
	}
	s.writeInts(t, q, out, 0)
	runKernel(t, q, kernelByName(t, p, "add_variable"), driver.Range{Global: []int{1}}, driver.Arg{Memory: out})
	expectInts(t, "add_variable", int32sOf(readMemory(t, q, out, 0, 4)), 7)
}

// testSpecConstants: each object has values of its own.
func (s *suite) testSpecConstants(t *testing.T) {
	if !s.isSPIRV() {
		s.testSpecBuffers(t)
		return
	}
	q, out := s.newQueue(t), s.newMemory(t, 8)
	lib := s.compileModule(t, s.libModule(), driver.CompileOptions{})
	for _, c := range []struct {
		values map[uint32][]byte
		want   []int32
	}{
		{nil, []int32{42, 43}},
		{map[uint32][]byte{3: {7, 0, 0, 0}}, []int32{7, 43}},
		{map[uint32][]byte{3: {0xff, 0xff, 0xff, 0xff}, 4: {5, 0, 0, 0}, 99: {1}}, []int32{-1, 5}},
	} {
		app := s.compileModule(t, s.appModule(), driver.CompileOptions{SpecConstants: c.values})
		runKernel(t, q, kernelByName(t, s.linkObjects(t, app, lib), "special"), driver.Range{Global: []int{1}}, driver.Arg{Memory: out})
		expectInts(t, "special", int32sOf(readMemory(t, q, out, 0, 8)), c.want...)
	}
	if o, err := s.device.Compile(t.Context(), s.appModule(),
		driver.CompileOptions{SpecConstants: map[uint32][]byte{3: {1}}}); err == nil {
		t.Error("one byte was taken for four")
		closeAtEnd(t, o)
	}
}

// testSpecBuffers: code that reads its constants from memory has the values of
// its own object, and is refused without any.
func (s *suite) testSpecBuffers(t *testing.T) {
	q, out, m := s.newQueue(t), s.newMemory(t, 8), s.moduleOf("special", specialPTX)
	var kernels []driver.Kernel
	wants := [][]int32{{42, 43}, {-1, 5}}
	for _, want := range wants {
		var values []byte
		for _, v := range want {
			values = binary.LittleEndian.AppendUint32(values, uint32(v))
		}
		o := s.compileModule(t, m, driver.CompileOptions{SpecBuffer: values})
		kernels = append(kernels, kernelByName(t, s.linkObjects(t, o), "special_buffer"))
	}
	for i, want := range wants {
		runKernel(t, q, kernels[i], driver.Range{Global: []int{1}}, driver.Arg{Memory: out})
		expectInts(t, "special_buffer", int32sOf(readMemory(t, q, out, 0, 8)), want...)
	}
	if o, err := s.device.Compile(t.Context(), m, driver.CompileOptions{}); err == nil {
		t.Error("code that reads specialization constants was taken without their values")
		closeAtEnd(t, o)
	}
}

// testBinaries: a program is stored and loaded; other bytes are refused.
func (s *suite) testBinaries(t *testing.T) {
	app := s.compileModule(t, s.appModule(), driver.CompileOptions{SpecConstants: map[uint32][]byte{3: {7, 0, 0, 0}}})
	special := int32(7)
	if !s.isSPIRV() {
		special = 42
	}
	p := s.linkObjects(t, app, s.compileModule(t, s.libModule(), driver.CompileOptions{}))
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
	t.Cleanup(func() { closeAtEnd(t, loaded) }) // after its kernels
	again, err := loaded.(driver.BinaryProgram).Binary()
	if err != nil || !bytes.Equal(again, binary) {
		t.Errorf("the binary of the loaded program differs: %v", err)
	}
	q, out := s.newQueue(t), s.newMemory(t, 16)
	runKernel(t, q, kernelByName(t, loaded, "special"), driver.Range{Global: []int{1}}, driver.Arg{Memory: out})
	expectInts(t, "special", int32sOf(readMemory(t, q, out, 0, 8)), special, 43)
	runKernel(t, q, kernelByName(t, loaded, "app"), driver.Range{Global: []int{4}}, driver.Arg{Memory: out})
	expectInts(t, "app", int32sOf(readMemory(t, q, out, 0, 16)), 0, 2, 4, 6)
	refuseDamagedBinaries(t, loader, binary)
}

// refuseDamagedBinaries loads a binary with a changed byte and cut short, at 64
// places. Stored programs come back from a cache on disk, so that a device must
// notice all of these before a driver sees them.
func refuseDamagedBinaries(t *testing.T, loader driver.BinaryLoader, binary []byte) {
	t.Helper()
	for i := range 64 {
		at := i * len(binary) / 64
		damaged := bytes.Clone(binary)
		damaged[at] ^= 0x10
		for what, data := range map[string][]byte{"with a changed byte": damaged, "cut short": binary[:at]} {
			if p, err := loader.LoadBinary(t.Context(), data); err == nil {
				t.Errorf("a binary %s at %d was loaded", what, at)
				closeAtEnd(t, p)
			}
		}
	}
}

// testHandles: a native handle never changes, and memory can be imported by its handle.
func (s *suite) testHandles(t *testing.T) {
	q, m := s.newQueue(t), s.newMemory(t, 16)
	s.keepHandles(t, q, m)
	native, ok := m.(driver.NativeHandle)
	importer, imports := s.device.(driver.MemoryImporter)
	if !ok || !imports {
		t.Skip("no native handles of memory")
	}
	s.writeInts(t, q, m, 1, 2, 3, 4)
	other, err := importer.ImportMemory(native.Handle(), 16)
	if err != nil {
		t.Fatal(err)
	}
	expectInts(t, "through the handle", int32sOf(readMemory(t, q, other, 0, 16)), 1, 2, 3, 4)
	s.writeInts(t, q, other, 9)
	closeAtEnd(t, other)
	expectInts(t, "after Close of the other", int32sOf(readMemory(t, q, m, 0, 16)), 9, 2, 3, 4)
	for _, c := range []struct {
		handle uint64
		size   int64
	}{{0, 16}, {native.Handle(), 17}, {native.Handle(), -1}} {
		if other, err := importer.ImportMemory(c.handle, c.size); err == nil {
			t.Errorf("%d bytes at handle %#x were imported", c.size, c.handle)
			closeAtEnd(t, other)
		}
	}
}

func (s *suite) keepHandles(t *testing.T, q driver.Queue, m driver.Memory) {
	t.Helper()
	p := s.newProgram(t, s.appModule(), s.libModule())
	k := kernelByName(t, p, "app")
	var event driver.Event
	if err := errors.Join(q.Barrier(driver.Sync{Done: &event}), q.Finish()); err != nil {
		t.Fatal(err)
	}
	defer closeAtEnd(t, event)
	for what, part := range map[string]any{"device": s.device, "queue": q, "memory": m, "program": p, "kernel": k, "event": event} {
		n, ok := part.(driver.NativeHandle)
		if !ok {
			continue
		}
		// Zero is CUDA's first device and its default stream.
		first, again := n.Handle(), n.Handle()
		if first != again || first == 0 && what != "device" && what != "queue" {
			t.Errorf("the handle of the %s is %#x, then %#x", what, first, again)
		}
	}
}

package drivertest

import (
	_ "embed"
	"encoding/binary"
	"errors"
	"testing"

	"offlink/runtime/driver"
)

var (
	//go:embed testdata/pointers.spv
	pointersSPIRV []byte
	//go:embed testdata/chosen.spv
	chosenSPIRV []byte
)

// testQueueImport: a queue comes back from its native handle, takes commands, and
// leaves the native queue to its owner when it is closed.
func (s *suite) testQueueImport(t *testing.T) {
	own, m := s.newQueue(t), s.newMemory(t, 16)
	native, ok := own.(driver.NativeHandle)
	importer, imports := s.device.(driver.QueueImporter)
	if !ok || !imports {
		t.Skip("no native queues")
	}
	if q, err := importer.ImportQueue(0); err == nil && native.Handle() != 0 && !s.nullIsQueue() {
		t.Error("a null handle was imported")
		closeAtEnd(t, q)
	}
	q, err := importer.ImportQueue(native.Handle())
	if errors.Is(err, driver.ErrUnsupported) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	p := s.newProgram(t, s.appModule(), s.libModule())
	var done driver.Event
	if err := errors.Join(
		q.Fill(m, 0, 16, []byte{1, 0, 0, 0}, driver.Sync{}),
		q.Launch(kernelByName(t, p, "count"), driver.Range{Global: []int{5}}, []driver.Arg{{Memory: m}}, driver.Sync{Done: &done}),
		done.Wait(t.Context()), done.Close()); err != nil {
		t.Fatal(err)
	}
	expectInts(t, "through the imported queue", int32sOf(readMemory(t, q, m, 0, 16)), 6, 1, 1, 1)
	closeAtEnd(t, q)
	s.writeInts(t, own, m, 9)
	expectInts(t, "through the owner's after Close", int32sOf(readMemory(t, own, m, 0, 16)), 9, 1, 1, 1)
}

// nullIsQueue reports whether a null handle is a queue: CUDA's default stream.
func (s *suite) nullIsQueue() bool { return s.image.Target == "nvptx64" }

// testFunctionPointers: a kernel calls functions of its own module and of another by
// the pointers that the host passes.
func (s *suite) testFunctionPointers(t *testing.T) {
	if !s.isSPIRV() {
		t.Skip("the suite's functions are SPIR-V")
	}
	modules := []driver.Module{s.moduleOf("pointers", pointersSPIRV), s.moduleOf("chosen", chosenSPIRV)}
	p, err := driver.Build(t.Context(), s.device, modules, driver.BuildOptions{})
	if build, ok := errors.AsType[*driver.BuildError](err); ok && errors.Is(err, driver.ErrUnsupported) {
		t.Skip(build.Err) // without the device's name, which differs between machines
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closeAtEnd(t, p) })
	functions, ok := p.(driver.FunctionPointers)
	if !ok {
		t.Skip("no function pointers")
	}
	q, out, k := s.newQueue(t), s.newMemory(t, 16), kernelByName(t, p, "call")
	for name, want := range map[string][]int32{"twice": {0, 2, 4, 6}, "square": {0, 1, 4, 9}, "own": {-1, 0, 1, 2}} {
		pointer, err := functions.FunctionPointer(name)
		if errors.Is(err, driver.ErrUnsupported) {
			t.Skip(err)
		}
		if err != nil || pointer == 0 {
			t.Fatalf("%s: pointer %#x, %v", name, pointer, err)
		}
		runKernel(t, q, k, driver.Range{Global: []int{4}}, driver.Arg{Value: binary.LittleEndian.AppendUint64(nil, pointer)}, driver.Arg{Memory: out})
		expectInts(t, name, int32sOf(readMemory(t, q, out, 0, 16)), want...)
	}
	if _, err := functions.FunctionPointer("nobody"); !errors.Is(err, driver.ErrNotFound) {
		t.Errorf("a pointer to nobody: %v; want ErrNotFound", err)
	}
}

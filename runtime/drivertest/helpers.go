package drivertest

import (
	"encoding/binary"
	"errors"
	"slices"
	"testing"

	"offlink/runtime/driver"
)

type closer interface{ Close() error }

func closeAtEnd(t *testing.T, c closer) {
	t.Helper()
	if err := c.Close(); err != nil {
		t.Errorf("Close of %T: %v", c, err)
	}
}

func (s *suite) newQueue(t *testing.T) driver.Queue {
	t.Helper()
	q, err := s.device.NewQueue(driver.QueueOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closeAtEnd(t, q) })
	return q
}

func (s *suite) newMemory(t *testing.T, size int64) driver.Memory {
	t.Helper()
	m, err := s.device.Alloc(driver.DeviceMemory, size)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closeAtEnd(t, m) })
	return m
}

func (s *suite) newProgram(t *testing.T, modules ...driver.Module) driver.Program {
	t.Helper()
	p, err := driver.Build(t.Context(), s.device, modules, driver.BuildOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closeAtEnd(t, p) })
	return p
}

func kernelByName(t *testing.T, p driver.Program, name string) driver.Kernel {
	t.Helper()
	k, err := p.Kernel(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closeAtEnd(t, k) })
	return k
}

func runKernel(t *testing.T, q driver.Queue, k driver.Kernel, r driver.Range, args ...driver.Arg) {
	t.Helper()
	if err := errors.Join(q.Launch(k, r, args, driver.Sync{}), q.Finish()); err != nil {
		t.Fatalf("%s: %v", k.Name(), err)
	}
}

func readMemory(t *testing.T, q driver.Queue, m driver.Memory, offset int64, size int) []byte {
	t.Helper()
	data := make([]byte, size)
	if err := errors.Join(q.Read(m, offset, data, driver.Sync{}), q.Finish()); err != nil {
		t.Fatal(err)
	}
	return data
}

func int32sOf(data []byte) []int32 {
	list := make([]int32, len(data)/4)
	for i := range list {
		list[i] = int32(binary.LittleEndian.Uint32(data[4*i:]))
	}
	return list
}

func expectInts(t *testing.T, what string, got []int32, want ...int32) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: got %v; want %v", what, got, want)
	}
}

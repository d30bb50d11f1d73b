package cuda

import (
	"fmt"
	"time"

	"offlink/runtime/driver"
	"offlink/runtime/internal/libcuda"
	"offlink/runtime/internal/streams"
)

// native implements streams' interfaces for a device: queues, events and memory.
type native struct{ device *Device }

func (n native) Within(calls func() error) error       { return n.device.withContext(calls) }
func (n native) WithinStream(calls func() error) error { return n.device.withStream(calls) }

// NewStream is called with the context set.
func (n native) NewStream(bool) (streams.Stream, error) {
	s, err := n.device.library.NewStream()
	if err == nil {
		n.device.probeContext(s)
	}
	return streams.Stream(s), err
}

func (n native) DestroyStream(s streams.Stream) error {
	return n.device.releaseInContext(func() error { return n.device.library.DestroyStream(libcuda.Stream(s)) })
}

func (n native) Synchronize(s streams.Stream) error {
	return n.device.library.Synchronize(libcuda.Stream(s))
}

func (n native) IsStreamDone(s streams.Stream) (bool, error) {
	return isDone(n.device.library.QueryStream(libcuda.Stream(s)))
}

// isDone makes the driver's code for unfinished work false instead of an error.
func isDone(err error) (bool, error) {
	if libcuda.IsNotReady(err) {
		return false, nil
	}
	return err == nil, err
}

func (n native) StreamWait(s streams.Stream, m streams.Mark) error {
	return n.device.library.StreamWait(libcuda.Stream(s), libcuda.Event(m))
}

func (n native) NewMark(timed bool) (streams.Mark, error) {
	e, err := n.device.library.NewEvent(timed)
	return streams.Mark(e), err
}

func (n native) DestroyMark(m streams.Mark) error {
	return n.device.releaseInContext(func() error { return n.device.library.DestroyEvent(libcuda.Event(m)) })
}

func (n native) Record(m streams.Mark, s streams.Stream) error {
	return n.device.library.Record(libcuda.Event(m), libcuda.Stream(s))
}

func (n native) IsMarkDone(m streams.Mark) (bool, error) {
	return isDone(n.device.library.QueryEvent(libcuda.Event(m)))
}

func (n native) WaitMark(m streams.Mark) error { return n.device.library.WaitEvent(libcuda.Event(m)) }

func (n native) Elapsed(from, to streams.Mark) (time.Duration, error) {
	return n.device.library.Elapsed(libcuda.Event(from), libcuda.Event(to))
}

func (n native) MaxAllocation() int64 { return n.device.info.MaxAllocation }

func (n native) AllocateMemory(kind driver.MemoryKind, size int64) (uint64, error) {
	switch kind {
	case driver.HostMemory:
		return n.device.library.AllocHost(size)
	case driver.SharedMemory:
		if !n.device.info.HasAspect("usm_shared_allocations") {
			return 0, fmt.Errorf("%v memory: %w", kind, driver.ErrUnsupported)
		}
		return n.device.library.AllocManaged(size)
	}
	return n.device.library.Alloc(size)
}

func (n native) FreeMemory(kind driver.MemoryKind, address uint64) error {
	return n.device.releaseInContext(func() error {
		if kind == driver.HostMemory {
			return n.device.library.FreeHost(address)
		}
		return n.device.library.Free(address)
	})
}

// ClearMemory has the device clear the memory, managed memory included, in a stream of its
// own, which is ordered with no other. The default stream would wait for the streams of a host
// program, whose kernels may run for long, or until the host tells them to end.
func (n native) ClearMemory(address uint64, size int64) error {
	s, err := n.device.clearingStream()
	if err == nil {
		err = n.device.library.Set(address, 0, 1, size, s)
	}
	if err != nil {
		return err
	}
	return n.device.library.Synchronize(s)
}

// FindAllocation refuses memory of other devices: a kernel that uses it ends the context.
func (n native) FindAllocation(address uint64) (streams.Allocation, error) {
	found, err := n.device.library.Find(address)
	if err != nil {
		return streams.Allocation{}, err
	}
	a := streams.Allocation{Start: found.Start, Size: found.Size, Kind: driver.DeviceMemory}
	switch {
	case found.Managed:
		a.Kind = driver.SharedMemory
	case found.Host:
		a.Kind = driver.HostMemory
	case found.Device != n.device.number:
		return a, fmt.Errorf("it is memory of CUDA device %d", found.Device)
	}
	return a, nil
}

func (n native) WriteMemory(to uint64, data []byte, s streams.Stream) error {
	return n.device.library.Write(to, data, libcuda.Stream(s))
}

func (n native) ReadMemory(data []byte, from uint64, s streams.Stream) error {
	return n.device.library.Read(data, from, libcuda.Stream(s))
}

func (n native) CopyMemory(to, from uint64, size int64, s streams.Stream) error {
	return n.device.library.Copy(to, from, size, libcuda.Stream(s))
}

// FillMemory repeats a pattern with the widest values that the driver can set and the
// address allows. A pattern of several values takes a strided fill for each of them.
func (n native) FillMemory(to uint64, size int64, pattern []byte, s streams.Stream) error {
	library, stream := n.device.library, libcuda.Stream(s)
	width := min(len(pattern), 4)
	for to%uint64(width) != 0 {
		width /= 2
	}
	if len(pattern) == width {
		return library.Set(to, littleEndian(pattern), width, size/int64(width), stream)
	}
	if width == 2 { // SetStrided has none of two bytes
		width = 1
	}
	for i := 0; i < len(pattern); i += width {
		if err := library.SetStrided(to+uint64(i), len(pattern), littleEndian(pattern[i:i+width]), width, size/int64(len(pattern)), stream); err != nil {
			return err
		}
	}
	return nil
}

func littleEndian(b []byte) (value uint32) {
	for i, c := range b {
		value |= uint32(c) << (8 * i)
	}
	return value
}

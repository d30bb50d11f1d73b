package hostdev

import (
	"errors"
	"fmt"
	"sync"

	"offlink/runtime/driver"
	"offlink/runtime/hostdev/internal/mem"
)

// A pointer of device code is a number of 64 bits: the kind of memory in the
// top 3 bits, then 21 bits for which allocation of that kind, then 40 bits of
// offset into it. Every access is checked against its own allocation; an
// offset that was counted below zero is far beyond the end of the allocation
// before. The null pointer is of a kind that has no allocations.

// pointer is a pointer of device code.
type pointer uint64

// space is a kind of memory.
type space uint8

const (
	spaceNull     space = iota // nothing
	spaceGlobal                // buffers and program-scope variables
	spaceConstant              // program-scope variables that cannot be written
	spaceLocal                 // of a work-group
	spacePrivate               // of a work-item
	spaceInput                 // the built-in variables of a work-item
	spaces        = 8
)

var spaceNames = [spaces]string{
	"no memory", "global memory", "constant memory", "local memory", "private memory", "built-in variables",
	"no memory", "no memory",
}

const (
	offsetBits    = 40
	indexBits     = 21
	maxIndex      = 1<<indexBits - 1
	maxOffset     = 1<<offsetBits - 1
	maxAllocation = 2 << 30 // bytes of one allocation
	maxGlobal     = 8 << 30 // bytes of all
)

func makePointer(s space, index int, offset int64) pointer {
	return pointer(s)<<(indexBits+offsetBits) | pointer(index)<<offsetBits | pointer(offset&maxOffset)
}

func (p pointer) space() space  { return space(p >> (indexBits + offsetBits)) }
func (p pointer) index() int    { return int(p >> offsetBits & maxIndex) }
func (p pointer) offset() int64 { return int64(p & maxOffset) }

// segments is the allocations of one kind by index.
type segments [][]byte

// at returns n bytes at an address, nil if they are not all in one
// allocation.
func (s segments) at(index int, offset, n int64) []byte {
	if index >= len(s) {
		return nil
	}
	data := s[index]
	if offset > int64(len(data)) || n > int64(len(data))-offset {
		return nil
	}
	return data[offset : offset+n : offset+n]
}

// memory is a buffer or program-scope variable of a device.
type memory struct {
	device *Device
	data   []byte
	index  int
	space  space
	owned  bool // by a program, which closes it
}

// Size is the size in bytes.
func (m *memory) Size() int64 { return int64(len(m.data)) }

// Close gives the memory back. Pointers to it become invalid.
func (m *memory) Close() error {
	if m.owned {
		return nil
	}
	return m.release()
}

// Address is the pointer that kernels have for the first byte.
func (m *memory) Address() uint64 { return uint64(m.pointer(0)) }

func (m *memory) release() error { return m.device.heap.free(m) }

func (m *memory) pointer(offset int64) pointer { return makePointer(m.space, m.index, offset) }

// slice returns the bytes of a transfer.
func (m *memory) slice(offset int64, n int) ([]byte, error) {
	if offset < 0 || offset > m.Size() || int64(n) > m.Size()-offset {
		return nil, fmt.Errorf("%d bytes at offset %d are beyond the end of a memory of %d bytes", n, offset, m.Size())
	}
	return m.data[offset : offset+int64(n)], nil
}

// heap is the global memory of a device.
type heap struct {
	mu       sync.Mutex
	live     []*memory // by index; index 0 is never used
	retired  []int     // free indexes, the one that was freed first in front
	used     int64
	snapshot segments // of live; nil after a change
}

// quarantine is how many indexes are kept from reuse, so that a pointer to
// freed memory is found to be one.
const quarantine = 4096

var errOutOfMemory = errors.New("out of device memory")

func (h *heap) alloc(d *Device, size int64, s space) (*memory, error) {
	if size < 0 || size > maxAllocation {
		return nil, fmt.Errorf("%w: an allocation has at most %d bytes, not %d", errOutOfMemory, int64(maxAllocation), size)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if size > maxGlobal-h.used {
		return nil, fmt.Errorf("%w: %d bytes are asked for and %d of %d are in use", errOutOfMemory, size, h.used, int64(maxGlobal))
	}
	index, err := h.newIndex()
	if err != nil {
		return nil, err
	}
	m := &memory{device: d, data: mem.New(size), index: index, space: s}
	h.live[index] = m
	h.used += size
	h.snapshot = nil
	return m, nil
}

func (h *heap) newIndex() (int, error) {
	if len(h.live) == 0 {
		h.live = append(h.live, nil)
	}
	if len(h.retired) > quarantine || len(h.retired) > 0 && len(h.live) > maxIndex {
		index := h.retired[0]
		h.retired = h.retired[1:]
		return index, nil
	}
	if len(h.live) > maxIndex {
		return 0, fmt.Errorf("%w: %d allocations are in use", errOutOfMemory, maxIndex)
	}
	h.live = append(h.live, nil)
	return len(h.live) - 1, nil
}

func (h *heap) free(m *memory) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.live[m.index] != m {
		return errors.New("device memory is closed twice")
	}
	h.live[m.index] = nil
	h.retired = append(h.retired, m.index)
	h.used -= int64(len(m.data))
	h.snapshot = nil
	return nil
}

// segments returns the allocations as they are now.
func (h *heap) segments() segments {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.snapshot == nil {
		h.snapshot = make(segments, len(h.live))
		for i, m := range h.live {
			if m != nil {
				h.snapshot[i] = m.data
			}
		}
	}
	return h.snapshot
}

// own returns the argument as a memory of this device.
func (d *Device) own(m driver.Memory) (*memory, error) {
	own, ok := m.(*memory)
	if !ok || own.device != d {
		return nil, errors.New("the memory is not of this device")
	}
	return own, nil
}

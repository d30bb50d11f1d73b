package hostdev

import (
	"errors"
	"sync/atomic"

	"offlink/runtime/driver"
)

// A pointer of device code is a number of 64 bits. Global and constant memory
// has one flat address space, where a pointer is the address in this process:
// the host can store it, and code that was compiled for the host can use it
// (heap.go). Memory of work-groups and work-items has the kind of memory in
// the top 3 bits, then 21 bits for the index of the allocation, then 40 bits
// for the offset in it. Every access is checked against its own allocation; an
// offset below zero borrows from the index, and is then far beyond the end of
// the previous allocation.

// pointer is a pointer of device code.
type pointer uint64

// space is a kind of memory.
type space uint8

const (
	spaceGlobal  space = iota // the flat address space, and null
	spaceLocal                // of a work-group
	spacePrivate              // of a work-item
	spaceInput                // the built-in variables of a work-item
	spaceFar     = 7          // none: of a pointer that an index has led out of every allocation
	spaces       = 8
)

var spaceNames = [spaces]string{
	"global memory", "local memory", "private memory", "built-in variables",
	"no memory", "no memory", "no memory", "no memory",
}

const (
	offsetBits = 40
	indexBits  = 21
	maxIndex   = 1<<indexBits - 1
	maxOffset  = 1<<offsetBits - 1
)

func makePointer(s space, index int, offset int64) pointer {
	return pointer(s)<<(indexBits+offsetBits) | pointer(index)<<offsetBits | pointer(offset&maxOffset)
}

func (p pointer) space() space  { return space(p >> (indexBits + offsetBits)) }
func (p pointer) index() int    { return int(p >> offsetBits & maxIndex) }
func (p pointer) offset() int64 { return int64(p & maxOffset) }

// split returns the parts of a pointer whose offset may be below zero: then it has borrowed from
// the index, and where that is 0, from the kind of memory.
func (p pointer) split() (s space, index int, offset int64) {
	offset = p.offset()
	if offset > maxOffset/2 {
		p += maxOffset + 1
		offset -= maxOffset + 1
	}
	return p.space(), p.index(), offset
}

// movePointer adds an offset to a pointer; far tells that 64 bits did not hold it. A pointer that
// would come to be of another allocation by that is far from its own for good.
func movePointer(from pointer, offset uint64, far bool) uint64 {
	to := from + pointer(offset)
	if !far && from.space() == spaceGlobal {
		return uint64(to)
	}
	return uint64(from.movedTo(to, far))
}

func (p pointer) movedTo(to pointer, far bool) pointer {
	s, index, _ := p.split()
	if s == spaceFar {
		return p
	}
	if t, other, _ := to.split(); !far && s == t && index == other {
		return to
	}
	return makePointer(spaceFar, index, int64(s)<<farSpaceBits)
}

// farSpaceBits is where the offset of a far pointer has the space of its allocation.
const farSpaceBits = 30

// farOrigin is the allocation that a far pointer was made for; of global memory it is not known.
func (p pointer) farOrigin() (s space, index int) {
	return space(p.offset() >> farSpaceBits), p.index()
}

// scaledIndex is an index in bytes, and whether 64 bits do not hold that.
func scaledIndex(x, scale int64) (offset uint64, far bool) {
	p := x * scale
	if x == int64(int32(x)) && scale == int64(uint32(scale)) {
		return uint64(p), false
	}
	return uint64(p), scale != 0 && p/scale != x
}

// segments has the allocations of one kind, other than global, by index.
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
	at     int64 // in the region
	kind   driver.MemoryKind
	keep   bool        // Close does not free it: a program owns it, or it was imported
	closed atomic.Bool // it is not for later commands
	freed  atomic.Bool // others may have its place
}

// Size is the size in bytes.
func (m *memory) Size() int64 { return int64(len(m.data)) }

// Kind is the kind that the caller asked for; all kinds are the same memory.
func (m *memory) Kind() driver.MemoryKind { return m.kind }

// Bytes is the memory itself.
func (m *memory) Bytes() []byte { return m.data }

// Address is the pointer that kernels have for the first byte.
func (m *memory) Address() uint64 { return m.device.heap.base + uint64(m.at) }

// Handle is the address.
func (m *memory) Handle() uint64 { return m.Address() }

// Close frees the memory when the commands before have ended. Pointers to it become
// invalid then.
func (m *memory) Close() error {
	if m.keep {
		return nil
	}
	if m.closed.Swap(true) {
		return errors.New("device memory is closed twice")
	}
	return m.device.frees.FreeAfter(m.device.presentCommands(), m.release)
}

func (m *memory) release() error {
	m.closed.Store(true)
	m.freed.Store(true)
	m.device.noteFree(m)
	return m.device.heap.freeMemory(m)
}

// pointer is the device's pointer to a byte.
func (m *memory) pointer(offset int64) pointer { return pointer(m.Address() + uint64(offset)) }

// transferBytes returns the bytes of a transfer, or an error if it is out of
// bounds.
func (m *memory) transferBytes(offset, n int64) ([]byte, error) {
	if err := driver.CheckRange(m, offset, n); err != nil {
		return nil, err
	}
	return m.data[offset : offset+n], nil
}

// errFreed refuses memory whose place others have soon.
var errFreed = errors.New("the memory was closed")

// ownMemory returns the argument as a memory of this device.
func (d *Device) ownMemory(m driver.Memory) (*memory, error) {
	own, ok := m.(*memory)
	if !ok || own.device != d {
		return nil, errors.New("the memory is not of this device")
	}
	if own.closed.Load() {
		return nil, errFreed
	}
	return own, nil
}

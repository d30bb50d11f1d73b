package abi

import (
	"encoding/binary"
	"fmt"
)

// Memory is the target of the pointers of a descriptor tree: a file seen
// through its addresses and relocations, or the memory of this process. It is
// safe for concurrent use.
type Memory interface {
	// View returns the n bytes at addr, with the pointers in them as the
	// running program sees them. The slice may be the memory itself: it lives
	// as long as that and must not be written to.
	View(addr, n uint64) ([]byte, error)
	// CString returns the bytes from addr up to the first NUL, under the same
	// rules. A string longer than MaxString is an error.
	CString(addr uint64) ([]byte, error)
	// Guard calls read, which reads bytes of View and CString, and returns its error,
	// or one that names the memory that was gone: a file can become shorter, and the
	// system tells of pages that it cannot fill. It holds for the calling goroutine.
	Guard(read func() error) error
}

// MaxString is the length in bytes that no string of a tree may pass.
const MaxString = 1 << 20

// fields reads fields of one struct.
type fields struct {
	bytes   []byte
	pointer int
}

func (f fields) u8(at int) uint8   { return f.bytes[at] }
func (f fields) u16(at int) uint16 { return binary.LittleEndian.Uint16(f.bytes[at:]) }
func (f fields) u32(at int) uint32 { return binary.LittleEndian.Uint32(f.bytes[at:]) }
func (f fields) u64(at int) uint64 { return binary.LittleEndian.Uint64(f.bytes[at:]) }

// wordAt reads a pointer, or an integer of its size.
func (f fields) wordAt(at int) uint64 {
	if f.pointer == 4 {
		return uint64(f.u32(at))
	}
	return f.u64(at)
}

// pair is a begin and an end pointer, one past the last byte.
type pair struct{ begin, end uint64 }

func (f fields) pairAt(begin, end int) pair { return pair{f.wordAt(begin), f.wordAt(end)} }

func (p pair) isNull() bool { return p.begin == 0 && p.end == 0 }

// byteSize is the bytes of the range.
func (p pair) byteSize() (uint64, error) {
	if p.end < p.begin {
		return 0, fmt.Errorf("the range %#x to %#x ends before it begins", p.begin, p.end)
	}
	return p.end - p.begin, nil
}

// recordCount is the number of structs of that length in the range.
func (p pair) recordCount(length int) (uint64, error) {
	n, err := p.byteSize()
	if err != nil {
		return 0, err
	}
	if n%uint64(length) != 0 {
		return 0, fmt.Errorf("the range %#x to %#x is not a multiple of %d bytes", p.begin, p.end, length)
	}
	return n / uint64(length), nil
}

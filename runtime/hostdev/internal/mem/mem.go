// Package mem has the memory of the embedded device: bytes that are aligned
// for atomic access. It is the only part of the device with unsafe access to memory,
// and every function checks its bounds.
package mem

import (
	"encoding/binary"
	"math/bits"
	"sync/atomic"
	"unsafe"
)

// Alignment is the alignment in bytes of the memory of New.
const Alignment = 8

// New returns size zeroed bytes.
func New(size int64) []byte {
	if size <= 0 {
		return []byte{}
	}
	words := make([]uint64, (size+7)/8)
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), len(words)*8)[:size:size]
}

// Words is the memory of b, which is aligned, as numbers in the order of bytes
// that the processor has.
func Words(b []byte) []uint64 {
	if !Aligned(b, Alignment) {
		panic("mem: words that are not aligned")
	}
	return unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/8)
}

// Aligned tells whether b starts at a multiple of n bytes.
func Aligned(b []byte, n uintptr) bool {
	return uintptr(unsafe.Pointer(unsafe.SliceData(b)))%n == 0
}

var bigEndian = binary.NativeEndian.Uint16([]byte{0, 1}) == 1

// Load32 loads the little-endian word at the start of b, which is aligned.
func Load32(b []byte) uint32 { return little32(atomic.LoadUint32(pointer32(b))) }

// Store32 stores the word at the start of b, which is aligned.
func Store32(b []byte, v uint32) { atomic.StoreUint32(pointer32(b), little32(v)) }

// CompareAndSwap32 exchanges the word at the start of b, which is aligned.
func CompareAndSwap32(b []byte, old, new uint32) bool {
	return atomic.CompareAndSwapUint32(pointer32(b), little32(old), little32(new))
}

// Load64 is Load32 of 8 bytes.
func Load64(b []byte) uint64 { return little64(atomic.LoadUint64(pointer64(b))) }

// Store64 is Store32 of 8 bytes.
func Store64(b []byte, v uint64) { atomic.StoreUint64(pointer64(b), little64(v)) }

// CompareAndSwap64 is CompareAndSwap32 of 8 bytes.
func CompareAndSwap64(b []byte, old, new uint64) bool {
	return atomic.CompareAndSwapUint64(pointer64(b), little64(old), little64(new))
}

// The words that hold fewer bytes: b[:n] does not cross one, as it is aligned, and
// memory comes in whole words.

// LoadNarrow loads the first n bytes of b, 1 or 2, which are aligned.
func LoadNarrow(b []byte, n int) uint32 {
	word, shift := narrowWord(b, n)
	return little32(atomic.LoadUint32(word)) >> shift & (1<<(8*n) - 1)
}

// CompareAndSwapNarrow exchanges the first n bytes of b, 1 or 2, which are aligned,
// unless they have changed from old. The bytes beside them may change meanwhile.
func CompareAndSwapNarrow(b []byte, n int, old, new uint32) bool {
	word, shift := narrowWord(b, n)
	field := uint32(1<<(8*n)-1) << shift
	for {
		all := atomic.LoadUint32(word)
		have := little32(all)
		if have&field != old<<shift&field {
			return false
		}
		if atomic.CompareAndSwapUint32(word, all, little32(have&^field|new<<shift&field)) {
			return true
		}
	}
}

func narrowWord(b []byte, n int) (word *uint32, shift uint) {
	p := start(b, n)
	at := uintptr(p) % 4
	return (*uint32)(unsafe.Add(p, -int(at))), 8 * uint(at)
}

func pointer32(b []byte) *uint32 { return (*uint32)(start(b, 4)) }

func pointer64(b []byte) *uint64 { return (*uint64)(start(b, 8)) }

// start checks that b has n bytes without reading them, which would be a race
// with other threads' atomic operations.
func start(b []byte, n int) unsafe.Pointer {
	return unsafe.Pointer(unsafe.SliceData(b[:n:len(b)]))
}

func little32(v uint32) uint32 {
	if bigEndian {
		return bits.ReverseBytes32(v)
	}
	return v
}

func little64(v uint64) uint64 {
	if bigEndian {
		return bits.ReverseBytes64(v)
	}
	return v
}

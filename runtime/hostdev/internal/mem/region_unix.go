//go:build unix

package mem

import (
	"errors"
	"unsafe"

	"golang.org/x/sys/unix"
)

var errNoPlace = errors.New("no aligned place is free")

// reserve asks for one aligned place after another. A system with smaller
// addresses has none of them: there it takes more than it needs and gives the
// ends back.
func reserve(size int64) ([]byte, error) {
	err := errNoPlace
	for i := range uintptr(places) {
		want := firstPlace + i*RegionAlignment
		at, mapErr := mapAt(want, uintptr(size))
		switch {
		case mapErr != nil:
			err = mapErr
		case uintptr(at) == want:
			return unsafe.Slice((*byte)(at), size), nil
		default:
			_ = unix.MunmapPtr(at, uintptr(size))
			continue
		}
		break
	}
	if data, ok := reserveWithin(size); ok {
		return data, nil
	}
	return nil, err
}

// mapAt maps memory at an address, 0 for any; the system may choose another one.
func mapAt(want, size uintptr) (unsafe.Pointer, error) {
	return unix.MmapPtr(-1, 0, unsafe.Add(unsafe.Pointer(nil), want), size,
		unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON|mapNoReserve)
}

// reserveWithin maps more than the region by its alignment, and gives the parts before
// and after the aligned region back.
func reserveWithin(size int64) ([]byte, bool) {
	total := uintptr(size) + RegionAlignment
	at, err := mapAt(0, total)
	if err != nil {
		return nil, false
	}
	before := -uintptr(at) % RegionAlignment
	if before > 0 {
		_ = unix.MunmapPtr(at, before)
	}
	start := unsafe.Add(at, before)
	if after := total - before - uintptr(size); after > 0 {
		_ = unix.MunmapPtr(unsafe.Add(start, uintptr(size)), after)
	}
	return unsafe.Slice((*byte)(start), size), true
}

// hasRoom reports whether so many addresses are left.
func hasRoom(size int64) bool {
	at, err := mapAt(0, uintptr(size))
	if err != nil {
		return false
	}
	_ = unix.MunmapPtr(at, uintptr(size))
	return true
}

func commit([]byte) error { return nil }

func release(b []byte) { _ = unix.MunmapPtr(unsafe.Pointer(unsafe.SliceData(b)), uintptr(len(b))) }

package mem

import (
	"unsafe"

	"golang.org/x/sys/windows"
)

// reserve asks for one aligned place after another.
func reserve(size int64) ([]byte, error) {
	var err error
	for i := range uintptr(places) {
		var at uintptr
		at, err = windows.VirtualAlloc(firstPlace+i*RegionAlignment, uintptr(size), windows.MEM_RESERVE, windows.PAGE_READWRITE)
		if err == nil {
			return unsafe.Slice((*byte)(unsafe.Add(unsafe.Pointer(nil), at)), size), nil
		}
	}
	return nil, err
}

func commit(b []byte) error {
	if len(b) == 0 {
		return nil
	}
	_, err := windows.VirtualAlloc(address(b), uintptr(len(b)), windows.MEM_COMMIT, windows.PAGE_READWRITE)
	return err
}

func discard(b []byte) { _ = windows.VirtualFree(address(b), uintptr(len(b)), windows.MEM_DECOMMIT) }

func address(b []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(b))) }

func release(b []byte) { _ = windows.VirtualFree(address(b), 0, windows.MEM_RELEASE) }

// hasRoom: this system does not limit the addresses of a process.
func hasRoom(int64) bool { return true }

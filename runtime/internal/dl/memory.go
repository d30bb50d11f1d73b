package dl

import "unsafe"

// maxString bounds the strings that drivers return.
const maxString = 1 << 20

// pointerAt makes a pointer of an address that C gave out: memory that the
// garbage collector does not know.
func pointerAt(address uintptr) unsafe.Pointer {
	return *(*unsafe.Pointer)(unsafe.Pointer(&address))
}

// String copies the text at a char pointer, "" for NULL.
func String(address uintptr) string {
	if address == 0 {
		return ""
	}
	n := 0
	for n < maxString && *(*byte)(unsafe.Add(pointerAt(address), n)) != 0 {
		n++
	}
	return string(unsafe.Slice((*byte)(pointerAt(address)), n))
}

// Bytes is size bytes of C memory as a slice, without a copy; nil for NULL. It
// is valid as long as that memory is. The address of no bytes may be any number, which
// must not become a pointer of Go.
func Bytes(address uintptr, size int) []byte {
	switch {
	case address == 0 || size < 0:
		return nil
	case size == 0:
		return []byte{}
	}
	return unsafe.Slice((*byte)(pointerAt(address)), size)
}

// CString is the text with a NUL at its end, for a char pointer argument.
func CString(s string) *byte {
	b := make([]byte, len(s)+1)
	copy(b, s)
	return &b[0]
}

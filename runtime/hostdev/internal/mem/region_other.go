//go:build !unix && !windows

package mem

// reserve takes the region from Go's heap, where it is not aligned: the low half of an
// address is then not the offset into the region.
func reserve(size int64) ([]byte, error) { return New(min(size, 64<<20)), nil }

func commit([]byte) error { return nil }

func discard(b []byte) { clear(b) }

func release([]byte) {}

// hasRoom: this system does not limit the addresses of a process.
func hasRoom(int64) bool { return true }

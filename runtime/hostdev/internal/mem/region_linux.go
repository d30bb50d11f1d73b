package mem

import "golang.org/x/sys/unix"

const mapNoReserve = unix.MAP_NORESERVE

func discard(b []byte) {
	if unix.Madvise(b, unix.MADV_DONTNEED) != nil {
		clear(b)
	}
}

package mem

import (
	"errors"
	"fmt"
	"unsafe"
)

// Region is a range of addresses that is kept free of anything else, with
// memory that appears where it is touched.
type Region struct{ data []byte }

// wide is 1 where addresses have 64 bits, and 0 where they have 32.
const wide = ^uintptr(0) >> 63

// RegionAlignment is the alignment of a region. Where addresses have 64 bits,
// the low 32 of one are the offset into the region.
const RegionAlignment = 1 << (16 + 16*wide)

// firstPlace is where regions are looked for: away from Go's heap, the loader,
// and the shadow memory of sanitizers.
const firstPlace = 0x18 << (24 + 16*wide)

// places is how many aligned addresses are tried.
const places = 64

// PageSize divides every page size of the supported systems; Discard and
// Commit take multiples of it.
const PageSize = 1 << 16

// spare are the bytes of a limited address space that a region leaves. The heap of Go grows in steps
// of 64 MiB, each thread takes up to 136 MiB for its stack and for the C library, and Go
// ends the process if it gets none.
const spare = 768 << 20

// Reserve returns a region of the first of the sizes that the system grants:
// address space can be limited (ulimit -v). All but the last leave some of it.
func Reserve(sizes ...int64) (*Region, error) {
	var errs []error
	for i, size := range sizes {
		if uint64(size) > uint64(^uintptr(0))/2 {
			errs = append(errs, fmt.Errorf("%d MiB are more than this processor addresses", size>>20))
			continue
		}
		data, err := reserve(size)
		if err == nil {
			if i == len(sizes)-1 || hasRoom(spare) {
				return &Region{data}, nil
			}
			release(data)
			err = fmt.Errorf("they leave less than %d MiB for the rest of the process", spare>>20)
		}
		errs = append(errs, fmt.Errorf("%d MiB of addresses: %w", size>>20, err))
	}
	return nil, errors.Join(errs...)
}

// Bytes is the whole region.
func (r *Region) Bytes() []byte { return r.data }

// Base is the address of the first byte.
func (r *Region) Base() uint64 {
	return uint64(uintptr(unsafe.Pointer(unsafe.SliceData(r.data))))
}

// Commit makes a part of the region usable.
func (r *Region) Commit(offset, size int64) error { return commit(r.data[offset : offset+size]) }

// Discard gives the memory of a part back to the system. The part is then
// zeroed.
func (r *Region) Discard(offset, size int64) { discard(r.data[offset : offset+size]) }

// Release gives the addresses back. Nothing may use them any more.
func (r *Region) Release() { release(r.data) }

package driver

import (
	"cmp"
	"fmt"
	"slices"
	"sync"
)

// CheckRange reports whether size bytes at an offset lie in a memory.
func CheckRange(m Memory, offset, size int64) error {
	if offset < 0 || size < 0 || offset > m.Size() || size > m.Size()-offset {
		return fmt.Errorf("%d bytes at offset %d are beyond the end of a memory of %d bytes", size, offset, m.Size())
	}
	return nil
}

// Allocations is the memories of a device by their addresses, for back ends whose
// drivers do not tell which allocation holds an address. The zero value is empty and
// ready, and it is safe for concurrent use.
type Allocations struct {
	mu   sync.RWMutex
	list []allocation // in the order of their addresses
}

type allocation struct {
	start  uint64
	memory Memory
}

// Insert enters a memory that begins at the address.
func (a *Allocations) Insert(start uint64, m Memory) {
	a.mu.Lock()
	defer a.mu.Unlock()
	i, _ := a.searchAddress(start)
	a.list = slices.Insert(a.list, i, allocation{start, m})
}

// Remove takes the memory out that begins at the address, if there is one.
func (a *Allocations) Remove(start uint64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if i, ok := a.searchAddress(start); ok {
		a.list = slices.Delete(a.list, i, i+1)
	}
}

// Find describes the memory that holds an address. One of no bytes holds its own.
func (a *Allocations) Find(address uint64) (p Pointer, ok bool) {
	a.mu.RLock()
	defer a.mu.RUnlock()
	i, exact := a.searchAddress(address)
	if !exact {
		i--
	}
	if i < 0 || address-a.list[i].start >= uint64(max(a.list[i].memory.Size(), 1)) {
		return Pointer{}, false
	}
	return Pointer{Memory: a.list[i].memory, Offset: int64(address - a.list[i].start)}, true
}

// searchAddress finds the memory that begins at an address, or the place for one.
func (a *Allocations) searchAddress(address uint64) (int, bool) {
	return slices.BinarySearchFunc(a.list, address, func(x allocation, address uint64) int {
		return cmp.Compare(x.start, address)
	})
}

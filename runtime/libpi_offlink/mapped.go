package main

import (
	"slices"
	"sync"

	"offlink/runtime/driver"
)

// mapped are the maps of a memory object that the host has not ended.
type mapped struct {
	mu   sync.Mutex
	list []mapping
}

// mapping is a part of a memory object at an address of the host.
type mapping struct {
	address uintptr
	end     func(q driver.Queue, s driver.Sync) error // queues the way back
}

func (m *mapped) add(address uintptr, end func(q driver.Queue, s driver.Sync) error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.list = append(m.list, mapping{address, end})
}

// take removes the latest map at an address.
func (m *mapped) take(address uintptr) (mapping, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i, at := range slices.Backward(m.list) {
		if at.address == address {
			m.list = slices.Delete(m.list, i, i+1)
			return at, nil
		}
	}
	return mapping{}, failure(invalidValue, "%#x is not an address that a map of the memory returned", address)
}

// count is how many maps there are.
func (m *mapped) count() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.list)
}

// Flags of maps.
const (
	mapReads     = 1
	mapWrites    = 2
	mapDiscards  = 4 // CL_MAP_WRITE_INVALIDATE_REGION
	anyMapFlags  = mapReads | mapWrites | mapDiscards
	hostNoAccess = 1 << 9 // flags of memory objects
	hostReads    = 1 << 8
	hostWrites   = 1 << 7
)

// checkMapFlags returns an error unless a map can have the flags, on memory with its own.
func checkMapFlags(flags, ofMemory uint64) error {
	writes := flags&(mapWrites|mapDiscards) != 0
	if flags&^anyMapFlags != 0 || flags&mapDiscards != 0 && flags&(mapReads|mapWrites) != 0 {
		return failure(invalidValue, "a map with the flags %#x", flags)
	}
	return checkHostAccess(ofMemory, flags&mapReads != 0, writes)
}

// checkHostAccess returns an error for an access of the host that the flags of a memory object
// exclude.
func checkHostAccess(flags uint64, reads, writes bool) error {
	if flags&hostNoAccess != 0 && (reads || writes) || flags&hostWrites != 0 && reads || flags&hostReads != 0 && writes {
		return failure(invalidOperation, "the memory was made with the flags %#x, which exclude this access of the host", flags)
	}
	return nil
}

// mapObject maps a part of a memory object: at is where it is for the host, read and write queue
// the copies, which are nil where the host reaches the memory itself.
func (m *mapped) mapObject(q driver.Queue, s driver.Sync, at uintptr, flags uint64, read, write func(driver.Queue, driver.Sync) error) error {
	begin, end := driver.Queue.Barrier, driver.Queue.Barrier
	if read != nil && flags&mapDiscards == 0 {
		begin = read
	}
	// The interface of plugins has maps without a flag, of which the host may make any use.
	if write != nil && flags != mapReads {
		end = write
	}
	if err := begin(q, s); err != nil {
		return err
	}
	m.add(at, end)
	return nil
}

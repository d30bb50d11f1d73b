package hostdev

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"offlink/runtime/driver"
	"offlink/runtime/hostdev/internal/lanes"
	"offlink/runtime/hostdev/internal/mem"
)

// heap is the global memory of a device: one region of addresses. Each
// allocation has granules of its own, followed by a free granule that catches
// small overruns. A table has the allocation of each granule, so that one load
// checks an access.
type heap struct {
	flat

	mu     sync.Mutex
	opened bool
	err    error // of reserving the region
	region *mem.Region
	gaps   []gap // free granules, in order
	cursor int   // the gap to try first
	dirty  int64 // granules from this one on were never used
	used   int64
	live   map[int64]*memory // by offset

	// retired granules were freed and are not reused for a while, the oldest
	// ones first, so that an access through a stale pointer is a Fault.
	retired      []gap
	retiredCount int64
}

// flat is the global memory as a work-item sees it.
type flat struct {
	data  []byte
	base  uint64
	table []uint64 // an entry for each granule
}

// gap is a run of free granules.
type gap struct{ first, count int64 }

const (
	granuleBits = lanes.TableShift
	granule     = 1 << granuleBits

	// An entry of the table has the size of the allocation in its low half, and
	// in the high one where that starts in the region, with flags in the bits
	// that are 0 in every start. 0 is a free granule. Compiled kernels read the
	// table, which is in the region itself: see lanes.TableAddress.
	entryLive      = 1 << entryStartBits
	entryReadOnly  = lanes.TableReadOnly << entryStartBits
	entryDivided   = lanes.TableDivided << entryStartBits
	entryStartBits = 32
	entryHidden    = 1 << 2 << entryStartBits // not in the table: no pointer leads there

	maxGlobal     = 1<<32 - mem.PageSize // bytes of a region: code of 32 bits never counts past it
	maxAllocation = 2 << 30
)

// regionSizes are the sizes to try, where address space is short.
var regionSizes = []int64{maxGlobal, 1 << 30, 1 << 28, 1 << 26}

var errOutOfMemory = fmt.Errorf("out of device memory: %w", driver.ErrOutOfResources)

// openRegion reserves the region on first use.
func (h *heap) openRegion() error {
	if h.opened {
		return h.err
	}
	h.opened = true
	region, err := mem.Reserve(regionSizes...)
	if err != nil {
		h.err = fmt.Errorf("%w: no addresses for it: %w", errOutOfMemory, err)
		return h.err
	}
	h.region = region
	h.data, h.base = region.Bytes(), region.Base()
	count := int64(len(h.data)) >> granuleBits
	if err := region.Commit(lanes.TableAddress, lanes.TableSize); err != nil {
		h.err = fmt.Errorf("%w: %w", errOutOfMemory, err)
		return h.err
	}
	h.table = mem.Words(h.data[lanes.TableAddress : lanes.TableAddress+lanes.TableSize])
	// The addresses before the table stay free: kernels take 0 for null.
	const first = (lanes.TableAddress + lanes.TableSize) >> granuleBits
	h.gaps = []gap{{first, count - first}}
	h.dirty = first
	h.live = make(map[int64]*memory)
	runtime.AddCleanup(h, (*mem.Region).Release, region)
	return nil
}

// flatView returns the memory for a launch, which may be its first use: native code has its
// record there. Without addresses for it the launch is interpreted.
func (h *heap) flatView() flat {
	h.mu.Lock()
	defer h.mu.Unlock()
	_ = h.openRegion()
	return h.flat
}

// size is the size of the region.
func (h *heap) size() int64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.openRegion() != nil {
		return 0
	}
	return int64(len(h.data))
}

// allocate returns zeroed memory in granules of its own. If too few are free, those that
// were kept from reuse are given back first.
func (h *heap) allocate(d *Device, kind driver.MemoryKind, size int64, flags uint64) (*memory, error) {
	if size < 0 || size > maxAllocation {
		return nil, fmt.Errorf("%w: an allocation has at most %d bytes, not %d", errOutOfMemory, int64(maxAllocation), size)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if err := h.openRegion(); err != nil {
		return nil, err
	}
	count := granulesFor(size)
	first, ok := h.takeGranules(count + 1) // the last one stays free
	if !ok {
		h.retireGranules(gap{}, 0)
		first, ok = h.takeGranules(count + 1)
	}
	if !ok {
		return nil, fmt.Errorf("%w: %d bytes are asked for and %d of %d are in use", errOutOfMemory, size, h.used, len(h.data))
	}
	if err := h.zero(first, count); err != nil {
		h.giveGranules(gap{first, count + 1})
		return nil, fmt.Errorf("%w: %w", errOutOfMemory, err)
	}
	at := first << granuleBits
	entry := entryLive | flags | uint64(at)<<entryStartBits | uint64(size)
	for i := first; i < first+count && flags&entryHidden == 0; i++ {
		atomic.StoreUint64(&h.table[i], entry)
	}
	m := &memory{device: d, data: h.data[at : at+size : at+size], at: at, kind: kind}
	h.live[at] = m
	h.used += size
	return m, nil
}

// granulesFor is the number of granules of a size, at least one: every
// allocation has an address of its own.
func granulesFor(size int64) int64 { return max(1, (size+granule-1)>>granuleBits) }

// takeGranules takes granules from the next gap that has enough (next fit): granules that
// were freed are used again late, as a stale pointer should be a Fault.
func (h *heap) takeGranules(count int64) (first int64, ok bool) {
	for i := range h.gaps {
		at := (h.cursor + i) % len(h.gaps)
		g := &h.gaps[at]
		if g.count < count {
			continue
		}
		first = g.first
		g.first += count
		g.count -= count
		h.cursor = at
		if g.count == 0 {
			h.gaps = slices.Delete(h.gaps, at, at+1)
		}
		return first, true
	}
	return 0, false
}

// giveGranules makes granules free and merges them with adjacent gaps.
func (h *heap) giveGranules(g gap) {
	i, _ := slices.BinarySearchFunc(h.gaps, g, func(a, b gap) int { return int(a.first - b.first) })
	if i < len(h.gaps) && g.first+g.count == h.gaps[i].first {
		g.count += h.gaps[i].count
		h.gaps = slices.Delete(h.gaps, i, i+1)
	}
	if i > 0 && h.gaps[i-1].first+h.gaps[i-1].count == g.first {
		h.gaps[i-1].count += g.count
	} else {
		h.gaps = slices.Insert(h.gaps, i, g)
	}
}

// The most granules, and ranges of them, that are kept from reuse.
const (
	maxRetired     = 16 << 20 >> granuleBits
	maxRetiredGaps = 4096
)

// retireGranules keeps freed granules from reuse, and gives the oldest ones back
// until no more than limit are kept.
func (h *heap) retireGranules(g gap, limit int64) {
	if g.count > 0 {
		h.retired = append(h.retired, g)
		h.retiredCount += g.count
	}
	for len(h.retired) > 0 && (h.retiredCount > limit || len(h.retired) > maxRetiredGaps) {
		h.retiredCount -= h.retired[0].count
		h.giveGranules(h.retired[0])
		h.retired = h.retired[1:]
	}
}

// discardFrom is the size in bytes from which freed memory is given back to the
// system, which zeroes it; smaller allocations are cleared when they are reused.
const discardFrom = 256 << 10

// zero clears granules. Those that were never used are zero already.
func (h *heap) zero(first, count int64) error {
	at, size := first<<granuleBits, count<<granuleBits
	used := min(count, h.dirty-first)
	if used > 0 && size >= discardFrom {
		h.region.Discard(at, used<<granuleBits)
	}
	if err := h.region.Commit(at, size); err != nil {
		return err
	}
	if used > 0 && size < discardFrom {
		clear(h.data[at : at+used<<granuleBits])
	}
	h.dirty = max(h.dirty, first+count)
	return nil
}

// freeMemory frees an allocation. Accesses to it fault from now on, at least until its
// granules are used again: see retireGranules.
func (h *heap) freeMemory(m *memory) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.live[m.at] != m {
		return errors.New("device memory is closed twice")
	}
	delete(h.live, m.at)
	first, count := m.at>>granuleBits, granulesFor(m.Size())
	for i := first; i < first+count; i++ {
		atomic.StoreUint64(&h.table[i], 0)
	}
	if count<<granuleBits >= discardFrom {
		h.region.Discard(m.at, count<<granuleBits)
	}
	h.retireGranules(gap{first, count + 1}, maxRetired)
	h.used -= m.Size()
	return nil
}

// allocationAt returns the allocation that contains an address, and the offset
// in it.
func (h *heap) allocationAt(address uint64) (*memory, int64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	entry, within := h.entryOf(pointer(address))
	if entry == 0 || within > entrySize(entry) {
		return nil, 0
	}
	return h.live[entryStart(entry)], within
}

func entrySize(entry uint64) int64 { return int64(uint32(entry)) }
func entryStart(entry uint64) int64 {
	return int64(entry >> entryStartBits & (lanes.TableStarts & 0xffffffff))
}

// entryOf returns the table's entry for an address, 0 without an
// allocation, and the offset into the allocation.
func (f *flat) entryOf(p pointer) (entry uint64, within int64) {
	at := uint64(p) - f.base
	if at >= uint64(len(f.data)) {
		return 0, 0
	}
	entry = atomic.LoadUint64(&f.table[at>>granuleBits])
	return entry, int64(at) - entryStart(entry)
}

// bytesAt returns n bytes at an address, or nil if they are not all in one
// allocation or the allocation has any of the flags in without.
func (f *flat) bytesAt(p pointer, n int64, without uint64) []byte {
	at := uint64(p) - f.base
	if at >= uint64(len(f.data)) {
		return nil
	}
	entry := atomic.LoadUint64(&f.table[at>>granuleBits])
	end := uint64(entryStart(entry)) + uint64(uint32(entry))
	if entry&entryLive == 0 || entry&without != 0 || at > end || uint64(n) > end-at {
		return nil
	}
	return f.data[at : at+uint64(n) : at+uint64(n)]
}

// entryNear is entryOf for messages. If the address has no allocation, it tries
// the granules next to it: an index just out of range leads there.
func (f *flat) entryNear(p pointer) (entry uint64, within int64) {
	if entry, within = f.entryOf(p); entry == 0 {
		if entry, within = f.entryOf(p + granule); entry != 0 {
			within -= granule
		} else if entry, within = f.entryOf(p - granule); entry != 0 {
			within += granule
		}
	}
	return entry, within
}

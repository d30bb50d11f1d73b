package objfile

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"
	"sort"
)

// region is a range of addresses and the bytes of the file that fill it;
// zeros follow up to its size.
type region struct {
	addr, size uint64
	data       []byte
	offset     int64 // of data in the file
}

func (r *region) holds(addr uint64) bool { return addr >= r.addr && addr-r.addr < r.size }

// patch is a range whose bytes differ from the file's, relocations applied.
type patch struct {
	addr uint64
	data []byte
}

func (p *patch) end() uint64 { return p.addr + uint64(len(p.data)) }

// fixup is a pointer that the loader would store.
type fixup struct{ addr, value uint64 }

// maxString bounds the strings of a descriptor tree.
const maxString = 1 << 20

// AddressError is a read of addresses that the file does not fill.
type AddressError struct {
	Addr, Size uint64
	Msg        string
}

func (e *AddressError) Error() string {
	return fmt.Sprintf("%d bytes at address %#x: %s", e.Size, e.Addr, e.Msg)
}

const notMapped = "nothing of the file lies there"

// setRegions takes the ranges of a file, which must not overlap. Several that
// show the same bytes of the file may together be four times as large as it:
// pages are shared at their borders, and no more.
func (f *File) setRegions(in *input, regions []region) error {
	slices.SortStableFunc(regions, func(a, b region) int { return cmp.Compare(a.addr, b.addr) })
	var total uint64
	for i, r := range regions {
		if r.addr+r.size < r.addr {
			return in.errorf(-1, "the range of %#x bytes at address %#x passes the end of the address space", r.size, r.addr)
		}
		if i > 0 && regions[i-1].addr+regions[i-1].size > r.addr {
			return in.errorf(-1, "two segments overlap at address %#x", r.addr)
		}
		total += uint64(len(r.data))
	}
	if total > 4*uint64(len(in.data)) {
		return in.errorf(-1, "segments show the same bytes many times over")
	}
	f.regions = regions
	return nil
}

// regionAt returns the region that holds addr, or nil.
func (f *File) regionAt(addr uint64) *region {
	i := sort.Search(len(f.regions), func(i int) bool { return f.regions[i].addr > addr })
	if i == 0 || !f.regions[i-1].holds(addr) {
		return nil
	}
	return &f.regions[i-1]
}

// filled returns the bytes of the file from addr to the end of its region's.
func (f *File) filled(addr uint64) []byte {
	r := f.regionAt(addr)
	if r == nil || addr-r.addr > uint64(len(r.data)) {
		return nil
	}
	return r.data[addr-r.addr:]
}

// patchGap is the distance from which two fixups get a copy each: far less
// than an image that lies between them.
const patchGap = 1 << 16

// setFixups applies pointers to copies of the bytes around them. Fixups
// outside the file's bytes are dropped.
func (f *File) setFixups(fixups []fixup) {
	byAddr := func(a, b fixup) int { return cmp.Compare(a.addr, b.addr) }
	if !slices.IsSortedFunc(fixups, byAddr) {
		slices.SortStableFunc(fixups, byAddr)
	}
	for len(fixups) > 0 {
		n, room := f.cluster(fixups)
		if n == 0 {
			fixups = fixups[1:]
			continue
		}
		f.patches = append(f.patches, f.apply(fixups[:n], room))
		fixups = fixups[n:]
	}
}

// cluster returns how many of the first fixups lie close together in one
// region, and the bytes from the first to the end of that region.
func (f *File) cluster(fixups []fixup) (n int, room []byte) {
	first := fixups[0].addr
	room = f.filled(first)
	for n = 0; n < len(fixups); n++ {
		at := fixups[n].addr - first
		if at > uint64(len(room)) || uint64(len(room))-at < uint64(f.Pointer) ||
			n > 0 && fixups[n].addr-fixups[n-1].addr > patchGap {
			break
		}
	}
	return n, room
}

func (f *File) apply(fixups []fixup, room []byte) patch {
	first := fixups[0].addr
	size := fixups[len(fixups)-1].addr - first + uint64(f.Pointer)
	p := patch{first, bytes.Clone(room[:size])}
	for _, fix := range fixups {
		f.putPointer(p.data[fix.addr-first:], fix.value)
	}
	return p
}

func (f *File) putPointer(b []byte, v uint64) {
	if f.Pointer == 4 {
		binary.LittleEndian.PutUint32(b, uint32(v))
	} else {
		binary.LittleEndian.PutUint64(b, v)
	}
}

func (f *File) pointer(b []byte) uint64 {
	if f.Pointer == 4 {
		return uint64(binary.LittleEndian.Uint32(b))
	}
	return binary.LittleEndian.Uint64(b)
}

// View returns the n bytes at addr; see abi.Memory.
func (f *File) View(addr, n uint64) ([]byte, error) {
	r := f.regionAt(addr)
	if r == nil {
		return nil, &AddressError{addr, n, notMapped}
	}
	at := addr - r.addr
	if n > r.size-at {
		return nil, &AddressError{addr, n, fmt.Sprintf("what lies there ends at %#x", r.addr+r.size)}
	}
	first, last := f.patchesIn(addr, addr+n)
	if at+n > uint64(len(r.data)) || first != last {
		if first+1 == last && f.patches[first].addr <= addr && addr+n <= f.patches[first].end() {
			p := &f.patches[first]
			return p.data[addr-p.addr:][:n:n], nil
		}
		return f.join(r, addr, n, f.patches[first:last])
	}
	return r.data[at:][:n:n], nil
}

// patchesIn returns the range of the patches that touch [begin, end).
func (f *File) patchesIn(begin, end uint64) (first, last int) {
	first = sort.Search(len(f.patches), func(i int) bool { return f.patches[i].end() > begin })
	last = first
	for last < len(f.patches) && f.patches[last].addr < end {
		last++
	}
	return first, last
}

// join copies a range that is not of one piece. Copies are bounded, as
// hostile tables may ask for the same range any number of times.
func (f *File) join(r *region, addr, n uint64, patches []patch) ([]byte, error) {
	if limit := 4*uint64(len(f.data)) + 1<<20; n > limit || f.copied > limit-n {
		return nil, &AddressError{addr, n, "more was asked for than the file holds: its tables overlap"}
	}
	f.copied += n
	b := make([]byte, n)
	if at := addr - r.addr; at < uint64(len(r.data)) {
		copy(b, r.data[at:])
	}
	for _, p := range patches {
		if p.addr >= addr {
			copy(b[p.addr-addr:], p.data)
		} else {
			copy(b, p.data[addr-p.addr:])
		}
	}
	return b, nil
}

// CString returns the bytes from addr up to a NUL; see abi.Memory.
func (f *File) CString(addr uint64) ([]byte, error) {
	b := f.filled(addr)
	if first, last := f.patchesIn(addr, addr+1); first != last {
		b = f.patches[first].data[addr-f.patches[first].addr:]
	}
	if len(b) == 0 {
		return nil, &AddressError{addr, 1, notMapped}
	}
	b = b[:min(len(b), maxString)]
	end := bytes.IndexByte(b, 0)
	if end < 0 {
		return nil, &AddressError{addr, uint64(len(b)), "a string that does not end"}
	}
	return b[:end:end], nil
}

// Offset returns where in the file the byte at addr lies.
func (f *File) Offset(addr uint64) (int64, bool) {
	r := f.regionAt(addr)
	if r == nil || addr-r.addr >= uint64(len(r.data)) {
		return 0, false
	}
	return r.offset + int64(addr-r.addr), true
}

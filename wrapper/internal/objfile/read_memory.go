package objfile

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"iter"
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

const notMapped = "the file has no bytes there"

// setRegions takes the ranges of a file, which must not overlap. Several may show the same bytes of
// the file, since pages are shared at the borders of segments. Four times the size of the file is
// more than that takes; hostile tables could ask for any amount.
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

// patchPage is the size that is copied around a fixup, far less than an image
// that lies between two.
const patchPage = 1 << 12

// applyFixups stores the pointers into copies of the pages around them: objects and chained files
// hold no addresses before. Fixups outside the file's bytes are dropped. They come in any order,
// usually nearly sorted, and there may be millions, so that they are read twice and not held.
// release, if not nil, is called whenever some megabytes of the file have been read.
func (f *File) applyFixups(release func()) {
	if f.fixups == nil {
		return
	}
	fixups := f.fixups
	if release != nil {
		fixups = releasingFixups(fixups, release)
	}
	pages := f.touchedPages(fixups)
	for i := range f.regions {
		f.copyPages(&f.regions[i], pages[&f.regions[i]], release)
	}
	f.storePointers(fixups)
}

// releaseFixups is how many fixups are read until pages are released: their table has
// 24 bytes for each in most files.
const releaseFixups = 1 << 16

// releasingFixups calls release from time to time, and at the end.
func releasingFixups(fixups iter.Seq[fixup], release func()) iter.Seq[fixup] {
	return func(yield func(fixup) bool) {
		n := 0
		for fix := range fixups {
			if n++; n%releaseFixups == 0 {
				release()
			}
			if !yield(fix) {
				return
			}
		}
		release()
	}
}

// touchedPages returns for each region which of its pages fixups change.
func (f *File) touchedPages(fixups iter.Seq[fixup]) map[*region][]bool {
	pages := make(map[*region][]bool)
	var r *region
	var touched []bool
	for fix := range fixups {
		if r == nil || !r.holds(fix.addr) {
			if r = f.regionAt(fix.addr); r == nil {
				continue
			}
			if touched = pages[r]; touched == nil {
				touched = make([]bool, len(r.data)/patchPage+1)
				pages[r] = touched
			}
		}
		// The last byte of a pointer may be on the next page.
		if at, room := fix.addr-r.addr, uint64(len(r.data)); at < room {
			touched[at/patchPage] = true
			touched[min(at+uint64(f.Pointer)-1, room-1)/patchPage] = true
		}
	}
	return pages
}

// releaseCopied is how many bytes are copied until pages are released.
const releaseCopied = 1 << 20

// copyReleasing returns a copy. It calls release, if not nil, while it reads a long original.
func copyReleasing(b []byte, release func()) []byte {
	if release == nil || len(b) < releaseCopied {
		return bytes.Clone(b)
	}
	out := make([]byte, 0, len(b))
	for part := range slices.Chunk(b, releaseCopied) {
		out = append(out, part...)
		release()
	}
	return out
}

// copyPages makes a patch of each run of touched pages of a region.
func (f *File) copyPages(r *region, pages []bool, release func()) {
	for first := 0; first < len(pages); first++ {
		if !pages[first] {
			continue
		}
		last := first
		for last < len(pages) && pages[last] {
			last++
		}
		run := r.data[first*patchPage : min(last*patchPage, len(r.data))]
		f.patches = append(f.patches, patch{r.addr + uint64(first)*patchPage, copyReleasing(run, release)})
		first = last
	}
}

// storePointers writes the fixups into the patches. They are nearly sorted, so the patch of the one
// before is tried first.
func (f *File) storePointers(fixups iter.Seq[fixup]) {
	var p *patch
	for fix := range fixups {
		if p == nil || fix.addr-p.addr >= uint64(len(p.data)) {
			first, last := f.patchesIn(fix.addr, fix.addr+1)
			if first == last {
				continue
			}
			p = &f.patches[first]
		}
		if at := fix.addr - p.addr; at+uint64(f.Pointer) <= uint64(len(p.data)) {
			f.putPointer(p.data[at:], fix.value)
		}
	}
}

// putPointer writes a pointer of the file's width and byte order.
func (f *File) putPointer(b []byte, v uint64) {
	if f.Pointer == 4 {
		binary.LittleEndian.PutUint32(b, uint32(v))
	} else {
		binary.LittleEndian.PutUint64(b, v)
	}
}

// readPointer reads a pointer of the file's width and byte order.
func (f *File) readPointer(b []byte) uint64 {
	if f.Pointer == 4 {
		return uint64(binary.LittleEndian.Uint32(b))
	}
	return binary.LittleEndian.Uint64(b)
}

// View returns the n bytes at addr; see abi.Memory. They are copied only if they do not lie in one
// piece, in the file or in a patch.
func (f *File) View(addr, n uint64) ([]byte, error) {
	r := f.regionAt(addr)
	if r == nil {
		return nil, &AddressError{addr, n, notMapped}
	}
	at := addr - r.addr
	if n > r.size-at {
		return nil, &AddressError{addr, n, fmt.Sprintf("the bytes there end at %#x", r.addr+r.size)}
	}
	first, last := f.patchesIn(addr, addr+n)
	if at+n > uint64(len(r.data)) || first != last {
		if first+1 == last && f.patches[first].addr <= addr && addr+n <= f.patches[first].end() {
			p := &f.patches[first]
			return p.data[addr-p.addr:][:n:n], nil
		}
		return f.joinPatches(r, addr, n, f.patches[first:last])
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

// joinPatches copies a range that does not lie in one piece. The sum of all copies is bounded, as
// hostile tables may ask for the same range any number of times.
func (f *File) joinPatches(r *region, addr, n uint64, patches []patch) ([]byte, error) {
	if limit := 4*uint64(len(f.data)) + 1<<20; n > limit || f.copied.Add(n) > limit {
		return nil, &AddressError{addr, n, "more was asked for than the file holds: its tables overlap"}
	}
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

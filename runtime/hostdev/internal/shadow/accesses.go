package shadow

// Access is one access of a work-item to memory.
type Access struct {
	Time uint32 // of the launch's clock
	Item uint32 // the number of the work-item
	Site uint32 // the number of the instruction, from 1 on; Atomic is a flag
}

// Atomic in a Site marks atomic accesses, which do not race with each other.
const Atomic = 1 << 31

// cell has the accesses to a byte, or to an aligned word of 4 bytes, that a later
// access has to be compared with: the last write, and reads since then by two
// work-items, of different groups if there are such.
type cell struct{ write, read, other Access }

// page has the cells of a page: one for each word until an access is not of
// whole words.
type page struct {
	words [pageSize / 4]cell
	bytes *[pageSize]cell
}

// Accesses has the last accesses to the bytes of a memory. The zero value has
// none.
type Accesses struct {
	// Limit is how many pages of 4096 bytes are watched, where it is not 0; each
	// costs 36 KiB. One with accesses that are not of whole words counts as four.
	Limit int
	// SameGroup tells whether two work-items are of one work-group.
	SameGroup func(a, b uint32) bool

	pages map[int64]*page
	cost  int
}

// Full tells whether a part of the memory is not watched, because of Limit.
func (a *Accesses) Full() bool { return a.Limit > 0 && a.cost >= a.Limit }

// Conflict is an earlier access that races with a new one.
type Conflict struct {
	Access
	Wrote bool // the earlier one wrote
}

// Load records a read. ordered tells whether an earlier access of another
// work-item happened before this one.
func (a *Accesses) Load(at, n int64, now Access, ordered func(Access) bool) (c Conflict, found bool) {
	a.eachCell(at, n, func(x *cell) {
		if !found && races(x.write, now, ordered) {
			c, found = Conflict{x.write, true}, true
		}
		a.noteRead(x, now)
	})
	return c, found
}

// Store records a write, or an atomic operation that reads and writes.
func (a *Accesses) Store(at, n int64, now Access, ordered func(Access) bool) (c Conflict, found bool) {
	a.eachCell(at, n, func(x *cell) {
		for i, earlier := range []Access{x.write, x.read, x.other} {
			if !found && races(earlier, now, ordered) {
				c, found = Conflict{earlier, i == 0}, true
			}
		}
		*x = cell{write: now}
	})
	return c, found
}

func races(earlier, now Access, ordered func(Access) bool) bool {
	return earlier.Site != 0 && earlier.Item != now.Item && earlier.Site&now.Site&Atomic == 0 && !ordered(earlier)
}

// noteRead keeps the last reader, and one other.
func (a *Accesses) noteRead(x *cell, now Access) {
	if x.read.Site != 0 && x.read.Item != now.Item &&
		(x.other.Site == 0 || !a.SameGroup(x.read.Item, now.Item) || a.SameGroup(x.other.Item, now.Item)) {
		x.other = x.read
	}
	x.read = now
}

// eachCell calls f with the cells of a range: those of words, until the page has seen an
// access that is not of whole words.
func (a *Accesses) eachCell(at, n int64, f func(*cell)) {
	whole := at%4 == 0 && n%4 == 0
	eachPage(at, n, func(number, from, to int64) {
		p := a.pageOf(number)
		switch {
		case p == nil:
		case whole && p.bytes == nil:
			for i := from / 4; i < to/4; i++ {
				f(&p.words[i])
			}
		default:
			if p.bytes == nil {
				p.split()
				a.cost += 3
			}
			for i := from; i < to; i++ {
				f(&p.bytes[i])
			}
		}
	})
}

// pageOf returns the cells of a page, nil for one that is beyond the limit.
func (a *Accesses) pageOf(number int64) *page {
	p := a.pages[number]
	if p == nil && !a.Full() {
		if a.pages == nil {
			a.pages = make(map[int64]*page)
		}
		p = new(page)
		a.pages[number] = p
		a.cost++
	}
	return p
}

// split gives each byte a cell of its own.
func (p *page) split() {
	p.bytes = new([pageSize]cell)
	for i := range p.bytes {
		p.bytes[i] = p.words[i/4]
	}
}

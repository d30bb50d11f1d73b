package shadow

// Undefined has the undefined bits of a memory, a byte for each byte. Memory
// that it was never told about is defined. The zero value is ready for use.
type Undefined struct {
	pages map[int64]*[pageSize]byte
}

// Define makes a range defined.
func (u *Undefined) Define(at, n int64) {
	eachPage(at, n, func(page, from, to int64) {
		switch {
		case u.pages[page] == nil:
		case from == 0 && to == pageSize:
			delete(u.pages, page)
		default:
			clear(u.writablePage(page)[from:to])
		}
	})
}

// Read copies the undefined bits of len(bits) bytes and tells whether there are
// any.
func (u *Undefined) Read(at int64, bits []byte) bool {
	found, done := false, int64(0)
	eachPage(at, int64(len(bits)), func(page, from, to int64) {
		part := bits[done : done+to-from]
		done += to - from
		if p := u.pages[page]; p != nil {
			copy(part, p[from:to])
			found = true
			return
		}
		clear(part)
	})
	return found && Any(bits)
}

// Write replaces the undefined bits of len(bits) bytes.
func (u *Undefined) Write(at int64, bits []byte) {
	if !Any(bits) {
		u.Define(at, int64(len(bits)))
		return
	}
	done := int64(0)
	eachPage(at, int64(len(bits)), func(page, from, to int64) {
		copy(u.writablePage(page)[from:to], bits[done:])
		done += to - from
	})
}

// Any tells whether a bit is undefined.
func Any(bits []byte) bool {
	for _, b := range bits {
		if b != 0 {
			return true
		}
	}
	return false
}

func (u *Undefined) writablePage(page int64) *[pageSize]byte {
	p := u.pages[page]
	if p == nil {
		if u.pages == nil {
			u.pages = make(map[int64]*[pageSize]byte)
		}
		p = new([pageSize]byte)
		u.pages[page] = p
	}
	return p
}

// eachPage cuts a range at the ends of pages.
func eachPage(at, n int64, f func(page, from, to int64)) {
	for n > 0 {
		from := at & (pageSize - 1)
		to := min(from+n, pageSize)
		f(at>>pageBits, from, to)
		at, n = at+to-from, n-(to-from)
	}
}

package hostdev

import (
	"fmt"

	"offlink/runtime/hostdev/internal/shadow"
)

// Accesses, before they are made. One that is not allowed is reported and left
// out.

// accessCheck describes the access of an instruction through its pointer, the word
// inst.a.
type accessCheck struct {
	what   string // "load", "store"
	size   int64  // 0: that of the word inst.b, at most maxOffset
	align  int64  // 0 or 1: any address
	write  bool
	atomic bool
	// modifies tells that an atomic access reads as well as writes.
	modifies bool
	result   int // words at inst.dst that are 0 if the access is left out
	leaves   []leaf
}

// stepCheckAccess jumps over the access to inst.target if it is not allowed.
func stepCheckAccess(it *item, in *inst) status {
	a := in.ext.(*accessCheck)
	size := a.size
	if size == 0 {
		size = int64(min(it.s[in.b], maxOffset))
		it.checkDefined(in.b, "the size of a "+a.what)
	}
	it.checkDefined(in.a, "the address of a "+a.what)
	it.check.undefined, it.check.atomic = 0, a.atomic
	if size == 0 || it.allows(a, in.a, size) {
		return running
	}
	clear(it.s[in.dst : int(in.dst)+a.result])
	clear(it.check.s[in.dst : int(in.dst)+a.result])
	it.pc = in.target
	return running
}

// allows tells whether an access is allowed, and reports it otherwise. One that
// is misaligned alone is made nevertheless, unless it is atomic.
func (it *item) allows(a *accessCheck, word int32, size int64) bool {
	p := pointer(it.s[word])
	object := it.check.s[word].object
	if s, _, _ := p.split(); s == spaceGlobal {
		object = it.objectOf(word)
	}
	if kind, message, memory := it.inspect(a, p, object, size); kind != "" {
		if c := it.check.c; !c.known(kind, it) {
			c.report(it, &Finding{Kind: kind, Message: message, Memory: memory})
		}
		return false
	}
	if a.align > 1 && uint64(p.address())%uint64(a.align) != 0 {
		if c := it.check.c; !c.known(Misaligned, it) {
			c.report(it, &Finding{Kind: Misaligned, Memory: it.memoryName(p), Message: fmt.Sprintf(
				"%s of %d bytes at an address that is not a multiple of %d", a.what, size, a.align)})
		}
		return !a.atomic
	}
	if a.modifies {
		it.checkMemoryDefined(p, size)
	}
	return true
}

// address is a number whose low bits are those of the address.
func (p pointer) address() int64 {
	if p.space() == spaceGlobal {
		return int64(p)
	}
	return p.offset()
}

// objectOf is the object for which the pointer in a word was made. Where that is
// not known, it is the one that the pointer leads to now. A pointer into
// another allocation by chance is found this way: its bounds are those of the
// object that it was made for.
func (it *item) objectOf(word int32) uint32 {
	sh := &it.check.s[word]
	if sh.object == 0 {
		sh.object = it.check.c.objectAt(pointer(it.s[word]))
	}
	return sh.object
}

// inspect says why an access is not allowed; kind is "" if it is.
func (it *item) inspect(a *accessCheck, p pointer, object uint32, size int64) (kind FindingKind, message, memory string) {
	// An index may have led so far from an object that the pointer seems to be of another
	// kind of memory: of one that is not there.
	s, index, _ := p.split()
	if s == spaceFar {
		return it.inspectFar(a, p, object, size)
	}
	if s != spaceGlobal && (object == 0 || it.hasSegment(s, index)) {
		return it.inspectSegment(a, p, size)
	}
	c := it.check.c
	if object == 0 {
		return it.inspectWild(a, p, size)
	}
	o := &c.objects[object]
	if entry, _ := it.flat.entryOf(pointer(it.flat.base + uint64(o.at))); entry != o.entry {
		return UseAfterFree, fmt.Sprintf("%s of %d bytes in memory that was freed", a.what, size), o.String()
	}
	within := int64(uint64(p)-it.flat.base) - o.at
	switch {
	case within < 0 || within > o.size || size > o.size-within:
		return OutOfBounds, fmt.Sprintf("%s of %d bytes at offset %d of %d bytes%s", a.what, size, within, o.size, c.landing(p, object)), o.String()
	case a.write && o.entry&entryReadOnly != 0:
		return ReadOnlyMemory, fmt.Sprintf("%s of %d bytes to constant memory", a.what, size), o.String()
	}
	return "", "", ""
}

// inspectFar is inspect of a pointer that an index has led away.
func (it *item) inspectFar(a *accessCheck, p pointer, object uint32, size int64) (kind FindingKind, message, memory string) {
	s, index := p.farOrigin()
	have := int64(0)
	switch {
	case object != 0:
		o := &it.check.c.objects[object]
		have, memory = o.size, o.String()
	case it.hasSegment(s, index):
		have, memory = int64(len(it.spaces[s][index])), it.segmentName(s, index)
	default:
		return InvalidPointer, fmt.Sprintf("%s of %d bytes through a pointer that an index has led out of 64 bits", a.what, size), ""
	}
	return OutOfBounds, fmt.Sprintf("%s of %d bytes far outside of %d bytes", a.what, size, have), memory
}

// landing tells in which other allocation an address lies.
func (c *checker) landing(p pointer, object uint32) string {
	other := c.objectAt(p)
	if other == 0 || c.objects[other].at == c.objects[object].at {
		return ""
	}
	return ", where " + c.objects[other].name + " is"
}

// inspectWild is inspect of a pointer that was made for no allocation.
func (it *item) inspectWild(a *accessCheck, p pointer, size int64) (kind FindingKind, message, memory string) {
	if f, ok := it.check.c.freedAt(p); ok {
		return UseAfterFree, fmt.Sprintf("%s of %d bytes at offset %d of memory that was freed", a.what, size, int64(uint64(p)-it.flat.base)-f.at),
			fmt.Sprintf("allocation %d of the host, %d bytes of global memory, freed", f.number, f.size)
	}
	if entry, within := it.flat.entryNear(p); entry != 0 {
		o := &it.check.c.objects[it.check.c.objectAt(pointer(it.flat.base+uint64(entryStart(entry))))]
		return OutOfBounds, fmt.Sprintf("%s of %d bytes at offset %d of %d bytes", a.what, size, within, o.size), o.String()
	}
	if isAssertion(it.fn.name, it.place(it.fn, int(it.pc)-1).Op) {
		return AssertionFailed, ErrAssertion.Error(), ""
	}
	return InvalidPointer, fmt.Sprintf("%s of %d bytes through %s", a.what, size, describePointer(p)), ""
}

func (it *item) inspectSegment(a *accessCheck, p pointer, size int64) (kind FindingKind, message, memory string) {
	s, index, offset := p.split()
	switch {
	case s > spaceInput:
		return InvalidPointer, fmt.Sprintf("%s of %d bytes through %s", a.what, size, describePointer(p)), ""
	case !it.hasSegment(s, index):
		return UseAfterFree, fmt.Sprintf("%s of %d bytes in %s of a function that has returned", a.what, size, spaceNames[s]), ""
	}
	have := int64(len(it.spaces[s][index]))
	switch {
	case offset < 0 || offset > have || size > have-offset:
		return OutOfBounds, fmt.Sprintf("%s of %d bytes at offset %d of %d bytes", a.what, size, offset, have), it.segmentName(s, index)
	case a.write && s == spaceInput:
		return ReadOnlyMemory, fmt.Sprintf("%s of %d bytes to the built-in variables", a.what, size), ""
	}
	return "", "", ""
}

// hasSegment reports whether there is an allocation in that kind of memory, other than global.
func (it *item) hasSegment(s space, index int) bool {
	return s <= spaceInput && index < len(it.spaces[s]) && it.spaces[s][index] != nil
}

// checkDefined reports that something depends on undefined bits of a word.
func (it *item) checkDefined(word int32, what string) {
	sh := it.check.s[word]
	if sh.undefined == 0 {
		return
	}
	it.check.s[word].undefined = 0 // once is enough
	it.reportUndefined(what+" depends on", sh.origin)
}

// reportUndefined makes a finding; number is that of the origin of the undefined bits, 0 if
// it is not known.
func (it *item) reportUndefined(what string, number uint32) {
	c := it.check.c
	if c.known(Uninitialized, it) {
		return
	}
	f := &Finding{Kind: Uninitialized, Message: what + " a value that was never written"}
	if number != 0 {
		o := c.origins[number]
		f.Earlier, f.Memory = &o.Place, o.memory
	}
	c.report(it, f)
}

// checkMemoryDefined reports an atomic operation on memory that was never
// written.
func (it *item) checkMemoryDefined(p pointer, size int64) {
	// Atomic operations have 8 bytes at most.
	var room [8]byte
	if it.undefinedBits(p, room[:size]) {
		it.reportUndefined("an atomic operation depends on", it.check.c.originOf(it, p))
	}
}

// stepCheckDefined reports words of inst.list whose bits are undefined; inst.ext
// names the thing that depends on them.
func stepCheckDefined(it *item, in *inst) status {
	for _, word := range in.list {
		it.checkDefined(word, in.ext.(string))
	}
	return running
}

// stepCheckStored reports words of inst.list that are stored to global memory
// and undefined as a whole: a part may be padding. inst.ext has the bits that
// each has.
func stepCheckStored(it *item, in *inst) status {
	if pointer(it.s[in.a]).space() != spaceGlobal {
		return running
	}
	for i, word := range in.list {
		if all := in.ext.([]uint64)[i]; it.check.s[word].undefined&all == all {
			it.reportUndefined("a result in global memory is", it.check.s[word].origin)
			it.check.s[word].undefined = 0
		}
	}
	return running
}

// stepCheckDivisor reports a zero among the words of inst.list.
func stepCheckDivisor(it *item, in *inst) status {
	for _, word := range in.list {
		if it.s[word] == 0 {
			if c := it.check.c; !c.known(DivisionByZero, it) {
				c.report(it, &Finding{Kind: DivisionByZero, Message: divisionByZero})
			}
		}
	}
	return running
}

// stepLoadShadow gives loaded words the shadow of the memory.
func stepLoadShadow(it *item, in *inst) status {
	a := in.ext.(*accessCheck)
	p := pointer(it.s[in.a])
	bits := it.check.room(a.size)
	undefined := it.undefinedBits(p, bits)
	for i, l := range a.leaves {
		sh := shadowWord{}
		if undefined {
			sh.undefined = readWord(bits[l.offset:l.offset+l.size]) & mask(l.bits)
		}
		at := p + pointer(l.offset)
		// The value is compared, as others may have written to the memory
		// since: the note is of one store.
		kept, ok := it.storedAt(at)[at]
		if ok && kept.value == it.s[int(in.dst)+i] {
			sh.object = kept.object
		}
		if sh.undefined != 0 {
			if sh.origin = kept.origin; sh.origin == 0 {
				sh.origin = it.check.c.originOf(it, p)
			}
		}
		it.check.s[int(in.dst)+i] = sh
	}
	return running
}

// stepStoreShadow gives memory the shadow of the stored words.
func stepStoreShadow(it *item, in *inst) status {
	a := in.ext.(*accessCheck)
	p := pointer(it.s[in.a])
	bits := it.check.room(a.size)
	it.undefinedBits(p, bits)
	for i, l := range a.leaves {
		sh := it.check.s[int(in.b)+i]
		writeWord(bits[l.offset:l.offset+l.size], sh.undefined)
		if sh.object != 0 || sh.undefined != 0 {
			it.keepStored(p+pointer(l.offset), storedWord{it.s[int(in.b)+i], sh.object, sh.origin})
		}
	}
	it.setUndefinedBits(p, bits)
	return running
}

func (it *item) keepStored(p pointer, kept storedWord) {
	table := it.storedAt(p)
	if table == nil {
		table = map[pointer]storedWord{}
		it.check.stored = table
	}
	table[p] = kept
}

// stepCopyBefore keeps the shadow of the source of a copy, as the copy makes the
// target defined.
func stepCopyBefore(it *item, in *inst) status {
	n := int64(min(it.s[in.c], maxOffset))
	it.check.bits = it.check.room(n) // the access was allowed: there are so many bytes
	it.undefinedBits(pointer(it.s[in.b]), it.check.bits)
	return running
}

// stepCopyAfter gives the target of a copy the shadow of its source.
func stepCopyAfter(it *item, in *inst) status {
	n := int64(min(it.s[in.c], maxOffset))
	to, from := pointer(it.s[in.a]), pointer(it.s[in.b])
	if n == 0 || int64(len(it.check.bits)) != n {
		return running
	}
	if shadow.Any(it.check.bits) {
		it.setUndefinedBits(to, it.check.bits)
	}
	table := it.storedAt(from)
	if len(table) == 0 {
		return running
	}
	// Every byte is looked up: a stored word may begin at any of them.
	for at := pointer(0); int64(at) < n; at++ {
		if kept, ok := table[from+at]; ok {
			it.keepStored(to+at, kept)
		}
	}
	return running
}

// room returns n bytes that are used up to the next call.
func (k *itemCheck) room(n int64) []byte {
	if int64(cap(k.bits)) < n {
		k.bits = make([]byte, n)
	}
	return k.bits[:n]
}

package irtext

import "hash/maphash"

// locals are the local values and labels of the function that is being parsed. Uses may come before
// definitions, so all names are checked at the end. LLVM numbers unnamed arguments, blocks and
// results with one counter, in the order of the text.
type locals struct {
	next     uint32 // the number that the next unnamed value or block gets
	numbered []local
	sparse   map[uint32]*local // numbers far above their count
	named    []local
	slots    []localSlot
	round    uint32
	seed     maphash.Seed
}

// local is a value or label.
type local struct {
	name  []byte
	use   int // position of the first use, 0 if there was none
	flags uint8
}

const (
	localDefined = 1 << iota
	localIsLabel
	localUsedAsLabel
	localUsedAsValue
)

// localSlot is a slot of the hash table of names.
type localSlot struct {
	round uint32
	entry uint32
}

func newLocals() *locals {
	return &locals{slots: make([]localSlot, 64), seed: maphash.MakeSeed()}
}

// beginFunction forgets the function before.
func (l *locals) beginFunction() {
	l.next = 0
	l.numbered = l.numbered[:0]
	l.named = l.named[:0]
	l.sparse = nil
	l.round++
}

// denseLimit is how far a number may exceed the number of definitions before it goes into a map, so
// that a large number does not cost its size in memory.
const denseLimit = 1 << 12

// byNumber returns the local of a number. Numbers are dense in the output of compilers, so they
// index a table. Numbers far beyond its end go into a map: otherwise one line could ask for
// gigabytes.
func (l *locals) byNumber(n uint32) *local {
	if int(n) < len(l.numbered) {
		return &l.numbered[n]
	}
	if int(n) < 2*len(l.numbered)+denseLimit {
		for int(n) >= len(l.numbered) {
			l.numbered = append(l.numbered, local{})
			l.adoptSparse(uint32(len(l.numbered) - 1))
		}
		return &l.numbered[n]
	}
	if l.sparse == nil {
		l.sparse = make(map[uint32]*local)
	}
	if l.sparse[n] == nil {
		l.sparse[n] = new(local)
	}
	return l.sparse[n]
}

// adoptSparse moves a number that was far beyond the table into it.
func (l *locals) adoptSparse(n uint32) {
	if far := l.sparse[n]; far != nil {
		l.numbered[n] = *far
		delete(l.sparse, n)
	}
}

// byName returns the local of a name. The slots of the hash table hold the round in which they were
// filled, so that the table need not be cleared for each function.
func (l *locals) byName(text []byte) *local {
	hash := maphash.Bytes(l.seed, text)
	mask := uint64(len(l.slots) - 1)
	for i := hash & mask; ; i = (i + 1) & mask {
		slot := &l.slots[i]
		if slot.round != l.round {
			*slot = localSlot{l.round, uint32(len(l.named))}
			l.named = append(l.named, local{name: text})
			if 2*len(l.named) > len(l.slots) {
				l.growTable()
			}
			return &l.named[len(l.named)-1]
		}
		if e := &l.named[slot.entry]; string(e.name) == string(text) {
			return e
		}
	}
}

// growTable doubles the hash table.
func (l *locals) growTable() {
	l.slots = make([]localSlot, 2*len(l.slots))
	mask := uint64(len(l.slots) - 1)
	for entry := range l.named {
		i := maphash.Bytes(l.seed, l.named[entry].name) & mask
		for l.slots[i].round == l.round {
			i = (i + 1) & mask
		}
		l.slots[i] = localSlot{l.round, uint32(entry)}
	}
}

// findLocal returns the local of a name or number, adding one that is neither used nor defined. A
// use before the definition adds it too; checkDefined finds those that stay undefined.
func (l *locals) findLocal(n name) *local {
	if n.numbered {
		return l.byNumber(n.number)
	}
	return l.byName(n.text)
}

// useLocal notes the use of a value or label.
func (l *locals) useLocal(p *parser, n name, pos int, label bool) {
	e := l.findLocal(n)
	if e.use == 0 {
		e.use = pos
	}
	flag := uint8(localUsedAsValue)
	if label {
		flag = localUsedAsLabel
	}
	e.flags |= flag
}

// defineLocal notes the definition of a named or numbered value or label.
func (l *locals) defineLocal(p *parser, n name, pos int, label bool) {
	if n.numbered {
		if n.number < l.next {
			p.failAt(pos, "value expected to be numbered '%"+formatNumber(l.next)+"' or greater")
		}
		l.next = n.number + 1
	}
	e := l.findLocal(n)
	if e.flags&localDefined != 0 {
		p.failAt(pos, "multiple definition of local value named '%"+n.String()+"'")
	}
	e.flags |= localDefined
	if label {
		e.flags |= localIsLabel
	}
}

// defineNext notes the definition of the value or label that gets the next number.
func (l *locals) defineNext(p *parser, pos int, label bool) {
	l.defineLocal(p, name{number: l.next, numbered: true}, pos, label)
}

// checkDefined fails if a local was used and not defined, or if a label is used as a value or a
// value as a label.
func (l *locals) checkDefined(p *parser) {
	var worst *fault
	report := func(e *local, n name) {
		msg := l.wrongUse(e, n)
		if msg != "" && (worst == nil || e.use-1 < worst.pos) {
			worst = &fault{e.use - 1, msg}
		}
	}
	for i := range l.numbered {
		report(&l.numbered[i], name{number: uint32(i), numbered: true})
	}
	// The order of the map does not matter, as the first use in the text is kept.
	for number, e := range l.sparse {
		report(e, name{number: number, numbered: true})
	}
	for i := range l.named {
		report(&l.named[i], name{text: l.named[i].name})
	}
	if worst != nil {
		p.failAt(worst.pos, worst.msg)
	}
}

// wrongUse returns the fault in the uses of a local, or "" if there is none.
func (l *locals) wrongUse(e *local, n name) string {
	switch {
	case e.use == 0:
		return ""
	case e.flags&localDefined == 0:
		return "use of undefined value '%" + n.String() + "'"
	case e.flags&localIsLabel != 0 && e.flags&localUsedAsValue != 0:
		return "label '%" + n.String() + "' used as a value"
	case e.flags&localIsLabel == 0 && e.flags&localUsedAsLabel != 0:
		return "value '%" + n.String() + "' used as a label"
	}
	return ""
}

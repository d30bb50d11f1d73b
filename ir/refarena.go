package ir

// RefArena stores lists of references in large blocks, which costs less than
// an allocation for each of a million values. The zero value is ready.
type RefArena struct{ block []Ref }

// refBlock is the size of a block. A list of more than a quarter of it gets
// memory of its own, so that at most a quarter of a block is lost.
const refBlock = 1 << 14

// Store returns a copy of the list, nil if it is empty.
func (a *RefArena) Store(list []Ref) []Ref {
	if len(list) == 0 {
		return nil
	}
	if len(list) > refBlock/4 {
		return append([]Ref(nil), list...)
	}
	if len(a.block)+len(list) > cap(a.block) {
		a.block = make([]Ref, 0, refBlock)
	}
	start := len(a.block)
	a.block = append(a.block, list...)
	return a.block[start:len(a.block):len(a.block)]
}

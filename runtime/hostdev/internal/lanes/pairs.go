package lanes

// Pairs: accesses to two words of 32 bits that lie side by side, such as the
// components of a vector or the parts of a complex number, become one access to
// 64 bits. Lanes that gather or scatter then take half as many accesses, each of
// which is checked by WebAssembly too, and lanes side by side take whole vectors.

// pairAccesses finds the pairs of each block. Between two loads there are other
// loads at most, and between two stores nothing that reaches memory or stops the
// work-item.
func (f *Function) pairAccesses() {
	for _, b := range f.Blocks {
		loads := map[wordPlace]*Value{} // since memory was last changed
		var store *Value
		added := map[*Value][]*Value{} // by the value before which they stand
		for _, v := range b.Values {
			switch {
			case v.isPure() || v.Op == OpGet || v.Op == OpSet || v.Op == OpLocalID || v.Op == OpFrame:
			case v.Op == OpLoad:
				store = nil
				b.pairLoad(v, loads, added)
			case store != nil && isPair(store, v):
				added[v] = b.pairStores(store, v)
				store = nil
			default:
				clear(loads)
				store = nil
				if v.isWordAccess() {
					store = v
				}
			}
		}
		b.insertValues(added)
	}
}

// wordPlace is an address with its addend.
type wordPlace struct {
	address *Value
	off     uint32
}

// pairLoad pairs a load with one of the word before or after it.
func (b *Block) pairLoad(v *Value, loads map[wordPlace]*Value, added map[*Value][]*Value) {
	if !v.isWordAccess() {
		return
	}
	place := wordPlace{v.Args[0], v.Off}
	for _, off := range []uint32{v.Off - 4, v.Off + 4} {
		other := loads[wordPlace{v.Args[0], off}]
		if other == nil {
			continue
		}
		low, high := other, v
		if off > v.Off {
			low, high = v, other
		}
		if isPair(low, high) {
			delete(loads, wordPlace{v.Args[0], off})
			added[other] = b.pairLoads(low, high)
			return
		}
	}
	loads[place] = v
}

// isWordAccess reports whether pairs are made of an access: a load or a store of 32 bits.
func (v *Value) isWordAccess() bool {
	return (v.Op == OpLoad || v.Op == OpStore) && !v.Fixed && v.Imm == 4 && !v.accessKind().Wide()
}

// accessKind is the kind of the value that an access loads or stores.
func (v *Value) accessKind() Kind {
	if v.Op == OpStore {
		return v.Args[1].Kind
	}
	return v.Kind
}

// isPair tells whether the second access is to the word after that of the first.
func isPair(first, second *Value) bool {
	switch {
	case !second.isWordAccess() || first.Op != second.Op || first.Args[0] != second.Args[0] || second.Off != first.Off+4:
		return false
	case first.Bounds == nil || second.Bounds == nil:
		return first.Bounds == second.Bounds
	}
	return *first.Bounds == *second.Bounds
}

// pairLoads makes two loads the halves of one of 64 bits.
func (b *Block) pairLoads(first, second *Value) []*Value {
	both := &Value{Op: OpLoad, Kind: I64, Imm: 8, Off: first.Off, Args: first.Args, Bounds: first.Bounds, Words: true, Site: first.Site, Block: b}
	list := []*Value{both}
	for i, v := range []*Value{first, second} {
		half := [2]Op{OpWrap, OpHigh}[i]
		from := both
		if v.Kind != I32 {
			from = &Value{Op: half, Kind: I32, Args: []*Value{both}, Site: v.Site, Block: b}
			list, half = append(list, from), OpCast
		}
		*v = Value{Op: half, Kind: v.Kind, Args: []*Value{from}, Site: v.Site, Block: b}
	}
	return list
}

// pairStores leaves the first store out; the second one stores both words.
func (b *Block) pairStores(first, second *Value) []*Value {
	var list []*Value
	word := func(v *Value) *Value {
		switch {
		case v.Kind == I32:
			return v
		case v.Op == OpCast && v.Args[0].Kind == I32:
			return v.Args[0]
		}
		w := &Value{Op: OpCast, Kind: I32, Args: []*Value{v}, Site: second.Site, Block: b}
		list = append(list, w)
		return w
	}
	low, high := word(first.Args[1]), word(second.Args[1])
	var both *Value
	if low.Op == OpWrap && high.Op == OpHigh && low.Args[0] == high.Args[0] {
		both = low.Args[0]
	} else {
		both = &Value{Op: OpPair, Kind: I64, Args: []*Value{low, high}, Site: second.Site, Block: b}
		list = append(list, both)
	}
	second.Args = []*Value{second.Args[0], both}
	second.Imm, second.Off, second.Words = 8, first.Off, true
	*first = Value{Op: OpInvalid}
	return list
}

// insertValues puts new values into the block. Stores that went are left out.
func (b *Block) insertValues(added map[*Value][]*Value) {
	if len(added) == 0 {
		return
	}
	var list []*Value
	for _, v := range b.Values {
		list = append(list, added[v]...)
		if v.Op != OpInvalid {
			list = append(list, v)
		}
	}
	b.Values = list
}

// Emitting pairs. Lanes whose addresses differ take one check and one address for
// both words, and an access for each of them: vectors of 64 bits would have to be
// taken apart.

// wordsApart reports whether an access to pairs is emitted word by word.
func (e *emitter) wordsApart(v *Value) bool {
	if !v.Words || e.a.classOf(v.Args[0]).isUniform() {
		return false
	}
	if v.Op == OpLoad {
		return !e.whole[v]
	}
	return v.Args[1].Op == OpPair && e.a.classOf(v.Args[1]).Level == Varying
}

// findApart finds the pairs that are never put together into numbers of 64 bits. A load
// that is stored again as it is stays whole.
func (e *emitter) findApart() {
	for _, v := range e.f.values {
		if v.Op == OpStore && v.Args[1].Words {
			e.whole[v.Args[1]] = true
		}
	}
	for _, v := range e.f.values {
		if v.Op == OpStore && e.wordsApart(v) {
			e.apart[v.Args[1]] = [2]Reg{}
		}
	}
}

// gatherWords loads the words of a pair into a vector each. The high one goes first:
// the check of the memory's size, which WebAssembly makes, serves the other one.
func (e *emitter) gatherWords(v *Value, mask Reg) {
	t := e.vectorType(I32)
	if mask == NoReg && e.a.classOf(v.Args[0]) == (Class{Strided, 8}) {
		e.checkBounds(v, mask)
		words := [2]Reg{e.newReg(t), e.newReg(t)}
		e.loadWords(v, e.scalarOf(v.Args[0]), words)
		e.apart[v] = words
		return
	}
	words := [2]Reg{e.newReg(t), e.newReg(t)}
	e.apart[v] = words
	e.whenSideBySide(v, mask, func(first Reg) {
		e.loadWords(v, first, words)
	}, func() {
		address := e.addressesOf(v, mask)
		each := [2][]Reg{newRegs(e.width), newRegs(e.width)}
		e.inOrder(v, func(l int) {
			at, off := address(l)
			for half := 1; half >= 0; half-- {
				each[half][l] = e.newReg(scalarType(I32))
				e.emitTo(each[half][l], Inst{Op: OpLoad, Args: []Reg{at}, Imm: 4, Off: off + 4*uint32(half)})
			}
		})
		for half := range words {
			e.emitTo(words[half], Inst{Op: OpBuild, Args: each[half]})
		}
	})
}

// loadWords loads pairs that lie side by side from an address on.
func (e *emitter) loadWords(v *Value, first Reg, words [2]Reg) {
	for half := 1; half >= 0; half-- {
		e.emitTo(words[half], Inst{Op: OpEvery2, Args: []Reg{first}, Imm: 4, Off: v.Off + 4*uint32(half)})
	}
}

// scatterWords stores the words of a pair, the high one first.
func (e *emitter) scatterWords(v *Value, mask Reg) {
	pair := v.Args[1]
	if mask == NoReg && e.a.classOf(v.Args[0]) == (Class{Strided, 8}) {
		e.checkBounds(v, mask)
		e.storeWords(v, e.scalarOf(v.Args[0]))
		return
	}
	e.whenSideBySide(v, mask, func(first Reg) { e.storeWords(v, first) }, func() {
		address := e.addressesOf(v, mask)
		e.inOrder(v, func(l int) {
			at, off := address(l)
			for half := 1; half >= 0; half-- {
				word := e.laneOf(pair.Args[half], l)
				e.emitOnly(Inst{Op: OpStore, Type: scalarType(I32), Args: []Reg{at, word}, Imm: 4, Off: off + 4*uint32(half)})
			}
		})
	})
}

// storeWords stores pairs that lie side by side from an address on.
func (e *emitter) storeWords(v *Value, first Reg) {
	t, pair := e.vectorType(I64), v.Args[1]
	both := e.emitNew(t, OpPair, 0, e.inLanes(pair.Args[0]), e.inLanes(pair.Args[1]))
	e.emitOnly(Inst{Op: OpStore, Type: t, Args: []Reg{first, both}, Imm: 8, Off: v.Off})
}

// halfOf is a half of a pair that is in two vectors.
func (e *emitter) halfOf(v *Value) (Reg, bool) {
	if v.Op != OpWrap && v.Op != OpHigh {
		return NoReg, false
	}
	words, ok := e.apart[v.Args[0]]
	if v.Op == OpHigh {
		return words[1], ok
	}
	return words[0], ok
}

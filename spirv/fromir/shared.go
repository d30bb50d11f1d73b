package fromir

import (
	"encoding/binary"
	"slices"
	"strconv"
	"sync"

	"offlink/spirv"
)

// shared is an entry outside of functions that all units of a session share. The unit that
// adds it to the table fills it in under the table's lock; it does not change after that.
type shared struct {
	index   int // in the table; it depends on the workers, so no output may depend on it
	section section
	op      spirv.Opcode
	words   []uint32
	relocs  []reloc
	deps    []*shared
	late    int // how many of the last of deps may come after the entry
	// locals is the number of identifiers of an added function's own.
	locals int
	name   []uint32     // OpName; the target is not used
	notes  []decoration // targets are not used
}

// reloc is a word of an entry that is an identifier: that of another entry, or one of an
// added function's own, number local.
type reloc struct {
	at    uint32
	local uint32
	entry *shared
}

// sharedTable finds equal entries by their keys. Goroutines share it and must hold mu.
type sharedTable struct {
	mu    sync.Mutex
	byKey map[string]*shared
	count int
}

// findEntry returns the entry of a key, and whether it is new.
func (t *sharedTable) findEntry(key []byte) (e *shared, isNew bool) {
	if e = t.byKey[string(key)]; e != nil {
		return e, false
	}
	e = &shared{index: t.count}
	t.count++
	t.byKey[string(key)] = e
	return e, true
}

// shareEntries finds or adds the entries of a unit. meanings has the entry of each of the
// unit's identifiers, nil for the unit's own. Entries with keys come first: others may refer
// to them before they are made, as a member does that points to its struct. The keys of the
// rest are made of their words and the indices of the entries to which these refer.
func (t *sharedTable) shareEntries(b *builder, notes map[id][]decoration) (meanings []*shared) {
	meanings = make([]*shared, b.next-firstID)
	fresh := make([]bool, len(meanings))
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, n := range b.order {
		if e := b.entryOf(n); e.hasKey() {
			b.key = e.appendKey(b.key[:0])
			meanings[n-firstID], fresh[n-firstID] = t.findEntry(b.key)
		}
	}
	for _, n := range b.order {
		if e := b.entryOf(n); !e.hasKey() {
			b.key = structuralKey(b.key[:0], e, n, meanings)
			meanings[n-firstID], fresh[n-firstID] = t.findEntry(b.key)
		}
	}
	for _, n := range b.order {
		if fresh[n-firstID] {
			fillShared(meanings[n-firstID], b, n, meanings, notes[n])
		}
	}
	return meanings
}

// hasKey reports whether an entry is identified by something other than its words.
func (e *entry) hasKey() bool { return e.key != "" || e.section == sectionExternal }

// appendKey appends the key of an entry that has one.
func (e *entry) appendKey(key []byte) []byte {
	if e.section == sectionExternal {
		return strconv.AppendInt(append(key, '@'), int64(e.value), 10)
	}
	return append(key, e.key...)
}

// structuralKey appends the key of an entry that is identified by its words: the opcode and
// the words, without its own identifier and with indices for those of other entries.
func structuralKey(key []byte, e *entry, self id, meanings []*shared) []byte {
	key = append(binary.LittleEndian.AppendUint16(key, uint16(e.op)), 0)
	deps := e.deps
	own := false // a second word that looks like the entry's own identifier is a literal
	for _, w := range e.words {
		switch {
		case len(deps) > 0 && w == deps[0]:
			deps = deps[1:]
			w = uint32(meanings[w-firstID].index)
		case w == self && !own:
			own = true
			continue
		}
		key = binary.LittleEndian.AppendUint32(key, w)
	}
	return key
}

// fillShared copies an entry of a unit into to. The words must be cloned: they are in the
// memory of the builder.
func fillShared(to *shared, b *builder, n id, meanings []*shared, notes []decoration) {
	e := b.entryOf(n)
	to.section, to.op, to.words, to.late = e.section, e.op, slices.Clone(e.words), e.late
	if e.section != sectionExternal {
		to.name = appendName(nil, 0, b.nameOf(n))
	}
	if e.op == opTypePackedStruct {
		to.op = spirv.OpTypeStruct
	}
	for _, note := range notes {
		to.notes = append(to.notes, decoration{op: note.op, words: note.words})
	}
	if e.section == sectionFunction {
		fillFunction(to, b.next-firstID, meanings)
		return
	}
	to.noteRelocations(e, n, to, meanings)
}

// noteRelocations notes which words of an entry are identifiers. n is the entry's own
// identifier, for which self stands.
func (s *shared) noteRelocations(e *entry, n id, self *shared, meanings []*shared) {
	deps, own := e.deps, false
	for at, w := range e.words {
		switch {
		case len(deps) > 0 && w == deps[0]:
			deps = deps[1:]
			d := meanings[w-firstID]
			s.relocs = append(s.relocs, reloc{at: uint32(at), entry: d})
			s.deps = append(s.deps, d)
		case w == n && !own: // as in structuralKey
			own = true
			s.relocs = append(s.relocs, reloc{at: uint32(at), entry: self})
		}
	}
}

// fillFunction notes the identifiers in the words of an added function: those of entries,
// and its own, which it numbers from 0.
func fillFunction(to *shared, count uint32, meanings []*shared) {
	numbers := make(map[uint32]uint32)
	eachID(to.words, count, func(at int, n uint32) {
		if e := meanings[n]; e != nil {
			to.relocs = append(to.relocs, reloc{at: uint32(at), entry: e})
			if e != to && !slices.Contains(to.deps, e) {
				to.deps = append(to.deps, e)
			}
			return
		}
		local, known := numbers[n]
		if !known {
			local = uint32(len(numbers))
			numbers[n] = local
		}
		to.relocs = append(to.relocs, reloc{at: uint32(at), local: local})
	})
	to.locals = len(numbers)
}

// eachID calls visit for each word of a function's code that is an identifier, with its
// number; count is how many identifiers the unit has. It also replaces the opcode that
// switches have within units (opSwitchOf) by OpSwitch, so it can run only once.
func eachID(words []uint32, count uint32, visit func(at int, n uint32)) {
	for at := 0; at < len(words); at += int(words[at] >> 16) {
		op, end := spirv.Opcode(words[at]), at+int(words[at]>>16)
		if op > opSwitchOf {
			words[at] = uint32(end-at)<<16 | uint32(spirv.OpSwitch)
			eachSwitchID(words[at+1:end], at+1, int(op-opSwitchOf), visit)
			continue
		}
		end = min(end, at+1+idWords(op))
		for k := at + 1; k < end; k++ {
			if n := words[k] - firstID; n < count {
				visit(k, n)
			}
		}
	}
}

// idWords returns how many operand words of an instruction come before literals that can be
// any number, which must not be taken for identifiers. Others have literalWord for these.
func idWords(op spirv.Opcode) int {
	switch op {
	case spirv.OpLine, spirv.OpLifetimeStart, spirv.OpLifetimeStop:
		return 1
	case spirv.OpCompositeExtract:
		return 3
	case spirv.OpCompositeInsert, spirv.OpVectorShuffle:
		return 4
	}
	return maxWords
}

// opSwitchOf plus the number of words of a literal is the opcode that an OpSwitch has within
// units: its own words do not tell how long the literals are.
const opSwitchOf spirv.Opcode = 0xff00

// eachSwitchID is eachID for the operands of an OpSwitch: selector, default, then
// literals and labels by turns.
func eachSwitchID(operands []uint32, at, width int, visit func(at int, n uint32)) {
	visit(at, operands[0]-firstID)
	for k := 1; k < len(operands); k += width + 1 {
		visit(at+k, operands[k]-firstID)
	}
}

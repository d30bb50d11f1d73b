package objfile

import (
	"debug/elf"
	"iter"
)

// dynamic returns the tags of the dynamic section. If a tag occurs twice, the last one counts.
func (e *elfFile) dynamic() (map[elf.DynTag]uint64, error) {
	tags := make(map[elf.DynTag]uint64)
	for _, p := range e.segments {
		if p.typ != elf.PT_DYNAMIC {
			continue
		}
		b, err := e.slice(p.offset, p.filesz, "the dynamic section")
		if err != nil {
			return nil, err
		}
		w := elfWords{b, e.wide}
		for len(w.b) >= 2*e.addressSize() {
			tag, value := w.word(), w.word()
			if tag == uint64(elf.DT_NULL) {
				break
			}
			if tag < 1<<31 && len(tags) < maxDynamicTags { // a DynTag is an int
				tags[elf.DynTag(tag)] = value
			}
		}
	}
	return tags, nil
}

// maxDynamicTags is far more than there are.
const maxDynamicTags = 1 << 10

// dynamicFixups returns the pointers that the dynamic linker stores into a
// linked file that it loads at its own addresses: the addends of its RELA
// relocations.
func (e *elfFile) dynamicFixups() (iter.Seq[fixup], error) {
	tags, err := e.dynamic()
	if err != nil {
		return nil, err
	}
	size := tags[elf.DT_RELASZ]
	table := e.file.filled(tags[elf.DT_RELA])
	if uint64(len(table)) < size {
		return nil, e.errorf(-1, "%#x bytes of dynamic relocations at address %#x: the file does not hold them", size, tags[elf.DT_RELA])
	}
	symbols := e.file.filled(tags[elf.DT_SYMTAB])
	entry := e.relocSize(true)
	return func(yield func(fixup) bool) {
		for table := table[:size]; len(table) >= entry; table = table[entry:] {
			fix, ok := e.dynamicFixup(table, symbols)
			if ok && !yield(fix) {
				return
			}
		}
	}, nil
}

// dynamicFixup decodes a relocation of the dynamic loader, of which only those
// that write addresses matter.
func (e *elfFile) dynamicFixup(b, symbols []byte) (fixup, bool) {
	switch r := e.readReloc(b, true); r.typ {
	case e.machine.relative:
		return fixup{r.offset, r.addend}, true
	case e.machine.absolute:
		addr, ok := e.dynamicSymbol(symbols, r.symbol)
		return fixup{r.offset, addr + r.addend}, ok
	}
	return fixup{}, false
}

// dynamicSymbol returns the address of a symbol that the file defines itself.
func (e *elfFile) dynamicSymbol(table []byte, n uint32) (uint64, bool) {
	size := uint64(e.symbolSize())
	if uint64(n) >= uint64(len(table))/size {
		return 0, false
	}
	section, value := e.readSymbol(table[uint64(n)*size:])
	return value, section != uint32(elf.SHN_UNDEF)
}

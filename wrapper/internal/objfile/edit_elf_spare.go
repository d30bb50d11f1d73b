package objfile

import (
	"debug/elf"
	"encoding/binary"
	"slices"
)

// Types of GNU notes that debug/elf lacks (glibc's elf.h).
const (
	noteABITag    = 1 // NT_GNU_ABI_TAG
	noteBuildID   = 3 // NT_GNU_BUILD_ID
	noteProperty  = 5 // NT_GNU_PROPERTY_TYPE_0
	noteOwnerGNU  = "GNU\x00"
	noteHeaderLen = 12
)

// The losses with a program header. The notes themselves and their sections
// stay.
const (
	lossProperty = "the program header of its GNU properties made room for the code: loaders do not enable the branch protection or shadow stack that they ask for"
	lossBuildID  = "the program header of its build ID made room for the code: tools that look for the ID in memory or in core dumps do not find it; its section stays"
	lossMerged   = "two of its segments became one to make room for the code: read-only data next to its code became executable, as with -z noseparate-code"
	lossNote     = "the program header of its notes made room for the code: tools that look for the notes in memory do not find them; their section stays"
)

// spare is a program header that is not needed.
type spare struct {
	rest   []elfSegment // the others, changed where they do its work
	cost   int          // the loss, comparable
	losses []string
}

// spareSegment finds the program header whose loss is smallest.
//
// PT_GNU_STACK is never spare: without it glibc makes stacks executable, and
// from 2.41 on refuses to load a library.
func (f *elfEditor) spareSegment() (best spare, ok bool) {
	for i, p := range f.segments {
		s := spare{rest: slices.Delete(slices.Clone(f.segments), i, i+1)}
		switch {
		case p.typ == elf.PT_NULL:
		case p.typ == elf.PT_PHDR && !f.needsHeaderSegment(), f.repeatedNote(p):
			s.cost = 1
		case p.typ == elf.PT_NOTE:
			s.cost, s.losses = f.noteLosses(p)
		case i > 0 && canMerge(f.segments[i-1], p):
			s.rest[i-1] = mergedSegment(f.segments[i-1], p)
			if s.rest[i-1].flags != p.flags {
				s.cost, s.losses = 10, []string{lossMerged}
			}
		default:
			continue
		}
		if !ok || s.cost < best.cost {
			best, ok = s, true
		}
	}
	return best, ok
}

// canMerge reports whether one segment could load the bytes of two, neither of
// which is writable.
func canMerge(p, next elfSegment) bool {
	return p.typ == elf.PT_LOAD && next.typ == elf.PT_LOAD && (p.flags|next.flags)&elf.PF_W == 0 &&
		p.filesz == p.memsz && next.filesz == next.memsz && p.align == next.align &&
		next.offset-p.offset == next.vaddr-p.vaddr && p.vaddr-p.paddr == next.vaddr-next.paddr &&
		next.offset >= p.offset+p.filesz && next.offset-p.offset-p.filesz < next.align
}

// mergedSegment joins a segment and the next one, with the rights of both, which frees a program
// header.
func mergedSegment(p, next elfSegment) elfSegment {
	p.flags |= next.flags
	p.filesz = next.offset + next.filesz - p.offset
	p.memsz = p.filesz
	return p
}

// repeatedNote reports whether a segment of GNU properties covers the same notes.
func (f *elfEditor) repeatedNote(p elfSegment) bool {
	return p.typ == elf.PT_NOTE && slices.ContainsFunc(f.segments, func(q elfSegment) bool {
		return q.typ == elf.PT_GNU_PROPERTY && q.offset == p.offset && q.filesz == p.filesz
	})
}

// needsHeaderSegment reports whether the C library learns from PT_PHDR how far
// from its addresses the file is loaded: that is so for position-independent
// programs. Programs at fixed addresses are not moved, and of libraries the
// loader itself knows it.
func (f *elfEditor) needsHeaderSegment() bool {
	if f.typ == elf.ET_EXEC {
		return false
	}
	flags, _ := f.dynamicTag(elf.DT_FLAGS_1)
	return elf.DynFlag1(flags.value)&elf.DF_1_PIE != 0 || slices.ContainsFunc(f.segments, func(p elfSegment) bool { return p.typ == elf.PT_INTERP })
}

// noteLosses returns the losses with a segment of notes, and their cost. The
// note of the oldest kernel is not a loss: glibc stopped reading it in 2.26.
func (f *elfEditor) noteLosses(p elfSegment) (cost int, losses []string) {
	types, known := f.gnuNotes(p)
	if !known {
		return 16, []string{lossNote}
	}
	cost = 2
	if slices.Contains(types, noteBuildID) {
		cost, losses = cost+2, append(losses, lossBuildID)
	}
	hasProperties := func(q elfSegment) bool { return q.typ == elf.PT_GNU_PROPERTY }
	if slices.Contains(types, noteProperty) && !slices.ContainsFunc(f.segments, hasProperties) {
		cost, losses = cost+4, append(losses, lossProperty)
	}
	return cost, losses
}

// gnuNotes returns the types of the notes of a segment, if all are known.
func (f *elfEditor) gnuNotes(p elfSegment) (types []uint32, known bool) {
	b, err := f.slice(p.offset, p.filesz, "notes")
	if err != nil {
		return nil, false
	}
	for len(b) >= noteHeaderLen+len(noteOwnerGNU) {
		if isZero(b[:4]) { // between notes that are aligned to 8 bytes
			b = b[4:]
			continue
		}
		size, typ := uint64(binary.LittleEndian.Uint32(b[4:])), binary.LittleEndian.Uint32(b[8:])
		if string(b[noteHeaderLen:][:len(noteOwnerGNU)]) != noteOwnerGNU || typ != noteABITag && typ != noteBuildID && typ != noteProperty {
			return nil, false
		}
		types = append(types, typ)
		length := noteHeaderLen + uint64(len(noteOwnerGNU)) + (size+3)&^3
		b = b[min(length, uint64(len(b))):]
	}
	return types, true
}

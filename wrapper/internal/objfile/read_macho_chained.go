package objfile

import (
	"encoding/binary"
	"fmt"
)

// Forms of the words of a chain (mach-o/fixup-chains.h, DYLD_CHAINED_PTR_*).
const (
	chainedARM64E           = 1
	chained64               = 2
	chained64Offset         = 6
	chainedARM64EUserland   = 9
	chainedARM64EUserland24 = 12

	chainedNone  = 0xffff // a page without fixups
	chainedMulti = 0x8000 // several chains in a page: 32-bit files only
)

// chainedFixups returns the pointers that dyld stores by walking the chains
// of a linked file. Older files have their pointers in place.
func (m *machoFile) chainedFixups() ([]fixup, error) {
	if len(m.chained) == 0 {
		return nil, nil
	}
	starts, err := m.chainedSlice(4)
	if err != nil {
		return nil, err
	}
	if len(m.chained) < 8 || len(starts) < 4 {
		return nil, m.errorf(-1, "chained fixups are cut off")
	}
	count := uint64(binary.LittleEndian.Uint32(starts))
	if count > uint64(len(starts)-4)/4 || count > uint64(len(m.segments)) {
		return nil, m.errorf(-1, "chained fixups of %d segments of %d", count, len(m.segments))
	}
	var fixups []fixup
	for i := range count {
		off := uint64(binary.LittleEndian.Uint32(starts[4+4*i:]))
		if off == 0 {
			continue
		}
		if off > uint64(len(starts)) || len(starts[off:]) < 22 {
			return nil, m.errorf(-1, "chained fixups of segment %d lie past their table", i)
		}
		if fixups, err = m.segmentChains(fixups, &m.segments[i], starts[off:]); err != nil {
			return nil, fmt.Errorf("segment %d: %w", i, err)
		}
	}
	return fixups, nil
}

// chainedSlice returns the payload from the offset that its header has at
// field.
func (m *machoFile) chainedSlice(field int) ([]byte, error) {
	if len(m.chained) < field+4 {
		return nil, m.errorf(-1, "chained fixups are cut off")
	}
	off := uint64(binary.LittleEndian.Uint32(m.chained[field:]))
	if off > uint64(len(m.chained)) {
		return nil, m.errorf(-1, "chained fixups begin past their end")
	}
	return m.chained[off:], nil
}

// segmentChains walks the chains of each page of a segment.
func (m *machoFile) segmentChains(fixups []fixup, s *machoSegment, start []byte) ([]fixup, error) {
	page, form := uint64(binary.LittleEndian.Uint16(start[4:])), binary.LittleEndian.Uint16(start[6:])
	pages := int(binary.LittleEndian.Uint16(start[20:]))
	if len(start) < 22+2*pages {
		return nil, m.errorf(-1, "chains of %d pages are cut off", pages)
	}
	data, err := m.slice(s.offset, min(s.fileSize, s.size), "segment")
	if err != nil {
		return nil, err
	}
	for i := range pages {
		first := binary.LittleEndian.Uint16(start[22+2*i:])
		if first == chainedNone {
			continue
		}
		if first&chainedMulti != 0 {
			return nil, m.errorf(-1, "page %d has several chains", i)
		}
		at := uint64(i)*page + uint64(first)
		if fixups, err = m.chain(fixups, s.addr, data, at, form); err != nil {
			return nil, err
		}
	}
	return fixups, nil
}

// chain walks one chain: each word holds a target and the distance to the
// next. Distances are positive, so a walk ends.
func (m *machoFile) chain(fixups []fixup, addr uint64, data []byte, at uint64, form uint16) ([]fixup, error) {
	for {
		if at > uint64(len(data)) || uint64(len(data))-at < 8 {
			return nil, m.errorf(-1, "a chain of fixups leaves its segment at %#x", at)
		}
		link, err := m.decodeChained(binary.LittleEndian.Uint64(data[at:]), form)
		if err != nil {
			return nil, err
		}
		if !link.bind {
			fixups = append(fixups, fixup{addr + at, link.target})
		}
		if link.next == 0 {
			return fixups, nil
		}
		if len(fixups) > len(m.data) {
			return nil, m.errorf(-1, "chains of fixups overlap")
		}
		at += link.next
	}
}

// chainLink is a decoded word of a chain.
type chainLink struct {
	target uint64
	next   uint64 // bytes to the next word, 0 for none
	bind   bool   // to a symbol of another file
}

// decodeChained decodes a link of a chain of fixups (Apple, mach-o/fixup-
// chains.h): the pointer's bits also hold the distance to the next.
func (m *machoFile) decodeChained(w uint64, form uint16) (chainLink, error) {
	switch form {
	case chained64, chained64Offset:
		target := w&(1<<36-1) | w>>36&0xff<<56
		if form == chained64Offset {
			target += m.base
		}
		return chainLink{target, w >> 51 & 0xfff * 4, w>>63 == 1}, nil
	case chainedARM64E, chainedARM64EUserland, chainedARM64EUserland24:
		link := chainLink{next: w >> 51 & 0x7ff * 8, bind: w>>62&1 == 1}
		if signed := w>>63 == 1; signed {
			link.target = m.base + w&(1<<32-1)
		} else if link.target = w&(1<<43-1) | w>>43&0xff<<56; form != chainedARM64E {
			link.target += m.base
		}
		return link, nil
	}
	return chainLink{}, m.errorf(-1, "fixup chains of the form %d are not read", form)
}

package abi

import "encoding/binary"

// appendRecord appends a zeroed struct to an array and returns its writer.
func (e *encoder) appendRecord(b *Block) recordWriter {
	at := len(b.Data)
	b.Data = append(b.Data, make([]byte, e.l.Size(b.Type))...)
	return recordWriter{b, at, e.l.Pointer}
}

// recordWriter fills in one struct. Pointers are given in the order of their
// offsets.
type recordWriter struct {
	block       *Block
	at          int
	pointerSize int
}

func (r recordWriter) putU8(at int, v uint8) { r.block.Data[r.at+at] = v }

func (r recordWriter) putU16(at int, v uint16) {
	binary.LittleEndian.PutUint16(r.block.Data[r.at+at:], v)
}

func (r recordWriter) putU32(at int, v uint32) {
	binary.LittleEndian.PutUint32(r.block.Data[r.at+at:], v)
}

func (r recordWriter) putU64(at int, v uint64) {
	binary.LittleEndian.PutUint64(r.block.Data[r.at+at:], v)
}

// putWord writes an integer of a pointer's size.
func (r recordWriter) putWord(at int, v uint64) {
	if r.pointerSize == 4 {
		r.putU32(at, uint32(v))
		return
	}
	r.putU64(at, v)
}

// putPointer notes a pointer; the zero Target is null.
func (r recordWriter) putPointer(at int, to Target) {
	if to.In != 0 {
		r.block.Pointers = append(r.block.Pointers, Pointer{r.at + at, to})
	}
}

// putSpan notes a pair of pointers, unless the struct has no fields for them.
func (r recordWriter) putSpan(begin, end int, s span) {
	if begin == Absent {
		return
	}
	r.putPointer(begin, s.begin)
	r.putPointer(end, s.end)
}

package wrapper

import (
	"encoding/binary"
	"fmt"

	"offlink/wrapper/container"
	"offlink/wrapper/devimg"
	"offlink/wrapper/internal/objfile"
)

// pointedSection is a section with envelopes that pointers of the host lead to.
type pointedSection struct {
	section *objfile.FileSection
	linked  bool // a program or a library
}

// The records by which HIP and CUDA programs register an envelope (clang's
// CGCUDANV.cpp): u32 magic, u32 version, the envelope's address, and a pointer
// that is null or that of a file's name.
const (
	hipFatMagic  = 0x48495046
	cudaFatMagic = 0x466243B1
	fatRecordPtr = 8 // offset of the address
)

// maxEnvelopeAlign is the largest alignment that an envelope keeps. Code in a
// bundle of HIP begins at pages, as its runtime maps it.
const maxEnvelopeAlign = 4096

// moveEnvelope returns the bytes of the object file around p, with an envelope that has no room
// moved elsewhere, and with the records that register it pointing there. Its old bytes become
// zeros.
func (p *part) moveEnvelope(full *container.RoomError, opts EditOptions) (rope, error) {
	s := p.pointed.section
	old := objfile.Extent{Addr: s.Addr + uint64(full.Offset), Size: uint64(full.Have)}
	return p.parent.editObject(func(e *objectEdit) error {
		e.MoveHeaders = opts.MoveHeaders
		records := e.envelopeRecords(old.Addr)
		if len(records) == 0 {
			return fmt.Errorf("%w (no record that registers the envelope was found in this file)", full)
		}
		align := min(old.Addr&-old.Addr, maxEnvelopeAlign)
		content := &alignedEnvelope{size: full.Need() + int64(align)}
		for _, c := range full.Edited {
			content.rope = append(content.rope, c)
		}
		at, err := e.Grow(old, content)
		if err != nil {
			return err
		}
		content.front = -at & (align - 1)
		if p.pointed.linked { // an object's section is moved without it
			if err := e.zeroBytes(old.Addr, old.Size); err != nil {
				return err
			}
		}
		for _, record := range records {
			if err := e.SetPointer(record, at+content.front); err != nil {
				return err
			}
		}
		return opts.warn(e, nil)
	})
}

// envelopeRecords returns where the pointers to an envelope are, in the records
// that register it.
func (e *objectEdit) envelopeRecords(envelope uint64) []uint64 {
	var found []uint64
	width := uint64(e.File().Pointer)
	for _, span := range e.File().Spans(nil) {
		end := span.Addr + uint64(len(span.Data))
		for at := (span.Addr + width - 1) &^ (width - 1); at+fatRecordPtr+width <= end; at += width {
			magic := binary.LittleEndian.Uint32(span.Data[at-span.Addr:])
			if magic != hipFatMagic && magic != cudaFatMagic {
				continue
			}
			b, err := e.File().View(at+fatRecordPtr, width)
			if err == nil && e.readPointer(b) == envelope {
				found = append(found, at+fatRecordPtr)
			}
		}
	}
	return found
}

// alignedEnvelope is an envelope with zeros before and after it, in room that was requested before
// its address was known.
type alignedEnvelope struct {
	rope
	front uint64 // zeros before
	size  int64
}

// Size returns the length in bytes, with the zeros.
func (a *alignedEnvelope) Size() int64 { return a.size }

// ReadAt implements [io.ReaderAt].
func (a *alignedEnvelope) ReadAt(b []byte, off int64) (int, error) {
	all := rope{objfile.Zeros(a.front)}
	all = append(all, a.rope...)
	all = append(all, objfile.Zeros(a.size-all.size()))
	return all.ReadAt(b, off)
}

var _ devimg.Code = (*alignedEnvelope)(nil)

package objfile

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
)

// emitter writes a file from front to back and knows where it is. After the
// first error it does nothing.
type emitter struct {
	file io.Writer // under buf, for contents that copy themselves
	buf  *bufio.Writer
	off  int64
	err  error

	number [8]byte
	small  []byte
}

const (
	// bufferSize is the size of a write: small pieces are collected, and
	// contents that cannot copy themselves pass through that much memory.
	bufferSize = 256 << 10
	// smallSize is the size up to which a content is read at once.
	smallSize = 64 << 10
)

func newEmitter(w io.Writer) *emitter {
	return &emitter{file: w, buf: bufio.NewWriterSize(w, bufferSize), small: make([]byte, smallSize)}
}

// writeBytes writes bytes and keeps the first error: a writer of forty fields
// checks once, at its end.
func (e *emitter) writeBytes(p []byte) {
	if e.err == nil {
		_, e.err = e.buf.Write(p)
		e.off += int64(len(p))
	}
}

// putValues writes fixed-size values, little-endian, as encoding/binary does.
func (e *emitter) putValues(values ...any) {
	var b []byte
	for _, v := range values {
		b, _ = binary.Append(b, binary.LittleEndian, v)
	}
	e.writeBytes(b)
}

// put16 writes a number of 16 bits in the object's byte order.
func (e *emitter) put16(v uint16) {
	binary.LittleEndian.PutUint16(e.number[:], v)
	e.writeBytes(e.number[:2])
}

// put32 writes a number of 32 bits in the object's byte order.
func (e *emitter) put32(v uint32) {
	binary.LittleEndian.PutUint32(e.number[:], v)
	e.writeBytes(e.number[:4])
}

// put64 writes a number of 64 bits in the object's byte order.
func (e *emitter) put64(v uint64) {
	binary.LittleEndian.PutUint64(e.number[:], v)
	e.writeBytes(e.number[:])
}

var zeros [4096]byte

// padTo writes zeros up to an offset.
func (e *emitter) padTo(to int64) {
	for e.err == nil && e.off < to {
		e.writeBytes(zeros[:min(to-e.off, int64(len(zeros)))])
	}
	if e.err == nil && e.off != to {
		e.err = fmt.Errorf("internal error: at offset %#x, want %#x", e.off, to)
	}
}

// writePieces writes the pieces of a section that starts here.
func (e *emitter) writePieces(s *ObjectSection) {
	start := e.off
	for i, piece := range s.Pieces {
		e.padTo(start + s.offsets[i])
		e.copyContent(piece)
	}
}

// copyContent writes a content. Small ones are collected in the buffer.
func (e *emitter) copyContent(c Content) {
	if e.err != nil {
		return
	}
	if b, ok := c.(Bytes); ok {
		e.writeBytes(b)
		return
	}
	var n int64
	if n, e.err = e.transferContent(c); e.err == nil && n != c.Size() {
		e.err = fmt.Errorf("an image of %d bytes gave %d: it was changed while it was read", c.Size(), n)
	}
	e.off += n
}

// transferContent copies a content that is not in memory. Small ones are read at
// once, which costs the fewest system calls.
func (e *emitter) transferContent(c Content) (int64, error) {
	if size := c.Size(); size <= int64(len(e.small)) {
		n, err := c.ReadAt(e.small[:size], 0)
		if err == nil || err == io.EOF {
			_, err = e.buf.Write(e.small[:n])
		}
		return int64(n), err
	}
	copier, ok := c.(Copier)
	if !ok {
		return io.Copy(e.buf, io.NewSectionReader(c, 0, c.Size()))
	}
	if err := e.buf.Flush(); err != nil {
		return 0, err
	}
	return copier.CopyTo(e.file)
}

// closeFile writes the buffered bytes and returns the first error.
func (e *emitter) closeFile() error {
	if e.err != nil {
		return e.err
	}
	return e.buf.Flush()
}

// stringTable collects NUL-terminated names, each once.
type stringTable struct {
	data  bytes.Buffer
	known map[string]uint32
}

// newStringTable returns a table that starts with the bytes of head.
func newStringTable(head string) *stringTable {
	t := &stringTable{known: map[string]uint32{}}
	t.data.WriteString(head)
	return t
}

// addString returns the offset of a name.
func (t *stringTable) addString(name string) uint32 {
	if at, ok := t.known[name]; ok {
		return at
	}
	at := uint32(t.data.Len())
	t.data.WriteString(name)
	t.data.WriteByte(0)
	t.known[name] = at
	return at
}

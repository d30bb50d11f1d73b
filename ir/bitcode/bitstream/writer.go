package bitstream

import (
	"encoding/binary"
	"io"
	"iter"
	"slices"
)

// Writer makes a bitstream. It is for one goroutine. Reset prepares it for each stream.
type Writer struct {
	buf     []byte
	word    uint64 // bits that are not in buf yet
	used    uint   // number of them, below 32
	width   uint
	abbrevs []Abbrev
	scopes  []scope
	info    Info

	// A stream that is not held in memory is written twice: to measure its
	// blocks, then with their lengths.
	mode    writerMode
	flushed int      // bytes that have left buf
	lengths []uint32 // of the blocks in words, in the order of their beginnings
	next    int      // block that begins next
	sink    io.Writer
	err     error
}

type writerMode uint8

const (
	modeHeld writerMode = iota
	modeMeasures
	modeStreams
)

// flushSize is how much of a stream that is not held is gathered.
const flushSize = 1 << 16

// scope is the state that End goes back to.
type scope struct {
	width   uint
	abbrevs []Abbrev
	length  int // offset of the block's length in the stream
	block   int // number of the block
}

// Reset empties the writer, keeping its memory, and sets the abbreviations of
// blocks, which WriteInfo puts into the stream.
func (w *Writer) Reset(info Info) {
	*w = Writer{buf: w.buf[:0], scopes: w.scopes[:0], lengths: w.lengths[:0], width: topWidth, info: info}
}

// Measure makes the writer drop its output and only note the lengths of blocks, for
// [Writer.Stream].
func (w *Writer) Measure() { w.mode = modeMeasures }

// Stream begins the stream again, which then goes to out. The same must be
// written as after [Writer.Measure].
func (w *Writer) Stream(out io.Writer) {
	*w = Writer{buf: w.buf[:0], scopes: w.scopes[:0], lengths: w.lengths, width: topWidth, info: w.info, mode: modeStreams, sink: out}
}

// Flush writes the rest of a stream and returns the first error of its output.
func (w *Writer) Flush() error {
	w.flush()
	return w.err
}

// flush hands on the bytes that were gathered. Block lengths cannot be changed after that, so it is
// not used while a stream is held.
func (w *Writer) flush() {
	if w.mode == modeStreams && w.err == nil {
		_, w.err = w.sink.Write(w.buf)
	}
	w.flushed += len(w.buf)
	w.buf = w.buf[:0]
}

func (w *Writer) flushIfLarge() {
	if w.mode != modeHeld && len(w.buf) >= flushSize {
		w.flush()
	}
}

// Grow makes room for that many further bytes. A stream of many megabytes that
// grows as it is written takes several times its size.
func (w *Writer) Grow(n int) { w.buf = slices.Grow(w.buf, n) }

// Bytes returns the stream. It is the writer's own memory, which the next
// Reset gives up.
func (w *Writer) Bytes() []byte { return w.buf }

// Magic writes four bytes as they are.
func (w *Writer) Magic(m [4]byte) { w.emitBits(uint64(binary.LittleEndian.Uint32(m[:])), 32) }

// emitBits appends a field of n bits, at most 32. Bits of v above these must be zero.
func (w *Writer) emitBits(v uint64, n uint) {
	w.word |= v << w.used
	w.used += n
	if w.used >= 32 {
		w.buf = binary.LittleEndian.AppendUint32(w.buf, uint32(w.word))
		w.word >>= 32
		w.used -= 32
	}
}

func (w *Writer) emitVBR(v uint64, n uint) {
	more := uint64(1) << (n - 1)
	for v >= more {
		w.emitBits(v&(more-1)|more, n)
		v >>= n - 1
	}
	w.emitBits(v, n)
}

func (w *Writer) alignWord() {
	if w.used > 0 {
		w.emitBits(0, 32-w.used)
	}
}

// Enter begins a block whose abbreviation ids have width bits.
func (w *Writer) Enter(id uint32, width uint) {
	w.emitBits(enterBlock, w.width)
	w.emitVBR(uint64(id), 8)
	w.emitVBR(uint64(width), 4)
	w.alignWord()
	w.scopes = append(w.scopes, scope{w.width, w.abbrevs, w.flushed + len(w.buf), w.next})
	switch w.mode {
	case modeMeasures:
		w.lengths = append(w.lengths, 0)
		w.emitBits(0, 32)
	case modeStreams:
		w.emitBits(uint64(w.lengths[w.next]), 32)
	default:
		w.emitBits(0, 32)
	}
	w.next++
	abbrevs := w.info[id]
	w.width, w.abbrevs = width, abbrevs[:len(abbrevs):len(abbrevs)]
}

// End ends the block. Its length goes into the word that Enter left for it, or into the list for
// the second pass.
func (w *Writer) End() {
	w.emitBits(endBlock, w.width)
	w.alignWord()
	s := w.scopes[len(w.scopes)-1]
	w.scopes = w.scopes[:len(w.scopes)-1]
	length := uint32((w.flushed + len(w.buf) - s.length - 4) / 4)
	switch w.mode {
	case modeMeasures:
		w.lengths[s.block] = length
	case modeHeld:
		binary.LittleEndian.PutUint32(w.buf[s.length:], length)
	}
	w.flushIfLarge()
	w.width, w.abbrevs = s.width, s.abbrevs
}

// Define adds an abbreviation to the block and returns its index, for Record.
func (w *Writer) Define(a Abbrev) int {
	w.emitBits(defineAbbrev, w.width)
	w.writeAbbrev(a)
	w.abbrevs = append(w.abbrevs, a)
	return len(w.abbrevs) - 1
}

func (w *Writer) writeAbbrev(a Abbrev) {
	w.emitVBR(uint64(len(a)), 5)
	for _, o := range a {
		if o.Encoding == Literal {
			w.emitBits(1, 1)
			w.emitVBR(o.Value, 8)
			continue
		}
		w.emitBits(0, 1)
		w.emitBits(uint64(o.Encoding), 3)
		if o.Encoding == Fixed || o.Encoding == VBR {
			w.emitVBR(o.Value, 5)
		}
	}
}

// Record writes a record with the block's abbreviation of that index if the record fits it, else
// without one (an index of -1 asks for that).
func (w *Writer) Record(abbrev int, code uint32, operands []uint64) {
	if abbrev < 0 || abbrev >= len(w.abbrevs) || !w.abbrevs[abbrev].Fits(code, operands) {
		w.writeUnabbreviated(code, operands)
		return
	}
	w.emitBits(uint64(abbrev+firstAbbrev), w.width)
	a := w.abbrevs[abbrev]
	w.writeScalar(a[0], uint64(code))
	for i := 1; i < len(a); i++ {
		switch a[i].Encoding {
		case Array:
			w.writeArray(a[i+1], operands)
			return
		case Blob:
			w.blobOf(operands)
			return
		}
		w.writeScalar(a[i], operands[0])
		operands = operands[1:]
	}
}

// writeUnabbreviated writes a record without an abbreviation: code, number of operands and
// operands, all as VBR6.
func (w *Writer) writeUnabbreviated(code uint32, operands []uint64) {
	w.flushIfLarge()
	w.emitBits(unabbrev, w.width)
	w.emitVBR(uint64(code), 6)
	w.emitVBR(uint64(len(operands)), 6)
	for _, v := range operands {
		w.emitVBR(v, 6)
	}
}

func (w *Writer) writeScalar(o Operand, v uint64) {
	switch o.Encoding {
	case Fixed:
		w.emitBits(v, uint(o.Value))
	case VBR:
		w.emitVBR(v, uint(o.Value))
	case Char6:
		w.emitBits(uint64(fromChar6[byte(v)]), 6)
	}
}

// writeArray writes the length of an array and its elements.
func (w *Writer) writeArray(element Operand, operands []uint64) {
	w.emitVBR(uint64(len(operands)), 6)
	for _, v := range operands {
		w.writeScalar(element, v)
	}
}

func (w *Writer) blobOf(operands []uint64) {
	bytes := make([]byte, len(operands))
	for i, v := range operands {
		bytes[i] = byte(v)
	}
	w.writeBlob(bytes)
}

func (w *Writer) writeBlob(bytes []byte) {
	w.emitVBR(uint64(len(bytes)), 6)
	w.alignWord()
	if w.mode == modeHeld {
		w.buf = append(w.buf, bytes...)
	} else {
		w.flush()
		w.pass(bytes)
	}
	w.buf = append(w.buf, make([]byte, -len(bytes)&3)...)
}

// pass writes bytes of a stream without gathering them.
func (w *Writer) pass(bytes []byte) {
	if w.mode == modeStreams && w.err == nil {
		_, w.err = w.sink.Write(bytes)
	}
	w.flushed += len(bytes)
}

// BlobRecord writes a record that ends in a blob, with the block's
// abbreviation of that index, whose other operands are given.
func (w *Writer) BlobRecord(abbrev int, code uint32, operands []uint64, bytes []byte) {
	w.emitBits(uint64(abbrev+firstAbbrev), w.width)
	a := w.abbrevs[abbrev]
	w.writeScalar(a[0], uint64(code))
	for i, v := range operands {
		w.writeScalar(a[i+1], v)
	}
	w.writeBlob(bytes)
}

// BlobOfNames writes a record that is a blob of size bytes, the names one after
// the other, with the block's abbreviation of that index.
func (w *Writer) BlobOfNames(abbrev int, code uint32, size uint64, names iter.Seq[string]) {
	w.emitBits(uint64(abbrev+firstAbbrev), w.width)
	w.writeScalar(w.abbrevs[abbrev][0], uint64(code))
	w.emitVBR(size, 6)
	w.alignWord()
	for name := range names {
		w.buf = append(w.buf, name...)
		w.flushIfLarge()
	}
	w.buf = append(w.buf, make([]byte, -size&3)...)
}

// WriteInfo writes the BLOCKINFO block of the abbreviations that Reset set,
// blocks in the order given.
func (w *Writer) WriteInfo(blocks []uint32) {
	w.Enter(InfoBlock, 2)
	for _, id := range blocks {
		w.writeUnabbreviated(infoSetBID, []uint64{uint64(id)})
		for _, a := range w.info[id] {
			w.emitBits(defineAbbrev, w.width)
			w.writeAbbrev(a)
		}
	}
	w.End()
}

// Aligned appends a finished block or run of blocks that was written on a
// 32-bit boundary within a block of the same abbreviation width. The writer
// must stand on such a boundary, as it does after End.
func (w *Writer) Aligned(words []byte) { w.buf = append(w.buf, words...) }

// AppendVBR6 packs numbers as LLVM does within blobs: VBR6, padded to 32 bits.
func AppendVBR6(dst []byte, numbers []uint64) []byte {
	w := Writer{buf: dst}
	for _, v := range numbers {
		w.emitVBR(v, 6)
	}
	w.alignWord()
	return w.buf
}

package bitstream

import (
	"encoding/binary"
	"fmt"
)

// Error is a fault of the stream.
type Error struct {
	Bit uint64 // where, from the start of the stream
	Msg string
}

func (e *Error) Error() string { return fmt.Sprintf("bit %d: %s", e.Bit, e.Msg) }

// Block is a block of the stream, its header read.
type Block struct {
	ID    uint32
	Start uint64 // bit after the header
	End   uint64 // bit after the block
	width uint
	depth int
	// abbrevs are those that BLOCKINFO had given to such blocks before this one. A BLOCKINFO
	// after it, as Zig's compiler writes before functions, does not change them.
	abbrevs []Abbrev
}

// Kind tells the entries of a block apart.
type Kind uint8

// The kinds of entries.
const (
	End      Kind = iota // end of the block, or of the stream
	SubBlock             // Entry.Block
	Record               // the cursor's Code, Operands, Blob
)

// Entry is one entry of a block.
type Entry struct {
	Kind  Kind
	Block Block
}

// maxDepth bounds the nesting of blocks. LLVM's deepest is 3.
const maxDepth = 16

// Cursor walks the entries of one block. Cursors are independent of each
// other: several goroutines may walk blocks of one stream, each with its own,
// as long as none of them meets a BLOCKINFO block.
type Cursor struct {
	// Code, Operands and Blob are the record that Next came upon, valid until
	// the next call. Blob lies in the input, from byte BlobStart on.
	Code      uint32
	Operands  []uint64
	Blob      []byte
	BlobStart uint64
	// AbbrevID is how the record was written: -1 without abbreviation, else
	// the index into the block's abbreviations.
	AbbrevID int

	data    []byte
	pos     uint64 // bits
	end     uint64 // bit after the block's contents
	width   uint
	depth   int
	abbrevs []Abbrev
	info    Info
}

// NewCursor returns a cursor over the top level of the stream. It begins at
// the given bit, after the magic bytes. BLOCKINFO blocks that are opened fill
// info.
func NewCursor(data []byte, start uint64, info Info) *Cursor {
	return &Cursor{data: data, pos: start, end: uint64(len(data)) * 8, width: topWidth, info: info}
}

// Open returns a cursor over the entries of the block. The receiver, which
// Next has moved past the block already, is not touched.
func (c *Cursor) Open(b Block) *Cursor { return c.OpenInto(b, new(Cursor)) }

// OpenInto is Open with the memory of a cursor that the caller has finished with.
func (c *Cursor) OpenInto(b Block, to *Cursor) *Cursor {
	*to = Cursor{
		Operands: to.Operands[:0],
		data:     c.data, pos: b.Start, end: b.End, width: b.width, depth: b.depth,
		abbrevs: b.abbrevs[:len(b.abbrevs):len(b.abbrevs)], info: c.info,
	}
	return to
}

// Bit returns the position: the end of the entry that Next returned last.
func (c *Cursor) Bit() uint64 { return c.pos }

// Errorf returns an error at the current position.
func (c *Cursor) Errorf(format string, args ...any) error {
	return &Error{Bit: c.pos, Msg: fmt.Sprintf(format, args...)}
}

// Next moves to the next entry: it notes abbreviations, reads a record into
// the cursor, and steps over a block, which Open enters.
func (c *Cursor) Next() (Entry, error) {
	for {
		if c.depth == 0 && c.isPadded() {
			return Entry{Kind: End}, nil
		}
		id, err := c.readBits(c.width)
		if err != nil {
			return Entry{}, err
		}
		switch id {
		case endBlock:
			return Entry{Kind: End}, c.leaveBlock()
		case enterBlock:
			b, err := c.readHeader()
			return Entry{Kind: SubBlock, Block: b}, err
		case defineAbbrev:
			a, err := c.readAbbrev()
			if err != nil {
				return Entry{}, err
			}
			c.abbrevs = append(c.abbrevs, a)
		case unabbrev:
			return Entry{Kind: Record}, c.readUnabbreviated()
		default:
			return Entry{Kind: Record}, c.readAbbreviated(id - firstAbbrev)
		}
	}
}

// leastBlock is how many bits a block takes at top level, with its header and
// its end, and one bit more.
const leastBlock = 65

// isPadded reports whether nothing but padding is left at top level: bits
// that are too few for a block, or zeros. LLVM tolerates both. Archives and
// Apple's wrapper pad bitcode to whole words or pages.
func (c *Cursor) isPadded() bool {
	if c.pos+leastBlock > c.end {
		return true
	}
	if c.pos&7 != 0 {
		return false
	}
	for _, b := range c.data[c.pos/8 : c.end/8] {
		if b != 0 {
			return false
		}
	}
	return true
}

// leaveBlock checks that the block ends where its header says.
func (c *Cursor) leaveBlock() error {
	if c.depth == 0 {
		return c.Errorf("end of a block outside of all blocks")
	}
	c.alignWord()
	if c.pos != c.end {
		return c.Errorf("a block ends here, its length says bit %d", c.end)
	}
	return nil
}

// readHeader reads the header of a block and moves to the end of the block.
func (c *Cursor) readHeader() (Block, error) {
	at := c.pos
	id, err := c.readVBR(8)
	if err != nil {
		return Block{}, err
	}
	width, err := c.readVBR(4)
	if err != nil {
		return Block{}, err
	}
	c.alignWord()
	words, err := c.readBits(32)
	if err != nil {
		return Block{}, err
	}
	b := Block{ID: uint32(id), Start: c.pos, End: c.pos + words*32, width: uint(width), depth: c.depth + 1, abbrevs: c.info[uint32(id)]}
	switch {
	case id > 1<<31-1:
		return Block{}, &Error{at, fmt.Sprintf("block number %d is too large", id)}
	case width < 2 || width > maxWidth:
		return Block{}, &Error{at, fmt.Sprintf("block %d has abbreviation numbers of %d bits", id, width)}
	case b.End > c.end:
		return Block{}, &Error{at, fmt.Sprintf("block %d ends at bit %d, after the end of the %d bits that hold it: the file is cut short or damaged", id, b.End, c.end)}
	case b.depth > maxDepth:
		return Block{}, &Error{at, "blocks are nested too deeply"}
	}
	c.pos = b.End
	return b, nil
}

// readAbbrev reads the definition of an abbreviation.
func (c *Cursor) readAbbrev() (Abbrev, error) {
	at := c.pos
	n, err := c.readVBR(5)
	if err != nil {
		return nil, err
	}
	// Each operand takes one bit at least: a number beyond the bits that are
	// left is not true, and nothing is allocated for it.
	if n == 0 || n > c.end-c.pos {
		return nil, &Error{at, fmt.Sprintf("abbreviation of %d operands", n)}
	}
	a := make(Abbrev, 0, min(n, 16))
	for range n {
		o, err := c.readOperand()
		if err != nil {
			return nil, err
		}
		a = append(a, o)
	}
	return a, nil
}

// readOperand reads an operand of an abbreviation. A field without bits is the literal 0.
func (c *Cursor) readOperand() (Operand, error) {
	literal, err := c.readBits(1)
	if err != nil {
		return Operand{}, err
	}
	if literal == 1 {
		v, err := c.readVBR(8)
		return Operand{Literal, v}, err
	}
	encoding, err := c.readBits(3)
	if err != nil {
		return Operand{}, err
	}
	o := Operand{Encoding: Encoding(encoding)}
	switch o.Encoding {
	case Fixed, VBR:
		if o.Value, err = c.readVBR(5); err != nil {
			return Operand{}, err
		}
		if o.Value == 0 {
			return Operand{Literal, 0}, nil
		}
		if o.Value > maxWidth || (o.Encoding == VBR && o.Value == 1) {
			return Operand{}, c.Errorf("abbreviation with a field of %d bits", o.Value)
		}
	case Array, Char6, Blob:
	default:
		return Operand{}, c.Errorf("abbreviation with encoding %d, which is not defined", encoding)
	}
	return o, nil
}

// misplaced is the error of a record whose abbreviation has an array or blob where none may be.
// As for LLVM, the definition alone does no harm: Zig's compiler writes one that it does not use.
func (c *Cursor) misplaced() error {
	return c.Errorf("abbreviation with an array or blob in the wrong place")
}

func (c *Cursor) readUnabbreviated() error {
	code, err := c.readVBR(6)
	if err != nil {
		return err
	}
	n, err := c.readVBR(6)
	if err != nil {
		return err
	}
	// An operand takes six bits at least.
	if n > (c.end-c.pos)/6 {
		return c.Errorf("record of %d operands, more than the block holds", n)
	}
	c.Code, c.AbbrevID, c.Blob, c.Operands = uint32(code), -1, nil, c.Operands[:0]
	for range n {
		v, err := c.readVBR(6)
		if err != nil {
			return err
		}
		c.Operands = append(c.Operands, v)
	}
	return nil
}

func (c *Cursor) readAbbreviated(index uint64) error {
	if index >= uint64(len(c.abbrevs)) {
		return c.Errorf("record with abbreviation %d, which is not defined", index+firstAbbrev)
	}
	a := c.abbrevs[index]
	code, err := c.readScalar(a[0])
	if err != nil {
		return err
	}
	c.Code, c.AbbrevID, c.Blob, c.Operands = uint32(code), int(index), nil, c.Operands[:0]
	for i := 1; i < len(a); i++ {
		switch a[i].Encoding {
		case Array:
			if i != len(a)-2 {
				return c.misplaced()
			}
			return c.readArray(a[i+1])
		case Blob:
			if i != len(a)-1 {
				return c.misplaced()
			}
			return c.readBlob()
		}
		v, err := c.readScalar(a[i])
		if err != nil {
			return err
		}
		c.Operands = append(c.Operands, v)
	}
	return nil
}

func (c *Cursor) readScalar(o Operand) (uint64, error) {
	switch o.Encoding {
	case Literal:
		return o.Value, nil
	case Fixed:
		return c.readBits(uint(o.Value))
	case VBR:
		return c.readVBR(uint(o.Value))
	case Char6:
		v, err := c.readBits(6)
		return uint64(char6[v&63]), err
	default:
		return 0, c.misplaced()
	}
}

// readArray reads the elements of an array, which ends its record.
func (c *Cursor) readArray(element Operand) error {
	n, err := c.readVBR(6)
	if err != nil {
		return err
	}
	// The bound keeps the memory in proportion to the input, as for abbreviations.
	if n > c.end-c.pos {
		return c.Errorf("array of %d elements, more than the block holds", n)
	}
	for range n {
		v, err := c.readScalar(element)
		if err != nil {
			return err
		}
		c.Operands = append(c.Operands, v)
	}
	return nil
}

// readBlob reads a blob, which begins and ends at a 32-bit boundary. It is not copied.
func (c *Cursor) readBlob() error {
	n, err := c.readVBR(6)
	if err != nil {
		return err
	}
	c.alignWord()
	if c.pos > c.end || n > (c.end-c.pos)/8 {
		return c.Errorf("blob of %d bytes, more than the block holds", n)
	}
	c.BlobStart = c.pos / 8
	c.Blob = c.data[c.BlobStart:][:n:n]
	c.pos += n * 8
	c.alignWord()
	return nil
}

// alignWord moves to the next 32-bit boundary.
func (c *Cursor) alignWord() { c.pos = (c.pos + 31) &^ 31 }

// readBits returns the next n bits, n at most 32.
func (c *Cursor) readBits(n uint) (uint64, error) {
	if c.pos+uint64(n) > c.end {
		return 0, c.Errorf("the block or file ends within a field")
	}
	v := c.peekWord() & (1<<n - 1)
	c.pos += uint64(n)
	return v, nil
}

// peekWord returns at least the next 57 bits, with zeros for those after the end of the data.
func (c *Cursor) peekWord() uint64 {
	at, shift := c.pos>>3, c.pos&7
	// One load serves fields up to 57 bits at any bit position; only the last
	// bytes of the file need the copy.
	if at+8 <= uint64(len(c.data)) {
		return binary.LittleEndian.Uint64(c.data[at:]) >> shift
	}
	var tail [8]byte
	copy(tail[:], c.data[min(at, uint64(len(c.data))):])
	return binary.LittleEndian.Uint64(tail[:]) >> shift
}

// readVBR returns a number in chunks of n bits, the highest of which says
// whether another follows. Bits above 64 are dropped, as LLVM does.
func (c *Cursor) readVBR(n uint) (uint64, error) {
	word, more := c.peekWord(), uint64(1)<<(n-1)
	if word&more == 0 && c.pos+uint64(n) <= c.end { // one chunk: most numbers
		c.pos += uint64(n)
		return word & (more - 1), nil
	}
	var v uint64
	for shift := uint(0); ; shift += n - 1 {
		chunk, err := c.readBits(n)
		if err != nil {
			return 0, err
		}
		if shift < 64 {
			v |= chunk & (more - 1) << shift
		}
		if chunk&more == 0 {
			return v, nil
		}
		// Chunks without any bits of the number must end, too.
		if shift > 96 {
			return 0, c.Errorf("number of more than 64 bits")
		}
	}
}

// ReadVBR6 takes the next number of a packed list of VBR6 numbers, which LLVM
// writes into blobs, from the bit position pos; ok is false at the end.
func ReadVBR6(data []byte, pos uint64) (v, next uint64, ok bool) {
	c := Cursor{data: data, pos: pos, end: uint64(len(data)) * 8}
	v, err := c.readVBR(6)
	return v, c.pos, err == nil
}

// ReadInfo reads a BLOCKINFO block, which this is a cursor over.
func (c *Cursor) ReadInfo() error {
	block := int64(-1)
	for {
		// Abbreviations in BLOCKINFO are those of the block that SETBID named,
		// not its own.
		c.abbrevs = nil
		e, err := c.nextInfo(&block)
		if err != nil || e.Kind == End {
			return err
		}
		if e.Kind == Record && c.Code == infoSetBID {
			if len(c.Operands) < 1 || c.Operands[0] > 1<<31-1 {
				return c.Errorf("BLOCKINFO record without a block number")
			}
			block = int64(c.Operands[0])
		}
	}
}

// nextInfo is Next within BLOCKINFO, where abbreviations are another block's.
func (c *Cursor) nextInfo(block *int64) (Entry, error) {
	for {
		id, err := c.readBits(c.width)
		if err != nil {
			return Entry{}, err
		}
		if id != defineAbbrev {
			c.pos -= uint64(c.width)
			return c.Next()
		}
		a, err := c.readAbbrev()
		if err != nil {
			return Entry{}, err
		}
		if *block < 0 {
			return Entry{}, c.Errorf("BLOCKINFO defines an abbreviation for no block")
		}
		c.info[uint32(*block)] = append(c.info[uint32(*block)], a)
	}
}

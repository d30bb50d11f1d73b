package bitstream

// Encoding is how an abbreviation writes one operand.
type Encoding uint8

// The encodings, by their numbers in the stream. A literal has a bit of its own there instead.
const (
	Literal Encoding = 0 // Value is the operand, which takes no bits
	Fixed   Encoding = 1 // Value bits
	VBR     Encoding = 2 // chunks of Value bits
	Array   Encoding = 3 // a length, then elements as the next operand says
	Char6   Encoding = 4 // one of [a-zA-Z0-9._] in six bits
	Blob    Encoding = 5 // a length, then bytes on a 32-bit boundary
)

// Operand is one operand of an abbreviation.
type Operand struct {
	Encoding Encoding
	Value    uint64
}

// Abbrev is an abbreviation: the layout of a record. The first operand is the
// record's code. An Array is second to last and is followed by its element; a
// Blob is last. Other abbreviations may be defined, but no record can have them.
type Abbrev []Operand

// The ids that mean the same in every block.
const (
	endBlock     = 0
	enterBlock   = 1
	defineAbbrev = 2
	unabbrev     = 3
	firstAbbrev  = 4 // of the block's own abbreviations
)

// Widths in bits.
const (
	topWidth = 2  // of abbreviation ids outside of all blocks
	maxWidth = 32 // of abbreviation ids, fixed fields and VBR chunks
)

const char6 = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._"

// fromChar6 maps a byte to its six bits, or to 0xff if it has none.
var fromChar6 = func() (table [256]uint8) {
	for i := range table {
		table[i] = 0xff
	}
	for i := range len(char6) {
		table[char6[i]] = uint8(i)
	}
	return table
}()

// fitsValue reports whether a value can be written with a scalar encoding.
func (o Operand) fitsValue(v uint64) bool {
	switch o.Encoding {
	case Literal:
		return v == o.Value
	case Fixed:
		return v>>o.Value == 0
	case Char6:
		return v < 256 && fromChar6[v] != 0xff
	}
	return o.Encoding == VBR
}

// Fits reports whether the record can be written with the abbreviation.
func (a Abbrev) Fits(code uint32, operands []uint64) bool {
	if len(a) == 0 || !a[0].fitsValue(uint64(code)) {
		return false
	}
	for i, o := range a[1:] {
		switch o.Encoding {
		case Array:
			return i+1 == len(a)-2 && fitAll(a[i+2], operands)
		case Blob:
			return i+1 == len(a)-1 && fitAll(Operand{Fixed, 8}, operands)
		}
		if len(operands) == 0 || !o.fitsValue(operands[0]) {
			return false
		}
		operands = operands[1:]
	}
	return len(operands) == 0
}

func fitAll(element Operand, operands []uint64) bool {
	for _, v := range operands {
		if !element.fitsValue(v) {
			return false
		}
	}
	return true
}

// Info holds the abbreviations that BLOCKINFO gives to blocks by their id.
type Info map[uint32][]Abbrev

// The block and the record codes of BLOCKINFO.
const (
	InfoBlock  = 0
	infoSetBID = 1
)

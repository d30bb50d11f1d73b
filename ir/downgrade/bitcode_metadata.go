package downgrade

import "offlink/ir/bitcode/bitstream"

// Records of the metadata blocks.
const (
	metadataValue          = 2
	metadataName           = 4
	metadataKind           = 6
	metadataLocation       = 7
	metadataNamedNode      = 10
	metadataBasicType      = 15
	metadataDerivedType    = 17
	metadataCompositeType  = 18
	metadataCompileUnit    = 20
	metadataSubprogram     = 21
	metadataStrings        = 35
	metadataDeclAttachment = 36
	metadataIndexOffset    = 38
	metadataIndex          = 39
	metadataLabel          = 40
	metadataStringType     = 41
	metadataAssignID       = 47
	metadataSubrangeType   = 48
	metadataFixedPointType = 49
)

// nodeLayout is how LLVM 19 writes a node that has grown since.
type nodeLayout struct {
	// length is the number of its operands there. What comes behind was
	// added since, and only debug information gets poorer without.
	length int
	// sizes are the operands that are metadata since LLVM 21 where the first
	// operand has the bit flag.
	sizes []int
	flag  uint64
}

var nodeLayouts = map[uint32]nodeLayout{
	metadataLocation:      {length: 6},
	metadataBasicType:     {length: 7, sizes: []int{3}, flag: 2},
	metadataDerivedType:   {length: 15, sizes: []int{7, 9}, flag: 2},
	metadataCompositeType: {length: 22, sizes: []int{7, 9}, flag: 4},
	metadataStringType:    {length: 9, sizes: []int{6}, flag: 2},
	metadataCompileUnit:   {length: 22},
	metadataSubprogram:    {length: 20},
	metadataLabel:         {length: 5},
}

// derivedTypeSnapshot is the length of a derived type before pointer
// authentication got into it.
const derivedTypeSnapshot = 14

// metadata copies a record of metadata. Indexes go, as positions change.
func (b *bitcodeRewriter) metadata(c *bitstream.Cursor) error {
	switch c.Code {
	case metadataIndexOffset, metadataIndex:
		return nil
	case metadataName, metadataKind, metadataNamedNode, metadataDeclAttachment:
		return b.copy(c)
	case metadataStrings:
		return b.metadataStrings(c)
	case metadataValue:
		b.metadataNumber(c)
	}
	b.nodes++
	if c.Code > metadataFixedPointType {
		return c.Errorf("metadata record %d is newer than LLVM 22", c.Code)
	}
	if c.Code > metadataAssignID {
		// DW_TAG_unspecified_type without name
		b.out.Record(-1, metadataBasicType, []uint64{0, 0x3b, 0, 0, 0, 0, 0})
		return nil
	}
	if layout, grown := nodeLayouts[c.Code]; grown {
		b.node(c, layout)
	}
	return b.copy(c)
}

func (b *bitcodeRewriter) metadataStrings(c *bitstream.Cursor) error {
	if len(c.Operands) > 0 {
		b.nodes += int(uint32(c.Operands[0]))
	}
	return b.copy(c)
}

// metadataNumber notes metadata that is an integer constant of the module.
func (b *bitcodeRewriter) metadataNumber(c *bitstream.Cursor) {
	if b.inBody || len(c.Operands) < 2 {
		return
	}
	if n, known := b.integers[int(uint32(c.Operands[1]))]; known {
		b.numbers[b.nodes] = n
	}
}

// node takes a node back to the layout of LLVM 19.
func (b *bitcodeRewriter) node(c *bitstream.Cursor, layout nodeLayout) {
	length := layout.length
	if c.Code == metadataDerivedType && b.target.Snapshot {
		length = derivedTypeSnapshot
	}
	c.Operands = c.Operands[:min(len(c.Operands), length)]
	ops := c.Operands
	if len(ops) < 2 {
		return
	}
	if ops[0]&layout.flag != 0 {
		ops[0] &^= layout.flag
		for _, i := range layout.sizes {
			if i < len(ops) {
				ops[i] = b.size(ops[i])
			}
		}
	}
	switch c.Code {
	case metadataLabel:
		ops[0] &= 1 // the rest says that it is artificial
	case metadataCompileUnit:
		ops[1] = oldLanguage(ops[1])
	}
}

// size returns the number that a reference to metadata stands for, 0 if it is
// none. References count from 1; integers have their sign in the lowest bit.
func (b *bitcodeRewriter) size(reference uint64) uint64 {
	n := b.numbers[int(uint32(reference))-1]
	if n&1 != 0 {
		return 0
	}
	return n >> 1
}

// oldLanguage returns the language code of DWARF 5 for the name and version
// of DWARF 6 that the highest bit marks.
func oldLanguage(code uint64) uint64 {
	if code>>63 == 0 {
		return code
	}
	switch code &^ (1 << 63) {
	case 0x03:
		return 0x1d // C
	case 0x04:
		return 0x21 // C++
	}
	return dwLangC
}

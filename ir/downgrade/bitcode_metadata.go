package downgrade

import (
	"offlink/ir/bitcode/bitstream"
	"offlink/ir/llvmschema"
)

// derivedTypeSnapshot is the length of a derived type before pointer authentication was added to
// it.
const derivedTypeSnapshot = 14

// rewriteMetadata copies a record of metadata. Index records are dropped, since positions change.
func (b *bitcodeRewriter) rewriteMetadata(c *bitstream.Cursor) error {
	switch c.Code {
	case llvmschema.MetadataIndexOffset, llvmschema.MetadataIndex:
		return nil
	case llvmschema.MetadataName, llvmschema.MetadataKind, llvmschema.MetadataNamedNode, llvmschema.MetadataDeclAttachment:
		return b.copyRecord(c)
	case llvmschema.MetadataStrings:
		return b.metadataStrings(c)
	case llvmschema.MetadataValue:
		b.metadataNumber(c)
	}
	b.nodes++
	layout, known := llvmschema.Nodes.Get()[c.Code]
	switch {
	case c.Code == llvmschema.MetadataValue || c.Code == llvmschema.MetadataStringOld:
	case !known:
		return c.Errorf("metadata record %d is not known: the bitcode is %s", c.Code, llvmschema.Newer())
	case !b.target.readsVersion(layout.Since):
		// DW_TAG_unspecified_type without name
		b.out.Record(-1, llvmschema.MetadataBasicType, []uint64{0, 0x3b, 0, 0, 0, 0, 0})
		return nil
	case layout.Rest == llvmschema.FormNone:
		b.rewriteNode(c, layout)
	}
	return b.copyRecord(c)
}

func (b *bitcodeRewriter) metadataStrings(c *bitstream.Cursor) error {
	if len(c.Operands) > 0 {
		b.nodes += int(uint32(c.Operands[0]))
	}
	return b.copyRecord(c)
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

// rewriteNode takes a node back to the layout of the target. The operands after that were added
// since, and only debug information becomes poorer without them.
func (b *bitcodeRewriter) rewriteNode(c *bitstream.Cursor, layout *llvmschema.Node) {
	length := layout.Length(b.target.LLVM)
	if c.Code == llvmschema.MetadataDerivedType && b.target.Snapshot {
		length = derivedTypeSnapshot
	}
	c.Operands = c.Operands[:min(len(c.Operands), length)]
	ops := c.Operands
	if len(ops) < 2 {
		return
	}
	if ops[0]&layout.SizeFlag != 0 { // sizes are metadata since LLVM 21
		ops[0] &^= layout.SizeFlag
		for i := range ops {
			if layout.Fields[i].Form == llvmschema.FormSize {
				ops[i] = b.constantSize(ops[i])
			}
		}
	}
	switch c.Code {
	case llvmschema.MetadataLabel:
		ops[0] &= 1 // the rest says that it is artificial
	case llvmschema.MetadataCompileUnit:
		ops[1] = oldLanguage(ops[1])
	}
}

// constantSize returns the number that a reference to metadata stands for, or 0 if it is not one.
// References count from 1; integers have their sign in the lowest bit.
func (b *bitcodeRewriter) constantSize(reference uint64) uint64 {
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

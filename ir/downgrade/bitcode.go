package downgrade

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"

	"offlink/ir/bitcode/bitstream"
	"offlink/ir/llvmschema"
)

// Bitcode returns the bitcode file rewritten for the target, which is LLVM 19 or a snapshot of it.
// At best, readers refuse records of a newer LLVM; at worst, they take an unknown constant for
// undef. A construct without a form in LLVM 19 is refused. One that does not affect the program's
// meaning (summaries, use-list orders, symbol tables, hashes) is left out. path is for messages.
func Bitcode(path string, data []byte, target Target) ([]byte, error) {
	if target.LLVM != 19 {
		return nil, fmt.Errorf("%s: bitcode can be rewritten for LLVM 19 only, not for LLVM %d: use text", path, target.LLVM)
	}
	out, err := rewriteBitcode(data, target)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return out, nil
}

// unwrapBitcode returns the bitstream inside Darwin's wrapper, or data itself.
func unwrapBitcode(data []byte) []byte {
	if len(data) < 20 || binary.LittleEndian.Uint32(data) != 0x0B17C0DE {
		return data
	}
	offset, size := binary.LittleEndian.Uint32(data[8:]), binary.LittleEndian.Uint32(data[12:])
	if uint64(offset)+uint64(size) > uint64(len(data)) {
		return data
	}
	return data[offset:][:size]
}

var bitcodeMagic = [4]byte{'B', 'C', 0xC0, 0xDE}

func rewriteBitcode(data []byte, target Target) ([]byte, error) {
	data = unwrapBitcode(data)
	if len(data) < 4 || [4]byte(data) != bitcodeMagic {
		return nil, fmt.Errorf("no LLVM bitcode: it does not begin with 'BC' 0xC0DE")
	}
	b := &bitcodeRewriter{
		target: target, info: bitstream.Info{},
		integers: map[int]uint64{}, lifetime: map[int]bool{}, masked: map[int]bool{}, numbers: map[int]uint64{},
	}
	var err error
	if b.names, err = findStrtab(data); err != nil {
		return nil, err
	}
	b.out.Reset(nil)
	b.out.Magic(bitcodeMagic)
	if err := b.topLevel(bitstream.NewCursor(data, 32, b.info)); err != nil {
		return nil, err
	}
	return b.out.Bytes(), nil
}

// findStrtab returns the string table of the file. It comes after the module whose names it holds,
// so it is looked for first.
func findStrtab(data []byte) ([]byte, error) {
	top := bitstream.NewCursor(data, 32, bitstream.Info{})
	for {
		e, err := top.Next()
		if err != nil || e.Kind == bitstream.End {
			return nil, err
		}
		if e.Kind != bitstream.SubBlock || e.Block.ID != llvmschema.BlockStrtab {
			continue
		}
		c := top.Open(e.Block)
		for {
			e, err := c.Next()
			if err != nil {
				return nil, err
			}
			if e.Kind == bitstream.End {
				break
			}
			if e.Kind == bitstream.Record && c.Code == llvmschema.StrtabBlob {
				return c.Blob, nil
			}
		}
	}
}

// bitcodeRewriter copies a bitcode file record by record. It writes without abbreviations, which no
// reader requires, except for blobs.
type bitcodeRewriter struct {
	target Target
	info   bitstream.Info
	out    bitstream.Writer
	names  []byte // the string table

	types    []typeRecord
	values   int            // values so far: the module's, and within a body its own
	integers map[int]uint64 // integer constants of the module
	lifetime map[int]bool   // functions that are lifetime markers of LLVM 22
	masked   map[int]bool   // functions that are masked accesses of LLVM 22
	bodies   []int          // function types of the bodies that come, in order
	nodes    int            // metadata of the module so far
	numbers  map[int]uint64 // metadata that are integer constants
	inBody   bool
}

// typeRecord holds the needed facts of a type.
type typeRecord struct {
	void       bool
	function   bool
	result     int
	parameters int
}

// topLevel copies the blocks of the file.
func (b *bitcodeRewriter) topLevel(c *bitstream.Cursor) error {
	for {
		e, err := c.Next()
		if err != nil || e.Kind == bitstream.End {
			return err
		}
		if e.Kind != bitstream.SubBlock {
			return c.Errorf("a record outside of all blocks")
		}
		if err := b.rewriteBlock(c, e.Block); err != nil {
			return err
		}
	}
}

// width is that of abbreviation ids in every block that is written.
const width = 3

// rewriteBlock copies a block, or leaves it out.
func (b *bitcodeRewriter) rewriteBlock(outer *bitstream.Cursor, block bitstream.Block) error {
	c := outer.Open(block)
	switch block.ID {
	case bitstream.InfoBlock:
		return c.ReadInfo()
	case llvmschema.BlockUseList, llvmschema.BlockSummary, llvmschema.BlockLTOSummary, llvmschema.BlockSymtab:
		return nil
	case llvmschema.BlockSymbolTable:
		if !b.inBody {
			return nil // positions of bodies; names are in the string table
		}
	}
	b.out.Enter(block.ID, width)
	defer b.out.End()
	switch block.ID {
	case llvmschema.BlockModule:
		return b.eachRecord(c, b.moduleRecord)
	case llvmschema.BlockType:
		return b.eachRecord(c, b.typeRecord)
	case llvmschema.BlockAttributeGroup:
		return b.eachRecord(c, b.attributeGroup)
	case llvmschema.BlockConstants:
		return b.eachRecord(c, b.rewriteConstant)
	case llvmschema.BlockMetadata:
		return b.eachRecord(c, b.rewriteMetadata)
	case llvmschema.BlockFunction:
		return b.rewriteFunction(c)
	}
	return b.eachRecord(c, b.copyRecord)
}

// eachRecord passes a block's records to each, which copies them, and rewrites the blocks in it.
func (b *bitcodeRewriter) eachRecord(c *bitstream.Cursor, each func(*bitstream.Cursor) error) error {
	for {
		e, err := c.Next()
		switch {
		case err != nil || e.Kind == bitstream.End:
			return err
		case e.Kind == bitstream.SubBlock:
			err = b.rewriteBlock(c, e.Block)
		default:
			err = each(c)
		}
		if err != nil {
			return err
		}
	}
}

// copyRecord writes the record as it is.
func (b *bitcodeRewriter) copyRecord(c *bitstream.Cursor) error {
	b.writeRecord(c, c.Code, c.Operands)
	return nil
}

// writeRecord writes a record with the cursor's blob, if it has one.
func (b *bitcodeRewriter) writeRecord(c *bitstream.Cursor, code uint32, operands []uint64) {
	if c.Blob == nil {
		b.out.Record(-1, code, operands)
		return
	}
	abbrev := bitstream.Abbrev{{Encoding: bitstream.Literal, Value: uint64(code)}}
	for range operands {
		abbrev = append(abbrev, bitstream.Operand{Encoding: bitstream.VBR, Value: 6})
	}
	index := b.out.Define(append(abbrev, bitstream.Operand{Encoding: bitstream.Blob}))
	b.out.BlobRecord(index, code, operands, c.Blob)
}

// moduleRecord counts global values and leaves out the records that depend on positions or on the
// content as a whole.
func (b *bitcodeRewriter) moduleRecord(c *bitstream.Cursor) error {
	switch c.Code {
	case llvmschema.ModuleVSTOffset, llvmschema.ModuleHash:
		return nil
	case llvmschema.ModuleVariable, llvmschema.ModuleAlias, llvmschema.ModuleAliasOld, llvmschema.ModuleIFunc:
		b.values++
	case llvmschema.ModuleFunction:
		if err := b.moduleFunction(c); err != nil {
			return err
		}
	}
	return b.copyRecord(c)
}

// moduleFunction notes a function of the module: its body, if it has one, and whether it is a
// lifetime marker without the size (LLVM 22). Calls of such markers are left out. The name of the
// declaration is cut off after "llvm.lifetime", so that no reader takes it for the older marker.
func (b *bitcodeRewriter) moduleFunction(c *bitstream.Cursor) error {
	ops := c.Operands
	if len(ops) < 5 || ops[2] >= uint64(len(b.types)) {
		return c.Errorf("a function without its type")
	}
	function := b.types[ops[2]]
	if isPrototype := ops[4] != 0; !isPrototype {
		b.bodies = append(b.bodies, int(ops[2]))
	}
	switch name := b.symbolName(ops[0], ops[1]); {
	case bytes.HasPrefix(name, []byte(lifetimePrefix)) && function.parameters == 1:
		b.lifetime[b.values] = true
		ops[1] = uint64(len(lifetimePrefix) - 1)
	case bytes.HasPrefix(name, []byte(maskedPrefix)) && function.parameters == maskedOperands:
		access, _, _ := strings.Cut(string(name[len(maskedPrefix):]), ".")
		_, b.masked[b.values] = maskedAccesses.Get()[access]
	}
	b.values++
	return nil
}

const (
	lifetimePrefix = "llvm.lifetime."
	maskedPrefix   = "llvm.masked."
)

// symbolName returns a part of the string table, or nil if it is not there.
func (b *bitcodeRewriter) symbolName(offset, size uint64) []byte {
	if n := uint64(len(b.names)); offset > n || size > n-offset {
		return nil
	}
	return b.names[offset:][:size]
}

// typeRecord copies a type record and notes the facts about it that calls need. A type that the
// target does not know is refused.
func (b *bitcodeRewriter) typeRecord(c *bitstream.Cursor) error {
	t := typeRecord{void: c.Code == llvmschema.TypeVoid}
	switch {
	case c.Code == llvmschema.TypeNumEntries || c.Code == llvmschema.TypeStructName:
		return b.copyRecord(c)
	case !b.readsType(c.Code):
		return c.Errorf("type record %d is newer than LLVM %d", c.Code, b.target.LLVM)
	case c.Code == llvmschema.TypeFunction:
		if len(c.Operands) < 2 {
			return c.Errorf("a function type without result")
		}
		t.function, t.result, t.parameters = true, int(uint32(c.Operands[1])), len(c.Operands)-2
	}
	b.types = append(b.types, t)
	return b.copyRecord(c)
}

// readsType reports whether the target reads the type record of that code.
func (b *bitcodeRewriter) readsType(code uint32) bool {
	t, known := llvmschema.Types.Get()[code]
	return known && b.target.readsVersion(t.Since)
}

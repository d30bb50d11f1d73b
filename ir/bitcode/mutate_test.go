package bitcode_test

import (
	"bytes"
	"encoding/binary"
	"path/filepath"
	"slices"
	"testing"

	"offlink/ir/bitcode"
	"offlink/ir/bitcode/bitstream"
)

// entry is a record or block of a bitstream taken apart.
type entry struct {
	block    uint32
	entries  []*entry // of a block
	isBlock  bool
	code     uint32
	operands []uint64
	blob     []byte
}

// takeApart reads a bitstream into entries.
func takeApart(t testing.TB, data []byte) *entry {
	t.Helper()
	info := bitstream.Info{}
	var walk func(c *bitstream.Cursor, e *entry)
	walk = func(c *bitstream.Cursor, e *entry) {
		for {
			x, err := c.Next()
			switch {
			case err != nil:
				t.Fatal(err)
			case x.Kind == bitstream.End:
				return
			case x.Kind == bitstream.Record:
				e.entries = append(e.entries, &entry{code: c.Code, operands: slices.Clone(c.Operands), blob: c.Blob})
			case x.Block.ID == bitstream.InfoBlock:
				if err := c.Open(x.Block).ReadInfo(); err != nil {
					t.Fatal(err)
				}
			default:
				sub := &entry{block: x.Block.ID, isBlock: true}
				walk(c.Open(x.Block), sub)
				e.entries = append(e.entries, sub)
			}
		}
	}
	top := &entry{isBlock: true}
	walk(bitstream.NewCursor(data, 32, info), top)
	return top
}

// putTogether writes entries as a bitstream, without abbreviations.
func putTogether(top *entry) []byte {
	var w bitstream.Writer
	w.Reset(nil)
	w.Magic([4]byte{'B', 'C', 0xC0, 0xDE})
	var walk func(e *entry)
	walk = func(e *entry) {
		for _, x := range e.entries {
			switch {
			case x.isBlock:
				w.Enter(x.block, 4)
				walk(x)
				w.End()
			case x.blob != nil:
				a := bitstream.Abbrev{{Encoding: bitstream.Literal, Value: uint64(x.code)}}
				for range x.operands {
					a = append(a, bitstream.Operand{Encoding: bitstream.VBR, Value: 6})
				}
				w.BlobRecord(w.Define(append(a, bitstream.Operand{Encoding: bitstream.Blob})), x.code, x.operands, x.blob)
			default:
				w.Record(-1, x.code, x.operands)
			}
		}
	}
	walk(top)
	return w.Bytes()
}

// parents lists the blocks of a bitstream that have entries.
func parents(e *entry) (list []*entry) {
	for _, x := range e.entries {
		if x.isBlock {
			list = append(list, parents(x)...)
		}
	}
	if len(e.entries) > 0 {
		list = append(list, e)
	}
	return list
}

// mutate makes changes to entries as the program says, eight bytes a change.
func mutate(top *entry, program []byte) {
	for ; len(program) >= 8; program = program[8:] {
		blocks := parents(top)
		if len(blocks) == 0 {
			return
		}
		block := blocks[int(program[1])%len(blocks)]
		i := int(binary.LittleEndian.Uint16(program[2:])) % len(block.entries)
		mutateEntry(block, i, program[0]%8, int(program[4]), uint64(program[5])|uint64(program[6])<<8)
	}
}

func mutateEntry(block *entry, i int, what byte, at int, value uint64) {
	x := block.entries[i]
	switch {
	case what == 0: // goes
		block.entries = slices.Delete(block.entries, i, i+1)
	case what == 1: // comes twice
		block.entries = slices.Insert(block.entries, i, x)
	case what == 2: // moves
		block.entries = slices.Delete(block.entries, i, i+1)
		block.entries = slices.Insert(block.entries, at%(len(block.entries)+1), x)
	case x.isBlock:
		return
	case what == 3:
		x.code = uint32(value % 70)
	case what == 4:
		x.operands = append(slices.Clone(x.operands), value)
	case len(x.operands) == 0:
	case what == 5:
		x.operands = slices.Delete(slices.Clone(x.operands), at%len(x.operands), at%len(x.operands)+1)
	case what == 6:
		x.operands = slices.Clone(x.operands)
		x.operands[at%len(x.operands)] = value
	default:
		x.operands = slices.Clone(x.operands)
		x.operands[at%len(x.operands)] += uint64(int64(int8(value))) << (value >> 8 & 31)
	}
}

// seeds returns small modules.
func seeds(t testing.TB) (list [][]byte) {
	t.Helper()
	small, err := filepath.Glob("testdata/*.bc")
	if err != nil || len(small) == 0 {
		t.Fatalf("no seeds: %v", err)
	}
	for _, file := range []string{"aspects_mix/2026.2.0", "plugin_chain/2025.3.3", "virtual_shapes/2026.2.0"} {
		small = append(small, filepath.Join("../../testdata/sycl", file, "ir.bc"))
	}
	for _, file := range small {
		list = append(list, readFile(t, file))
	}
	return list
}

// FuzzRecords is FuzzRead for modules whose records are changed, so that more
// of them come through the first checks.
func FuzzRecords(f *testing.F) {
	list := seeds(f)
	for i := range list {
		f.Add(uint8(i), []byte{6, 1, 0, 0, 0, 1, 0, 0, 7, 9, 3, 0, 1, 2, 1, 0})
	}
	f.Fuzz(func(t *testing.T, seed uint8, program []byte) {
		top := takeApart(t, list[int(seed)%len(list)])
		mutate(top, program[:min(len(program), 256)])
		checkAny(t, putTogether(top))
	})
}

// checkAny checks that data is refused or read as a module that can be asked
// and written, whole and in part, and is then read as the same again.
func checkAny(t *testing.T, data []byte) {
	m, err := bitcode.Read("fuzz.bc", data)
	if err != nil {
		return
	}
	ask(m)
	first := write(t, whole(m))
	again, err := bitcode.Read("written.bc", first)
	if err != nil {
		t.Fatalf("the output cannot be read: %v", err)
	}
	if !bytes.Equal(first, write(t, whole(again))) {
		t.Fatal("the output is read as another module")
	}
	part := choose(m, len(data))
	var b bytes.Buffer
	if err := m.Source.NewWriter().WritePartition(&b, part); err != nil {
		return // an alias may lack its aliasee
	}
	if _, err := bitcode.Read("part.bc", b.Bytes()); err != nil {
		t.Fatalf("a partition cannot be read: %v", err)
	}
}

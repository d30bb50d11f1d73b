package bitstream

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"offlink/internal/testtool"
)

// item is a block or record that a test writes and reads back.
type item struct {
	code     uint32
	operands []uint64
	blob     string
	abbrev   int
}

const (
	testBlock  = 8
	innerBlock = 9
)

var testAbbrevs = []Abbrev{
	{{Literal, 5}, {Fixed, 3}, {VBR, 6}},
	{{Literal, 6}, {Array, 0}, {Char6, 0}},
	{{Literal, 7}, {VBR, 8}, {Blob, 0}},
	{{Literal, 15}, {Array, 0}, {Fixed, 8}},
	{{Literal, 9}, {Literal, 42}, {Char6, 0}, {VBR, 32}},
}

var testItems = []item{
	{code: 1, abbrev: -1},
	{code: 2, operands: []uint64{0, 31, 32, 1<<32 - 1, 1<<64 - 1}, abbrev: -1},
	{code: 5, operands: []uint64{7, 1 << 40}, abbrev: 0},
	{code: 5, operands: []uint64{8, 1}, abbrev: -1}, // 8 has no room in three bits
	{code: 6, operands: []uint64{'a', 'Z', '_', '.'}, abbrev: 1},
	{code: 6, operands: []uint64{'-'}, abbrev: -1},
	{code: 6, abbrev: 1},
	{code: 7, operands: []uint64{300}, blob: "five!", abbrev: 2},
	{code: 15, operands: []uint64{255, 0, 1}, abbrev: 3},
	{code: 9, operands: []uint64{42, 'q', 1<<64 - 1}, abbrev: 4},
}

func writeItems(w *Writer) {
	w.Reset(Info{testBlock: testAbbrevs[:2]})
	w.Magic([4]byte{'B', 'C', 0xC0, 0xDE})
	w.WriteInfo([]uint32{testBlock})
	w.Enter(testBlock, 4)
	for _, a := range testAbbrevs[2:] {
		w.Define(a)
	}
	for i, it := range testItems {
		if it.blob != "" {
			w.BlobRecord(it.abbrev, it.code, it.operands, []byte(it.blob))
			continue
		}
		abbrev := it.abbrev
		if abbrev < 0 {
			abbrev = i % len(testAbbrevs) // does not fit, and must not be used
		}
		w.Record(abbrev, it.code, it.operands)
		w.Enter(innerBlock, 3)
		w.Record(-1, uint32(i), nil)
		w.End()
	}
	w.End()
}

func TestRoundTrip(t *testing.T) {
	var w Writer
	writeItems(&w)
	got, inner := readItems(t, w.Bytes())
	if len(got) != len(testItems) || inner != len(testItems)-1 {
		t.Fatalf("read %d records and %d blocks, wrote %d and %d", len(got), inner, len(testItems), len(testItems)-1)
	}
	for i, want := range testItems {
		g := got[i]
		if g.code != want.code || g.blob != want.blob || g.abbrev != want.abbrev || !slices.Equal(g.operands, want.operands) {
			t.Errorf("record %d: read %v, wrote %v", i, g, want)
		}
	}
}

func readItems(t *testing.T, data []byte) (items []item, inner int) {
	info := Info{}
	top := NewCursor(data, 32, info)
	if e := next(t, top); e.Kind != SubBlock || e.Block.ID != InfoBlock {
		t.Fatalf("first entry %v is not BLOCKINFO", e)
	} else if err := top.Open(e.Block).ReadInfo(); err != nil {
		t.Fatal(err)
	}
	e := next(t, top)
	c := top.Open(e.Block)
	for e := next(t, c); e.Kind != End; e = next(t, c) {
		if e.Kind == SubBlock {
			inner++
			continue
		}
		items = append(items, item{c.Code, slices.Clone(c.Operands), string(c.Blob), c.AbbrevID})
	}
	if e := next(t, top); e.Kind != End {
		t.Errorf("entry %v after the last block", e)
	}
	return items, inner
}

func next(t *testing.T, c *Cursor) Entry {
	t.Helper()
	e, err := c.Next()
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// The analyzer of LLVM is an independent reader of the writer's streams.
func TestAnalyzerReads(t *testing.T) {
	tool := testtool.Path(t, "llvm-bcanalyzer-19")
	var w Writer
	writeItems(&w)
	file := filepath.Join(t.TempDir(), "x.bc")
	if err := os.WriteFile(file, w.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(tool, "-dump", file).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, want := range []string{"op0=7 op1=1099511627776", "blob data = 'five!'", "op0=255 op1=0 op2=1"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
}

func TestTruncated(t *testing.T) {
	var w Writer
	writeItems(&w)
	whole := w.Bytes()
	for n := 8; n < len(whole); n += 4 {
		_, _, err := walk(whole[:n])
		var e *Error
		if err != nil && !errors.As(err, &e) {
			t.Fatalf("%d bytes: %v has no position", n, err)
		}
		if err == nil && n > 40 {
			t.Fatalf("%d of %d bytes read without error", n, len(whole))
		}
	}
}

// useAbbrev returns a function that defines an abbreviation and writes the beginning of a record
// that has it: an array of one element.
func useAbbrev(a Abbrev) func(w *Writer) {
	return func(w *Writer) {
		w.Define(a)
		w.emitBits(firstAbbrev, w.width)
		w.emitVBR(1, 6)
		w.emitBits(0, 32)
	}
}

// TestUnusedAbbreviation: one that no record can have may be defined, as LLVM has it, and none is written with it.
func TestUnusedAbbreviation(t *testing.T) {
	two := Abbrev{{Literal, 1}, {Array, 0}, {Fixed, 8}, {Array, 0}, {Fixed, 32}}
	var w Writer
	w.Reset(nil)
	w.Magic([4]byte{'B', 'C', 0xC0, 0xDE})
	w.Enter(testBlock, 4)
	n := w.Define(two)
	w.Record(n, 1, []uint64{2, 3})
	w.End()
	if two.Fits(1, []uint64{2, 3}) {
		t.Error("a record fits two arrays")
	}
	if _, _, err := walk(w.Bytes()); err != nil {
		t.Error(err)
	}
}

func TestMalformed(t *testing.T) {
	tests := []struct {
		name, want string
		write      func(w *Writer)
	}{
		{"unknown abbreviation", "not defined", func(w *Writer) { w.emitBits(9, w.width) }},
		{"array of an array", "wrong place", useAbbrev(Abbrev{{Literal, 1}, {Array, 0}, {Array, 0}})},
		{"two arrays", "wrong place", useAbbrev(Abbrev{{Literal, 1}, {Array, 0}, {Fixed, 8}, {Array, 0}, {Fixed, 8}})},
		{"array without element", "wrong place", useAbbrev(Abbrev{{Literal, 1}, {Array, 0}})},
		{"blob before another operand", "wrong place", useAbbrev(Abbrev{{Literal, 1}, {Blob, 0}, {Fixed, 8}})},
		{"code in a blob", "wrong place", useAbbrev(Abbrev{{Blob, 0}})},
		{"no operands", "abbreviation of 0", func(w *Writer) { w.Define(nil) }},
		{"wide field", "field of 64 bits", func(w *Writer) { w.Define(Abbrev{{Literal, 1}, {Fixed, 64}}) }},
		{"VBR of one bit", "field of 1 bits", func(w *Writer) { w.Define(Abbrev{{Literal, 1}, {VBR, 1}}) }},
		{"long record", "operands", func(w *Writer) { w.emitBits(unabbrev, w.width); w.emitVBR(1, 6); w.emitVBR(1<<40, 6) }},
		{"wrong end", "its length says", func(w *Writer) {
			w.emitBits(endBlock, w.width)
			w.alignWord()
			w.emitBits(0, 32)
		}},
		{"narrow ids", "abbreviation numbers", func(w *Writer) { w.Enter(9, 1); w.End() }},
		{"endless number", "more than 64 bits", func(w *Writer) {
			w.emitBits(unabbrev, w.width)
			for range 64 {
				w.emitBits(0x3f, 6)
			}
		}},
	}
	for _, tt := range tests {
		var w Writer
		w.Reset(nil)
		w.Magic([4]byte{'B', 'C', 0xC0, 0xDE})
		w.Enter(testBlock, 4)
		tt.write(&w)
		w.emitBits(0, 32)
		w.End()
		if _, _, err := walk(w.Bytes()); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want %q", tt.name, err, tt.want)
		}
	}
}

func TestDeepNesting(t *testing.T) {
	var w Writer
	w.Reset(nil)
	w.Magic([4]byte{'B', 'C', 0xC0, 0xDE})
	for range 1000 {
		w.Enter(testBlock, 4)
	}
	for range 1000 {
		w.End()
	}
	if _, _, err := walk(w.Bytes()); err == nil {
		t.Error("a thousand nested blocks were accepted")
	}
}

// walk reads everything and counts.
func walk(data []byte) (blocks, records int, err error) {
	info := Info{}
	open := []*Cursor{NewCursor(data, 32, info)}
	for len(open) > 0 {
		c := open[len(open)-1]
		e, err := c.Next()
		switch {
		case err != nil:
			return blocks, records, err
		case e.Kind == End:
			open = open[:len(open)-1]
		case e.Kind == Record:
			records++
		case e.Block.ID == InfoBlock:
			if err := c.Open(e.Block).ReadInfo(); err != nil {
				return blocks, records, err
			}
		default:
			blocks++
			open = append(open, c.Open(e.Block))
		}
	}
	return blocks, records, nil
}

func FuzzCursor(f *testing.F) {
	var w Writer
	writeItems(&w)
	f.Add(w.Bytes())
	f.Add([]byte{}) // shorter than the magic bytes
	f.Fuzz(func(t *testing.T, data []byte) {
		_, records, err := walk(data)
		if err == nil && records > len(data)*8 {
			t.Errorf("%d records in %d bytes", records, len(data))
		}
	})
}

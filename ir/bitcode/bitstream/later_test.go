package bitstream

import "testing"

// TestLaterInfo: abbreviations that BLOCKINFO defines after a block are not those of the block,
// also if it is opened later.
func TestLaterInfo(t *testing.T) {
	var w Writer
	w.Reset(Info{innerBlock: testAbbrevs[:1]})
	w.Magic([4]byte{'B', 'C', 0xC0, 0xDE})
	w.info = nil // BLOCKINFO comes after the block
	w.Enter(innerBlock, 4)
	n := w.Define(testAbbrevs[3])
	w.Record(n, 15, []uint64{255, 1})
	w.End()
	w.info = Info{innerBlock: testAbbrevs[:1]}
	w.WriteInfo([]uint32{innerBlock})
	top := NewCursor(w.Bytes(), 32, Info{})
	block := next(t, top).Block
	if e := next(t, top); e.Block.ID != InfoBlock {
		t.Fatalf("entry %v is not BLOCKINFO", e)
	} else if err := top.Open(e.Block).ReadInfo(); err != nil {
		t.Fatal(err)
	}
	c := top.Open(block)
	if e := next(t, c); e.Kind != Record || c.Code != 15 || c.AbbrevID != 0 || len(c.Operands) != 2 || c.Operands[0] != 255 {
		t.Errorf("record %d %v with abbreviation %d", c.Code, c.Operands, c.AbbrevID)
	}
}

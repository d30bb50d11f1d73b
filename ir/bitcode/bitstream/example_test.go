package bitstream_test

import (
	"fmt"
	"log"

	"offlink/ir/bitcode/bitstream"
)

// A stream of one block with a record without and a record with an abbreviation.
func Example() {
	var w bitstream.Writer
	w.Reset(nil)
	w.Magic([4]byte{'B', 'C', 0xC0, 0xDE})
	w.Enter(8, 3)
	w.Record(-1, 1, []uint64{7, 1 << 40})
	short := w.Define(bitstream.Abbrev{
		{Encoding: bitstream.Literal, Value: 2},
		{Encoding: bitstream.VBR, Value: 6},
	})
	w.Record(short, 2, []uint64{99})
	w.End()

	top := bitstream.NewCursor(w.Bytes(), 32, bitstream.Info{}) // after the magic's 32 bits
	e, err := top.Next()
	if err != nil || e.Kind != bitstream.SubBlock {
		log.Fatal(e, err)
	}
	block := top.Open(e.Block)
	for {
		e, err := block.Next()
		if err != nil {
			log.Fatal(err)
		}
		if e.Kind == bitstream.End {
			break
		}
		fmt.Println("code", block.Code, block.Operands)
	}
	// Output:
	// code 1 [7 1099511627776]
	// code 2 [99]
}

package bitcode_test

import (
	"bytes"
	"fmt"
	"log"
	"os"

	"offlink/ir"
	"offlink/ir/bitcode"
)

// A part of a bitcode file is written as bitcode again.
func Example() {
	data, err := os.ReadFile("testdata/spec19.bc")
	if err != nil {
		log.Fatal(err)
	}
	module, err := bitcode.Read("spec19.bc", data)
	if err != nil {
		log.Fatal(err)
	}
	variable, _ := module.Lookup("i1")
	part := &ir.Partition{Module: module, Definitions: []ir.ValueID{variable}}
	var out bytes.Buffer
	if err := module.Source.NewWriter().WritePartition(&out, part); err != nil {
		log.Fatal(err)
	}
	again, err := bitcode.Read("part.bc", out.Bytes())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(bitcode.IsBitcode(out.Bytes()), again.Triple, len(module.Values), len(again.Values))
	// Output: true spir64-unknown-unknown 5 1
}

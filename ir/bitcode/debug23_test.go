package bitcode_test

import (
	"bytes"
	"testing"

	"offlink/ir/bitcode"
	"offlink/split"
)

// Debug information of DPC++ 2026.2, LLVM 23, whose compile units say the
// language's dialect; no older LLVM reads it.
func TestDebugInformation23(t *testing.T) {
	m, err := bitcode.Read("debug23.bc", readFile(t, "testdata/debug23.bc"))
	if err != nil {
		t.Fatal(err)
	}
	once := write(t, whole(m))
	again, err := bitcode.Read("written.bc", once)
	if err != nil {
		t.Fatal(err)
	}
	if twice := write(t, whole(again)); !bytes.Equal(once, twice) {
		t.Error("the output is not written the same again")
	}
	for _, s := range images(t, m, split.Options{Mode: split.Source}) {
		image, err := bitcode.Read("image.bc", write(t, &s.Partition))
		if err != nil {
			t.Fatal(err)
		}
		if units := image.Named("llvm.dbg.cu"); units == nil || len(units.Operands) != 1 {
			t.Errorf("the image has compile units %v, want one", units)
		}
	}
}

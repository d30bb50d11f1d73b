package fromir_test

import (
	"bytes"
	"testing"

	"offlink/internal/irgen"
	"offlink/ir/irfile"
	"offlink/spirv/fromir"
)

func BenchmarkTranslate(b *testing.B) {
	var text bytes.Buffer
	if err := irgen.Write(&text, irgen.Config{Kernels: 20}); err != nil {
		b.Fatal(err)
	}
	m, err := irfile.Parse("in.ll", text.Bytes())
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := fromir.Translate(m, options()); err != nil {
			b.Fatal(err)
		}
	}
}

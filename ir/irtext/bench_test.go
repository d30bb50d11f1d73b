package irtext_test

import (
	"bytes"
	"fmt"
	"io"
	"testing"

	"offlink/internal/irgen"
	"offlink/ir/irtext"
)

func generated(b testing.TB, c irgen.Config) []byte {
	b.Helper()
	var out bytes.Buffer
	if err := irgen.Write(&out, c); err != nil {
		b.Fatal(err)
	}
	return out.Bytes()
}

var sizes = []irgen.Config{{Kernels: 1000}, {Kernels: 4000}, {Kernels: 1000, Debug: true}, {Kernels: 4000, Debug: true}}

func BenchmarkParse(b *testing.B) {
	for _, c := range sizes {
		b.Run(fmt.Sprintf("%d/debug=%t", c.Kernels, c.Debug), func(b *testing.B) {
			data := generated(b, c)
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := irtext.Parse("x", data); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkWriteWhole(b *testing.B) {
	for _, c := range sizes {
		b.Run(fmt.Sprintf("%d/debug=%t", c.Kernels, c.Debug), func(b *testing.B) {
			data := generated(b, c)
			m, err := irtext.Parse("x", data)
			if err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			w, s := m.Source.NewWriter(), whole(m)
			for b.Loop() {
				if err := w.WriteSlice(io.Discard, s); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

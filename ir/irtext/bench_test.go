package irtext_test

import (
	"bytes"
	"fmt"
	"io"
	"testing"

	"offlink/internal/irgen"
	"offlink/ir"
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
				if err := w.WritePartition(io.Discard, s); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkWriteKernels writes a partition for each kernel.
func BenchmarkWriteKernels(b *testing.B) {
	for _, c := range sizes {
		b.Run(fmt.Sprintf("%d/debug=%t", c.Kernels, c.Debug), func(b *testing.B) {
			m := parseText(b, string(generated(b, c)))
			var all []*ir.Partition
			for i := range c.Kernels {
				s := reached(b, m, fmt.Sprintf("_ZTS6KernelILi%dEE", i))
				for _, id := range s.Definitions[1:] {
					*s.Edit(id) = ir.Edit{SetLinkage: true, Linkage: ir.Internal}
				}
				all = append(all, s)
			}
			w, written := m.Source.NewWriter(), new(counter)
			for b.Loop() {
				*written = 0
				for _, s := range all {
					if err := w.WritePartition(written, s); err != nil {
						b.Fatal(err)
					}
				}
			}
			b.SetBytes(int64(*written))
		})
	}
}

// counter counts the bytes written.
type counter int64

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}

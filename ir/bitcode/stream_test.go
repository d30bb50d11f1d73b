package bitcode_test

import (
	"bytes"
	"errors"
	"path/filepath"
	"testing"

	"offlink/ir"
	"offlink/ir/bitcode"
)

// Large partitions are not held in memory; streamed they have the same bytes.
func TestStreamedPartitions(t *testing.T) {
	files, err := filepath.Glob("testdata/*.bc")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range append(files, syclFiles(t)...) {
		m, err := bitcode.Read(file, readFile(t, file))
		if err != nil {
			continue // a file for the tests of errors
		}
		held, streams := m.Source.NewWriter(), m.Source.NewWriter()
		bitcode.StreamAll(streams)
		for seed := range 4 { // one writer each for all, which must not mix them up
			p := whole(m)
			if seed > 0 {
				p = choose(m, seed)
			}
			if want, got := partitionBytes(t, held, p), partitionBytes(t, streams, p); !bytes.Equal(want, got) {
				t.Errorf("%s, partition %d: streamed %d bytes differ from %d held", file, seed, len(got), len(want))
			}
		}
	}
}

func partitionBytes(t *testing.T, w ir.PartitionWriter, p *ir.Partition) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := w.WritePartition(&out, p); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

type failingOutput struct{ left int }

var errOutput = errors.New("no space")

func (f *failingOutput) Write(p []byte) (int, error) {
	if f.left -= len(p); f.left < 0 {
		return 0, errOutput
	}
	return len(p), nil
}

// An output that fails ends a streamed partition with its error.
func TestStreamedPartitionWithoutSpace(t *testing.T) {
	file := syclFiles(t)[0]
	m, err := bitcode.Read(file, readFile(t, file))
	if err != nil {
		t.Fatal(err)
	}
	w := m.Source.NewWriter()
	bitcode.StreamAll(w)
	if err := w.WritePartition(&failingOutput{1000}, whole(m)); !errors.Is(err, errOutput) {
		t.Errorf("WritePartition() = %v, want %v", err, errOutput)
	}
}

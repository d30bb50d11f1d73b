package bitcode_test

import (
	"testing"

	"offlink/ir/bitcode"
	"offlink/ir/irtext"
)

// cleaned is the module without debug information of values that it does not have, which
// writing a partition drops.
func (m *module) cleaned(t testing.TB) *module {
	t.Helper()
	return m.with(m.tool(t, "opt", "-passes=strip-dead-debug-info", "-o", "-"))
}

// checkWhole checks that the whole module is written as it was read.
func checkWhole(t *testing.T, m *module) {
	got := m.with(write(t, whole(m.read(t))))
	if canonical(m.text(t)) == canonical(got.text(t)) {
		return
	}
	same(t, "the module as written differs from the input", canonical(m.cleaned(t).text(t)), canonical(got.text(t)))
}

// checkPartitions checks that partitions are accepted by LLVM and equal those that the text
// codec makes of the module's text.
func checkPartitions(t *testing.T, m *module, seeds int) {
	fromBitcode := m.read(t)
	fromText, err := irtext.Parse(m.name, []byte(m.text(t)))
	if err != nil {
		t.Fatal(err)
	}
	for seed := range seeds {
		got := m.with(write(t, choose(fromBitcode, seed)))
		got.verify(t)
		assembled := assemble(t, m.name, m.version, m.opaque, write(t, choose(fromText, seed)))
		if assembled == nil {
			t.Fatal("LLVM refuses the output of the text codec")
		}
		same(t, "the partition differs from the text codec's", canonical(assembled.text(t)), canonical(got.text(t)))
	}
}

func TestGolden(t *testing.T) {
	eachGolden(t, func(t *testing.T, m *module) {
		checkWhole(t, m)
		checkPartitions(t, m, 1)
	})
}

func TestClang(t *testing.T) {
	eachProgram(t, func(t *testing.T, m *module) {
		checkWhole(t, m)
		checkPartitions(t, m, 1)
	})
}

// A module that was written is read as the same module again.
func TestReadBack(t *testing.T) {
	for _, file := range syclFiles(t) {
		m := &module{name: file, bitcode: readFile(t, file)}
		first := write(t, whole(m.read(t)))
		second := write(t, whole(m.with(first).read(t)))
		if string(first) != string(second) {
			t.Errorf("%s: written, read and written again it differs", file)
		}
		for seed := range 3 {
			s := choose(m.read(t), seed)
			if _, err := bitcode.Read(file, write(t, s)); err != nil {
				t.Error(err)
			}
		}
	}
}

// Two writers of one module can work at the same time, and one writer can
// write one partition after the other.
func TestWritersAreIndependent(t *testing.T) {
	m := (&module{name: "x", bitcode: readFile(t, syclFiles(t)[0])}).read(t)
	want := make([][]byte, 4)
	for seed := range want {
		want[seed] = write(t, choose(m, seed))
	}
	shared := m.Source.NewWriter()
	for round := range 2 {
		for seed := range want {
			var b writerOf
			if err := shared.WritePartition(&b, choose(m, seed)); err != nil {
				t.Fatal(err)
			}
			if string(b) != string(want[seed]) {
				t.Errorf("round %d, partition %d differs from the one of a fresh writer", round, seed)
			}
		}
	}
}

type writerOf []byte

func (w *writerOf) Write(p []byte) (int, error) { *w = append(*w, p...); return len(p), nil }

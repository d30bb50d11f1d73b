package bitcode_test

import (
	"fmt"
	"strings"
	"testing"

	"offlink/ir"
	"offlink/ir/irtext"
	"offlink/split"
)

// splits are ways to split that make all edits that splitting makes.
var splits = []split.Options{
	{Mode: split.Kernel, SpecConstants: split.SpecConstantsNative},
	{Mode: split.Source, SpecConstants: split.SpecConstantsEmulated, Dependencies: split.DependenciesAll},
	{Mode: split.None, SpecConstants: split.SpecConstantsDefault, OnlyKernels: true},
}

// images returns the partitions that a module is split into, nil if splitting it
// is refused.
func images(t testing.TB, m *ir.Module, options split.Options) (partitions []*split.Partition) {
	t.Helper()
	g, err := split.NewGraph(m, options)
	if err != nil {
		return nil
	}
	groups, err := g.Plan()
	if err != nil {
		return nil
	}
	x := g.NewExtractor()
	for i := range groups {
		s, err := x.Extract(&groups[i])
		if err != nil {
			t.Fatal(err)
		}
		partitions = append(partitions, s)
	}
	return partitions
}

// Splitting gives the same images from bitcode as from text. A way for each
// version is enough: whole modules are compared with all.
func TestSplit(t *testing.T) {
	ways := map[string]split.Options{"14": splits[1], "16": splits[2], "19": splits[0]}
	eachGolden(t, func(t *testing.T, m *module) {
		options, ok := ways[m.version]
		if !ok {
			t.Skip("other versions are enough")
		}
		checkSplit(t, m, options)
	})
}

func checkSplit(t *testing.T, m *module, options split.Options) {
	fromText, err := irtext.Parse(m.name, []byte(m.text(t)))
	if err != nil {
		t.Fatal(err)
	}
	want, got := images(t, fromText, options), images(t, m.read(t), options)
	if len(want) != len(got) {
		t.Fatalf("%v: %d images, from text %d", options.Mode, len(got), len(want))
	}
	var wants, gots strings.Builder
	for i := range want {
		x := m.with(write(t, &got[i].Partition))
		if options.Mode == split.None {
			x.verify(t)
		}
		assembled := assemble(t, m.name, m.version, m.opaque, write(t, &want[i].Partition))
		if assembled == nil {
			t.Fatal("LLVM refuses the output of the text codec")
		}
		fmt.Fprintln(&wants, canonical(assembled.text(t)))
		fmt.Fprintln(&gots, canonical(x.text(t)))
	}
	same(t, fmt.Sprintf("%v: the images differ from the text codec's", options.Mode), wants.String(), gots.String())
}

package main

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"offlink/internal/irgen"
	"offlink/ir"
	"offlink/ir/irfile"
	"offlink/parallel"
	"offlink/spirv"
	"offlink/spirv/fromir"
	"offlink/split"
	"offlink/toolchain"
)

// splitting is one way to split, for the tests below.
type splitting struct {
	name    string
	options split.Options
}

var splittings = []splitting{
	{"kernel", split.Options{Mode: split.Kernel}},
	{"source", split.Options{Mode: split.Source}},
	{"dependencies", split.Options{Mode: split.Kernel, Dependencies: split.DependenciesAll}},
}

// TestPartsAreModules: the translation of a part of the input is that of the part
// written and read again, in whatever order and by how many workers the parts
// are translated.
func TestPartsAreModules(t *testing.T) {
	paths, err := filepath.Glob("../../testdata/sycl/*/2025*/ir.bc")
	if err != nil || len(paths) == 0 {
		t.Fatal("no corpus", err)
	}
	for _, path := range paths {
		f, err := irfile.Open(path, nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(filepath.Base(filepath.Dir(filepath.Dir(path))), func(t *testing.T) { checkParts(t, f.Module) })
		f.Close()
	}
	var text bytes.Buffer
	if err := irgen.Write(&text, irgen.Config{Kernels: 60}); err != nil {
		t.Fatal(err)
	}
	m, err := irfile.Parse("generated.ll", text.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	t.Run("generated", func(t *testing.T) { checkParts(t, m) })
}

func checkParts(t *testing.T, m *ir.Module) {
	for _, s := range splittings {
		graph, groups, err := planModule(m, s.options)
		if err != nil {
			t.Fatalf("%s: %v", s.name, err)
		}
		options, err := (&spirvOptions{SPIRVOptions: toolchain.SPIRVOptions{Version: toolchain.DefaultSPIRVVersion}}).fromIROptions()
		if err != nil {
			t.Fatal(err)
		}
		forward, backward := translateParts(t, graph, groups, options, false), translateParts(t, graph, groups, options, true)
		for i := range groups {
			alone, err := translateAlone(graph, &groups[i], options)
			want := describeOutcome(alone, err)
			if forward[i] != want || backward[i] != want {
				t.Errorf("%s: image %d: alone, in order, and in reverse:\n%s\n%s\n%s", s.name, i, dumpWords(want), dumpWords(forward[i]), dumpWords(backward[i]))
			}
		}
	}
}

// translateParts translates the parts from the first to the last by one worker,
// or from the last to the first by three.
func translateParts(t *testing.T, g *split.Graph, groups []split.Group, o fromir.Options, reverse bool) []string {
	here, err := fromir.NewTranslation(g.Module, o)
	if err != nil {
		t.Fatal(err)
	}
	found, jobs := make([]string, len(groups)), 1
	if reverse {
		jobs = 3
	}
	parallel.ForEach(len(groups), jobs, func() func(int) error {
		x := g.NewExtractor()
		return func(i int) error {
			if reverse {
				i = len(groups) - 1 - i
			}
			partition, err := x.Extract(&groups[i])
			if err == nil {
				part := partition.ForSPIRV(false)
				if !here.Takes(part) {
					code, err := translateAlone(g, &groups[i], o)
					found[i] = describeOutcome(code, err)
					return nil
				}
				var code []byte
				code, err = here.Partition(part, "image")
				found[i] = describeOutcome(code, err)
			}
			return err
		}
	})
	if translated, used := here.Functions(); translated > used {
		t.Errorf("%d functions were translated for %d", translated, used)
	}
	return found
}

// translateAlone translates a part that is written and read again.
func translateAlone(g *split.Graph, group *split.Group, o fromir.Options) ([]byte, error) {
	partition, err := g.NewExtractor().Extract(group)
	if err != nil {
		return nil, err
	}
	var written bytes.Buffer
	if err := g.Module.Source.NewWriter().WritePartition(&written, partition.ForSPIRV(false)); err != nil {
		return nil, err
	}
	m, err := irfile.Parse("image", written.Bytes())
	if err != nil {
		return nil, err
	}
	return fromir.Translate(m, o)
}

// dumpWords spells a module, for messages.
func dumpWords(code string) string {
	m, err := spirv.Parse([]byte(code))
	if err != nil {
		return code
	}
	var text bytes.Buffer
	m.Dump(&text)
	return text.String()
}

// describeOutcome makes a string of a module or an error.
func describeOutcome(code []byte, err error) string {
	if err != nil {
		return fmt.Sprint("error: ", strings.TrimSpace(err.Error()))
	}
	return string(code)
}

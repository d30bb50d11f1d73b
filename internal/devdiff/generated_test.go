package main

import (
	"slices"
	"testing"
)

// TestGenerated runs generated kernels in the executors; devdiff -generated runs more. The first
// seed of flow showed variables that were the same in all lanes by mistake, the other one a kernel
// that did nothing; that of subgroups showed the interpreter taking work-items together that are in
// different iterations.
func TestGenerated(t *testing.T) {
	clangs := kernelCompilers(t)
	clang := clangs[len(clangs)-1]
	for _, test := range []struct {
		family, level string
		kernels       int
		seeds         []uint64
	}{
		{"flow", "-O1", 24, []uint64{2, 12}},
		{"flow", "-O2", 24, []uint64{2, 12}},
		{"values", "-O1", 3, []uint64{1}},
		{"halves", "-Os", 3, []uint64{1}},
		{"subgroups", "-O1", 12, []uint64{1, 3}},
		{"atomics", "-O2", 12, []uint64{1}},
	} {
		t.Run(test.family+test.level, func(t *testing.T) {
			for _, seed := range test.seeds {
				compareGeneratedFile(t, clang, test.family, test.level, seed, test.kernels)
			}
		})
	}
}

func compareGeneratedFile(t *testing.T, clang, family, level string, seed uint64, kernels int) {
	f := familyNamed(family)
	jobs, err := f.jobs(clang, t.TempDir(), seed, []string{level, "-fno-unroll-loops"})
	if err != nil {
		t.Fatal(err)
	}
	jobs = jobs[:kernels]
	texts, err := differences(jobs, generatedExecutors(nil))
	if err != nil {
		t.Fatal(err)
	}
	for i, text := range texts {
		if text != "" {
			t.Errorf("seed %d, %s: %s", seed, jobs[i].name, text)
		}
		if !jobs[i].wroteAnything() {
			t.Errorf("seed %d, %s writes nothing", seed, jobs[i].name)
		}
	}
}

func familyNamed(name string) *generatedFamily {
	return &generatedFamilies[slices.IndexFunc(generatedFamilies, func(f generatedFamily) bool { return f.name == name })]
}

// TestGeneratedIsStable: a seed names the same kernels in every run.
func TestGeneratedIsStable(t *testing.T) {
	for _, f := range generatedFamilies {
		first, again := f.generateSource(7), f.generateSource(7)
		if first != again || first == f.generateSource(8) {
			t.Errorf("%s: the source does not follow from the seed", f.name)
		}
	}
}

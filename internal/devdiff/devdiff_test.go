package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"offlink/runtime/hostdev"
)

// TestRecorded launches the kernels of real SYCL programs, as DPC++ 2026.2 and
// postlink -to=spirv made them, and compares the memory that they leave with that of Intel's
// CPU device left as well: testdata/results.txt, which devdiff -record wrote
// (scripts/test-dpcpp compares anew).
func TestRecorded(t *testing.T) {
	files, err := filepath.Glob("testdata/*.spv")
	if err != nil || len(files) == 0 {
		t.Fatal("no modules")
	}
	all, err := readCandidates(files)
	if err != nil {
		t.Fatal(err)
	}
	byName := map[string]candidate{}
	for _, c := range all {
		byName[filepath.Base(c.file)+" "+c.name] = c
	}
	text, err := os.ReadFile("testdata/results.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		want, name, _ := strings.Cut(strings.TrimSpace(line), " ")
		t.Run(name, func(t *testing.T) {
			if testing.Short() && matchesAny(name, lasting) {
				t.Skip("the launch takes seconds")
			}
			t.Parallel()
			j, err := planJob(byName[name])
			if err != nil {
				t.Fatal(err)
			}
			if got := j.resultDigest(); got != want {
				t.Errorf("it leaves %s; Intel's device leaves %s (%v)", got, want, j)
			}
			checkFindings(t, j)
		})
	}
}

func TestFamily(t *testing.T) {
	for name, want := range map[string]string{
		"app": "app",
		"_ZTSN5dpctl6tensor7kernels3abs17abs_contig_kernelIffLh4EEE":                                       "abs_contig_kernel",
		"_ZTSN4sycl3_V16detail19__pf_kernel_wrapperIN5dpctl6tensor7kernels3abs18abs_strided_kernelIffEEEE": "abs_strided_kernel",
		"_ZTS5Tally": "Tally",
	} {
		if got := kernelFamily(name); got != want {
			t.Errorf("family(%s) = %s; want %s", name, got, want)
		}
	}
}

// racing are the kernels of the programs that have data races: Classic reads
// the element before its own, which another work-item writes, and FirstOver
// reads elements of the first work-group.
var racing = []string{"Classic", "FirstOver"}

// lasting are the kernels of the recorded programs that loop longest.
var lasting = []string{"8Shortcut", "4Hook"}

func matchesAny(name string, parts []string) bool {
	return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(name, part) })
}

// checkFindings runs a kernel in checked mode, which finds races where there are
// some, and nothing else. That mode interprets: under -short only the kernels
// with races take the time.
func checkFindings(t *testing.T, j *job) {
	races := matchesAny(j.name, racing)
	if testing.Short() && !races {
		return
	}
	found, same, err := j.runChecked()
	switch {
	case err != nil:
		t.Error(err)
	case races && found == nil:
		t.Error("the checked mode does not find the race")
	case found == nil && !same:
		t.Errorf("it leaves other memory in checked mode (%v)", j)
	case found != nil && (!races || slices.ContainsFunc(found.Findings, func(f *hostdev.Finding) bool { return f.Kind != hostdev.DataRace })):
		t.Errorf("the checked mode finds faults in a correct kernel: %v", found)
	}
}

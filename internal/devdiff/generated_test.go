package main

import "testing"

// TestGenerated runs kernels with random control flow in the executors; devdiff -generated
// runs more. The first seed showed variables that were the same in all lanes by mistake, the
// other one a kernel that did nothing.
func TestGenerated(t *testing.T) {
	clangs := kernelCompilers(t)
	clang := clangs[len(clangs)-1]
	for _, seed := range []uint64{2, 12} {
		for _, level := range []string{"-O1", "-O2"} {
			jobs, err := generatedJobs(clang, t.TempDir(), seed, level)
			if err != nil {
				t.Fatal(err)
			}
			for _, j := range jobs {
				if text := j.differingExecutor(); text != "" {
					t.Errorf("seed %d, %s, %s: %s", seed, level, j.name, text)
				}
			}
		}
	}
}

// TestGeneratedIsStable: a seed names the same kernels in every run.
func TestGeneratedIsStable(t *testing.T) {
	first, again := generateSource(7), generateSource(7)
	if first != again || first == generateSource(8) {
		t.Error("the source does not follow from the seed")
	}
}

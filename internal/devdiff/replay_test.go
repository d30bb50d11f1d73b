package main

import (
	"encoding/binary"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"offlink/internal/testtool"
	"offlink/runtime/cache"
	"offlink/runtime/hostdev"
	"offlink/spirv"
)

const blendLaunch = "testdata/launches/blend.json"

// TestReplay runs a launch that was recorded on Intel's CPU device: with an offset,
// part of a buffer, local memory, an image, a sampler and a null pointer.
func TestReplay(t *testing.T) {
	clang := testtool.Path(t, "clang-19")
	j, err := readLaunch(clang, blendLaunch)
	if err != nil {
		t.Fatal(err)
	}
	store := cache.New(cache.Options{Dir: t.TempDir()})
	defer store.Close()
	r := newReport(options{steps: maxSteps})
	if !r.replay(j, replayExecutors(store)) {
		t.Error("the launch fails, or the executors differ")
	}
	if v, detail := j.compareRecorded(); v != verdictEqual && v != verdictNear {
		t.Errorf("%s: %s", verdictNames[v], detail)
	}
	// Each part of the launch counts.
	for name, change := range map[string]func(){
		"recorded memory": func() { j.Buffers[0].recorded[4*(2*16+4)+3] ^= 0x80 },
		"offset":          func() { j.Offset = []int{3, 2} },
		"part":            func() { j.Args[1].At = 64 },
		"texels":          func() { clear(j.Buffers[2].Data) },
		"sampler":         func() { j.Args[5].sampler.Linear = false },
		"null pointer":    func() { j.Args[6] = j.Args[1] },
	} {
		if j, err = readLaunch(clang, blendLaunch); err != nil {
			t.Fatal(err)
		}
		change()
		if err := j.runOn(hostdev.Options{}); err != nil {
			t.Fatal(err)
		}
		if v, _ := j.compareRecorded(); v != verdictDiffers {
			t.Errorf("with another %s: %s", name, verdictNames[v])
		}
	}
}

// TestValueOfZeros: eight zeros for a parameter by value are its bytes, not a null pointer.
func TestValueOfZeros(t *testing.T) {
	for storage, null := range map[spirv.StorageClass]bool{
		spirv.StorageCrossWorkgroup: true, spirv.StorageUniformConstant: true, spirv.StorageWorkgroup: false, spirv.StorageFunction: false,
	} {
		if canBeNull(storage) != null {
			t.Errorf("storage class %v: %v", storage, !null)
		}
	}
}

// TestUnfinishedOrder has a launch whose budget ends: that is not a sign that its results
// depend on the order of work-items.
func TestUnfinishedOrder(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"k.cl":     "kernel void k(global volatile int *p) { for (int i = 0; i < 1000000; i++) p[0] = i; }",
		"k.json":   `{"Kernel": "k", "Code": "k.cl", "Global": [1], "Args": [{"Buffer": 1}], "Buffers": [{"Before": "k.memory", "After": "k.memory"}]}`,
		"k.memory": "\x00\x00\x00\x00",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	j, err := readLaunch(testtool.Path(t, "clang-19"), filepath.Join(dir, "k.json"))
	if err != nil {
		t.Fatal(err)
	}
	j.steps = 1000
	if err := j.runOn(hostdev.Options{Interpret: true}); !errors.Is(err, hostdev.ErrBudget) {
		t.Fatalf("error = %v", err)
	}
	if j.dependsOnOrder() {
		t.Error("it counts as one that depends on the order")
	}
}

func TestClangOptions(t *testing.T) {
	got := clangOptions(`-D N=4 -DM='a b' -I include -cl-mad-enable -cl-nv-maxrregcount=32 -g -cl-std=CL2.0 -DTEXT="x"y`)
	want := []string{"-cl-std=CL1.2", "-fgnu89-inline", "-DN=4", "-DM=a b", "-Iinclude", "-cl-mad-enable", "-cl-std=CL2.0", "-DTEXT=xy"}
	if !slices.Equal(got, want) {
		t.Errorf("options %q; want %q", got, want)
	}
}

func TestRoundedAlike(t *testing.T) {
	floats := func(list ...float32) (b []byte) {
		for _, f := range list {
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(f))
		}
		return b
	}
	for name, c := range map[string]struct {
		own, recorded []byte
		want          bool
	}{
		"a rounding":          {floats(1000, 1e-3), floats(1000.001, 1.1e-3), true},
		"another number":      {floats(1000, 1), floats(1000, 2), false},
		"a number and a NaN":  {floats(1), floats(float32(math.NaN())), false},
		"infinity":            {floats(float32(math.Inf(1))), floats(1), false},
		"NaNs":                {floats(float32(math.NaN()), 1), floats(float32(-math.NaN()), 1), true},
		"the sign of nothing": {floats(0), floats(float32(math.Copysign(0, -1))), true},
	} {
		b := &buffer{layout: scalarLayout(4, true), result: c.own, recorded: c.recorded}
		if got := b.roundedAlike(); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestRecordedAddresses: a launch has addresses in a struct and in memory, which are those of
// its own buffers wherever it runs, and a struct of eight zeros by value, which is not a null
// pointer.
func TestRecordedAddresses(t *testing.T) {
	dir := t.TempDir()
	address := strings.Repeat("\x77", 8) // where the buffer was
	for name, text := range map[string]string{
		"k.cl": `struct in { global int *p; int n; };
			struct zeros { long z; };
			struct node { long pad; global int *next; };
			kernel void k(struct in a, struct zeros b, global struct node *list, global int *out) {
			  out[0] = a.p[0] + a.n + (int)b.z;
			  out[1] = list->next[0];
			}`,
		"k.json": `{"Kernel": "k", "Code": "k.cl", "Options": "-cl-std=CL2.0", "Global": [1],
			"Args": [{"Bytes": "d3d3d3d3d3cDAAAAAAAAAA==", "Patches": [{"Offset": 0, "Buffer": 0, "At": 4}]},
				{"Bytes": "AAAAAAAAAAA="}, {"Buffer": 2}, {"Buffer": 3}],
			"Buffers": [{"Before": "numbers", "After": "numbers"},
				{"Before": "list", "After": "list", "Patches": [{"Offset": 8, "Buffer": 0, "At": 8}]},
				{"Before": "zeros", "After": "results"}]}`,
		"numbers": "\x05\x00\x00\x00\x07\x00\x00\x00\x09\x00\x00\x00",
		"list":    strings.Repeat("\x00", 8) + address,
		"zeros":   strings.Repeat("\x00", 8),
		"results": "\x0a\x00\x00\x00\x09\x00\x00\x00",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	j, err := readLaunch(testtool.Path(t, "clang-19"), filepath.Join(dir, "k.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := j.runHere(); err != nil {
		t.Fatal(err)
	}
	if v, detail := j.compareRecorded(); v != verdictEqual {
		t.Errorf("%s: %s", verdictNames[v], detail)
	}
	j.Args[0].Patches[0].Buffer = len(j.Buffers)
	if err := j.checkPatches(j.Args[0].Patches, 16); err == nil {
		t.Error("the address of a buffer that is not there is taken")
	}
}

// TestShortBuffers: buffers of less than eight bytes are compared.
func TestShortBuffers(t *testing.T) {
	for name, c := range map[string]struct {
		own, recorded string
		want          bool
	}{
		"a unit of a float": {"\x00\x00\x80\x3f", "\x01\x00\x80\x3f", true},
		"another byte":      {"\x01", "\x02", false},
	} {
		b := &buffer{layout: scalarLayout(1, false), result: []byte(c.own)}
		if _, ok := b.nearlyEqual([]byte(c.recorded)); ok != c.want {
			t.Errorf("%s: %v", name, ok)
		}
	}
}

package hostdev

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"offlink/internal/testtool"
	"offlink/runtime/driver"
)

// TestDynlink launches a kernel of one module that calls a function of
// another.
func TestDynlink(t *testing.T) {
	p := buildProgram(t, "app.spv", "lib.spv")
	out := p.buffer(make([]int32, 8))
	p.launch("app", driver.Range{Global: []int{8}}, out)
	want := []int32{0, 2, 4, 6, 8, 10, 12, 14}
	if diff := cmp.Diff(want, readBuffer[int32](p, out)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestLinkedElsewhere runs the same modules linked by spirv-link.
func TestLinkedElsewhere(t *testing.T) {
	testtool.Need(t, "spirv-link")
	linked := filepath.Join(t.TempDir(), "linked.spv")
	mustRun(t, "spirv-link", "testdata/app.spv", "testdata/lib.spv", "-o", linked)
	code, err := os.ReadFile(linked)
	if err != nil {
		t.Fatal(err)
	}
	p := buildModules(t, Options{}, driver.BuildOptions{}, module("linked", code))
	out := p.buffer(make([]int32, 8))
	p.launch("app", items(8), out)
	check(t, p, "results", out, []int32{0, 2, 4, 6, 8, 10, 12, 14})
}

// TestVersions links modules of different versions of SPIR-V.
func TestVersions(t *testing.T) {
	write := func(name, text string) string {
		name = filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return name
	}
	app := write("app.cl", "int f(int i); extern global int v; kernel void k(global int *o) { size_t i = get_global_id(0); o[i] = f(i) + v; }")
	lib := write("lib.cl", "global int v = 100; int f(int i) { return (int)get_local_id(0) * 10 + i; }")
	var modules []driver.Module
	for source, version := range map[string]string{app: "1.1", lib: "1.4"} {
		code := translate(t, bitcode(t, source, levels[1]), levels[1], "--spirv-max-version="+version)
		modules = append(modules, module(source, code))
	}
	p := buildModules(t, Options{}, driver.BuildOptions{}, modules...)
	out := p.buffer(make([]int32, 4))
	p.launch("k", groups(4, 2), out)
	check(t, p, "results", out, []int32{100, 111, 102, 113})
}

func TestBuildErrors(t *testing.T) {
	d := New(Options{}).device
	for _, test := range []struct {
		name    string
		modules []driver.Module
		want    string
	}{
		{"unresolved", readModules(t, "app.spv"), "no module exports LibDeviceFunc (int (int)), imported by app"},
		{"twice", readModules(t, "lib.spv", "lib.spv"), "symbol LibDeviceFunc is defined twice by lib"},
		{"no SPIR-V", []driver.Module{module("text", []byte("text"))}, "text: not a SPIR-V module"},
		{"nothing", nil, "nothing to link"},
	} {
		p, err := driver.Build(t.Context(), d, test.modules, driver.BuildOptions{})
		var failed *driver.BuildError
		if p != nil || !errors.As(err, &failed) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, error %v; want a BuildError with %s", test.name, p, err, test.want)
		}
	}
	p := buildProgram(t, "app.spv", "lib.spv")
	if _, err := p.program.Kernel("other"); !errors.Is(err, driver.ErrNotFound) || !strings.Contains(err.Error(), "the program has app") {
		t.Errorf("Kernel(other): %v; want ErrNotFound and what there is", err)
	}
	if err := d.Accepts(driver.Image{Format: "native"}); err == nil {
		t.Error("native code is accepted")
	}
	if err := d.Accepts(driver.Image{Format: "spirv", Target: "spir64_gen"}); err == nil {
		t.Error("code for a GPU is accepted")
	}
	if err := d.Accepts(driver.Image{Format: "spirv", Target: "spir64"}); err != nil {
		t.Error(err)
	}
}

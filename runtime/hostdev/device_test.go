package hostdev

import (
	"errors"
	"io"
	"testing"

	"github.com/google/go-cmp/cmp"

	"offlink/runtime/driver"
)

func TestDriver(t *testing.T) {
	d := New(Options{Output: io.Discard})
	defer d.Close()
	devices, err := d.Devices()
	if err != nil || len(devices) != 1 || d.Name() != "host" {
		t.Fatalf("%s: Devices = %v, %v; want one", d.Name(), devices, err)
	}
	info := devices[0].Info()
	if info.Type != driver.CPU || info.ComputeUnits < 1 || info.MaxWorkGroup != maxGroup || !cmp.Equal(info.Formats, []string{"spirv"}) {
		t.Errorf("Info = %+v", info)
	}
}

func TestParams(t *testing.T) {
	p := buildModules(t, Options{}, driver.BuildOptions{}, readModules(t, "golden/structs.spv")...)
	k, err := p.program.Kernel("by_value")
	if err != nil {
		t.Fatal(err)
	}
	defer k.Close()
	want := []driver.Param{{Kind: driver.ParamValue, Size: 80, Type: "struct nested"},
		{Kind: driver.ParamValue, Size: 8, Type: "struct point"},
		{Kind: driver.ParamBuffer}, {Kind: driver.ParamValue, Size: 1, Type: "char"}}
	if diff := cmp.Diff(want, k.Params()); diff != "" || k.Name() != "by_value" {
		t.Errorf("parameters of %s (-want +got):\n%s", k.Name(), diff)
	}
}

// TestParamTypes reads what llvm-spirv keeps of the source.
func TestParamTypes(t *testing.T) {
	bc := bitcode(t, "testdata/kernels/bench.cl", levels[0])
	code := translate(t, bc, levels[0], "--preserve-ocl-kernel-arg-type-metadata-through-string")
	p := buildModules(t, Options{}, driver.BuildOptions{}, module("bench", code))
	k, err := p.program.Kernel("nbody")
	if err != nil {
		t.Fatal(err)
	}
	var types []string
	for _, param := range k.Params() {
		types = append(types, param.Type)
	}
	if diff := cmp.Diff([]string{"float4*", "float4*", "int"}, types); diff != "" {
		t.Errorf("types (-want +got):\n%s", diff)
	}
}

func TestAllocation(t *testing.T) {
	d := New(Options{}).device
	for _, size := range []int64{-1, maxAllocation + 1} {
		if m, err := d.Alloc(size); m != nil || !errors.Is(err, errOutOfMemory) {
			t.Errorf("Alloc(%d) = %v, %v; want that there is not so much", size, m, err)
		}
	}
	// Indexes come back after others were freed.
	seen := map[int]bool{}
	reused := false
	for range quarantine + 10 {
		m, err := d.heap.alloc(d, 8, spaceGlobal)
		if err != nil {
			t.Fatal(err)
		}
		reused = reused || seen[m.index]
		seen[m.index] = true
		if err := m.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if !reused || len(seen) > quarantine+2 || d.heap.used != 0 {
		t.Errorf("reused %v, %d indexes, %d bytes in use", reused, len(seen), d.heap.used)
	}
}

func TestTransfers(t *testing.T) {
	p := buildProgram(t, "app.spv", "lib.spv")
	m := p.mustAlloc(8)
	for _, test := range []struct {
		offset int64
		size   int
		ok     bool
	}{{0, 8, true}, {4, 4, true}, {8, 0, true}, {4, 5, false}, {9, 0, false}, {-1, 1, false}} {
		data := make([]byte, test.size)
		if err := p.queue.Write(m, test.offset, data); (err == nil) != test.ok {
			t.Errorf("Write of %d bytes at %d: %v", test.size, test.offset, err)
		}
		if err := p.queue.Read(m, test.offset, data); (err == nil) != test.ok {
			t.Errorf("Read of %d bytes at %d: %v", test.size, test.offset, err)
		}
	}
	other := New(Options{}).device
	if err := p.queue.Write((&testProgram{TB: t, device: other}).mustAlloc(8), 0, nil); err == nil {
		t.Error("memory of another device is written")
	}
}

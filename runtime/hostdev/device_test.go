package hostdev

import (
	"errors"
	"io"
	"math/rand/v2"
	"slices"
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
	want := []driver.Param{
		{Kind: driver.ParamValue, Size: 80, Type: "struct nested"},
		{Kind: driver.ParamValue, Size: 8, Type: "struct point"},
		{Kind: driver.ParamBuffer},
		{Kind: driver.ParamValue, Size: 1, Type: "char"},
	}
	if diff := cmp.Diff(want, k.Params()); diff != "" || k.Name() != "by_value" {
		t.Errorf("parameters of %s (-want +got):\n%s", k.Name(), diff)
	}
}

// TestParamTypes reads the spellings that llvm-spirv keeps from the source.
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
		if m, err := d.Alloc(driver.DeviceMemory, size); m != nil || !errors.Is(err, errOutOfMemory) {
			t.Errorf("Alloc(%d) = %v, %v; want that there is not so much", size, m, err)
		}
	}
	// Addresses come back after others were freed, and the memory is zeroed.
	seen := map[int64]bool{}
	reused := false
	for range 1 << 20 / 2 {
		m, err := d.heap.allocate(d, driver.DeviceMemory, granule, 0)
		if err != nil {
			t.Fatal(err)
		}
		if m.data[0] != 0 || m.data[granule-1] != 0 {
			t.Fatal("memory that was used before is not zeroed")
		}
		m.data[0], m.data[granule-1] = 1, 1
		if len(seen) < 100 {
			if seen[m.at] {
				t.Errorf("address %#x is used again at once", m.at)
			}
			seen[m.at] = true
		} else if seen[m.at] {
			reused = true
		}
		if err := m.Close(); err != nil {
			t.Fatal(err)
		}
		if reused {
			break
		}
	}
	if !reused || d.heap.used != 0 || len(d.heap.retired) > maxRetiredGaps {
		t.Errorf("reused %v, %d bytes in use, %d gaps", reused, d.heap.used, len(d.heap.gaps))
	}
}

// TestHeapInRandomOrder compares the heap with a list.
func TestHeapInRandomOrder(t *testing.T) {
	d := New(Options{}).device
	random := rand.New(rand.NewPCG(1, 2))
	var live []*memory
	for step := range 3000 {
		if len(live) > 0 && random.IntN(5) < 2 {
			i := random.IntN(len(live))
			m := live[i]
			live = slices.Delete(live, i, i+1)
			if m.data[len(m.data)-1] != byte(len(m.data)) {
				t.Fatalf("step %d: memory at %#x was written by another", step, m.at)
			}
			if err := m.Close(); err != nil {
				t.Fatal(err)
			}
			if m, _ := d.heap.allocationAt(m.Address()); m != nil {
				t.Fatalf("step %d: a freed address is found", step)
			}
			continue
		}
		m, err := d.heap.allocate(d, driver.DeviceMemory, 1+random.Int64N(1<<random.IntN(20)), 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range m.data {
			if b != 0 {
				t.Fatalf("step %d: memory at %#x is not zeroed", step, m.at)
			}
		}
		m.data[0], m.data[len(m.data)-1] = 255, byte(len(m.data))
		last := m.Address() + uint64(m.Size()) - 1
		if found, at := d.heap.allocationAt(last); found != m || at != m.Size()-1 {
			t.Fatalf("step %d: the last byte of %#x is not found", step, m.at)
		}
		if found, _ := d.heap.allocationAt(last + granule); found == m {
			t.Fatalf("step %d: an address beyond %#x is found", step, m.at)
		}
		live = append(live, m)
	}
	for _, m := range live {
		if err := m.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if err := live[0].Close(); err == nil {
		t.Error("memory was closed twice")
	}
	d.heap.retireGranules(gap{}, 0)
	if len(d.heap.gaps) != 1 || d.heap.used != 0 {
		t.Errorf("%d gaps, %d bytes in use", len(d.heap.gaps), d.heap.used)
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
		if err := p.queue.Write(m, test.offset, data, driver.Sync{Block: true}); (err == nil) != test.ok {
			t.Errorf("Write of %d bytes at %d: %v", test.size, test.offset, err)
		}
		if err := p.queue.Read(m, test.offset, data, driver.Sync{Block: true}); (err == nil) != test.ok {
			t.Errorf("Read of %d bytes at %d: %v", test.size, test.offset, err)
		}
	}
	other := New(Options{}).device
	if err := p.queue.Write((&testProgram{TB: t, device: other}).mustAlloc(8), 0, nil, driver.Sync{Block: true}); err == nil {
		t.Error("memory of another device is written")
	}
}

package cuda

import (
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"
	"unsafe"

	"offlink/ptx"
	"offlink/runtime/driver"
	"offlink/runtime/internal/dl"
	"offlink/runtime/internal/libcuda"
)

var cost = flag.Bool("cost", false, "compare the costs on the installed driver with those from C")

// costRounds is how often each thing is measured, in turn from C and through
// the back end: other work of the machine changes both.
const costRounds = 21

// TestCost prints a table for docs/cuda.md: medians of the costs of the back
// end, and of the same calls from C in the same process.
func TestCost(t *testing.T) {
	if !*cost {
		t.Skip("without -cost")
	}
	_, d := openInstalled(t)
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	c, err := d.primaryContext()
	if err == nil {
		err = d.library.PushCurrent(c)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer d.library.PopCurrent()
	m := openCost(t, d)
	m.launches("launch", 5000, 0)
	m.launches("launch and wait", 1000, 1)
	m.launchCalls()
	m.copies()
	m.writes()
	m.links()
}

// costs measures.
type costs struct {
	t       *testing.T
	d       *Device
	library *dl.Library
	queue   *queue
	kernel  *kernel
	buffer  driver.Memory
	pinned  driver.Memory
}

func openCost(t *testing.T, d *Device) *costs {
	path := os.Getenv("OFFLINK_TEST_COST") // built elsewhere
	if path == "" {
		path = filepath.Join(t.TempDir(), "libcost.so")
		if out, err := exec.Command("gcc", "-O2", "-shared", "-fPIC", "-o", path, "testdata/cost.c", "-ldl").CombinedOutput(); err != nil {
			t.Fatalf("gcc: %v\n%s", err, out)
		}
	}
	library, err := dl.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	c := &costs{
		t: t, d: d, library: library, queue: newTestQueue(t, d, driver.QueueOptions{}).(*queue),
		kernel: kernelOf(t, moreProgram(t, d), "nothing").(*kernel),
		buffer: newTestMemory(t, d, driver.DeviceMemory, 64<<20), pinned: newTestMemory(t, d, driver.HostMemory, 64<<20),
	}
	name := append([]byte(d.library.Path()), 0)
	if dl.Call(c.symbol("cost_open"), uintptr(unsafe.Pointer(&name[0]))) == 0 {
		t.Fatalf("%s cannot be opened from C", name)
	}
	fmt.Printf("| | from C, us | offlink, us | times |\n|---|---|---|---|\n")
	return c
}

func (c *costs) symbol(name string) uintptr {
	address, err := c.library.Symbol(name)
	if err != nil {
		c.t.Fatal(err)
	}
	return address
}

// compare measures both, count times each a round, and prints a row.
func (c *costs) compare(name string, rounds, count int, fromC func() uintptr, ours func() error) {
	c.t.Helper()
	var theirs, our []float64
	for range rounds + 1 {
		took := fromC()
		if took == 0 {
			c.t.Fatalf("%s from C failed", name)
		}
		start := time.Now()
		if err := ours(); err != nil {
			c.t.Fatalf("%s: %v", name, err)
		}
		our = append(our, float64(time.Since(start).Nanoseconds())/float64(count)/1000)
		theirs = append(theirs, float64(took)/float64(count)/1000)
	}
	f, o := median(theirs[1:]), median(our[1:]) // the first is for the caches
	fmt.Printf("| %s | %.2f | %.2f | %.2f |\n", name, f, o, o/f)
}

func median(list []float64) float64 {
	list = slices.Sorted(slices.Values(list))
	return list[len(list)/2]
}

// launches takes 1 to wait after each.
func (c *costs) launches(name string, count int, mode uintptr) {
	call, address := c.symbol("cost_launches"), uintptr(c.buffer.(driver.Addresser).Address())
	args, r := []driver.Arg{{Memory: c.buffer}}, driver.Range{Global: []int{32}, Local: []int{32}}
	c.compare(name, costRounds, count, func() uintptr {
		return dl.Call(call, uintptr(c.kernel.function), uintptr(c.queue.Handle()), address, uintptr(count), mode)
	}, func() (err error) {
		for range count {
			if err = c.queue.Launch(c.kernel, r, args, driver.Sync{}); err == nil && mode == 1 {
				err = c.queue.Finish()
			}
			if err != nil {
				return err
			}
		}
		return c.queue.Finish()
	})
}

// launchCalls is launches without the queue: the part of the cost that is that
// of calling C from Go.
func (c *costs) launchCalls() {
	const count = 5000
	call, address := c.symbol("cost_launches"), uintptr(c.buffer.(driver.Addresser).Address())
	n := &libcuda.Launch{Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{32, 1, 1}, Arguments: binary.LittleEndian.AppendUint64(nil, uint64(address))}
	stream := libcuda.Stream(c.queue.Handle())
	c.compare("launch, the driver's function alone", costRounds, count, func() uintptr {
		return dl.Call(call, uintptr(c.kernel.function), uintptr(stream), address, count, 0)
	}, func() error {
		for range count {
			if err := c.d.library.Launch(c.kernel.function, stream, n); err != nil {
				return err
			}
		}
		return c.queue.Finish()
	})
}

func (c *costs) copies() {
	const count, size = 10, 64 << 20
	call, to, from := c.symbol("cost_copies"), c.buffer.(driver.Addresser).Address(), c.pinned.(driver.Addresser).Address()
	c.compare("copy of 64 MiB from host memory", costRounds, count, func() uintptr {
		return dl.Call(call, uintptr(to), uintptr(from), size, uintptr(c.queue.Handle()), count, 0)
	}, func() (err error) {
		for range count {
			err = errors.Join(err, c.queue.Copy(c.buffer, 0, c.pinned, 0, size, driver.Sync{}))
		}
		return errors.Join(err, c.queue.Finish())
	})
}

func (c *costs) writes() {
	const count = 1000
	small := make([]byte, 256)
	call, to := c.symbol("cost_copies"), c.buffer.(driver.Addresser).Address()
	c.compare("write of 256 bytes and wait", costRounds, count, func() uintptr {
		return dl.Call(call, uintptr(to), uintptr(unsafe.Pointer(&small[0])), uintptr(len(small)), uintptr(c.queue.Handle()), count, 1)
	}, func() (err error) {
		for range count {
			if err = errors.Join(c.queue.Write(c.buffer, 0, small, driver.Sync{}), c.queue.Finish()); err != nil {
				return err
			}
		}
		return nil
	})
}

// links links the kernels of the conformance suite with the work-item
// functions.
func (c *costs) links() {
	var modules []driver.Module
	var texts [][]byte
	for _, file := range []string{"../drivertest/testdata/app.ptx", "../drivertest/testdata/lib.ptx"} {
		text, err := os.ReadFile(file)
		if err != nil {
			c.t.Fatal(err)
		}
		m, err := ptx.Parse(file, text)
		if err != nil {
			c.t.Fatal(err)
		}
		texts = append(texts, append(m.PlainShared(text), 0))
		modules = append(modules, driver.Module{Name: file, Image: driver.Image{Format: "none", Target: Target}, Code: text})
	}
	texts = append(texts, c.d.workItems())
	call := c.symbol("cost_link")
	c.compare("link, load and unload of two modules", costRounds, 1, func() uintptr {
		return dl.Call(call, uintptr(unsafe.Pointer(&texts[0][0])), uintptr(unsafe.Pointer(&texts[1][0])), uintptr(unsafe.Pointer(&texts[2][0])))
	}, func() error {
		p, err := driver.Build(c.t.Context(), c.d, modules, driver.BuildOptions{})
		if err != nil {
			return err
		}
		return p.Close()
	})
}

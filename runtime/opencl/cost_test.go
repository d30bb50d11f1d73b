package opencl

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
	"unsafe"

	"offlink/runtime/driver"
	"offlink/runtime/internal/cl"
	"offlink/runtime/internal/dl"
)

var cost = flag.Bool("cost", false, "compare the costs on the installed driver with those from C")

// costRounds is how often each thing is measured, in turn from C and through the back
// end. A launch on Intel's CPU device takes twice as long while a thread of the driver
// works beside the caller as when it comes to run later, and keeps to one of the two for
// a while: processes of their own would compare these, not the callers.
const costRounds = 41

// TestCost prints a table: medians of the costs of the back end, and of the same
// calls from C in the same process, on the same queue.
func TestCost(t *testing.T) {
	if !*cost && os.Getenv(childTest) == "" {
		t.Skip("without -cost")
	}
	if !inChild(t, testDevices[0]) {
		fmt.Print(tableLines(childOutput))
		return
	}
	c := openCost(t, onlyDevice(t, openDriver(t, Options{})))
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	fmt.Printf("| call on the OpenCL device | C | offlink | ratio |\n|---|---|---|---|\n")
	c.launches("launch", 2000, 0)
	c.launches("launch that blocks", 500, 1)
	c.launches("launch, then a wait for the queue", 500, 2)
	c.copies()
	c.links()
}

// costs measures.
type costs struct {
	t       *testing.T
	d       *Device
	library *dl.Library
	queue   *queue
	kernel  *kernel
	memory  driver.Memory
}

func openCost(t *testing.T, d *Device) *costs {
	path := filepath.Join(t.TempDir(), "libcost.so")
	if out, err := exec.Command("gcc", "-O2", "-shared", "-fPIC", "-o", path, "testdata/cost.c", "-ldl").CombinedOutput(); err != nil {
		t.Fatalf("gcc: %v\n%s", err, out)
	}
	library, err := dl.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	c := &costs{t: t, d: d, library: library}
	c.openParts()
	name := append([]byte(d.api.File()), 0)
	if dl.Call(c.symbol("cost_open"), uintptr(unsafe.Pointer(&name[0])), uintptr(d.platform.handle)) == 0 {
		t.Fatalf("%s cannot be opened from C", name)
	}
	return c
}

func (c *costs) openParts() {
	p, err := testBuild(c.t, c.d)
	if err != nil {
		c.t.Fatal(err)
	}
	k, err1 := p.Kernel("app")
	m, err2 := c.d.Alloc(driver.DeviceMemory, 4096)
	q, err3 := c.d.NewQueue(driver.QueueOptions{})
	if err1 != nil || err2 != nil || err3 != nil {
		c.t.Fatal(err1, err2, err3)
	}
	c.kernel, c.memory, c.queue = k.(*kernel), m, q.(*queue)
	c.t.Cleanup(func() {
		for _, part := range []interface{ Close() error }{q, m, k, p} {
			if err := part.Close(); err != nil {
				c.t.Error(err)
			}
		}
	})
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
	var theirs, our, ratios []float64
	for range rounds + 1 {
		took := fromC()
		if took == 0 {
			c.t.Fatalf("%s from C failed", name)
		}
		start := time.Now()
		if err := ours(); err != nil {
			c.t.Fatalf("%s: %v", name, err)
		}
		o, f := float64(time.Since(start).Nanoseconds())/float64(count)/1000, float64(took)/float64(count)/1000
		our, theirs, ratios = append(our, o), append(theirs, f), append(ratios, o/f)
	}
	// The first round is for the caches.
	fmt.Printf("| %s | %.2f us | %.2f us | %.2f |\n", name, median(theirs[1:]), median(our[1:]), median(ratios[1:]))
}

func median(list []float64) float64 {
	list = slices.Sorted(slices.Values(list))
	return list[len(list)/2]
}

// launches takes 0 to wait at the end, 1 to wait for each in its call, 2 to wait for the
// queue after each; in C, 1 and 2 are the same calls.
func (c *costs) launches(name string, count int, wait uintptr) {
	call, queue := c.symbol("cost_launches"), uintptr(c.queue.handle)
	args, r := []driver.Arg{{Memory: c.memory}}, driver.Range{Global: []int{1}}
	c.compare(name, costRounds, count, func() uintptr {
		return dl.Call(call, uintptr(c.kernel.handle), queue, uintptr(c.memory.(driver.Addresser).Address()), uintptr(count), wait)
	}, func() (err error) {
		for i := range count {
			args[0].Offset = int64(i&1) * 64 // so that the argument changes
			if err = c.queue.Launch(c.kernel, r, args, driver.Sync{Block: wait == 1}); err == nil && wait == 2 {
				err = c.queue.Finish()
			}
			if err != nil {
				return err
			}
		}
		return c.queue.Finish()
	})
}

func (c *costs) copies() {
	const count = 2000
	data := make([]byte, 4096)
	call := c.symbol("cost_copies")
	c.compare("copy of 4 KiB, blocking", costRounds, count, func() uintptr {
		return dl.Call(call, uintptr(c.memory.(driver.Addresser).Address()), uintptr(unsafe.Pointer(&data[0])), uintptr(len(data)), uintptr(c.queue.handle), count)
	}, func() error {
		for range count {
			if err := c.queue.Write(c.memory, 0, data, blockingWrite); err != nil {
				return err
			}
		}
		return nil
	})
}

var blockingWrite = driver.Sync{Block: true}

// links compiles and links the modules of the tests.
func (c *costs) links() {
	context, err := c.d.openContext()
	if err != nil {
		c.t.Fatal(err)
	}
	app, lib := testModule(c.t, "app").Code, testModule(c.t, "lib").Code
	call := c.symbol("cost_link")
	c.compare("compile and link two modules", 5, 1, func() uintptr {
		return dl.Call(call, uintptr(context), uintptr(cl.Handle(c.d.handle)), uintptr(unsafe.Pointer(&app[0])), uintptr(len(app)),
			uintptr(unsafe.Pointer(&lib[0])), uintptr(len(lib)))
	}, func() error {
		p, err := testBuild(c.t, c.d)
		if err != nil {
			return err
		}
		return p.Close()
	})
}

// tableLines are the lines of the table in the output of the child.
func tableLines(output string) string {
	var b strings.Builder
	for line := range strings.Lines(output) {
		if strings.HasPrefix(line, "|") {
			b.WriteString(line)
		}
	}
	return b.String()
}

package cuda

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"offlink/runtime/driver"
)

var cost = flag.Bool("cost", false, "compare the costs on the installed driver with those of testdata/cost.c")

// TestCost prints a table for docs/backends.md: the back end's costs beside
// those of the same calls from C, medians of the rounds.
func TestCost(t *testing.T) {
	if !*cost {
		t.Skip("without -cost")
	}
	dir := t.TempDir()
	program := os.Getenv("OFFLINK_TEST_COST") // built elsewhere
	if program == "" {
		program = dir + "/cost"
		if out, err := exec.Command("gcc", "-O2", "-o", program, "testdata/cost.c", "-ldl").CombinedOutput(); err != nil {
			t.Fatalf("gcc: %v\n%s", err, out)
		}
	}
	_, d := openInstalled(t)
	builtins := dir + "/builtins.ptx"
	if err := os.WriteFile(builtins, d.builtins(), 0o600); err != nil {
		t.Fatal(err)
	}
	ours := measure(t, d)
	cmd := exec.Command(program, suiteFiles[0], suiteFiles[1], builtins, "testdata/more.ptx")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	theirs := map[string][]float64{}
	for line := range strings.Lines(string(out)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		n, err := strconv.ParseFloat(value, 64)
		if err != nil {
			t.Fatal(err)
		}
		theirs[name] = append(theirs[name], n)
	}
	fmt.Printf("| call | from C, us | offlink, us | times |\n|---|---|---|---|\n")
	for _, name := range []string{"launch", "launch-and-wait", "write-256B", "copy-64MiB", "first-link", "second-link"} {
		c, o := median(theirs[name]), median(ours[name])
		fmt.Printf("| %s | %.2f | %.2f | %.2f |\n", name, c/1000, o/1000, o/c)
	}
}

var suiteFiles = []string{"../drivertest/testdata/app.ptx", "../drivertest/testdata/lib.ptx"}

func median(list []float64) float64 {
	list = slices.Sorted(slices.Values(list))
	return list[len(list)/2]
}

// measure makes the calls of cost.c.
func measure(t *testing.T, d *Device) map[string][]float64 {
	times := map[string][]float64{}
	timed := func(name string, count int, f func() error) {
		t.Helper()
		start := time.Now()
		if err := f(); err != nil {
			t.Fatal(err)
		}
		times[name] = append(times[name], float64(time.Since(start).Nanoseconds())/float64(count))
	}
	var modules []driver.Module
	for _, file := range suiteFiles {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		modules = append(modules, driver.Module{Name: file, Image: driver.Image{Format: "none", Target: Target}, Code: text})
	}
	for _, name := range []string{"first-link", "second-link"} {
		var p driver.Program
		timed(name, 1, func() (err error) {
			p, err = driver.Build(t.Context(), d, modules, driver.BuildOptions{})
			return err
		})
		defer p.Close()
	}
	k := kernelOf(t, moreProgram(t, d), "nothing")
	q := newTestQueue(t, d, driver.QueueOptions{})
	buffer, pinned := newTestMemory(t, d, driver.DeviceMemory, 64<<20), newTestMemory(t, d, driver.HostMemory, 64<<20)
	args, r := []driver.Arg{{Memory: buffer}}, driver.Range{Global: []int{32}, Local: []int{32}}
	const launches, waits, copies = 20000, 5000, 20
	launch := func(count int) (err error) {
		for range count {
			if err = q.Launch(k, r, args, driver.Sync{}); err != nil {
				return err
			}
		}
		return q.Finish()
	}
	small := make([]byte, 256)
	for range 5 {
		timed("warm-up", 1, func() error { return launch(100) })
		timed("launch", launches, func() error { return launch(launches) })
		timed("launch-and-wait", waits, func() (err error) {
			for range waits {
				err = errors.Join(err, q.Launch(k, r, args, driver.Sync{}), q.Finish())
			}
			return err
		})
		timed("copy-64MiB", copies, func() (err error) {
			for range copies {
				err = errors.Join(err, q.Copy(buffer, 0, pinned, 0, 64<<20, driver.Sync{}))
			}
			return errors.Join(err, q.Finish())
		})
		timed("write-256B", waits, func() (err error) {
			for range waits {
				err = errors.Join(err, q.Write(buffer, 0, small, driver.Sync{}), q.Finish())
			}
			return err
		})
	}
	return times
}

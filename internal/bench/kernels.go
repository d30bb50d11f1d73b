package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"
)

// kernelNames are the kernels that the table compares, in its order.
var kernelNames = []string{"saxpy", "matmul", "nbody", "mandel", "reduce", "hist", "sha256", "stencil", "fft", "scan"}

// kernelRounds are the runs of each kernel by each executor, one after the other;
// the least time counts.
const kernelRounds = 15

// executor is a process that runs kernels when it is told their names.
type executor struct {
	name string
	same bool // its results have the bits of the C
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *bufio.Reader
	best map[string]time.Duration
}

// printKernels compares the embedded device with C at -O2, with Intel's and
// PoCL's devices and with Oclgrind: processor time of one thread, in one run.
func printKernels(dir string) error {
	program := filepath.Join(dir, "kernels")
	if _, err := runOnce(".", "gcc", "-O2", "-ffp-contract=off", "-pthread", "-o", program, "internal/bench/testdata/kernels.c", "-lm"); err != nil {
		return err
	}
	list := []*executor{{name: "C -O2", same: true, cmd: exec.Command(program)}}
	for _, e := range []struct{ name, device string }{{"WebAssembly", "wasm"}, {"native", "native"}} {
		list = append(list, &executor{name: e.name, same: true, cmd: kernelProcess(e.device, 1, 1)})
	}
	for name, icd := range openclVendors() {
		cmd := kernelProcess("opencl", 1, 1)
		cmd.Env = append(os.Environ(), "OCL_ICD_VENDORS="+icd, "POCL_CACHE_DIR="+dir)
		list = append(list, &executor{name: name, cmd: cmd})
	}
	list, err := startExecutors(list)
	if err != nil {
		return err
	}
	if err := runRounds(list, kernelNames, kernelRounds); err != nil {
		return err
	}
	printRatios(list)
	if err := closeExecutors(list); err != nil {
		return err
	}
	if err := printThreads(program); err != nil {
		return err
	}
	if err := printFirstLaunches(); err != nil {
		return err
	}
	return printOclgrind(dir)
}

func closeExecutors(list []*executor) error {
	for _, e := range list {
		if err := errors.Join(e.in.Close(), e.cmd.Wait()); err != nil {
			return fmt.Errorf("%s: %w", e.name, err)
		}
	}
	return nil
}

// withSuffix are the kernels for another measure: see runOnce.
func withSuffix(suffix string) []string {
	var names []string
	for _, name := range kernelNames {
		names = append(names, name+suffix)
	}
	return names
}

// meanRatio is the geometric mean of the times of one executor over those of
// another one, and the extremes.
func meanRatio(e, floor *executor, names []string) (mean, least, most float64) {
	least = math.Inf(1)
	for _, name := range names {
		ratio := float64(e.best[name]) / float64(floor.best[name])
		mean += math.Log(ratio) / float64(len(names))
		least, most = min(least, ratio), max(most, ratio)
	}
	return math.Exp(mean), least, most
}

// printThreads compares one processor with two, by the clock, in turns with plain C, whose
// gain is the machine's bound: it tells something only where two processors are free.
func printThreads(program string) error {
	plain := &executor{name: "C -O2", same: true, cmd: exec.Command(program)}
	one := &executor{name: "one thread", same: true, cmd: kernelProcess("native", 1, 1)}
	two := &executor{name: "two threads", same: true, cmd: kernelProcess("native", 2, 1)}
	list, err := startExecutors([]*executor{plain, one, two})
	if err != nil {
		return err
	}
	// In turns, so that a busy machine is as busy for one as for the other.
	for range kernelRounds {
		if err := errors.Join(runRounds(list, withSuffix("/wall"), 1), runRounds(list[:1], withSuffix("/wall2"), 1)); err != nil {
			return err
		}
	}
	printThreadRatios(plain, one, two)
	return closeExecutors(list)
}

// printThreadRatios prints how many times as fast two threads are. The kernel of atomics
// is left out of the second mean: its threads wait for each other in the hardware.
func printThreadRatios(plain, one, two *executor) {
	fmt.Printf("%-14s %18s %20s\n", "two threads", "C -O2, times one", "native, times one")
	var sums, others [2]float64
	for _, name := range kernelNames {
		ratios := [2]float64{
			float64(plain.best[name+"/wall"]) / float64(plain.best[name+"/wall2"]),
			float64(one.best[name+"/wall"]) / float64(two.best[name+"/wall"]),
		}
		fmt.Printf("%-14s %18.2f %20.2f\n", name, ratios[0], ratios[1])
		for i, ratio := range ratios {
			sums[i] += math.Log(ratio)
			if name != "hist" {
				others[i] += math.Log(ratio)
			}
		}
	}
	n := float64(len(kernelNames))
	fmt.Printf("%-14s %18.2f %20.2f\n", "geometric mean", math.Exp(sums[0]/n), math.Exp(sums[1]/n))
	fmt.Printf("%-14s %18.2f %20.2f\n", "without hist", math.Exp(others[0]/(n-1)), math.Exp(others[1]/(n-1)))
}

// printFirstLaunches measures launches of kernels that were never run before: their
// compilation and a small run.
func printFirstLaunches() error {
	e := &executor{name: "first launch", same: true, cmd: kernelProcess("wasm", 1, smallLaunches)}
	list, err := startExecutors([]*executor{e})
	if err != nil {
		return err
	}
	names := withSuffix("/first")
	if err := runRounds(list, names, kernelRounds); err != nil {
		return err
	}
	var times []time.Duration
	for _, name := range names {
		times = append(times, e.best[name])
	}
	slices.Sort(times)
	fmt.Printf("WebAssembly, first launch: %.2f ms (median of %d kernels), %.2f ms at most\n",
		times[len(times)/2].Seconds()*1e3, len(times), times[len(times)-1].Seconds()*1e3)
	return closeExecutors(list)
}

// smallLaunches is by how much launches are smaller where others would take minutes.
const smallLaunches = 64

// printOclgrind compares small launches with Oclgrind, which interprets LLVM IR.
func printOclgrind(dir string) error {
	const library = "/usr/lib/oclgrind/liboclgrind-rt-icd.so"
	if _, err := os.Stat(library); err != nil {
		fmt.Println("Oclgrind is not installed")
		return nil
	}
	icd := filepath.Join(dir, "oclgrind.icd")
	if err := os.WriteFile(icd, []byte(library+"\n"), 0o666); err != nil {
		return err
	}
	own := &executor{name: "native", same: true, cmd: kernelProcess("native", 1, smallLaunches)}
	other := &executor{name: "Oclgrind", cmd: kernelProcess("opencl", 1, smallLaunches)}
	other.cmd.Env = append(os.Environ(), "OCL_ICD_VENDORS="+icd)
	list, err := startExecutors([]*executor{own, other})
	if err != nil || len(list) < 2 {
		return err
	}
	// It has no rotations, which the optimizer makes of the shifts of SHA-256.
	names := slices.DeleteFunc(slices.Clone(kernelNames), func(name string) bool { return name == "sha256" })
	if err := runRounds(list, names, 3); err != nil {
		return err
	}
	mean, least, most := meanRatio(other, own, names)
	fmt.Printf("Oclgrind: %.0f times the processor time of native code (%.0f to %.0f), launches %d times smaller\n", mean, least, most, smallLaunches)
	return closeExecutors(list)
}

// kernelProcess is this program as a device.
func kernelProcess(device string, processors, smaller int) *exec.Cmd {
	self, err := os.Executable()
	if err != nil {
		self = os.Args[0]
	}
	return exec.Command(self, "-kernels", device, fmt.Sprint(processors), fmt.Sprint(smaller))
}

// openclVendors are the drivers of other devices that are installed.
func openclVendors() map[string]string {
	found := map[string]string{}
	for name, pattern := range map[string]string{"Intel": "build/python/lib/libintelocl.so", "PoCL": "/etc/OpenCL/vendors/pocl.icd"} {
		if path, err := filepath.Abs(pattern); err == nil {
			if _, err := os.Stat(path); err == nil {
				found[name] = path
			}
		}
	}
	return found
}

// startExecutors starts the processes, and leaves out other devices that do not
// run.
func startExecutors(list []*executor) ([]*executor, error) {
	var running []*executor
	for _, e := range list {
		if err := e.start(); err != nil {
			if e.same {
				return nil, err
			}
			fmt.Fprintf(os.Stderr, "%s is left out: %v\n", e.name, err)
			continue
		}
		running = append(running, e)
	}
	return running, nil
}

func (e *executor) start() error {
	e.best = map[string]time.Duration{}
	e.cmd.Stderr = os.Stderr
	in, err := e.cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := e.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	e.in, e.out = in, bufio.NewReader(out)
	if err := e.cmd.Start(); err != nil {
		return err
	}
	_, _, err = e.runKernel("saxpy")
	return err
}

// runKernel runs a kernel once.
func (e *executor) runKernel(name string) (took time.Duration, sum uint64, err error) {
	if _, err := fmt.Fprintln(e.in, name); err != nil {
		return 0, 0, fmt.Errorf("%s: %w", e.name, err)
	}
	if _, err := fmt.Fscanf(e.out, "%d %x\n", &took, &sum); err != nil {
		return 0, 0, fmt.Errorf("%s: %s: %w", e.name, name, err)
	}
	return took, sum, nil
}

// runRounds runs every kernel in every executor in turn, so that a busy machine
// is as busy for one as for the next.
func runRounds(list []*executor, names []string, rounds int) error {
	for range rounds {
		for _, name := range names {
			var want uint64
			for i, e := range list {
				took, sum, err := e.runKernel(name)
				if err != nil {
					return err
				}
				if i == 0 {
					want = sum
				}
				if e.same && sum != want {
					return fmt.Errorf("%s: %s leaves other results than %s", name, e.name, list[0].name)
				}
				if best, ok := e.best[name]; !ok || took < best {
					e.best[name] = took
				}
			}
		}
	}
	return nil
}

// printRatios prints times over those of the first executor, and their
// geometric means.
func printRatios(list []*executor) {
	fmt.Printf("%-14s %10s", "kernel", list[0].name+" ms")
	for _, e := range list[1:] {
		fmt.Printf(" %12s", e.name)
	}
	fmt.Println()
	sums := make([]float64, len(list))
	for _, name := range kernelNames {
		floor := list[0].best[name]
		fmt.Printf("%-14s %10.3f", name, floor.Seconds()*1e3)
		for i, e := range list[1:] {
			ratio := float64(e.best[name]) / float64(floor)
			sums[i+1] += math.Log(ratio)
			fmt.Printf(" %12.2f", ratio)
		}
		fmt.Println()
	}
	fmt.Printf("%-14s %10s", "geometric mean", "")
	for _, sum := range sums[1:] {
		fmt.Printf(" %12.2f", math.Exp(sum/float64(len(kernelNames))))
	}
	fmt.Println()
}

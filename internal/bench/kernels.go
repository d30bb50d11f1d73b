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
	"time"
)

// kernelNames are the kernels that the table compares, in its order.
var kernelNames = []string{"saxpy", "matmul", "nbody", "mandel", "reduce", "hist", "sha256", "stencil", "fft", "scan"}

// kernelRounds are the runs of each kernel by each executor, one after the other;
// the least time counts.
const kernelRounds = 15

// executor is a process that runs kernels when it is told their names.
type executor struct {
	name    string
	smaller float64 // its launches are so many times smaller
	same    bool    // its results have the bits of the C
	cmd     *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
	best    map[string]time.Duration
}

// printKernels compares the embedded device with C at -O2, with Intel's and
// PoCL's devices and with Oclgrind: processor time of one thread, in one run.
func printKernels(dir string) error {
	program := filepath.Join(dir, "kernels")
	if _, err := runOnce(".", "gcc", "-O2", "-ffp-contract=off", "-o", program, "internal/bench/testdata/kernels.c", "-lm"); err != nil {
		return err
	}
	list := []*executor{{name: "C -O2", same: true, cmd: exec.Command(program)}}
	for _, e := range []struct{ name, device string }{{"WebAssembly", "wasm"}, {"native", "native"}} {
		list = append(list, &executor{name: e.name, same: true, cmd: kernelProcess(e.device, 1)})
	}
	for name, icd := range openclVendors(dir) {
		cmd := kernelProcess("opencl", 1)
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
	for _, e := range list {
		if err := errors.Join(e.in.Close(), e.cmd.Wait()); err != nil {
			return fmt.Errorf("%s: %w", e.name, err)
		}
	}
	return nil
}

// kernelProcess is this program as a device.
func kernelProcess(device string, smaller int) *exec.Cmd {
	self, err := os.Executable()
	if err != nil {
		self = os.Args[0]
	}
	return exec.Command(self, "-kernels", device, "1", fmt.Sprint(smaller))
}

// openclVendors are the drivers of other devices that are installed.
func openclVendors(string) map[string]string {
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
	for round := range rounds {
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
				if round == 0 || took < e.best[name] {
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

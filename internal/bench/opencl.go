package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"offlink/runtime/driver"
	"offlink/runtime/opencl"
)

// openclCosts are the times of one process, in nanoseconds: a launch, a copy of
// 4 KiB that blocks, the first link.
type openclCosts [3]float64

var openclCostNames = openclCostLabels{"launch", "copy of 4 KiB, blocking", "first link of two modules"}

type openclCostLabels [3]string

// openclLaunches are the launches and copies of a process.
const openclLaunches = 2000

// openclRounds are the processes of each kind; the best time counts.
const openclRounds = 15

// printBackEnd compares the OpenCL back end with a C program that makes the same
// calls on the same device, one after the other in one run. The device is that of
// OCL_ICD_VENDORS; without the variable Intel's in build/python, else the first that
// OpenCL's loader lists.
func printBackEnd(dir string) error {
	program := filepath.Join(dir, "opencl")
	if out, err := exec.Command("gcc", "-O2", "-o", program, "internal/bench/testdata/opencl.c", "-l:libOpenCL.so.1").CombinedOutput(); err != nil {
		return fmt.Errorf("gcc: %w: %s", err, out)
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	best := [2]openclCosts{}
	for i := range best {
		best[i] = openclCosts{math.Inf(1), math.Inf(1), math.Inf(1)}
	}
	args := []string{"runtime/opencl/testdata/app.spv", "runtime/opencl/testdata/lib.spv", strconv.Itoa(openclLaunches)}
	for range openclRounds {
		for i, command := range [][]string{{program}, {self, "-opencl"}} {
			if err := best[i].measure(append(command, args...)); err != nil {
				return err
			}
		}
	}
	fmt.Println("| call on the OpenCL device | C | offlink | ratio |")
	fmt.Println("|---|---|---|---|")
	for i, name := range openclCostNames {
		fmt.Printf("| %s | %.2f us | %.2f us | %.2f |\n", name, best[0][i]/1000, best[1][i]/1000, best[1][i]/best[0][i])
	}
	return nil
}

// measure runs a process that prints costs, and keeps the best.
func (c *openclCosts) measure(command []string) error {
	process := exec.Command(command[0], command[1:]...)
	process.Stderr = os.Stderr
	if intel := openclVendors()["Intel"]; intel != "" && os.Getenv("OCL_ICD_VENDORS") == "" {
		process.Env = append(os.Environ(), "OCL_ICD_VENDORS="+intel)
	}
	out, err := process.Output()
	if err != nil {
		return fmt.Errorf("%s: %w", command[0], err)
	}
	lines := strings.Fields(string(out))
	if len(lines) != len(c) {
		return fmt.Errorf("%s printed %q", command[0], out)
	}
	for i, line := range lines {
		n, err := strconv.ParseFloat(line, 64)
		if err != nil {
			return err
		}
		c[i] = min(c[i], n)
	}
	return nil
}

// runOpenCL is the process with the back end: the calls of testdata/opencl.c.
func runOpenCL(args []string) error {
	var modules []driver.Module
	for _, file := range args[:2] {
		code, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		modules = append(modules, driver.Module{Name: file, Image: driver.Image{Format: "spirv", Target: "spir64"}, Code: code})
	}
	n, err := strconv.Atoi(args[2])
	if err != nil {
		return err
	}
	d, err := opencl.Open(opencl.Options{})
	if err != nil {
		return err
	}
	list, err := d.Devices()
	if err != nil {
		return err
	}
	if len(list) == 0 {
		return errors.New("no OpenCL device")
	}
	return measureOpenCL(list[0], modules, n)
}

// measureOpenCL prints the nanoseconds of a launch, of a blocking write of a
// page, and of a link, a line each. A first launch warms the driver up.
func measureOpenCL(device driver.Device, modules []driver.Module, n int) error {
	q, err := device.NewQueue(driver.QueueOptions{})
	if err != nil {
		return err
	}
	start := time.Now()
	p, err := driver.Build(context.Background(), device, modules, driver.BuildOptions{})
	if err != nil {
		return err
	}
	link := time.Since(start)
	k, err := p.Kernel("app")
	if err != nil {
		return err
	}
	m, err := device.Alloc(driver.DeviceMemory, 4096)
	if err != nil {
		return err
	}
	one, list := driver.Range{Global: []int{1}}, []driver.Arg{{Memory: m}}
	if err := errors.Join(q.Launch(k, one, list, driver.Sync{}), q.Finish()); err != nil {
		return err
	}
	launch := func(i int) error {
		list[0].Offset = int64(i&1) * 64 // so that the argument changes
		return q.Launch(k, one, list, driver.Sync{})
	}
	data := make([]byte, 4096)
	write := func(int) error { return q.Write(m, 0, data, driver.Sync{Block: true}) }
	for _, command := range []func(int) error{launch, write} {
		if err := printCommandTime(q, n, command); err != nil {
			return err
		}
	}
	fmt.Println(link.Nanoseconds())
	return nil
}

// printCommandTime prints the nanoseconds that one of n commands takes, until
// the queue is empty.
func printCommandTime(q driver.Queue, n int, command func(i int) error) error {
	start := time.Now()
	for i := range n {
		if err := command(i); err != nil {
			return err
		}
	}
	if err := q.Finish(); err != nil {
		return err
	}
	fmt.Println(time.Since(start).Nanoseconds() / int64(n))
	return nil
}

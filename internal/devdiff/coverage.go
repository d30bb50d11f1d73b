package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"runtime"
	"slices"

	"offlink/parallel"
	"offlink/runtime/driver"
	"offlink/runtime/hostdev"
)

// printCoverage prints how many kernels the embedded device compiles, and the reasons
// for which it interprets or refuses the rest.
func printCoverage(o options, files []string) error {
	list, err := readCandidates(files)
	if err != nil {
		return err
	}
	reasons := make([]string, len(list))
	err = parallel.ForEach(len(list), runtime.GOMAXPROCS(0), func() func(int) error {
		devices, err := hostdev.New(hostdev.Options{Output: io.Discard}).Devices()
		return func(i int) error {
			if err == nil {
				reasons[i] = interpretedBecause(devices[0], list[i])
			}
			return err
		}
	})
	if err != nil {
		return err
	}
	counts := map[string]int{}
	for i, c := range list {
		counts[reasons[i]]++
		if o.verbose && reasons[i] != "" {
			fmt.Printf("%s: %s\n", c.name, reasons[i])
		}
	}
	fmt.Printf("%6d of %d kernels are compiled\n", counts[""], len(list))
	delete(counts, "")
	order := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
	for _, reason := range order {
		fmt.Printf("%6d: %s\n", counts[reason], reason)
	}
	return nil
}

// interpretedBecause returns the reason why the device interprets or refuses a kernel,
// empty for one that it compiles.
func interpretedBecause(device driver.Device, c candidate) string {
	code, err := c.readCode()
	if err != nil {
		return err.Error()
	}
	p, err := driver.Build(context.Background(), device, []driver.Module{{
		Name: "image", Image: driver.Image{Format: "spirv", Target: "spir64"}, Code: code,
	}}, driver.BuildOptions{})
	if err != nil {
		return "refused: " + err.Error()
	}
	defer p.Close()
	k, err := p.Kernel(c.name)
	if err != nil {
		return err.Error()
	}
	if err := hostdev.Interpreted(k); err != nil {
		return hostdev.InterpretedReason(err)
	}
	return ""
}

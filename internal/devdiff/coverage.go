package main

import (
	"cmp"
	"errors"
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
	err := withKernel(device, c, func(k driver.Kernel) error {
		if err := hostdev.Interpreted(k); err != nil {
			return errors.New(hostdev.InterpretedReason(err))
		}
		return nil
	})
	if err != nil {
		return err.Error()
	}
	return ""
}

package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// printBackEnd compares the OpenCL back end with the same calls from C, in turn in one
// process: a driver's threads work beside the caller at times, and later at others,
// which changes a launch more than its caller does. The device is Intel's in
// build/python.
func printBackEnd(string) error {
	if _, err := runOnce(".", "gcc", "-fsyntax-only", "-include", "CL/cl.h", "-x", "c", os.DevNull); err != nil {
		return errors.New("gcc or the header CL/cl.h is missing; install the packages gcc and opencl-c-headers (scripts/setup bench does)")
	}
	test := exec.Command("go", "test", "-v", "-count=1", "-run", "TestCost", "./runtime/opencl", "-cost")
	test.Stderr = os.Stderr
	out, err := test.Output()
	if err != nil {
		return fmt.Errorf("go test ./runtime/opencl: %w\n%s", err, out)
	}
	if !strings.Contains(string(out), "\n|") {
		return errors.New("the OpenCL device of Intel, or a tool of its test, is missing; run scripts/setup test")
	}
	for line := range strings.Lines(string(out)) {
		if strings.HasPrefix(line, "|") {
			fmt.Print(line)
		}
	}
	return nil
}

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// cost is the cost of a run: wall clock, processor time of all threads, and peak
// resident memory in bytes.
//
// A child's peak is at least this process's own when it started the child,
// so that the tables hold no large data here.
type cost struct {
	wall, cpu time.Duration
	peak      int64
}

// programPath returns the path of one of our programs.
func programPath(name string) string {
	path, err := filepath.Abs(filepath.Join("bin", name))
	if err != nil {
		return name
	}
	return path
}

// runOnce runs a command in the folder and returns its cost.
func runOnce(dir, name string, args ...string) (cost, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	start := time.Now()
	err := cmd.Run()
	wall := time.Since(start)
	if err != nil {
		return cost{}, fmt.Errorf("%s: %w: %s", name, err, stderr.Bytes())
	}
	usage := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	return cost{wall, cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), usage.Maxrss * 1024}, nil
}

// rewriteFiles is the floor of a program that reads input and writes the files
// outputs: it reads input once and writes as many files of the same sizes into
// dir, each beside its name and then renamed. Nothing is parsed.
func rewriteFiles(input string, outputs []string, dir string) (wall, cpu time.Duration, err error) {
	contents := make([][]byte, len(outputs))
	for i, path := range outputs {
		data, err := os.ReadFile(path)
		if err != nil {
			return 0, 0, err
		}
		contents[i] = data
	}
	before := processorTime()
	start := time.Now()
	if _, err := os.ReadFile(input); err != nil {
		return 0, 0, err
	}
	for i, data := range contents {
		final := filepath.Join(dir, fmt.Sprintf("floor_%d", i))
		if err := os.WriteFile(final+".tmp", data, 0o666); err != nil {
			return 0, 0, err
		}
		if err := os.Rename(final+".tmp", final); err != nil {
			return 0, 0, err
		}
	}
	return time.Since(start), processorTime() - before, nil
}

// processorTime is the processor time of this process so far.
func processorTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// formatMB formats bytes as MB (10^6).
func formatMB(n int64) string { return fmt.Sprintf("%.1f", float64(n)/1e6) }

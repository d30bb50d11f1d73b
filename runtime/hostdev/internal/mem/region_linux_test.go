package mem

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestSpare: a region leaves some of a limited address space to the process, of which Go
// needs some for its heap, and takes all of it if no smaller one is asked for.
func TestSpare(t *testing.T) {
	const limited = "OFFLINK_TEST_ADDRESSES"
	if os.Getenv(limited) == "" {
		c := exec.Command(os.Args[0], "-test.run=^TestSpare$", "-test.v")
		c.Env = append(os.Environ(), limited+"=1")
		if out, err := c.CombinedOutput(); err != nil || !strings.Contains(string(out), "--- PASS") {
			t.Fatalf("%v\n%s", err, out)
		}
		return
	}
	limitAddresses(t, 1<<30+spare/2)
	small, err := Reserve(1<<32, 1<<30, 1<<28)
	if err != nil || len(small.Bytes()) != 1<<28 {
		t.Fatalf("%v: not the size that leaves %d bytes", err, spare)
	}
	small.Release()
	large, err := Reserve(1<<32, 1<<30)
	if err != nil || len(large.Bytes()) != 1<<30 {
		t.Fatalf("%v: not the last size", err)
	}
	large.Release()
	_, err = Reserve(1<<30, 1<<32)
	if err == nil || !strings.Contains(err.Error(), "for the rest of the process") {
		t.Errorf("Reserve = %v", err)
	}
}

// limitAddresses leaves the process so many bytes of addresses.
func limitAddresses(t *testing.T, left uint64) {
	t.Helper()
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Fatal(err)
	}
	var pages uint64
	if _, err := fmt.Sscan(string(text), &pages); err != nil {
		t.Fatal(err)
	}
	limit := pages*uint64(os.Getpagesize()) + left
	if err := unix.Setrlimit(unix.RLIMIT_AS, &unix.Rlimit{Cur: limit, Max: limit}); err != nil {
		t.Fatal(err)
	}
}

package hostdev

import (
	"fmt"
	"strings"
	"testing"

	"offlink/runtime/driver"
)

// TestOtherAllocations: an index of a pointer to one of two arguments that leads into the other
// argument is out of bounds in compiled code and in the checked mode, whichever way the pointer
// was chosen. A pointer that is moved there and back in memory is not.
func TestOtherAllocations(t *testing.T) {
	eachLevel(t, "allocations.cl", func(t *testing.T, p *testProgram) {
		for _, kernel := range []string{"argument", "chosen", "looped", "walked", "returned"} {
			compiled(t, p, kernel)
			for _, forward := range []bool{true, false} {
				testOtherAllocation(t, p, kernel, forward)
			}
		}
		a, b, args := twoAllocations(p)
		p.launch("shifted", items(4), append(args, byValueOf(distance(a, b)))...)
		check(t, p, "shifted", a, []int32{7, 7, 7, 7})
		check(t, p, "shifted, the other", b, make([]int32, 4))
	})
}

// TestFromNull: an address that is added to null leads where it says, and one in no memory is an
// error.
func TestFromNull(t *testing.T) {
	eachLevel(t, "allocations.cl", func(t *testing.T, p *testProgram) {
		compiled(t, p, "from_null")
		out := p.buffer(make([]int32, 4))
		address := out.Memory.(driver.Addresser).Address()
		p.launch("from_null", items(1), byValueOf(address+4), byValueOf(int32(7)))
		check(t, p, "through null", out, []int32{0, 7, 0, 0})
		for _, wrong := range []uint64{4, address + 16, address + 1<<32, address << 32} {
			if err := p.tryLaunch("from_null", items(1), byValueOf(wrong), byValueOf(int32(9))); err == nil {
				t.Errorf("an address %#x from its buffer is no error", int64(wrong-address))
			}
		}
		check(t, p, "through null, after errors", out, []int32{0, 7, 0, 0})
	})
}

func twoAllocations(p *testProgram) (a, b driver.Arg, args []driver.Arg) {
	a, b = p.buffer(make([]int32, 4)), p.buffer(make([]int32, 4))
	return a, b, []driver.Arg{a, b, p.buffer([]int32{1, 1, 1, 1})}
}

// distance is the index of the first element of b in a.
func distance(a, b driver.Arg) int64 {
	address := func(x driver.Arg) uint64 { return x.Memory.(driver.Addresser).Address() }
	return int64(address(b)-address(a)) / 4
}

func testOtherAllocation(t *testing.T, p *testProgram, kernel string, forward bool) {
	a, b, args := twoAllocations(p)
	if !forward {
		args[0], args[1] = b, a
	}
	p.launch(kernel, items(4), append(args, byValueOf(int64(0)))...)
	check(t, p, kernel, args[0], []int32{7, 7, 7, 7})
	check(t, p, kernel+", the other", args[1], make([]int32, 4))
	err := p.tryLaunch(kernel, items(4), append(args, byValueOf(distance(args[0], args[1])))...)
	if p.options.Interpret {
		return // it knows only whether global memory is allocated
	}
	if err == nil || !strings.Contains(err.Error(), "of an allocation of 16 bytes in global memory") && !p.options.Check {
		t.Errorf("%s, forward %v: %v", kernel, forward, err)
	}
	check(t, p, fmt.Sprintf("%s, the other, after %v", kernel, err), args[1], make([]int32, 4))
}

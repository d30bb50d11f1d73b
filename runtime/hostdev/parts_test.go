package hostdev

import (
	"errors"
	"strings"
	"testing"

	"offlink/runtime/driver"
)

// TestParts has arguments that are parts of one buffer, which overlap, begin anywhere, and
// end where the buffer does.
func TestParts(t *testing.T) {
	l := levels[len(levels)-1]
	code := translate(t, bitcode(t, "testdata/kernels/parts.cl", l), l)
	test := func(t *testing.T, o Options) {
		p := buildModules(t, o, driver.BuildOptions{}, module("parts.cl", code))
		overlappingParts(t, p)
		endOfParts(t, p)
		misalignedParts(t, p)
	}
	inEveryExecutor(t, test)
}

// part is the buffer from a byte on.
func part(whole driver.Arg, at int64) driver.Arg { return driver.Arg{Memory: whole.Memory, Offset: at} }

// overlappingParts: each element that is stored is loaded in the next round.
func overlappingParts(t *testing.T, p *testProgram) {
	whole := p.buffer(make([]int32, 40))
	p.launch("chain", items(1), part(whole, 4), whole, byValueOf(int32(39)))
	check(t, p, "chain", whole, counted(40, func(i int) int32 { return int32(i) }))
	p.launch("swap", groups(16, 16), part(whole, 16), part(whole, 96))
	check(t, p, "swap", whole, counted(40, func(i int) int32 {
		switch {
		case i >= 4 && i < 20:
			return int32(i + 20)
		case i >= 24:
			return int32(i - 20)
		}
		return int32(i)
	}))
}

// endOfParts: the last element of the buffer is there, the next one is not, wherever the
// part begins.
func endOfParts(t *testing.T, p *testProgram) {
	for _, at := range []int64{0, 4, 60, 156} {
		whole := p.buffer(make([]int32, 40))
		rest := int32(40 - at/4)
		p.launch("chain", items(1), part(whole, at), part(whole, at), byValueOf(rest))
		err := p.tryLaunch("chain", items(1), part(whole, at), part(whole, at), byValueOf(rest+1))
		if err == nil || !strings.Contains(err.Error(), "4 bytes at offset 160") {
			t.Errorf("beyond the end of a part at %d: %v", at, err)
		}
	}
	whole := p.buffer(make([]int32, 40))
	if err := p.tryLaunch("chain", items(1), whole, part(whole, 164), byValueOf(int32(1))); err == nil {
		t.Error("a part that begins beyond the buffer is taken")
	}
}

// misalignedParts: an address that the compiler's alignment does not allow is a finding of
// the checked mode; elsewhere the access is made, as the processor can.
func misalignedParts(t *testing.T, p *testProgram) {
	whole := p.buffer(counted(40, func(i int) float32 { return float32(i) }))
	err := p.tryLaunch("wide", items(4), part(whole, 84), part(whole, 4))
	if p.options.Check {
		var found *CheckError
		if !errors.As(err, &found) || found.Findings[0].Kind != Misaligned {
			t.Errorf("a vector at 84: %v; want a finding", err)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	check(t, p, "wide", whole, counted(40, func(i int) float32 {
		if i >= 21 && i < 37 {
			return float32(i - 21 + 1 + 1)
		}
		return float32(i)
	}))
}

package spirv

import (
	"encoding/binary"
	"slices"
	"testing"
)

func TestCapabilities(t *testing.T) {
	module := []uint32{
		Magic, uint32(Version1_1), 0, 10, 0,
		2<<16 | uint32(OpCapability), 6, 2<<16 | uint32(OpCapability), 5844, 3<<16 | uint32(OpMemoryModel), 2, 2,
	}
	var code []byte
	for _, w := range module {
		code = binary.LittleEndian.AppendUint32(code, w)
	}
	got, err := Capabilities(code)
	if want := []Capability{6, CapabilityArbitraryPrecisionIntegersINTEL}; err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v, %v; want %v", got, err, want)
	}
	if got, err := Capabilities(code[:24]); err != nil || got != nil {
		t.Errorf("a module that ends within OpCapability: %v, %v", got, err)
	}
	for _, bad := range [][]byte{nil, code[:8], code[:19]} {
		if _, err := Capabilities(bad); err == nil {
			t.Errorf("%d bytes were taken", len(bad))
		}
	}
}

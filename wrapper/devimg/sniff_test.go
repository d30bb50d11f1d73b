package devimg

import (
	"strings"
	"testing"
)

func TestSniff(t *testing.T) {
	intelELF := "\x7fELF" + strings.Repeat("\x00", 12) + "\x12\xff"
	hostELF := "\x7fELF" + strings.Repeat("\x00", 12) + "\x03\x00"
	for _, c := range []struct {
		code string
		want Format
	}{
		{"", FormatNone},
		{"\x03\x02", FormatNone},
		{"\x03\x02\x23\x07", FormatSPIRV},
		{"BC\xc0\xde", FormatLLVMBitcode},
		{"INTC", FormatNative},
		{"\x28\xb5\x2f\xfd", FormatCompressedNone},
		{intelELF, FormatNative},
		{hostELF, FormatNone},
		{"\x7fELF", FormatNone},
		{".version 6.3", FormatNone},
	} {
		if got := Sniff(Bytes([]byte(c.code))); got != c.want {
			t.Errorf("Sniff(%q) = %v; want %v", c.code, got, c.want)
		}
	}
}

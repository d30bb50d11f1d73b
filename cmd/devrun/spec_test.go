package main

import (
	"encoding/hex"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestEncodeDecode(t *testing.T) {
	for _, c := range []struct {
		typ, text string
		want      any
	}{
		{"i8", "-128", int64(-128)},
		{"u8", "0xff", uint64(255)},
		{"i16", "-1", int64(-1)},
		{"u16", "65535", uint64(65535)},
		{"i32", "-2147483648", int64(math.MinInt32)},
		{"u32", "4294967295", uint64(math.MaxUint32)},
		{"i64", "-9223372036854775808", int64(math.MinInt64)},
		{"u64", "18446744073709551615", uint64(math.MaxUint64)},
		{"f32", "0.1", float32(0.1)},
		{"f64", "-1e300", -1e300},
		{"f32", "-inf", float32(math.Inf(-1))},
	} {
		s, err := parseSpec("buf:" + c.typ + ":" + c.text + ",")
		if err != nil {
			t.Errorf("%s %s: %v", c.typ, c.text, err)
			continue
		}
		if diff := cmp.Diff(c.want, s.elem.decodeValue(s.data)); diff != "" || s.size != int64(s.elem.size) {
			t.Errorf("%s %s: %d bytes, %s", c.typ, c.text, s.size, diff)
		}
	}
}

// TestStructs: fields are aligned as C does, and the size is a multiple of the
// greatest alignment.
func TestStructs(t *testing.T) {
	for text, want := range map[string]string{
		"bytes:0aFF":                       "0aff",
		"struct:i8:1,i32:2,i16:3":          "01000000020000000300" + "0000",
		"struct:i32:-1,ptr:0,u8:7":         "ffffffff00000000" + "0000000000000000" + "0700000000000000",
		"struct:f32:1.5,bytes:010203,i8:4": "0000c03f01020304",
		"struct:ptr:b1+16":                 "0000000000000000",
	} {
		s, err := parseSpec(text)
		if err != nil || hex.EncodeToString(s.data) != want {
			t.Errorf("%s = %+v, %v; want %s", text, s, err, want)
		}
	}
	s, err := parseSpec("struct:i8:1,ptr:2+0x10,ptr:b0")
	want := []address{{8, bufferID{false, 2}, 16}, {16, bufferID{true, 0}, 0}}
	if diff := cmp.Diff(want, s.addresses, cmp.AllowUnexported(address{}, bufferID{})); err != nil || diff != "" {
		t.Errorf("addresses: %v\n%s", err, diff)
	}
}

func FuzzParseSpec(f *testing.F) {
	for _, text := range []string{
		"i32:42", "f32:1.5", "buf:i32:8", "buf:f32:1,2,3", "buf:u8:1,", "local:256", "buf:i64:9223372036854775807", "buf::", "x",
		"bytes:00ff", "bytes:\x01", "struct:i8:1,ptr:2+8,bytes:00", "struct:ptr:b0+1", "struct:f32:1,,",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if strings.Contains(text, "@") {
			return // it may name a file
		}
		if len(text) > 5 && text[:4] == "buf:" && text[len(text)-1] != ',' {
			return // it may name a file
		}
		s, err := parseSpec(text)
		if (s == nil) != (err != nil) {
			t.Fatalf("parseSpec(%q) = %v, %v", text, s, err)
		}
		if err == nil && s.elem != nil && len(s.data)%s.elem.size != 0 {
			t.Errorf("%q: %d bytes of %s", text, len(s.data), s.elem.name)
		}
	})
}

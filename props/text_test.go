package props

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The texts of the format's description and of its own unit test.
var valueTexts = []struct {
	name  string
	value Value
	text  string
}{
	{"one byte", Bytes([]byte{1}), "2|IAAAAAAAAAQA"},
	{"five bytes", Bytes([]byte{0xff, 0xff, 0x7f, 0xff, 0x70}), "2|oAAAAAAAAAw///3/wB"},
	{"empty", Bytes(nil), "2|AAAAAAAAAAA"},
	{"device_global of 4 bytes", Uint32s(4, 0), "2|ABAAAAAAAAABAAAAAAAAAA"},
	{"device_global of 1 byte, image scope", Uint32s(1, 1), "2|ABAAAAAAAAQAAAAABAAAAA"},
	{"aspects", Uint32s(6), "2|gAAAAAAAAAgBAAAA"},
	{"mask of 3 bits", Bits([]byte{5}, 3), "2|DAAAAAAAAAQB"},
	{"string", String("_Z3foov"), "2|4AAAAAAAAAwXaNjZv9md"},
	{"three numbers of 64 bits", Uint64s(32, 1, 1), "2|ADAAAAAAAAAIAAAAAAAAAEAAAAAAAAAABAAAAAAAAAA"},
	{"number", Uint32(18), "1|18"},
	{"largest number", Uint32(1<<32 - 1), "1|4294967295"},
}

func TestValueText(t *testing.T) {
	for _, tt := range valueTexts {
		t.Run(tt.name, func(t *testing.T) {
			sets := &Sets{}
			sets.Put("set", "name", tt.value)
			text, err := sets.Text()
			if want := "[set]\nname=" + tt.text + "\n"; err != nil || string(text) != want {
				t.Errorf("Text() = %q, %v; want %q", text, err, want)
			}
			back, err := Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			if got, ok := back.Get("set").Get("name"); !ok || !got.Equal(tt.value) {
				t.Errorf("Parse(%q) gives %+v, want %+v", text, got, tt.value)
			}
		})
	}
}

func TestParseKeepsOrder(t *testing.T) {
	sets, err := Parse([]byte("[b]\nz=1|1\n\ny=1|2\n[a] tail is ignored\n[x]y]\n[b]\r\nz=1|3\r\n\r\nw=1|4"))
	if err != nil {
		t.Fatal(err)
	}
	text, err := sets.Text()
	if err != nil {
		t.Fatal(err)
	}
	want := "[b]\nz=1|3\ny=1|2\nw=1|4\n[a]\n[x]y]\n"
	if diff := cmp.Diff(want, string(text)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestParseErrors(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"empty file", "", `1: invalid property set registry: there is no set in it`},
		{"only empty lines", "\n\n", `2: invalid property set registry: there is no set in it`},
		{"header not closed", "[a]\n[b\n", `2: invalid line: "[b" has no closing ']'`},
		{"property before a header", "a=1|1\n", `1: property category missing: "a=1|1" comes before the first [set]`},
		{"no name", "[a]\n=1|1\n", `2: invalid property line: "=1|1", want name=type|value`},
		{"no right side", "[a]\na=\n", `2: invalid property line: "a=", want name=type|value`},
		{"no equals sign", "[a]\n\nabc\n", `3: invalid property line: "abc", want name=type|value`},
		{"no type", "[a]\na=|1\n", `2: invalid property value: "|1", want type|value`},
		{"no value", "[a]\na=1|\n", `2: invalid property value: "1|", want type|value`},
		{"no bar", "[a]\na=1\n", `2: invalid property value: "1", want type|value`},
		{"type is a word", "[a]\na=u|1\n", `2: invalid property type: "u"`},
		{"type 3", "[a]\na=3|1\n", `2: bad property type 3: 1 (UINT32) and 2 (BYTE_ARRAY) are known`},
		{"type -1", "[a]\na=-1|1\n", `2: bad property type -1: 1 (UINT32) and 2 (BYTE_ARRAY) are known`},
		{"type 0", "[a]\na=0|1\n", `2: unsupported property type: 0`},
		{"number is a word", "[a]\na=1|x\n", `2: invalid property value: "x" is not a 32-bit decimal number`},
		{"number too large", "[a]\na=1|4294967296\n", `2: invalid property value: "4294967296" is not a 32-bit decimal number`},
		{"carriage return", "[a]\na=1|1\r", `2: invalid property value: "1\r" is not a 32-bit decimal number`},
		{"bad character", "[a]\na=2|AA*AAAAAAAA\n", `2: invalid char in Base64Impl encoding: 0x2a at character 3`},
		{"bad character at the end", "[a]\na=2|AAAAAAAAAA=\n", `2: invalid characters in the encoded sequence remainder: 0x3d at character 11`},
		{"one character over", "[a]\na=2|AAAAA\n", `2: invalid encoded sequence length: 5 characters leave one over`},
		{"no length", "[a]\na=2|AAAA\n", `2: invalid property value: a byte array of 3 bytes lacks its 8-byte length`},
		{"length too long", "[a]\na=2|IAAAAAAAAAA\n", `2: invalid property value: a byte array says that it has 8 bits, and has 0 bytes`},
		{"length past 64 bits of bytes", "[a]\na=2|//////////P\n", `2: invalid property value: a byte array says that it has 18446744073709551615 bits, and has 0 bytes`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			sets, err := Parse([]byte(tt.text))
			var e *Error
			if !errors.As(err, &e) || sets != nil || e.Error() != tt.want {
				t.Errorf("Parse(%q) = %v, %v; want %s", tt.text, sets, err, tt.want)
			}
		})
	}
}

// Tools write names as they are, so a name may look like a property.
func TestNamesWithEqualsSigns(t *testing.T) {
	for _, name := range []string{"kernel [one] = two|three", "a=1|1", "b=2|AAAAAAAAAAA", "="} {
		sets := &Sets{}
		sets.Put("a", name, Uint32(1))
		sets.Put("a", "next", Bytes([]byte{1}))
		text, err := sets.Text()
		if err != nil {
			t.Fatal(err)
		}
		got, err := Parse(text)
		if err != nil {
			t.Errorf("%q: %v", name, err)
			continue
		}
		if names := got.Get("a").Names(); !cmp.Equal(names, []string{name, "next"}) {
			t.Errorf("read %q; want %q and next", names, name)
		}
	}
}

func TestTextRefusesWhatItCannotHold(t *testing.T) {
	for _, tt := range []struct {
		name, set, property string
		value               Value
	}{
		{"line end in a set's name", "a\nb", "c", Uint32(1)},
		{"line end in a name", "a", "b\nc", Uint32(1)},
		{"bracket at the start of a name", "a", "[b", Uint32(1)},
		{"empty name", "a", "", Uint32(1)},
		{"no type", "a", "b", Value{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			sets := &Sets{}
			sets.Put(tt.set, tt.property, tt.value)
			if text, err := sets.Text(); err == nil {
				t.Errorf("Text() = %q, want an error", text)
			}
		})
	}
}

// The files that the splitter of the reference wrote come back byte for byte.
func TestReferenceFiles(t *testing.T) {
	files, err := filepath.Glob("../testdata/wrapper/inputs/*.prop")
	if err != nil || len(files) == 0 {
		t.Fatalf("no property files: %v", err)
	}
	for _, file := range files {
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		sets, err := Parse(want)
		if err != nil {
			t.Errorf("%s:%v", file, err)
			continue
		}
		if got, err := sets.Text(); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: read and written again:\n%s%v", file, got, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	files, _ := filepath.Glob("../testdata/wrapper/inputs/*.prop")
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	for _, tt := range valueTexts {
		f.Add([]byte("[s]\nn=" + tt.text + "\n"))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		sets, err := Parse(text)
		if err != nil {
			if sets != nil {
				t.Fatal("both sets and an error")
			}
			return
		}
		again, err := sets.Text()
		if err != nil {
			t.Fatalf("what was read cannot be written: %v", err)
		}
		back, err := Parse(again)
		if err != nil {
			t.Fatalf("what was written cannot be read: %v", err)
		}
		if diff := cmp.Diff(sets.All, back.All, cmp.AllowUnexported(Set{}, Value{})); diff != "" {
			t.Fatal(diff)
		}
	})
}

package container

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"offlink/wrapper/devimg"
)

// plainEntries reads the entries of a fat binary in the test data, each inflated: its name and
// its code.
func plainEntries(t *testing.T, name string) (names []string, codes [][]byte) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	entries, err := Read(data, NewBudget(0))
	if err != nil {
		t.Fatal(err)
	}
	for i := range entries {
		plain, err := Uncompress(&entries[i].Image, NewBudget(0))
		if err != nil {
			t.Fatalf("%s: %v", entries[i].Name, err)
		}
		code, err := devimg.ReadCode(plain.Code)
		if err != nil {
			t.Fatal(err)
		}
		names, codes = append(names, entries[i].Name), append(codes, code)
	}
	return names, codes
}

// TestPackedEntries: the fat binaries of one source that nvcc 13.5 made with --compress-mode=none,
// size (zstd) and speed (LZ4, the PTX alone) hold the same code.
func TestPackedEntries(t *testing.T) {
	names, want := plainEntries(t, "none.fatbin")
	if strings.Join(names, " ") != "sm_75.ptx sm_75.elf" {
		t.Fatal(names)
	}
	_, got := plainEntries(t, "size.fatbin")
	for i := range want {
		if !bytes.Equal(got[i], want[i]) {
			t.Errorf("%s differs: %d bytes, want %d", names[i], len(got[i]), len(want[i]))
		}
	}
	if _, text := plainEntries(t, "speed.fatbin"); len(text) != 1 || !bytes.Equal(text[0], want[0]) {
		t.Errorf("the PTX differs: %q", text)
	}
}

// TestPackedSizes: the size that a header promises is neither believed nor exceeded.
func TestPackedSizes(t *testing.T) {
	for _, name := range []string{"size.fatbin", "speed.fatbin"} {
		data, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		at := fatHeaderSize + fatInflated
		size := binary.LittleEndian.Uint64(data[at:])
		for promised, want := range map[uint64]string{size: "", size - 1: "bytes", size + 1: "bytes", 0: "bytes", 1 << 62: "past the limit", 1 << 63: "past the limit"} {
			binary.LittleEndian.PutUint64(data[at:], promised)
			entries, err := Read(data, NewBudget(0))
			if err != nil {
				t.Fatal(err)
			}
			if _, err = Uncompress(&entries[0].Image, NewBudget(0)); err == nil != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
				t.Errorf("%s, %d bytes: %v, want %q", name, promised, err, want)
			}
		}
		binary.LittleEndian.PutUint64(data[at:], size)
		entries, err := Read(data, NewBudget(0))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Uncompress(&entries[0].Image, NewBudget(int64(size)-1)); err == nil {
			t.Errorf("%s: the budget was exceeded", name)
		}
	}
}

func TestLZ4(t *testing.T) {
	for _, tt := range []struct {
		name, packed string
		size         int64
		want         string // the content, or "!" and the error
	}{
		{"literals", "\x30abc", 3, "abc"},
		{"a match that repeats itself", "\x13a\x01\x00\x10b", 9, "aaaaaaaab"},
		{"long lengths", "\xff" + "\x01" + "0123456789abcdef" + "\x10\x00\x00\x10z", 36, "0123456789abcdef0123456789abcdef012z"},
		{"nothing", "", 0, ""},
		{"no literals at the end", "\x10a\x01\x00\x00", 5, "aaaaa"},
		{"literals cut off", "\x30ab", 3, "!ends within"},
		{"length cut off", "\xf0\xff", 300, "!ends within"},
		{"distance cut off", "\x10a\x01", 5, "!ends within"},
		{"distance of zero", "\x10a\x00\x00\x00", 5, "!before its content"},
		{"before the content", "\x10a\x02\x00\x00", 5, "!before its content"},
		{"more than promised", "\x30abc", 2, "!grows past"},
		{"a match past the promise", "\x10a\x01\x00\x10b", 4, "!grows past"},
		{"less than promised", "\x30abc", 4, "!the header says"},
		{"more than a block can hold", "\x10a", 1 << 40, "!do not grow"},
		{"a negative size", "\x10a", -1, "!do not grow"},
	} {
		got, err := inflateLZ4([]byte(tt.packed), tt.size)
		if text, fails := strings.CutPrefix(tt.want, "!"); fails {
			if err == nil || !strings.Contains(err.Error(), text) {
				t.Errorf("%s: %q, %v, want %q", tt.name, got, err, text)
			}
		} else if err != nil || string(got) != tt.want {
			t.Errorf("%s: %q, %v, want %q", tt.name, got, err, tt.want)
		}
	}
}

// FuzzLZ4: a block gives the promised bytes or an error, and takes no more memory than that.
func FuzzLZ4(f *testing.F) {
	f.Add([]byte("\x13a\x01\x00\x10b"), int64(9))
	f.Add([]byte("\xff\x010123456789abcdef\x10\x00\x00\x10z"), int64(36))
	f.Fuzz(func(t *testing.T, packed []byte, size int64) {
		if got, err := inflateLZ4(packed, size); err == nil && int64(len(got)) != size {
			t.Errorf("%d bytes, not %d", len(got), size)
		}
	})
}

package wrapper

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"testing"

	"offlink/wrapper/container"
	"offlink/wrapper/devimg"
)

// overlapping is an OffloadBinary of n entries, each of which is the inner
// bytes, or the whole of it where there are none.
func overlapping(n int, inner []byte) []byte {
	u := binary.LittleEndian
	const header, entry = 32, 40
	at, size := 0, header+n*entry
	if inner != nil {
		at, size = size, size+len(inner)
	}
	b := u.AppendUint32([]byte("\x10\xff\x10\xad"), 2)
	b = u.AppendUint64(b, uint64(size))
	b = u.AppendUint64(b, header)
	b = u.AppendUint64(b, uint64(n))
	for range n {
		b = append(b, 0, 0, 8, 0, 0, 0, 0, 0)
		for _, v := range []uint64{0, 0, uint64(at), uint64(size - at)} {
			b = u.AppendUint64(b, v)
		}
	}
	return append(b, inner...)
}

// TestHostile reads files whose tables lead round in circles or to the same
// place many times over: each ends, with an error that says so.
func TestHostile(t *testing.T) {
	var archives []byte // an archive in an archive, and so on
	for range 12 {
		archives = append(append([]byte("!<arch>\n"), member("inner", len(archives))[:60]...), archives...)
	}
	for _, test := range []struct {
		name string
		data []byte
		want string
	}{
		{"itself", overlapping(1, nil), "more than 8 deep"},
		{"itself many times", overlapping(1000, nil), "more than 8 deep"},
		{"one archive many times", overlapping(1000, append([]byte("!<arch>\n"), member("x", 1<<20)...)), "many times over"},
		{"nested archives", archives, "more than 8 deep"},
		{"thin archive", []byte("!<thin>\n"), "thin archive"},
		{"self-referring descriptors", looped(t), ""},
	} {
		images, err := Unwrap(test.data, ReadOptions{})
		if test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%s: %d images, %v; want %q", test.name, len(images), err, test.want)
		}
	}
}

// member is a member of an archive, of zeros.
func member(name string, size int) []byte {
	return append(fmt.Appendf(nil, "%-16s%-12d%-6d%-6d%-8o%-10d`\n", name+"/", 0, 0, 0, 0o644, size), make([]byte, size)...)
}

// looped is a program each of whose relocations leads to one image record, so
// that every word of its tables points back into them.
func looped(t *testing.T) []byte {
	data := bytes.Clone(goldenFile(t, "batch_of_three/program.pie"))
	images, err := Unwrap(data, ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	record := images[0].Record
	at := bytes.Index(data, []byte(".rela.dyn\x00"))
	if at < 0 {
		t.Fatal("no relocations")
	}
	want := binary.LittleEndian.AppendUint64(nil, record)
	for i := 0; i+24 <= len(data); i += 8 { // R_X86_64_RELATIVE entries
		if binary.LittleEndian.Uint64(data[i+8:]) == 8 && binary.LittleEndian.Uint64(data[i:]) > record {
			copy(data[i+16:], want)
		}
	}
	return data
}

// TestMemoryLimit: an image's zstd bytes grow only as far as the limit.
func TestMemoryLimit(t *testing.T) {
	f := &File{budget: container.NewScratchBudget(0)}
	defer f.budget.Close()
	packed, err := f.storeCode(&Located{Image: devimg.Image{Format: devimg.FormatCompressedNone}}, devimg.Bytes(make([]byte, 8<<20)))
	if err != nil {
		t.Fatal(err)
	}
	img := Located{Image: devimg.Image{Format: devimg.FormatCompressedNone, Code: packed.code}}
	if _, err := Compare([]Located{img}, nil, container.NewBudget(1<<20)); !errors.Is(err, container.ErrBudget) {
		t.Errorf("Compare of a bomb = %v, want ErrBudget", err)
	}
	if _, err := Compare([]Located{img}, nil, container.NewBudget(16<<20)); err != nil {
		t.Errorf("Compare under the limit = %v", err)
	}
}

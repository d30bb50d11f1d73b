package irfile

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"time"
)

// endless repeats a text for ever, and counts the bytes read.
type endless struct {
	text string
	read int
}

func (e *endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = e.text[(e.read+i)%len(e.text)]
	}
	e.read += len(p)
	return len(p), nil
}

func TestReadStreamEndless(t *testing.T) {
	comments := &endless{text: "; nothing\n"}
	if _, err := readStream(comments, 1<<20); err == nil || !strings.Contains(err.Error(), "more than 1048576 bytes") || comments.read > 4<<20 {
		t.Errorf("%v after %d bytes", err, comments.read)
	}
	zeros := &endless{text: "\x00"}
	if _, err := readStream(zeros, 1<<30); err == nil || err.Error() != "binary data, not LLVM IR" || zeros.read > 1<<20 {
		t.Errorf("%v after %d bytes", err, zeros.read)
	}
}

func TestReadStream(t *testing.T) {
	want := bytes.Repeat([]byte("; text\n"), 100_000)
	for _, r := range []io.Reader{bytes.NewReader(want), iotest.HalfReader(bytes.NewReader(want)), iotest.DataErrReader(bytes.NewReader(want))} {
		m, err := readStream(r, len(want))
		if err != nil || !bytes.Equal(m.bytes(), want) {
			t.Fatalf("%v", err)
		}
		for range 2 {
			if err := m.freeMemory(); err != nil {
				t.Error(err)
			}
		}
	}
	failing := io.MultiReader(bytes.NewReader(want), iotest.ErrReader(errors.New("broken")))
	if _, err := readStream(failing, 1<<30); err == nil || err.Error() != "broken" {
		t.Errorf("%v", err)
	}
}

// A file whose size changes while it is read is an error and no fault of
// memory.
func TestReadExactly(t *testing.T) {
	text := strings.Repeat("x", 100_000)
	if _, err := readExactly(strings.NewReader(text), 200_000); !errors.Is(err, errShorter) {
		t.Errorf("%v", err)
	}
	if _, err := readExactly(strings.NewReader(""), 5); !errors.Is(err, errShorter) {
		t.Errorf("%v", err)
	}
	if _, err := readExactly(strings.NewReader(text), 99_999); !errors.Is(err, errLonger) {
		t.Errorf("%v", err)
	}
	m, err := readExactly(strings.NewReader(text), 100_000)
	if err != nil || string(m.bytes()) != text {
		t.Errorf("%v", err)
	}
}

func TestCheckIR(t *testing.T) {
	for data, want := range map[string]string{
		"\x7fELF\x02\x01":               "an ELF file, not LLVM IR: name the module that the device compiler wrote",
		"!<arch>\nfoo":                  "an archive (ar), not LLVM IR: name the module that the device compiler wrote",
		"\x03\x02\x23\x07\x00\x00":      "SPIR-V, not LLVM IR: 'llvm-spirv -r' makes LLVM IR of it",
		"[Code|Properties]\na|b\n":      "a table of device images, not LLVM IR",
		"#include <x>\n":                "C or C++ source, not LLVM IR: 'clang -emit-llvm -c' makes LLVM IR of it",
		"\x00\x01\x02":                  "binary data, not LLVM IR",
		"":                              "",
		"; text\n":                      "",
		"BC\xc0\xde\x35\x14\x00\x00":    "",
		"@a = constant [1 x i8] \"\x00": "", // an error of its own, with a place
	} {
		got := ""
		if err := checkIR([]byte(data)); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%q: %q; want %q", data, got, want)
		}
	}
}

// One that is written to while it is read could be part of two contents.
func TestSameVersion(t *testing.T) {
	path := filepath.Join(t.TempDir(), "in.ll")
	if err := os.WriteFile(path, []byte("; old content"), 0o666); err != nil {
		t.Fatal(err)
	}
	past := time.Now().Add(-time.Hour) // whatever ticks the clock has
	if err := os.Chtimes(path, past, past); err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil || !sameVersion(info, file) {
		t.Fatal("a file that nobody writes to changed", err)
	}
	if err := os.WriteFile(path, []byte("; new content"), 0o666); err != nil {
		t.Fatal(err)
	}
	if sameVersion(info, file) {
		t.Error("the change is not seen")
	}
}

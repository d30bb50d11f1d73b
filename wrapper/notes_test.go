package wrapper

import (
	"bytes"
	"debug/elf"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"offlink/wrapper/devimg"
)

// The notes are in a section of their own; everything else of the file stays.
func TestAddOpenMPNotes(t *testing.T) {
	for _, triple := range []string{"x86_64-linux-gnu", "i686-linux-gnu"} {
		t.Run(triple, func(t *testing.T) {
			file := mustWrap(t, testImages(), WrapOptions{Host: mustHost(t, triple)})
			noted, err := AddOpenMPNotes(&devimg.Image{Kind: devimg.KindOpenMP, Code: devimg.Bytes(file)}, "offlink", "1.2")
			if err != nil {
				t.Fatal(err)
			}
			result, err := devimg.ReadCode(noted.Code)
			if err != nil {
				t.Fatal(err)
			}
			checkSections(t, file, result)
			name := filepath.Join(t.TempDir(), "noted")
			if err := os.WriteFile(name, result, 0o666); err != nil {
				t.Fatal(err)
			}
			out := run(t, "readelf", "-nW", name)
			if n := strings.Count(out, noteOwner); n != 3 || strings.Contains(out, "Warning") {
				t.Errorf("%d notes of %s, want 3:\n%s", n, noteOwner, out)
			}
			for _, want := range []string{"1.0", "offlink", "1.2"} {
				if !bytes.Contains(result, []byte(want)) {
					t.Errorf("no note says %q", want)
				}
			}
		})
	}
}

// checkSections compares the sections of a file before and after.
func checkSections(t *testing.T, before, after []byte) {
	t.Helper()
	old, err := elf.NewFile(bytes.NewReader(before))
	if err != nil {
		t.Fatal(err)
	}
	changed, err := elf.NewFile(bytes.NewReader(after))
	if err != nil {
		t.Fatal(err)
	}
	if len(changed.Sections) != len(old.Sections)+1 {
		t.Fatalf("%d sections, want one more than %d", len(changed.Sections), len(old.Sections))
	}
	last := changed.Sections[len(old.Sections)]
	if last.Name != noteSection || last.Type != elf.SHT_NOTE || last.Addralign != 4 {
		t.Errorf("the new section is %+v", last.SectionHeader)
	}
	for i, s := range old.Sections {
		was, _ := s.Data()
		is, _ := changed.Sections[i].Data()
		if s.Name != changed.Sections[i].Name || s.Name != ".shstrtab" && !bytes.Equal(was, is) {
			t.Errorf("section %d %s changed", i, s.Name)
		}
	}
}

func TestAddOpenMPNotesRefuses(t *testing.T) {
	file := mustWrap(t, testImages(), WrapOptions{Host: mustHost(t, "x86_64-linux-gnu")})
	patched := func(at int, b ...byte) []byte { return slices.Replace(slices.Clone(file), at, at+len(b), b...) }
	for name, code := range map[string][]byte{
		"no ELF file":            []byte("no ELF file"),
		"no sections":            patched(60, 0, 0),
		"too many sections":      patched(60, 0xff, 0xff),
		"names past the end":     patched(62, 0xff, 0),
		"section table past all": patched(40, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff),
		"cut":                    file[:100],
	} {
		image := &devimg.Image{Code: devimg.Bytes(code)}
		if got, err := AddOpenMPNotes(image, "", ""); err == nil || got != image {
			t.Errorf("%s: %v, want an error and the image as it was", name, err)
		}
	}
}

func FuzzAddOpenMPNotes(f *testing.F) {
	for _, triple := range []string{"x86_64-linux-gnu", "i686-linux-gnu"} {
		h, _ := ParseHost(triple)
		var b bytes.Buffer
		if err := Wrap(&b, testImages(), WrapOptions{Host: h}); err != nil {
			f.Fatal(err)
		}
		f.Add(b.Bytes())
	}
	f.Fuzz(func(t *testing.T, code []byte) {
		image, err := AddOpenMPNotes(&devimg.Image{Code: devimg.Bytes(code)}, "p", "v")
		if err != nil {
			return
		}
		result, err := devimg.ReadCode(image.Code)
		if err != nil || len(result) <= len(code) {
			t.Fatalf("%d bytes of %d: %v", len(result), len(code), err)
		}
	})
}

// Joined parts read as one, wherever a read begins and ends.
func TestJoined(t *testing.T) {
	j := newJoined(devimg.Bytes([]byte("one")), devimg.Bytes(nil), devimg.Bytes([]byte("two")), devimg.Bytes([]byte("3")))
	want := []byte("onetwo3")
	if err := iotest.TestReader(io.NewSectionReader(j, 0, j.Size()), want); err != nil {
		t.Error(err)
	}
	for from := range want {
		for to := from; to <= len(want); to++ {
			got := make([]byte, to-from)
			if n, err := j.ReadAt(got, int64(from)); n != len(got) || err != nil || !bytes.Equal(got, want[from:to]) {
				t.Errorf("ReadAt %d to %d = %q, %v", from, to, got, err)
			}
		}
	}
}

package objfile

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const goldenDir = "../../../testdata/wrapper"

func golden(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(goldenDir, name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

var goldenFiles = []string{
	"one_image/wrapped.o", "one_image/wrapped.pic.o", "one_image/libwrapped.so", "one_image/program.pie",
	"two_targets/wrapped.pic.o", "windows_one_image/wrapped.obj",
}

func TestReadSections(t *testing.T) {
	for _, test := range []struct {
		name    string
		format  Format
		linked  bool
		section string
		size    int
	}{
		{"one_image/wrapped.pic.o", ELF, false, "__CLANG_OFFLOAD_BUNDLE__sycl-spir64", 2048},
		{"one_image/program.pie", ELF, true, ".tgtimg", 16},
		{"windows_one_image/wrapped.obj", COFF, false, "__CLANG_OFFLOAD_BUNDLE__sycl-spir64", 2048},
	} {
		f, err := Read(golden(t, test.name), nil)
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		if f.Format != test.format || f.Linked != test.linked || f.Machine != "x86_64" || f.Pointer != 8 {
			t.Errorf("%s: %s, linked %v, %s, pointers of %d bytes", test.name, f.Format, f.Linked, f.Machine, f.Pointer)
		}
		found := false
		for i := range f.Sections {
			s := &f.Sections[i]
			if s.Name() != test.section {
				continue
			}
			found = true
			if !s.Named(test.section) || !s.HasPrefix(test.section[:4]) || s.Named(test.section[:4]) {
				t.Errorf("%s: Named or HasPrefix do not know %q", test.name, s.Name())
			}
			if len(s.Data) != test.size {
				t.Errorf("%s: section %s has %d bytes, want %d", test.name, s.Name(), len(s.Data), test.size)
			}
			if at := f.SectionAt(s.Addr + uint64(test.size) - 1); at != s {
				t.Errorf("%s: SectionAt(last byte of %s) = %v", test.name, s.Name(), at)
			}
			if off, ok := f.Offset(s.Addr); !ok || off != s.Offset {
				t.Errorf("%s: Offset = %#x, %v; want %#x", test.name, off, ok, s.Offset)
			}
		}
		if !found {
			t.Errorf("%s: no section %s", test.name, test.section)
		}
	}
}

// TestReadDamaged truncates files at every length and sets every byte of
// their headers to values that lie: nothing may panic, and the bytes that are
// read must lie inside the file.
func TestReadDamaged(t *testing.T) {
	for _, name := range goldenFiles {
		data := golden(t, name)
		for n := 0; n < len(data); n += 1 + n/64 {
			look(data[:n])
		}
		for at := range min(len(data), 512) {
			for _, v := range []byte{0, 1, 0x7f, 0xff} {
				damaged := bytes.Clone(data)
				damaged[at] = v
				look(damaged)
				damaged[len(data)-1-at] = v // section headers are there
				look(damaged)
			}
		}
	}
}

// look reads everything that a caller reads.
func look(data []byte) {
	f, err := Read(data, nil)
	if err != nil {
		return
	}
	for _, span := range f.Spans(nil) {
		f.View(span.Addr, uint64(len(span.Data)))
		f.CString(span.Addr)
		f.Offset(span.Addr)
		f.SectionAt(span.Addr)
	}
	for i := range f.Sections {
		f.Sections[i].Name()
	}
	e, err := NewEditor(data)
	if err != nil {
		return
	}
	for _, span := range e.File().Spans(nil) {
		size := min(64, len(span.Data))
		e.SetPointer(span.Addr, 0)
		e.Rotate(span.Addr, 16, 4)
		e.WriteContent(span.Addr, Zeros(size))
		e.Grow(Extent{span.Addr, uint64(size)}, Zeros(100))
	}
	e.Plan()
}

func TestReadErrors(t *testing.T) {
	elf := golden(t, "one_image/wrapped.pic.o")
	for _, test := range []struct {
		name string
		data []byte
		want string
	}{
		{"empty", nil, ErrUnknown.Error()},
		{"text", []byte("not an object"), ErrUnknown.Error()},
		{"cut header", elf[:40], "the file header is cut off"},
		{"big-endian", set(elf, 5, 2), "only little-endian"},
		{"class", set(elf, 4, 9), "class 9"},
		{"cut sections", elf[:len(elf)-64], "section headers"},
		{"section size", set(elf, len(elf)-64+39, 0x7f), "past the end of the file"},
		{"PE", append([]byte("MZ"), make([]byte, 100)...), "DOS program"},
	} {
		_, err := Read(test.data, nil)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: Read = %v, want %q", test.name, err, test.want)
		}
		var fe *FormatError
		if !errors.Is(err, ErrUnknown) && !errors.As(err, &fe) {
			t.Errorf("%s: the error is a %T", test.name, err)
		}
	}
}

func set(data []byte, at int, v byte) []byte {
	data = bytes.Clone(data)
	data[at] = v
	return data
}

func TestReadArchive(t *testing.T) {
	long := "a_name_of_more_than_sixteen_bytes.o"
	gnu := "!<arch>\n" +
		header("/", 4) + "\x00\x00\x00\x00" +
		header("//", len(long)+2) + long + "/\n" + "\n"[:(len(long)+2)&1] +
		header("short.o/", 3) + "abc\n" +
		header("/0", 2) + "de"
	bsd := "!<arch>\n" +
		header("__.SYMDEF", 4) + "\x00\x00\x00\x00" +
		header("#1/36", 36+3) + long + "\x00" + "abc\n" +
		header("short.o", 2) + "de"
	for name, test := range map[string]struct {
		data string
		want map[string]string
	}{
		"GNU":   {gnu, map[string]string{"short.o": "abc", long: "de"}},
		"BSD":   {bsd, map[string]string{long: "abc", "short.o": "de"}},
		"empty": {"!<arch>\n", map[string]string{}},
	} {
		members, err := ReadArchive([]byte(test.data))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got := map[string]string{}
		for _, m := range members {
			got[m.Name] = string(m.Data)
			if string(test.data[m.Offset:][:len(m.Data)]) != string(m.Data) {
				t.Errorf("%s: %s is not at %#x", name, m.Name, m.Offset)
			}
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s: members (-want +got):\n%s", name, diff)
		}
	}
	for name, test := range map[string]struct{ data, want string }{
		"thin":      {"!<thin>\n", "thin archive"},
		"cut":       {"!<arch>\n" + header("x", 0)[:30], "a member's header"},
		"size":      {"!<arch>\n" + header("x", 100), "a member: 0x64 bytes"},
		"long name": {"!<arch>\n" + header("/7", 0), "long names"},
		"no header": {"!<arch>\n" + strings.Repeat("x", 60), "no member's header"},
	} {
		if _, err := ReadArchive([]byte(test.data)); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", name, err, test.want)
		}
	}
}

// header is a member's header in an archive.
func header(name string, size int) string {
	pad := func(s string, n int) string { return s + strings.Repeat(" ", n-len(s)) }
	digits := ""
	for n := size; n > 0 || digits == ""; n /= 10 {
		digits = string(rune('0'+n%10)) + digits
	}
	return pad(name, 16) + pad("0", 12) + pad("0", 6) + pad("0", 6) + pad("644", 8) + pad(digits, 10) + "`\n"
}

func TestZeros(t *testing.T) {
	b := []byte("xxxxxxxx")
	if n, _ := Zeros(5).ReadAt(b, 2); n != 3 || string(b[:3]) != "\x00\x00\x00" || b[3] != 'x' {
		t.Errorf("ReadAt(2) of 5 zeros = %d, %q", n, b)
	}
}

func TestRELR(t *testing.T) {
	f := &elfEditor{elfFile: &elfFile{wide: true}}
	addrs := []uint64{0x1000, 0x1008, 0x1100, 0x1208, 0x9000}
	f.relr = f.encodeRELR(addrs)
	if diff := cmp.Diff(addrs, f.decodeRELR()); diff != "" {
		t.Errorf("decoded (-want +got):\n%s", diff)
	}
}

func FuzzRead(f *testing.F) {
	for _, name := range goldenFiles {
		f.Add(golden(f, name))
	}
	f.Fuzz(func(t *testing.T, data []byte) { look(data) })
}

func FuzzReadArchive(f *testing.F) {
	f.Add([]byte("!<arch>\n" + header("#1/4", 7) + "nameabc\n" + header("//", 2) + "x\n" + header("/0", 2) + "de"))
	f.Fuzz(func(t *testing.T, data []byte) {
		members, err := ReadArchive(data)
		for _, m := range members {
			if err != nil || string(data[m.Offset:][:len(m.Data)]) != string(m.Data) {
				t.Fatalf("%q is not at %#x", m.Name, m.Offset)
			}
			pieces, err := ReplaceMember(data, m, []Content{Bytes("new")}, 3)
			if err != nil {
				continue
			}
			var again []byte
			for _, p := range pieces {
				b := make([]byte, p.Size())
				p.ReadAt(b, 0)
				again = append(again, b...)
			}
			if _, err := ReadArchive(again); err != nil {
				t.Fatalf("after replacing %q: %v", m.Name, err)
			}
		}
		if IsUniversal(data) {
			ReadUniversal(data)
		}
	})
}

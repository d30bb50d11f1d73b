package wrapper

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"offlink/internal/testtool"
	"offlink/props"
	"offlink/wrapper/devimg"
)

// runnable are ways to link a program that this machine runs.
var runnable = map[string]string{
	"static":       "gcc -static",
	"static PIE":   "gcc -static-pie",
	"no PIE":       "gcc -no-pie",
	"PIE":          "gcc -pie",
	"PIE stripped": "gcc -pie -s",
	"RELR":         "gcc -pie -Wl,-z,pack-relative-relocs",
	"lld PIE":      "clang-19 -fuse-ld=lld -pie",
	"lld static":   "clang-19 -fuse-ld=lld -static",
	"lld RELR":     "clang-19 -fuse-ld=lld -pie -Wl,-z,pack-relative-relocs",
}

func link(t *testing.T, command string, objects ...string) string {
	t.Helper()
	words := strings.Fields(command)
	linked := filepath.Join(t.TempDir(), "linked")
	args := append(words[1:], "-o", linked, filepath.Join(goldenDir, "dumper.c"))
	run(t, words[0], append(args, objects...)...)
	return linked
}

// edited writes the edited file of that name and returns its name.
func edited(t *testing.T, name string, edit func(f *File, w *os.File) error) string {
	t.Helper()
	f, err := Open(name, ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	out, err := os.OpenFile(name+".edited", os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o777)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	if err := edit(f, out); err != nil {
		t.Fatal(err)
	}
	return out.Name()
}

func replaced(t *testing.T, name string, i int, code []byte) string {
	t.Helper()
	return edited(t, name, func(f *File, w *os.File) error { return f.Replace(w, i, devimg.Bytes(code), EditOptions{}) })
}

func removed(t *testing.T, name string, i int) string {
	t.Helper()
	return edited(t, name, func(f *File, w *os.File) error { return f.Remove(w, i) })
}

// dumpWithout and dumpWith are the expected output of the dumper for the golden
// images after an edit.
func dumpWith(t *testing.T, name string, change func([]Located) []Located) string {
	t.Helper()
	f, err := Open(name, ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	return dump(change(append([]Located{}, f.Images()...)))
}

func without(i int) func([]Located) []Located {
	return func(images []Located) []Located { return append(images[:i:i], images[i+1:]...) }
}

func with(i int, code []byte) func([]Located) []Located {
	return func(images []Located) []Located {
		images[i].Code = devimg.Bytes(code)
		return images
	}
}

// checkRuns compares the output of a program, and the images read out of it.
func checkRuns(t *testing.T, name, want string) {
	t.Helper()
	out, err := exec.Command(name).CombinedOutput()
	if err != nil {
		t.Errorf("%s: %v", name, err)
	}
	if diff := cmp.Diff(want, string(out)); diff != "" {
		t.Errorf("what %s prints (-want +got):\n%s", name, diff)
	}
	testDump(t, name, want)
}

// TestReplace replaces images of running programs by smaller and by larger
// ones, and runs the programs again; also after another tool copied them.
func TestReplace(t *testing.T) {
	small, large := bytes.Repeat([]byte("small "), 50), bytes.Repeat([]byte("large "), 5000)
	object := filepath.Join(goldenDir, "two_targets", "wrapped.pic.o")
	for name, command := range runnable {
		t.Run(name, func(t *testing.T) {
			program := link(t, command, object)
			for i := range 3 {
				checkRuns(t, replaced(t, program, i, small), dumpWith(t, program, with(i, small)))
				grown := replaced(t, program, i, large)
				checkRuns(t, grown, dumpWith(t, program, with(i, large)))
				again := replaced(t, grown, (i+1)%3, append(large, 'x'))
				checkRuns(t, again, dumpWith(t, grown, with((i+1)%3, append(large, 'x'))))
			}
		})
	}
}

// TestRemove removes images of running programs, one after another.
func TestRemove(t *testing.T) {
	object := filepath.Join(goldenDir, "batch_of_three", "wrapped.pic.o")
	for name, command := range runnable {
		t.Run(name, func(t *testing.T) {
			program := link(t, command, object)
			for i := range 3 {
				once := removed(t, program, i)
				checkRuns(t, once, dumpWith(t, program, without(i)))
				twice := removed(t, once, 0)
				checkRuns(t, twice, dumpWith(t, once, without(0)))
				checkRuns(t, removed(t, twice, 0), dumpWith(t, twice, without(0)))
			}
		})
	}
}

// TestEditObject edits relocatable objects and links them.
func TestEditObject(t *testing.T) {
	large := bytes.Repeat([]byte("large "), 5000)
	for _, object := range []string{"two_targets/wrapped.pic.o", "batch_of_three/wrapped.pic.o"} {
		data, err := os.ReadFile(filepath.Join(goldenDir, object))
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Join(t.TempDir(), "wrapped.o")
		if err := os.WriteFile(name, data, 0o666); err != nil {
			t.Fatal(err)
		}
		for i := range 3 {
			checkRuns(t, link(t, "gcc -pie", replaced(t, name, i, large)), dumpWith(t, name, with(i, large)))
			checkRuns(t, link(t, "gcc -pie", removed(t, name, i)), dumpWith(t, name, without(i)))
		}
	}
}

// mixed writes an object whose image records differ in which of their
// pointers are null.
func mixed(t *testing.T, host string) string {
	t.Helper()
	some := &props.Sets{}
	some.Put("set", "name", props.String("value"))
	var images []*devimg.Image
	for i := range 4 {
		img := &devimg.Image{Kind: devimg.KindSYCL, Target: "spir64", Code: devimg.Bytes(bytes.Repeat([]byte{byte('a' + i)}, 100+i))}
		if i&1 != 0 {
			img.Entries, img.HasEntries = []string{"one", "two"}, true
		}
		if i&2 != 0 {
			img.Properties = some
		}
		images = append(images, img)
	}
	return wrapped(t, host, images)
}

// uniform writes an object of three images that have entries and properties.
func uniform(t *testing.T, host string) string {
	t.Helper()
	var images []*devimg.Image
	for i := range 3 {
		sets := &props.Sets{}
		sets.Put("set", "name", props.Uint32(uint32(i)))
		images = append(images, &devimg.Image{
			Kind: devimg.KindSYCL, Target: "spir64", Properties: sets,
			Entries: []string{string(rune('a' + i))}, HasEntries: true, Code: devimg.Bytes(bytes.Repeat([]byte{byte('a' + i)}, 200)),
		})
	}
	return wrapped(t, host, images)
}

func wrapped(t *testing.T, host string, images []*devimg.Image) string {
	t.Helper()
	h, err := ParseHost(host)
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "wrapped.o")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := Wrap(f, images, WrapOptions{Host: h}); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestRemoveMixed(t *testing.T) {
	object := mixed(t, "x86_64-unknown-linux-gnu")
	for name, command := range runnable {
		t.Run(name, func(t *testing.T) {
			program := link(t, command, object)
			for i := range 4 {
				checkRuns(t, removed(t, program, i), dumpWith(t, program, without(i)))
			}
			checkRuns(t, link(t, command, removed(t, object, 1)), dumpWith(t, object, without(1)))
		})
	}
}

// copiers are tools that copy programs.
var copiers = []string{"strip", "objcopy", "objcopy --strip-all", "llvm-strip-19", "llvm-objcopy-19"}

// TestStripped copies programs whose images grew with other tools, and makes
// the images of a copy grow again.
func TestStripped(t *testing.T) {
	large := bytes.Repeat([]byte("large "), 5000)
	object := filepath.Join(goldenDir, "two_targets", "wrapped.pic.o")
	for _, command := range []string{
		"gcc -pie", "gcc -static", "gcc -no-pie -Wl,-z,noseparate-code", "gcc -static-pie -Wl,--build-id",
		"gcc -fuse-ld=gold -pie", "gcc -fuse-ld=gold -static", "gcc -fuse-ld=gold -no-pie",
		"clang-19 -fuse-ld=lld -pie", "clang-19 -fuse-ld=lld -static", "clang-19 -fuse-ld=lld -static-pie", "clang-19 -fuse-ld=lld -no-pie -Wl,--build-id",
		"mold -run gcc -pie", "mold -run gcc -static", "mold -run gcc -no-pie -Wl,--build-id", "mold -run gcc -static-pie",
	} {
		t.Run(command, func(t *testing.T) {
			program := link(t, command, object)
			grown := replaced(t, program, 1, large)
			checkCopies(t, program, grown, dumpWith(t, program, with(1, large)))
			again := replaced(t, replaced(t, grown, 0, large), 1, append(large, large...))
			checkCopies(t, program, again, dumpWith(t, grown, func(images []Located) []Located {
				return with(0, large)(with(1, append(large, large...))(images))
			}))
		})
	}
}

// checkCopies copies an edited program with each tool that can copy the
// program as it was: llvm-strip refuses static programs of GNU ld.
func checkCopies(t *testing.T, before, edited, want string) {
	t.Helper()
	checkRuns(t, edited, want)
	for _, tool := range copiers {
		words := strings.Fields(tool)
		testtool.Need(t, words[0])
		copied := filepath.Join(t.TempDir(), "copied")
		if exec.Command(words[0], append(words[1:], before, "-o", copied)...).Run() != nil && words[0] != "objcopy" {
			continue
		}
		run(t, "cp", edited, copied)
		run(t, words[0], append(words[1:], copied)...)
		checkRuns(t, copied, want)
		regrown := replaced(t, copied, 2, bytes.Repeat([]byte("again "), 3000))
		checkRuns(t, regrown, dumpWith(t, copied, with(2, bytes.Repeat([]byte("again "), 3000))))
	}
}

// TestNoHeader: a program without a header to spare is left alone unless that
// is asked for.
func TestNoHeader(t *testing.T) {
	object := filepath.Join(goldenDir, "two_targets", "wrapped.pic.o")
	linked := link(t, "gcc -static -nostdlib -Wl,--build-id=none -Wl,-z,norelro -Wl,-e,main -Wl,-z,noseparate-code -Wl,--unresolved-symbols=ignore-all", object)
	run(t, "objcopy", "-R", ".note*", linked)
	f, err := Open(linked, ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	large := devimg.Bytes(make([]byte, 30000))
	if err := f.Replace(io.Discard, 1, large, EditOptions{}); !errors.Is(err, ErrNoHeader) {
		t.Errorf("Replace = %v, want ErrNoHeader", err)
	}
	if err := f.Replace(io.Discard, 1, large, EditOptions{MoveHeaders: true}); err != nil {
		t.Errorf("Replace that may move headers: %v", err)
	}
}

// foreign are ways to link and run programs of other machines.
var foreign = []struct{ host, link, run string }{
	{"aarch64-unknown-linux-gnu", "aarch64-linux-gnu-gcc -static", "qemu-aarch64"},
	{"aarch64-unknown-linux-gnu", "aarch64-linux-gnu-gcc -static-pie", "qemu-aarch64"},
	{"riscv64-unknown-linux-gnu", "riscv64-linux-gnu-gcc -static", "qemu-riscv64"},
	{"riscv64-unknown-linux-gnu", "riscv64-linux-gnu-gcc -pie", "qemu-riscv64 -L /usr/riscv64-linux-gnu"},
	{"i386-unknown-linux-gnu", "i686-linux-gnu-gcc -static", "qemu-i386"},
	{"i386-unknown-linux-gnu", "i686-linux-gnu-gcc -static-pie", "qemu-i386"},
	{"i386-unknown-linux-gnu", "i686-linux-gnu-gcc -pie", "qemu-i386 -L /usr/i686-linux-gnu"},
}

func TestForeign(t *testing.T) {
	large := bytes.Repeat([]byte("large "), 5000)
	for _, test := range foreign {
		t.Run(test.link, func(t *testing.T) {
			object := mixed(t, test.host)
			program := link(t, test.link, object)
			check := func(name, want string) {
				words := strings.Fields(test.run)
				if diff := cmp.Diff(want, run(t, words[0], append(words[1:], name)...)); diff != "" {
					t.Errorf("what %s prints (-want +got):\n%s", name, diff)
				}
				testDump(t, name, want)
			}
			check(program, dumpWith(t, object, func(images []Located) []Located { return images }))
			check(replaced(t, program, 1, large), dumpWith(t, program, with(1, large)))
			check(removed(t, program, 1), dumpWith(t, program, without(1)))
			check(link(t, test.link, replaced(t, object, 2, large)), dumpWith(t, object, with(2, large)))
			check(link(t, test.link, removed(t, object, 0)), dumpWith(t, object, without(0)))
		})
	}
}

// Several images are removed at once, in whatever order they are named.
func TestRemoveSeveral(t *testing.T) {
	object := mixed(t, "x86_64-unknown-linux-gnu")
	want := dumpWith(t, object, func(images []Located) []Located {
		return append(images[:1:1], images[2])
	})
	f, err := Open(object, ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if n := len(f.Images()); n != 4 {
		t.Fatalf("%d images, want 4", n)
	}
	testDump(t, edited(t, object, func(f *File, w *os.File) error { return f.Remove(w, 1, 3, 1) }), want)
}

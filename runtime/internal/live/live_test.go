//go:build unix

package live

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/iotest"
	"unsafe"

	"github.com/google/go-cmp/cmp"

	"offlink/props"
	"offlink/wrapper/devimg"
)

// arena is memory outside Go's heap, as a library's is.
type arena struct {
	memory []byte
	used   int
}

func newArena(t *testing.T) *arena {
	t.Helper()
	memory, err := syscall.Mmap(-1, 0, 1<<16, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	return &arena{memory: memory}
}

// put copies data into the arena and returns its address.
func (a *arena) put(data []byte) uint64 {
	at := (a.used + 7) &^ 7
	a.used = at + copy(a.memory[at:], data)
	return uint64(uintptr(unsafe.Pointer(&a.memory[at])))
}

func (a *arena) text(s string) uint64 { return a.put(append([]byte(s), 0)) }

// words puts pointers and numbers one after another.
func (a *arena) words(list ...uint64) uint64 {
	var data []byte
	for _, w := range list {
		data = binary.LittleEndian.AppendUint64(data, w)
	}
	return a.put(data)
}

// descriptor puts a tree of one image: with the kernel "k" and a property of
// each type.
func (a *arena) descriptor(code string) uintptr {
	binaryBegin := a.put([]byte(code))
	entry := a.words(0, a.text("k"), 0, 0)
	value := a.put(props.Bytes([]byte{1, 2, 3}).Raw())
	properties := a.words(
		a.text("number"), 0, uint64(props.TypeUint32), 7,
		a.text("bytes"), value, uint64(props.TypeByteArray), 11)
	set := a.words(a.text("set"), properties, properties+64)
	image := a.words(2|4<<16|2<<24, a.text("spir64"), a.text("-c"), a.text("-l"), 0, 0,
		binaryBegin, binaryBegin+uint64(len(code)), entry, entry+32, set, set+24)
	at := a.words(1|1<<16, image, 0, 0)
	return uintptr(at)
}

func TestRead(t *testing.T) {
	a := newArena(t)
	const code = "the code of the image"
	images, err := Read(a.descriptor(code))
	if err != nil {
		t.Fatal(err)
	}
	img := images.List[0]
	got := []any{img.Kind, img.Format, img.Target, img.CompileOptions, img.LinkOptions, img.Entries}
	want := []any{devimg.KindSYCL, devimg.FormatSPIRV, "spir64", "-c", "-l", []string{"k"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if err := iotest.TestReader(io.NewSectionReader(img.Code, 0, img.Code.Size()), []byte(code)); err != nil {
		t.Error(err)
	}

	images.Detach()
	if err := syscall.Munmap(a.memory); err != nil {
		t.Fatal(err)
	}
	if _, err := devimg.ReadCode(img.Code); !errors.Is(err, ErrUnloaded) {
		t.Errorf("code after Detach: %v; want ErrUnloaded", err)
	}
	if n := img.Code.Size(); n != int64(len(code)) {
		t.Errorf("size %d after Detach; want %d", n, len(code))
	}
	// Everything else was copied: the memory is gone.
	set := img.Properties.Get("set")
	if v, _ := set.Get("bytes"); !bytes.Equal(v.Data(), []byte{1, 2, 3}) {
		t.Errorf("bytes = %v", v.Data())
	}
	if v, _ := set.Get("number"); v.Uint32() != 7 {
		t.Errorf("number = %v", v)
	}
	if img.Entries[0] != "k" || img.Target != "spir64" {
		t.Errorf("%q %q", img.Entries, img.Target)
	}
}

func TestReadRefuses(t *testing.T) {
	a := newArena(t)
	if _, err := Read(0); err == nil {
		t.Error("a null descriptor was read")
	}
	noImages := uintptr(a.words(1|1<<16, 0, 0, 0))
	if _, err := Read(noImages); err == nil {
		t.Error("a null array of images was read")
	}
}

// TestStringAtTheEnd: a string is not read past the page that it ends in.
func TestStringAtTheEnd(t *testing.T) {
	memory, err := syscall.Mmap(-1, 0, 2*pageSize, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	copy(memory[pageSize-4:], "end\x00")
	if err := syscall.Mprotect(memory[pageSize:], syscall.PROT_NONE); err != nil {
		t.Fatal(err)
	}
	at := uint64(uintptr(unsafe.Pointer(&memory[pageSize-4])))
	if s, err := process.CString(at); err != nil || string(s) != "end" {
		t.Errorf("%q, %v", s, err)
	}
	runtime.KeepAlive(memory)
}

// TestDetachWhileReading is for the race detector.
func TestDetachWhileReading(t *testing.T) {
	a := newArena(t)
	images, err := Read(a.descriptor("code"))
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for {
				code, err := devimg.ReadCode(images.List[0].Code)
				if errors.Is(err, ErrUnloaded) {
					return
				}
				if err != nil || string(code) != "code" {
					t.Errorf("%q, %v", code, err)
					return
				}
			}
		})
	}
	images.Detach()
	_ = syscall.Munmap(a.memory)
	wg.Wait()
}

// TestUnmapped: pointers to memory that cannot be read are errors.
func TestUnmapped(t *testing.T) {
	memory, err := syscall.Mmap(-1, 0, 2*pageSize, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mprotect(memory[pageSize:], syscall.PROT_NONE); err != nil {
		t.Fatal(err)
	}
	mapped.forgetMappings() // as Read does: other tests had memory that is gone
	base := uint64(uintptr(unsafe.Pointer(&memory[0])))
	if _, err := process.View(base, pageSize); err != nil {
		t.Error(err)
	}
	for i := range memory[:pageSize] {
		memory[i] = 'a'
	}
	for _, c := range []struct{ addr, n uint64 }{{base, pageSize + 1}, {base + pageSize, 1}, {8, 1}, {base + pageSize - 4, 8}} {
		if _, err := process.View(c.addr, c.n); err == nil {
			t.Errorf("%d bytes at %#x can be read", c.n, c.addr)
		}
	}
	for _, at := range []uint64{1, 8, base + pageSize} {
		// The address of nothing is not kept: it need not be one.
		if b, err := process.View(at, 0); err != nil || b == nil || uint64(uintptr(unsafe.Pointer(unsafe.SliceData(b)))) == at {
			t.Errorf("no bytes at %#x: %p, %v", at, b, err)
		}
	}
	if _, err := process.CString(base + 8); err == nil {
		t.Error("a string without an end can be read")
	}
	for address := uintptr(0); address < 64; address++ {
		if _, err := Read(address); err == nil {
			t.Errorf("a descriptor at %#x can be read", address)
		}
	}
}

// TestUnloaded: a descriptor in memory that was there when another one was read.
func TestUnloaded(t *testing.T) {
	a := newArena(t)
	descriptor := a.descriptor("code")
	if _, err := Read(descriptor); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Munmap(a.memory); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(descriptor); err == nil {
		t.Error("a descriptor in memory that was unmapped can be read")
	}
}

func TestParseMaps(t *testing.T) {
	got := parseMaps([]byte("1000-2000 r--p 0 0 0\n2000-3000 r-xp 0 0 0 /bin/a\n3000-4000 ---p 0\n5000-6000 rw-p\nnonsense\n7000-6000 r--p\n"))
	if want := []memoryRange{{0x1000, 0x3000}, {0x5000, 0x6000}}; !cmp.Equal(want, got, cmp.AllowUnexported(memoryRange{})) {
		t.Errorf("%v; want %v", got, want)
	}
}

// TestReadMissingPages: the system lists a mapping of a file as readable also where
// the file ends before it.
func TestReadMissingPages(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "short"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.Truncate(2 * pageSize); err != nil {
		t.Fatal(err)
	}
	memory, err := syscall.Mmap(int(f.Fd()), 0, 2*pageSize, syscall.PROT_READ, syscall.MAP_SHARED)
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Munmap(memory)
	if err := f.Truncate(0); err != nil {
		t.Fatal(err)
	}
	missing := uint64(uintptr(unsafe.Pointer(&memory[0])))
	a := newArena(t)
	const binary, target = 48, 8 // bytes from the start of the image's record
	at := a.descriptor("code")
	record := (*[12]uint64)(unsafe.Add(unsafe.Pointer(nil), *(*uint64)(unsafe.Add(unsafe.Pointer(nil), at+8))))

	whole := record[target/8]
	record[target/8] = missing
	if _, err := Read(at); err == nil || !strings.Contains(err.Error(), "cannot be read") {
		t.Errorf("a target string without pages: %v", err)
	}
	record[target/8] = whole
	record[binary/8], record[binary/8+1] = missing, missing+pageSize
	images, err := Read(at)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := devimg.ReadCode(images.List[0].Code); err == nil || !strings.Contains(err.Error(), "cannot be read") {
		t.Errorf("code without pages: %v", err)
	}
}

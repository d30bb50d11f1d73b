package dl

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
	"unsafe"

	"offlink/internal/testtool"
)

// buildLibrary compiles testdata/NAME.c into a shared library.
func buildLibrary(t testing.TB, name string) string {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("the test's library is built on Linux")
	}
	out := filepath.Join(t.TempDir(), "lib"+name+".so")
	cmd := exec.Command(testtool.Path(t, "gcc"), "-shared", "-fPIC", "-o", out, filepath.Join("testdata", name+".c"))
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return out
}

func openTestLibrary(t *testing.T) *Library {
	t.Helper()
	l, err := Open(buildLibrary(t, "calls"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	return l
}

func symbol(t *testing.T, l *Library, name string) uintptr {
	t.Helper()
	address, err := l.Symbol(name)
	if err != nil {
		t.Fatal(err)
	}
	return address
}

func TestOpenKeepsTheLoadersWords(t *testing.T) {
	if !Supported {
		t.Skip("no shared libraries here")
	}
	noLibrary := filepath.Join(t.TempDir(), "no-library.so")
	if err := os.WriteFile(noLibrary, []byte("text"), 0o666); err != nil {
		t.Fatal(err)
	}
	_, err := Open("/nowhere/liba.so", noLibrary)
	list, ok := errors.AsType[*OpenError](err)
	if !ok || len(list.Attempts) != 2 {
		t.Fatalf("got %v; want an OpenError with two attempts", err)
	}
	for _, path := range []string{"/nowhere/liba.so", noLibrary} {
		if !strings.Contains(err.Error(), path) {
			t.Errorf("%q does not name %s", err, path)
		}
	}
	if runtime.GOOS == "linux" && (!strings.Contains(err.Error(), "No such file") || !strings.Contains(err.Error(), "file too short")) {
		t.Errorf("%q lacks the loader's words", err)
	}
	if _, err := Open(); err == nil {
		t.Error("nothing was opened")
	}
}

func TestOpenTakesTheFirstThatWorks(t *testing.T) {
	path := buildLibrary(t, "calls")
	l, err := Open("/nowhere/liba.so", path)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if l.Path != path || len(l.Attempts) != 2 || l.Attempts[0].Err == nil || l.Attempts[1].Err != nil {
		t.Errorf("opened %s after %v", l.Path, l.Attempts)
	}
	if got := l.File("sum"); got != path {
		t.Errorf("File = %s; want %s", got, path)
	}
	if got := l.File("nobody"); got != path {
		t.Errorf("File without the symbol = %s; want %s", got, path)
	}
	if _, err := l.Symbol("nobody"); !errors.Is(err, ErrNoSymbol) || !strings.Contains(err.Error(), "nobody") {
		t.Errorf("Symbol(nobody): %v", err)
	}
}

func TestCall(t *testing.T) {
	l := openTestLibrary(t)
	if got := Call(symbol(t, l, "sum"), 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12); got != 650 {
		t.Errorf("sum = %d; want 650", got)
	}
	data := []byte{1, 2, 3}
	Call(symbol(t, l, "negate"), uintptr(unsafe.Pointer(&data[0])), 3)
	if data[0] != 255 || data[2] != 253 {
		t.Errorf("negate left %v", data)
	}
	if got := String(Call(symbol(t, l, "greet"))); got != "good day" {
		t.Errorf("greet = %q", got)
	}
	if got := Bytes(Call(symbol(t, l, "greet")), 4); string(got) != "good" {
		t.Errorf("Bytes = %q", got)
	}
	if String(0) != "" || Bytes(0, 3) != nil {
		t.Error("NULL is not empty")
	}
	if got := Call(symbol(t, l, "length"), uintptr(unsafe.Pointer(CString("twelve")))); got != 6 {
		t.Errorf("length = %d", got)
	}
}

// TestCallback: a thread that Go does not know calls Go.
func TestCallback(t *testing.T) {
	l := openTestLibrary(t)
	var seen uintptr
	f := NewCallback(func(value uintptr) uintptr { seen = value; return value + 1 })
	if got := Call(symbol(t, l, "on_thread"), f, 41); got != 42 || seen != 41 {
		t.Errorf("on_thread = %d, the callback saw %d", got, seen)
	}
}

// TestSignals: a library that takes signals over loses them again, and Go
// recovers from a nil pointer as before.
func TestSignals(t *testing.T) {
	l := openTestLibrary(t)
	saved := SaveSignals()
	Call(symbol(t, l, "take_signals"))
	changed := saved.Restore()
	if len(changed) != 3 || changed[0] != 8 || changed[1] != 11 || changed[2] != 12 {
		t.Errorf("put back signals %v; want 8, 11, 12", changed)
	}
	if again := saved.Restore(); len(again) != 0 {
		t.Errorf("put back %v a second time", again)
	}
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	var none *Library
	_ = none.Path
}

// BenchmarkCall is the cost of a call besides the function's.
func BenchmarkCall(b *testing.B) {
	l, err := Open(buildLibrary(b, "calls"))
	if err != nil {
		b.Fatal(err)
	}
	defer l.Close()
	sum, err := l.Symbol("sum")
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		Call(sum, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12)
	}
}

// TestBadFiles: files that would end the process or wait for ever are refused, and
// the reason is told where the loader's would mislead.
func TestBadFiles(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("files are looked at on Linux")
	}
	dir := t.TempDir()
	good, err := os.ReadFile(buildLibrary(t, "calls"))
	if err != nil {
		t.Fatal(err)
	}
	foreign := bytes.Clone(good)
	foreign[18], foreign[19] = 0x16, 0 // EM_S390
	pipe, loop := filepath.Join(dir, "pipe.so"), filepath.Join(dir, "loop.so")
	if err := errors.Join(exec.Command("mkfifo", pipe).Run(), os.Symlink(loop, loop)); err != nil {
		t.Fatal(err)
	}
	write := func(name string, data []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for path, want := range map[string]string{
		write("cut.so", good[:len(good)/4]): "ends within a segment", write("foreign.so", foreign): "it is for EM_S390",
		write("empty.so", nil): "file too short", write("head.so", good[:70]): "", pipe: "not a regular file", loop: "symbolic links", dir + "/": "directory",
	} {
		_, err := Open(path)
		if _, ok := errors.AsType[*OpenError](err); !ok || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), dir) {
			t.Errorf("%s: %v; want %q", path, err, want)
		}
	}
}

// TestSlowOpening: a driver that does not answer is named, one that does is not.
func TestSlowOpening(t *testing.T) {
	var out bytes.Buffer
	told := make(chan bool)
	err := opening("the slow one", func() error { <-told; return nil }, time.Millisecond, writerFunc(func(text []byte) {
		out.Write(text)
		close(told)
	}))
	if err != nil || !strings.Contains(out.String(), "offlink: the slow one has not answered for 1ms") {
		t.Errorf("%v; the message is %q", err, out.String())
	}
	out.Reset()
	if err := opening("the quick one", func() error { return nil }, time.Hour, &out); err != nil || out.Len() > 0 {
		t.Errorf("%v; the message is %q", err, out.String())
	}
}

type writerFunc func(text []byte)

func (f writerFunc) Write(text []byte) (int, error) { f(text); return len(text), nil }

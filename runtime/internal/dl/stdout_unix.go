//go:build (linux && (386 || amd64 || arm64 || riscv64)) || darwin || (freebsd && cgo)

package dl

import (
	"io"
	"os"
	"runtime"
	"sync"
	"unsafe"

	"github.com/ebitengine/purego"
)

// StandardOutput writes to C's standard output, for the libraries that C programs load: the
// lines that a program has printed before wait in its buffer, and would come after those that
// are written to the descriptor. It is os.Stdout in a process without a C library.
var StandardOutput = sync.OnceValue(func() io.Writer {
	find := func(name string) uintptr {
		address, _ := purego.Dlsym(purego.RTLD_DEFAULT, name)
		return address
	}
	variable := "stdout"
	if runtime.GOOS != "linux" {
		variable = "__stdoutp"
	}
	s := &stream{write: find("fwrite"), flush: find("fflush"), variable: find(variable)}
	if s.write == 0 || s.flush == 0 || s.variable == 0 {
		return os.Stdout
	}
	return s
})

// stream is a stream of C's, with the functions that write to one.
type stream struct {
	write, flush uintptr
	variable     uintptr // the FILE *, which the program may set
}

// Write writes the text after the text that the stream holds, and sends all of it to the file. The
// stream's lock keeps it in one piece.
func (s *stream) Write(text []byte) (int, error) {
	file := *(*uintptr)(pointerAt(s.variable))
	if file == 0 {
		return 0, os.ErrClosed
	}
	if len(text) == 0 {
		return 0, nil
	}
	n := int(Call(s.write, uintptr(unsafe.Pointer(unsafe.SliceData(text))), 1, uintptr(len(text)), file))
	if failed := int32(Call(s.flush, file)); failed != 0 || n < len(text) {
		return n, io.ErrShortWrite
	}
	return n, nil
}

//go:build (linux && (386 || amd64 || arm64 || riscv64)) || darwin || (freebsd && cgo)

package dl

import (
	"runtime"
	"sync"
	"unsafe"

	"github.com/ebitengine/purego"
)

// Supported reports whether this build can open shared libraries. purego
// supports FreeBSD without cgo only with compiler flags of its own.
const Supported = true

// lockThread keeps the goroutine on its thread until the function that it returns is called.
// The loader's error text belongs to a thread: purego opens a library and reads the text in
// one Go function, between which the goroutine could move to another thread.
func lockThread() func() {
	runtime.LockOSThread()
	return runtime.UnlockOSThread
}

func openLibrary(name string) (uintptr, error) {
	defer lockThread()()
	return purego.Dlopen(name, purego.RTLD_NOW|purego.RTLD_LOCAL)
}

// isLoaded asks for a library without loading it (RTLD_NOLOAD, whose number
// differs).
func isLoaded(name string) bool {
	defer lockThread()()
	noLoad, known := map[string]int{"linux": 0x4, "darwin": 0x10, "freebsd": 0x2000}[runtime.GOOS]
	if !known {
		return false
	}
	handle, err := purego.Dlopen(name, purego.RTLD_NOW|noLoad)
	if err != nil {
		return false
	}
	_ = purego.Dlclose(handle) // undoes the use that Dlopen has added
	return true
}

func closeLibrary(handle uintptr) error {
	defer lockThread()()
	return purego.Dlclose(handle)
}

func findSymbol(handle uintptr, name string) (uintptr, error) {
	defer lockThread()()
	return purego.Dlsym(handle, name)
}

// Call calls a C function whose arguments are integers and pointers, and
// returns its result. Go memory that an argument points to
// (uintptr(unsafe.Pointer(p)) in the argument list) stays in place until the
// function returns.
//
//go:uintptrescapes
func Call(function uintptr, args ...uintptr) uintptr {
	return callC(function, args...)
}

// NewCallback returns a C function pointer for a Go function with arguments
// and result of the size of a pointer. It is never freed, and a process has at
// most 2000: make them once. Threads of the driver may call it.
func NewCallback(f any) uintptr { return purego.NewCallback(f) }

// addressInfo is Dl_info of dlfcn.h.
type addressInfo struct {
	file       *byte
	base       uintptr
	symbolName *byte
	symbol     uintptr
}

var dladdr = sync.OnceValue(func() uintptr {
	address, _ := purego.Dlsym(purego.RTLD_DEFAULT, "dladdr")
	return address
})

// FlushStreams writes the buffers of C's standard streams out.
func FlushStreams() {
	if flush, err := purego.Dlsym(purego.RTLD_DEFAULT, "fflush"); err == nil && flush != 0 {
		Call(flush, 0) // of all streams
	}
}

func fileOfAddress(address uintptr) string {
	info := new(addressInfo)
	if dladdr() == 0 || Call(dladdr(), address, uintptr(unsafe.Pointer(info))) == 0 || info.file == nil {
		return ""
	}
	return String(uintptr(unsafe.Pointer(info.file)))
}

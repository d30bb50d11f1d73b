// Package filemap maps files into memory and makes errors of the faults that
// a mapping can raise.
//
// A mapped file costs no memory until it is read, and pages that were read can
// be given back. The price: reading a page that the file no longer has, since
// it became shorter, is a fault that ends the process (SIGBUS). [Guard] runs
// code that reads mappings and returns a [ChangedError] instead.
package filemap

import (
	"errors"
	"fmt"
	"os"
	"reflect"
	"runtime"
	"runtime/debug"
	"sync"
	"syscall"
)

// ChangedError says that a file became shorter while it was mapped.
type ChangedError struct{ Path string }

func (e *ChangedError) Error() string {
	return fmt.Sprintf("%s: the file became shorter while it was read", e.Path)
}

// mapping is the addresses of a mapping and the name of its file.
type mapping struct {
	begin, end uintptr
	path       string
}

// mappings are those that exist, by the address of their first byte. Faults at
// other addresses are faults of the program and not of a file.
var mappings = struct {
	sync.Mutex
	byBegin map[uintptr]mapping
}{byBegin: map[uintptr]mapping{}}

// Map maps the first size bytes of a file, which may be closed afterwards.
// An empty mapping is nil. The mapping must be read under [Guard].
func Map(f *os.File, size int64, writable bool) ([]byte, error) {
	if size == 0 {
		return nil, nil
	}
	data, err := mapFile(f, size, writable)
	if err != nil {
		return nil, err
	}
	begin := reflect.ValueOf(data).Pointer()
	mappings.Lock()
	mappings.byBegin[begin] = mapping{begin, begin + uintptr(len(data)), f.Name()}
	mappings.Unlock()
	return data, nil
}

// Unmap ends a mapping that [Map] made; nil is none.
func Unmap(data []byte) error {
	if len(data) == 0 {
		return nil
	}
	mappings.Lock()
	delete(mappings.byBegin, reflect.ValueOf(data).Pointer())
	mappings.Unlock()
	return unmapFile(data)
}

// Release gives back the memory of a mapping. Its bytes come back from the
// file when they are read.
func Release(data []byte) {
	if len(data) > 0 {
		releasePages(data)
	}
}

// Rename changes the name that errors about a mapping have: a temporary file
// stands for another.
func Rename(data []byte, path string) {
	if len(data) == 0 {
		return
	}
	begin := reflect.ValueOf(data).Pointer()
	mappings.Lock()
	defer mappings.Unlock()
	if m, ok := mappings.byBegin[begin]; ok {
		m.path = path
		mappings.byBegin[begin] = m
	}
}

// fileAt returns the name of the file that is mapped at an address.
func fileAt(address uintptr) (string, bool) {
	mappings.Lock()
	defer mappings.Unlock()
	for _, m := range mappings.byBegin {
		if address >= m.begin && address < m.end {
			return m.path, true
		}
	}
	return "", false
}

// FaultAddress returns the address whose access panicked, of a value that recover
// returned. ok is false for other panics, null pointers among them.
func FaultAddress(recovered any) (address uintptr, ok bool) {
	fault, ok := recovered.(interface {
		runtime.Error
		Addr() uintptr
	})
	if !ok {
		return 0, false
	}
	return fault.Addr(), true
}

// Guard calls read and returns its error, or a *[ChangedError] where it read
// bytes of a mapping that the file has no longer. It holds for the calling
// goroutine: one that read starts needs a guard of its own.
func Guard(read func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		fault := recover()
		if fault == nil {
			return
		}
		address, ok := FaultAddress(fault)
		if !ok {
			panic(fault)
		}
		path, mapped := fileAt(address)
		if !mapped {
			panic(fault)
		}
		err = &ChangedError{path}
	}()
	err = read()
	if errors.Is(err, syscall.EFAULT) {
		// The system, asked to write bytes of a mapping, says so instead.
		err = fmt.Errorf("%w: an input became shorter while it was read", err)
	}
	return err
}

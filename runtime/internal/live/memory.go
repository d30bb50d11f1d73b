// Package live reads device images out of the memory of this process, where
// the loader put the libraries that registered them.
package live

import (
	"bytes"
	"errors"
	"fmt"
	"runtime/debug"
	"unsafe"

	"offlink/filemap"
	"offlink/wrapper/abi"
)

// errNull is the error of a read through a null pointer.
var errNull = errors.New("a null pointer")

// process is the memory of this process.
type processMemory struct{}

var process abi.Memory = processMemory{}

// atOffset returns the bytes at an address outside Go's heap. The address of no bytes may be
// any number, which must not become a pointer of Go.
func atOffset(addr, n uint64) []byte {
	if n == 0 {
		return []byte{}
	}
	return unsafe.Slice((*byte)(unsafe.Add(unsafe.Pointer(nil), addr)), n)
}

// View implements abi.Memory. The bytes are the memory itself.
func (processMemory) View(addr, n uint64) ([]byte, error) {
	if addr == 0 {
		return nil, errNull
	}
	if n > 1<<47 || addr > 1<<63 {
		return nil, fmt.Errorf("%d bytes at %#x cannot lie in memory", n, addr)
	}
	if n > 0 && !mapped.holdsRange(addr, n) {
		return nil, fmt.Errorf("%d bytes at %#x are not memory of the process that can be read", n, addr)
	}
	return atOffset(addr, n), nil
}

// CString implements abi.Memory.
func (processMemory) CString(addr uint64) ([]byte, error) {
	if addr == 0 {
		return nil, errNull
	}
	for n := uint64(0); n < abi.MaxString; {
		// No further than the end of a page: the next may not be there.
		step := pageSize - (addr+n)%pageSize
		if !mapped.holdsRange(addr+n, step) {
			return nil, fmt.Errorf("the string at %#x runs into memory that cannot be read", addr)
		}
		if end := bytes.IndexByte(atOffset(addr+n, step), 0); end >= 0 {
			return atOffset(addr, n+uint64(end)), nil
		}
		n += step
	}
	return nil, fmt.Errorf("the string at %#x does not end", addr)
}

// Guard implements abi.Memory. Memory that the system lists as readable may be a
// mapping of a file that ends before it.
func (processMemory) Guard(read func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		fault := recover()
		if fault == nil {
			return
		}
		address, ok := filemap.FaultAddress(fault)
		if !ok {
			panic(fault)
		}
		err = fmt.Errorf("the memory at %#x cannot be read", address)
	}()
	return read()
}

// pageSize is the smallest page of any machine.
const pageSize = 4096

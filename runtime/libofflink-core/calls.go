// Package main is libofflink-core.so: the runtime that libofflink.so opens on
// first use. Its C interface is runtime/libofflink/core.h.
package main

/*
#cgo CFLAGS: -I${SRCDIR}/../libofflink -I${SRCDIR}/../../include
#include <stdlib.h>
#include "mailbox.h"
*/
import "C"

import (
	"errors"
	"fmt"
	"math"
	"os"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"offlink/runtime"
	"offlink/runtime/backends"
	"offlink/runtime/cache"
	"offlink/runtime/hostdev"
	"offlink/runtime/internal/dl"
)

func main() {} // a c-shared library has one and never runs it

func init() {
	hostdev.CollectLater()
	go serveCalls()
}

// current is the session of the process.
var current = sync.OnceValue(func() *session { return newSession(openBackends) })

// openBackends has the findings of the checked mode printed, as programs may
// drop the errors of launches.
func openBackends(c *cache.Cache, warn func(string)) []runtime.Backend {
	return backends.Lazy(backends.Options{Output: dl.StandardOutput(), Cache: c, Warn: warn, Findings: os.Stderr, Ending: exitBegan.Load})
}

// serveCalls answers calls of C until enough other goroutines do. A goroutine that finds
// itself the only one to wait starts another before it answers, so that a long call
// does not hold up others.
func serveCalls() {
	for {
		var alone C.int
		mail := C.offlink_next_mail(&alone)
		if mail == nil {
			return
		}
		if alone != 0 {
			go serveCalls()
		}
		C.offlink_answer_mail(mail, offlinkServeCall(mail.call))
	}
}

// offlinkServeCall serves a call, on a thread of Go or on its caller's.
//
//export offlinkServeCall
func offlinkServeCall(call *C.struct_offlink_call) C.int { return performCall(call) }

// errElsewhere says that a call would have to wait, which it must not do on its caller's
// thread: the caller makes it again on a thread of Go.
var errElsewhere = errors.New("the call waits")

// inUse counts the calls that are under way, so that shutdown at exit does
// not close objects that another thread uses.
var inUse sync.RWMutex

// performCall runs one call. An error becomes a status and a text; a panic is an
// error too: it must not end the host program.
func performCall(c *C.struct_offlink_call) (result C.int) {
	if c.function == C.OFFLINK_CORE_SHUTDOWN {
		shutdownAtExit()
		return C.int(statusOK)
	}
	if c.function == C.OFFLINK_CORE_END_DRIVERS {
		endDriversAtExit()
		return C.int(statusOK)
	}
	if c.exit_begun != 0 {
		exitBegan.Store(true)
	}
	passGate()
	inUse.RLock()
	defer inUse.RUnlock()
	defer func() {
		if p := recover(); p != nil {
			result = storeError(c, statusRuntime, fmt.Errorf("internal error of offlink: %v", p))
		}
	}()
	err := dispatchCall(current(), c)
	c.driver_grew = cBool(current().takeDriverGrowth())
	if list := current().takeWarnings(); list != "" {
		c.warnings = C.CString(list)
	}
	if err == errElsewhere {
		return C.OFFLINK_CALL_ELSEWHERE
	}
	if err != nil {
		return storeError(c, statusOf(err), err)
	}
	return C.int(statusOK)
}

func cBool(b bool) C.int {
	if b {
		return 1
	}
	return 0
}

func storeError(c *C.struct_offlink_call, s status, err error) C.int {
	c.error = C.CString(err.Error())
	return C.int(s)
}

// dispatchCall calls the session's method with the fields that core.h names.
func dispatchCall(s *session, c *C.struct_offlink_call) error {
	switch c.function {
	case C.OFFLINK_CORE_ADD_IMAGES:
		c.created = C.offlink_handle(s.addImages(uintptr(c.data), uintptr(c.base), C.GoString(c.text)))
		return nil
	case C.OFFLINK_CORE_DROP_IMAGES:
		s.dropImages(uint64(c.object))
		return nil
	case C.OFFLINK_CORE_DEVICE_OPEN:
		return openDevice(s, c)
	case C.OFFLINK_CORE_KERNEL_NAMES:
		return kernelNames(s, c)
	case C.OFFLINK_CORE_KERNEL_OPEN:
		return openKernel(s, c)
	case C.OFFLINK_CORE_BUFFER_CREATE:
		return createBuffer(s, c)
	case C.OFFLINK_CORE_BUFFER_READ:
		return transferCall(c, s.readBuffer)
	case C.OFFLINK_CORE_BUFFER_WRITE:
		return transferCall(c, s.writeBuffer)
	case C.OFFLINK_CORE_LAUNCH:
		return launchCall(s, c)
	case C.OFFLINK_CORE_CLOSE:
		s.closeHandle(uint64(c.object))
		return nil
	}
	return dispatchCommand(s, c)
}

func openKernel(s *session, c *C.struct_offlink_call) error {
	spec, err := constantsOf(c)
	if err != nil {
		return err
	}
	ref := runtime.KernelRef{Name: C.GoString(c.text), Spec: spec, RefuseDuplicates: c.flags&C.OFFLINK_KERNEL_REFUSE_DUPLICATES != 0}
	for _, name := range unsafe.Slice(c.functions, int(c.function_count)) {
		if name == nil {
			return invalidArgument("a function without a name")
		}
		ref.Functions = append(ref.Functions, C.GoString(name))
	}
	handle, args, err := s.openKernel(uint64(c.object), uintptr(c.base), ref)
	c.created, c.count = C.offlink_handle(handle), C.size_t(args)
	return err
}

func openDevice(s *session, c *C.struct_offlink_call) error {
	handle, name, err := s.openDevice(C.GoString(c.text))
	if err == nil {
		c.created, c.name = C.offlink_handle(handle), C.CString(name)
		c.quick = cBool(s.isQuick(handle))
	}
	return err
}

func kernelNames(s *session, c *C.struct_offlink_call) error {
	list := s.runtime.Registered().KernelNames()
	array, err := stringArray(list)
	if err == nil {
		c.names, c.count = array, C.size_t(len(list))
	}
	return err
}

// stringArray returns an array of C strings, all in one block from malloc.
func stringArray(list []string) (**C.char, error) {
	array, err := fillBlock(func(b *block) { b.putTexts(list) })
	return (**C.char)(array), err
}

func createBuffer(s *session, c *C.struct_offlink_call) error {
	initial, err := hostBytes(uintptr(c.data), c.size)
	if err != nil {
		return err
	}
	handle, bytes, err := s.createBuffer(uint64(c.object), int64(c.size), initial)
	c.created, c.address = C.offlink_handle(handle), unsafe.Pointer(unsafe.SliceData(bytes))
	c.memory = s.directMemory(handle)
	return err
}

func transferCall(c *C.struct_offlink_call, method func(buffer uint64, offset int64, data []byte) error) error {
	data, err := hostBytes(uintptr(c.data), c.size)
	if err != nil {
		return err
	}
	return method(uint64(c.object), int64(c.offset), data)
}

// launchCall runs a kernel.
func launchCall(s *session, c *C.struct_offlink_call) error {
	request := launches.Get().(*launchRequest)
	defer launches.Put(request)
	if err := fillRequest(request, c); err != nil {
		return err
	}
	if c.here != 0 {
		request.yield = takeSignals
	}
	if c.has_timeout != 0 || c.has_times != 0 {
		times, err := s.launchWith(uint64(c.object), request, timeoutOf(c), c.has_times != 0)
		storeTimes(c, times)
		return err
	}
	quick, err := s.launchKernel(uint64(c.object), request)
	c.quick = cBool(quick)
	if err == nil {
		s.allowDirect(request.kernel, c)
	}
	return err
}

func takeSignals() { C.offlink_take_signals() }

// fillRequest takes over the range and the arguments.
func fillRequest(r *launchRequest, c *C.struct_offlink_call) error {
	r.forgetLaunch()
	if err := fillRange(r, &c._range); err != nil {
		return err
	}
	for i := range unsafe.Slice(c.args, int(c.arg_count)) {
		arg := (*C.struct_offlink_core_arg)(unsafe.Add(unsafe.Pointer(c.args), uintptr(i)*unsafe.Sizeof(*c.args)))
		a := argument{kind: int(arg.kind), buffer: uint64(arg.buffer), size: uint64(arg.size)}
		if a.kind == argPointer {
			a.address = addressOf(unsafe.Pointer(arg.value))
		} else {
			value, err := hostBytes(uintptr(arg.value), arg.size)
			if err != nil {
				return err
			}
			a.value = value
		}
		r.args = append(r.args, a)
	}
	return nil
}

// hostBytes returns the memory of the host program, nil for NULL. The address of no bytes may
// be any number.
func hostBytes(data uintptr, size C.size_t) ([]byte, error) {
	switch {
	case uint64(size) > math.MaxInt64/2:
		return nil, invalidArgument("%d bytes are more than there can be", uint64(size))
	case data != 0 && data < firstPage && size > 0:
		return nil, invalidArgument("%#x is not the address of %d bytes", data, uint64(size))
	}
	return dl.Bytes(data, int(size)), nil
}

// firstPage is the size of the memory at address 0 that no process has, of which Go takes no
// pointers.
const firstPage = 4096

// fillRange takes over the range and checks it, which C did not. Sizes beyond the
// dimensions are ignored, and a local size of zeros leaves the choice to the device.
func fillRange(r *launchRequest, from *C.offlink_range) error {
	n := int(from.dimensions)
	if n < 1 || n > 3 {
		return invalidArgument("a range has 1 to 3 dimensions, not %d", n)
	}
	chosen, moved := false, false
	for i := range n {
		if uint64(from.global[i]) > math.MaxInt || uint64(from.local[i]) > math.MaxInt || uint64(from.offset[i]) > math.MaxInt {
			return invalidArgument("dimension %d of the range is too large", i)
		}
		r.sizes[0][i], r.sizes[1][i], r.sizes[2][i] = int(from.global[i]), int(from.local[i]), int(from.offset[i])
		chosen = chosen || from.local[i] != 0
		moved = moved || from.offset[i] != 0
	}
	r.size.Global = r.sizes[0][:n]
	if chosen {
		r.size.Local = r.sizes[1][:n]
	}
	if moved {
		r.size.Offset = r.sizes[2][:n]
	}
	return nil
}

// shutdownAtExit closes the runtime unless a thread still uses it. In that case the end
// of the process releases everything.
func shutdownAtExit() {
	if inUse.TryLock() {
		defer inUse.Unlock()
		current().closeAll()
	}
}

// exitBegan is set once the exit of the process is under way.
var exitBegan atomic.Bool

// endDriversAtExit ends the drivers. It closes them unless a thread still uses the
// runtime after the wait: a driver copes with such a thread or not, as in any program.
func endDriversAtExit() {
	exitBegan.Store(true)
	s := current()
	if !s.runtime.HasDrivers() {
		return
	}
	idle := lockWhenIdle(s)
	if idle {
		defer inUse.Unlock()
	}
	s.endDrivers(idle)
}

// gate holds new calls back while the exit waits for those under way; it is open if nil.
// A write lock would hold them back as well, but its waiting could not be given up.
var gate atomic.Pointer[chan struct{}]

// passGate waits until the gate is open.
func passGate() {
	if closed := gate.Load(); closed != nil {
		<-*closed
	}
}

// lockWhenIdle locks inUse once the calls under way have ended, including those of
// direct.c, which makes none from then on. It returns false if one takes longer than
// drainLimit, or buildLimit while a driver opens or a program builds.
func lockWhenIdle(s *session) bool {
	closed := make(chan struct{})
	gate.Store(&closed)
	defer close(closed)
	defer gate.Store(nil)
	const step = time.Millisecond
	for waited := time.Duration(0); ; waited += step {
		if endDirectCalls() && inUse.TryLock() {
			return true
		}
		if waited >= buildLimit || waited >= drainLimit && s.building.Load() == 0 {
			return false
		}
		time.Sleep(step)
	}
}

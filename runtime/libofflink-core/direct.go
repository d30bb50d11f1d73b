package main

/*
#cgo CFLAGS: -I${SRCDIR}/../libofflink -I${SRCDIR}/../../include
#include <stdlib.h>
#include <string.h>
#include "direct.h"
#include "mailbox.h"

static struct offlink_direct_kernel *new_direct_kernel(size_t count) {
  struct offlink_direct_kernel *k = calloc(1, sizeof *k + count * sizeof *k->parameters);
  if (k)
    k->count = count;
  return k;
}

static struct offlink_direct_parameter *direct_parameter(struct offlink_direct_kernel *k, size_t i) {
  return &k->parameters[i];
}

static void free_direct_kernel(struct offlink_direct_kernel *k) {
  for (size_t i = 0; i < k->count; i++)
    free(k->parameters[i].value);
  free(k);
}

static void set_direct_functions(struct offlink_direct_device *d, uintptr_t set_value, uintptr_t set_address, uintptr_t launch,
                                 uintptr_t copy, uintptr_t wait, uintptr_t release, uintptr_t finish) {
  d->set_value = (offlink_set_value *)set_value;
  d->set_address = (offlink_set_address *)set_address;
  d->launch = (offlink_native_launch *)launch;
  d->copy = (offlink_native_copy *)copy;
  d->wait = (offlink_native_wait *)wait;
  d->release = (offlink_native_object *)release;
  d->finish = (offlink_native_object *)finish;
}

// The lane is there before the number counts it: other threads read both without a lock.
static void add_direct_lane(struct offlink_direct_device *d, uintptr_t queue) {
  d->lane[d->lanes].queue = (void *)queue;
  __atomic_store_n(&d->lanes, d->lanes + 1, __ATOMIC_RELEASE);
}

static struct offlink_direct_state *next_lane_state(struct offlink_direct_device *d) { return &d->lane[d->lanes].state; }

static int has_idle_lane(struct offlink_direct_device *d) {
  for (unsigned i = 0; i < d->lanes; i++)
    if (!__atomic_load_n(&d->lane[i].busy, __ATOMIC_RELAXED))
      return 1;
  return 0;
}

static void count_freed_memory(void) { __atomic_add_fetch(&offlink_direct_freed, 1, __ATOMIC_RELEASE); }
*/
import "C"

import (
	"errors"
	"fmt"
	"sync"
	"unsafe"

	"offlink/runtime"
	"offlink/runtime/driver"
)

// directDevices are the devices whose drivers direct.c calls. The zero value is
// ready, and it is safe for concurrent use.
type directDevices struct {
	mu    sync.Mutex
	known map[*runtime.Device]*directDevice
}

// directDevice is the part of a device that direct.c uses. It stays until the process ends,
// as the objects of C point to it.
type directDevice struct {
	native *C.struct_offlink_direct_device
	lanes  []driver.Queue
}

// directDevice returns the directDevice of a device, or nil if its calls go through Go.
// With a trace all calls do.
func (s *session) directDevice(d *runtime.Device) *directDevice {
	caller, ok := d.Device.(driver.DirectCaller)
	if !ok || s.trace != nil {
		return nil
	}
	s.direct.mu.Lock()
	defer s.direct.mu.Unlock()
	if known, ok := s.direct.known[d]; ok {
		return known
	}
	if s.direct.known == nil {
		s.direct.known = make(map[*runtime.Device]*directDevice)
	}
	s.direct.known[d] = newDirectDevice(caller)
	return s.direct.known[d]
}

func newDirectDevice(caller driver.DirectCaller) *directDevice {
	calls, ok := caller.DirectCalls()
	if !ok {
		return nil
	}
	native := (*C.struct_offlink_direct_device)(C.calloc(1, C.sizeof_struct_offlink_direct_device))
	C.set_direct_functions(native, C.uintptr_t(calls.SetValue), C.uintptr_t(calls.SetAddress), C.uintptr_t(calls.Launch),
		C.uintptr_t(calls.Copy), C.uintptr_t(calls.Wait), C.uintptr_t(calls.Release), C.uintptr_t(calls.Finish))
	return &directDevice{native: native}
}

// addLane gives direct.c a further queue if it has no idle one. A failure only means
// that calls go through Go.
func (s *session) addLane(d *runtime.Device, direct *directDevice) {
	s.direct.mu.Lock()
	defer s.direct.mu.Unlock()
	if len(direct.lanes) == C.OFFLINK_LANES || C.has_idle_lane(direct.native) != 0 {
		return
	}
	q, err := d.NewQueue(driver.QueueOptions{})
	if err != nil {
		return
	}
	native, ok := q.(driver.DirectQueue)
	if !ok {
		_ = q.Close() // it was not used
		return
	}
	handle := native.Handle()
	native.ShareState((*driver.QueueState)(unsafe.Pointer(C.next_lane_state(direct.native))))
	direct.lanes = append(direct.lanes, q)
	C.add_direct_lane(direct.native, C.uintptr_t(handle))
}

// closeLanes closes the queues of direct.c, which must not make calls any more.
func (d *directDevices) closeLanes() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, direct := range d.known {
		if direct == nil {
			continue
		}
		for _, q := range direct.lanes {
			_ = q.Close() // the process ends
		}
		direct.lanes = nil
	}
}

// endDirectCalls makes all calls go through Go from now on. It reports whether none is
// under way in a driver.
func endDirectCalls() bool { return C.offlink_direct_end() != 0 }

// directMemory returns the native memory of a buffer for direct.c, the zero value if
// calls go through Go.
func (s *session) directMemory(handle uint64) (memory C.struct_offlink_direct_memory) {
	b, ok := s.handles.getHandle(handle).(*buffer)
	if !ok {
		return memory
	}
	native, ok := b.Memory.(driver.NativeHandle)
	direct := s.directDevice(b.device)
	if ok && direct != nil {
		memory.device, memory.address = direct.native, C.uint64_t(native.Handle())
	}
	return memory
}

// directKernel is the part of a kernel that direct.c uses.
type directKernel struct {
	once   sync.Once
	native *C.struct_offlink_direct_kernel // nil where launches go through Go
}

// allowDirect lets direct.c make later launches like that of c, which has succeeded: the
// driver has thus accepted the range. It stores the kernel's part of direct.c in c, or
// nil if direct.c cannot launch the kernel.
func (s *session) allowDirect(k *kernel, c *C.struct_offlink_call) {
	if direct := s.directDevice(k.device); direct != nil {
		c.direct_kernel = s.allowRange(k, direct, &c._range)
	}
}

func (s *session) allowRange(k *kernel, direct *directDevice, r *C.offlink_range) *C.struct_offlink_direct_kernel {
	k.direct.once.Do(func() { k.direct.native = newDirectKernel(k, direct) })
	if k.direct.native == nil || isEmptyRange(r) {
		return k.direct.native
	}
	s.addLane(k.device, direct)
	C.offlink_direct_allow(k.direct.native, r)
	return k.direct.native
}

// isEmptyRange reports whether a range has no work-items: not all drivers take it.
func isEmptyRange(r *C.offlink_range) bool {
	for i := range int(r.dimensions) {
		if r.global[i] == 0 {
			return true
		}
	}
	return false
}

func newDirectKernel(k *kernel, direct *directDevice) *C.struct_offlink_direct_kernel {
	shared, ok := k.Driver().(driver.DirectKernel)
	if !ok {
		return nil
	}
	native := C.new_direct_kernel(C.size_t(len(k.Params)))
	if native == nil {
		return nil
	}
	index := C.uint(0)
	for i, p := range k.Params {
		to := C.direct_parameter(native, C.size_t(i))
		if p.Removed {
			continue
		}
		to.index = index
		index++
		if !fillDirectParameter(to, p.Param) {
			C.free_direct_kernel(native)
			return nil
		}
	}
	native.device, native.kernel = direct.native, unsafe.Add(unsafe.Pointer(nil), shared.Handle())
	shared.ShareArguments((*driver.ArgumentGuard)(unsafe.Pointer(native)))
	return native
}

// fillDirectParameter describes a parameter, and reports whether direct.c can set it.
func fillDirectParameter(to *C.struct_offlink_direct_parameter, p driver.Param) bool {
	switch {
	case p.Kind == driver.ParamBuffer:
		to.kind = C.OFFLINK_DIRECT_BUFFER
	case p.Kind == driver.ParamLocal:
		to.kind = C.OFFLINK_DIRECT_LOCAL
	case p.Kind == driver.ParamValue && p.Size > 0:
		to.kind, to.size = C.OFFLINK_DIRECT_VALUE, C.size_t(p.Size)
		to.value = (*C.uchar)(C.calloc(1, to.size))
		return to.value != nil
	default:
		return false
	}
	return true
}

// closeDirect frees the memory of direct.c, after the driver's kernel was closed.
func (k *kernel) closeDirect() {
	if k.direct.native != nil {
		C.free_direct_kernel(k.direct.native)
	}
}

// Close releases the kernel.
func (k *kernel) Close() error {
	err := k.Kernel.Close()
	k.closeDirect()
	return err
}

// directFailure returns the error of a launch that direct.c has made and whose wait
// returned that status. It releases the event.
func (s *session) directFailure(handle, event uint64, status int) error {
	k, err := lookupHandle[*kernel](&s.handles, handle, "kernel")
	if err != nil {
		return err
	}
	shared, ok := k.Driver().(driver.DirectKernel)
	if !ok {
		return errors.New("internal error of offlink: the kernel's driver is not called directly")
	}
	return fmt.Errorf("kernel %s: %w", k.Name, shared.DirectFailure(event, status))
}

// directQueue is the part of a queue that direct.c uses.
type directQueue struct {
	// native is nil if the queue's calls go through Go. It is never freed: the counts
	// of a queue that was closed while it worked are read until its commands have
	// ended, and a thread that waited for the queue writes them then.
	native *C.struct_offlink_direct_queue
}

// shareQueue returns the part of a new queue that direct.c uses.
func (s *session) shareQueue(handle uint64) *C.struct_offlink_direct_queue {
	q, ok := s.handles.getHandle(handle).(*queue)
	if !ok {
		return nil
	}
	direct := s.directDevice(q.device)
	shared, ok := q.Queue.(driver.DirectQueue)
	if direct == nil || !ok {
		return nil
	}
	native := (*C.struct_offlink_direct_queue)(C.calloc(1, C.sizeof_struct_offlink_direct_queue))
	native.device, native.queue = direct.native, unsafe.Add(unsafe.Pointer(nil), shared.Handle())
	shared.ShareState((*driver.QueueState)(unsafe.Pointer(&native.state)))
	q.direct.native = native
	return native
}

// noteFreed makes direct.c set all addresses again, as later memory may get the address
// of freed memory. It is called before the memory is freed: another thread may get the
// memory, and launch with it, before the call that frees it returns.
func noteFreed() { C.count_freed_memory() }

package opencl

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"

	"offlink/runtime/driver"
	"offlink/runtime/internal/cl"
)

// argument is the present argument of a cl_kernel for a parameter: setting it again
// costs as much as a part of the launch, so equal ones are not set.
type argument struct {
	kind    argumentKind
	address uintptr   // argAddress, argLocal: the size
	buffer  cl.Handle // argBuffer
	value   []byte    // argValue
}

type argumentKind uint8

const (
	argUnset argumentKind = iota
	argValue
	argAddress
	argBuffer
	argLocal
)

// Launch sets the arguments and launches the kernel.
func (q *queue) Launch(k driver.Kernel, r driver.Range, args []driver.Arg, s driver.Sync) error {
	own, ok := k.(*kernel)
	if !ok || own.device != q.device {
		return errors.New("the kernel is not of this device")
	}
	if err := checkRange(r); err != nil {
		return fmt.Errorf("kernel %s: %w", own.name, err)
	}
	var err error
	if !s.Block && q.isPlain(s) {
		err = own.enqueueLaunch(q.handle, r, args, &cl.Order{})
	} else {
		err = q.submitCommand(cl.EnqueueNDRangeKernel, s, nil, func(o *cl.Order) error { return own.enqueueLaunch(q.handle, r, args, o) })
	}
	if err != nil {
		return fmt.Errorf("kernel %s: %w", own.name, err)
	}
	return nil
}

// checkRange holds that the slices are arrays of one length, as OpenCL reads them.
func checkRange(r driver.Range) error {
	n := len(r.Global)
	if n < 1 || n > 3 || r.Local != nil && len(r.Local) != n || r.Offset != nil && len(r.Offset) != n {
		return fmt.Errorf("the range has %d global, %d local sizes and %d offsets", n, len(r.Local), len(r.Offset))
	}
	for _, list := range [][]int{r.Global, r.Local, r.Offset} {
		for _, size := range list {
			if size < 0 {
				return fmt.Errorf("the range has a size of %d", size)
			}
		}
	}
	return nil
}

func (k *kernel) enqueueLaunch(queue cl.Handle, r driver.Range, args []driver.Arg, o *cl.Order) error {
	if len(args) != len(k.params) {
		return fmt.Errorf("%d arguments were given; it takes %d", len(args), len(k.params))
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	for i := range args {
		if err := k.setArgument(i, &args[i]); err != nil {
			return fmt.Errorf("argument %d: %w", i, err)
		}
	}
	return k.device.api.EnqueueKernel(queue, k.handle, r.Global, r.Local, r.Offset, o)
}

func (k *kernel) setArgument(i int, arg *driver.Arg) error {
	a := &k.set[i]
	switch {
	case k.params[i].Kind == driver.ParamOther:
		return fmt.Errorf("an image or a sampler: %w", driver.ErrUnsupported)
	case arg.Memory != nil:
		return k.setMemory(i, arg)
	case k.params[i].Kind == driver.ParamBuffer:
		return k.setPointerValue(i, arg.Value)
	case arg.Value != nil:
		if a.kind == argValue && bytes.Equal(a.value, arg.Value) {
			return nil
		}
		return k.rememberArgument(i, argument{kind: argValue, value: bytes.Clone(arg.Value)}, k.device.api.SetArgBytes(k.handle, i, arg.Value))
	case arg.LocalSize > 0:
		if a.kind == argLocal && a.address == uintptr(arg.LocalSize) {
			return nil
		}
		return k.rememberArgument(i, argument{kind: argLocal, address: uintptr(arg.LocalSize)}, k.device.api.SetArgLocal(k.handle, i, arg.LocalSize))
	}
	return errors.New("it is neither a value nor memory")
}

// rememberArgument remembers the argument that was set, or after a failure none.
func (k *kernel) rememberArgument(i int, a argument, err error) error {
	if err != nil {
		a = argument{}
	}
	k.set[i] = a
	return err
}

func (k *kernel) setMemory(i int, arg *driver.Arg) error {
	if v, ok := arg.Memory.(*addressedVariable); ok && v.program.device == k.device {
		return k.setAddress(i, v.address+uintptr(arg.Offset))
	}
	own, err := k.device.ownMemory(arg.Memory)
	if err != nil {
		return err
	}
	if err := driver.CheckRange(arg.Memory, arg.Offset, 0); err != nil {
		return err
	}
	if own.buffer == 0 {
		return k.setAddress(i, own.address+uintptr(arg.Offset))
	}
	return k.setBuffer(i, own, arg.Offset)
}

func (k *kernel) setAddress(i int, address uintptr) error {
	if a := &k.set[i]; a.kind == argAddress && a.address == address {
		return nil
	}
	f := cl.SetKernelArgMemPointerINTEL
	if k.device.able.memory != unifiedMemory {
		f = cl.SetKernelArgSVMPointer
	}
	return k.rememberArgument(i, argument{kind: argAddress, address: address}, k.device.api.SetArgPointer(f, k.handle, i, address))
}

// setPointerValue passes an address, or the null pointer, for a buffer.
func (k *kernel) setPointerValue(i int, value []byte) error {
	var address uint64
	switch len(value) {
	case 0:
	case 8:
		address = binary.LittleEndian.Uint64(value)
	default:
		return fmt.Errorf("%d bytes are no address", len(value))
	}
	if k.device.able.memory != buffers {
		return k.setAddress(i, uintptr(address))
	}
	if address != 0 {
		return fmt.Errorf("an address on a device without addresses: %w", driver.ErrUnsupported)
	}
	return k.rememberArgument(i, argument{}, k.device.api.SetArgHandle(k.handle, i, 0))
}

// setBuffer passes a buffer; a part of one is a sub-buffer, which is kept as
// long as the kernel.
func (k *kernel) setBuffer(i int, m *memory, offset int64) error {
	buffer := m.buffer
	if offset > 0 {
		sub, err := k.device.api.NewSubBuffer(buffer, offset, m.size-offset)
		if err != nil {
			return fmt.Errorf("byte %d of a buffer, where the device wants multiples of %d: %w", offset, k.device.info.MemoryAlignment, err)
		}
		k.subs = append(k.subs, sub)
		buffer = sub
	}
	if a := &k.set[i]; a.kind == argBuffer && a.buffer == buffer {
		return nil
	}
	return k.rememberArgument(i, argument{kind: argBuffer, buffer: buffer}, k.device.api.SetArgHandle(k.handle, i, buffer))
}

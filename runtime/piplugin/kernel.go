package piplugin

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"sync"

	"offlink/runtime/driver"
	"offlink/runtime/internal/cl"
	"offlink/runtime/internal/pi"
)

// kernel is a kernel. A plugin keeps its arguments in the pi_kernel, so that
// setting them and launching is done under a lock.
type kernel struct {
	program *program
	device  *Device
	handle  pi.Handle
	name    string
	params  []driver.Param

	mu   sync.Mutex
	set  []argument  // the arguments of the pi_kernel
	subs []pi.Handle // sub-buffers that arguments refer to
}

// argument is the present argument for a parameter: equal ones are not set
// again.
type argument struct {
	kind    argumentKind
	address uintptr   // argAddress; argLocal: the size
	buffer  pi.Handle // argBuffer
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

func (k *kernel) Name() string           { return k.name }
func (k *kernel) Params() []driver.Param { return append([]driver.Param(nil), k.params...) }

// Handle is the native handle of the kernel.
func (k *kernel) Handle() uint64 {
	return k.device.nativeHandle(pi.ExtKernelGetNativeHandle, k.handle)
}

// Close gives the kernel back.
func (k *kernel) Close() error {
	errs := []error{k.device.plugin.Release(pi.KernelRelease, k.handle)}
	for _, sub := range k.subs {
		errs = append(errs, k.device.plugin.Release(pi.MemRelease, sub))
	}
	return errors.Join(errs...)
}

// countParams asks for the number of parameters of native code. Their kinds
// are not told: arguments are passed as they come.
func (k *kernel) countParams() error {
	n, err := k.device.plugin.Number(pi.KernelGetInfo, cl.KernelNumArgs, k.handle)
	if err != nil {
		return fmt.Errorf("kernel %s: the plugin does not tell the number of its parameters: %w", k.name, err)
	}
	const most = 1 << 16
	k.params = make([]driver.Param, min(n, most))
	k.set = make([]argument, len(k.params))
	return nil
}

// Info asks about the kernel on its device.
func (k *kernel) Info() driver.KernelInfo {
	ask := func(param uint32) []uint64 {
		list, err := k.device.plugin.Numbers(pi.KernelGetGroupInfo, param, 8, k.handle, k.device.handle)
		if err != nil || len(list) == 0 {
			return []uint64{0}
		}
		return list
	}
	info := driver.KernelInfo{
		MaxGroup:          int(ask(cl.KernelWorkGroupSize)[0]),
		PreferredMultiple: int(ask(cl.KernelPreferredMultiple)[0]),
		LocalMemory:       int64(ask(cl.KernelLocalMemory)[0]),
		PrivateMemory:     int64(ask(cl.KernelPrivateMemory)[0]),
	}
	for i, n := range ask(cl.KernelCompileWorkGroupSize) {
		if i < 3 {
			info.RequiredGroup[i] = int(n)
		}
	}
	if size, err := k.device.plugin.SubGroupNumber(k.handle, k.device.handle, cl.KernelMaxSubGroupSizeForRange); err == nil {
		info.SubGroup = int(size)
	}
	if size, err := k.device.plugin.SubGroupNumber(k.handle, k.device.handle, cl.KernelCompileSubGroupSize); err == nil {
		info.RequiredSubGroup = int(size)
	}
	return info
}

// launch sets the arguments and launches the kernel in a queue.
func (k *kernel) launch(queue pi.Handle, r driver.Range, args []driver.Arg) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	for i := range args {
		if err := k.setArgument(i, &args[i]); err != nil {
			return fmt.Errorf("argument %d: %w", i, err)
		}
	}
	return k.device.plugin.Launch(queue, k.handle, r.Global, r.Local, r.Offset)
}

func (k *kernel) setArgument(i int, arg *driver.Arg) error {
	a := &k.set[i]
	switch {
	case arg.Memory != nil:
		return k.setMemory(i, arg)
	case k.params[i].Kind == driver.ParamBuffer:
		return k.setPointerValue(i, arg.Value)
	case arg.Value != nil:
		if a.kind == argValue && bytes.Equal(a.value, arg.Value) {
			return nil
		}
		return k.record(i, argument{kind: argValue, value: bytes.Clone(arg.Value)}, k.device.plugin.SetArgBytes(k.handle, i, arg.Value))
	case arg.LocalSize > 0:
		if a.kind == argLocal && a.address == uintptr(arg.LocalSize) {
			return nil
		}
		return k.record(i, argument{kind: argLocal, address: uintptr(arg.LocalSize)}, k.device.plugin.SetArgLocal(k.handle, i, arg.LocalSize))
	}
	return errors.New("it is neither a value nor memory")
}

// record remembers the argument that was set, or after a failure none.
func (k *kernel) record(i int, a argument, err error) error {
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
	return k.record(i, argument{kind: argAddress, address: address}, k.device.plugin.SetArgAddress(k.handle, i, address))
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
	if k.device.able.usm {
		return k.setAddress(i, uintptr(address))
	}
	if address != 0 {
		return fmt.Errorf("an address on a device without addresses: %w", driver.ErrUnsupported)
	}
	return k.record(i, argument{}, k.device.plugin.SetArgBytes(k.handle, i, make([]byte, 8)))
}

// setBuffer passes a buffer; a part of one is a sub-buffer, which is kept as
// long as the kernel.
func (k *kernel) setBuffer(i int, m *memory, offset int64) error {
	buffer := m.buffer
	if offset == 0 {
		if a := &k.set[i]; a.kind == argBuffer && a.buffer == buffer {
			return nil
		}
		return k.record(i, argument{kind: argBuffer, buffer: buffer}, k.device.plugin.SetArgBuffer(k.handle, i, buffer))
	}
	if offset == m.size {
		return fmt.Errorf("no bytes of a buffer: %w", driver.ErrUnsupported)
	}
	if align := int64(k.device.info.MemoryAlignment); align > 0 && offset%align != 0 {
		return fmt.Errorf("a part of a buffer at offset %d; the device takes multiples of %d: %w", offset, align, driver.ErrUnsupported)
	}
	sub, err := k.device.plugin.NewSubBuffer(buffer, offset, m.size-offset)
	if err != nil {
		return err
	}
	k.subs = append(k.subs, sub)
	return k.record(i, argument{}, k.device.plugin.SetArgBuffer(k.handle, i, sub))
}

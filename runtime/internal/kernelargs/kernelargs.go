// Package kernelargs sets the arguments of kernels whose driver keeps them in the
// kernel object (cl_kernel, pi_kernel). Setting one costs as much as a part of the
// launch, so those that the kernel has already are not set again.
package kernelargs

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"

	"offlink/runtime/driver"
)

// Setter is the driver's kernel object. Handles and addresses are as the driver
// counts them. Setting an argument twice replaces it.
type Setter interface {
	// SetBytes copies the bytes of a value.
	SetBytes(i int, value []byte) error
	// SetLocal asks for bytes of local memory.
	SetLocal(i int, size int64) error
	// SetAddress sets an address of unified or virtual memory, 0 for none.
	SetAddress(i int, address uintptr) error
	// SetBuffer sets a memory object. The offset in bytes is within the memory.
	SetBuffer(i int, buffer uintptr, offset, size int64) error
	// SetNull sets the null pointer on a device without addresses.
	SetNull(i int) error
	// Locate describes a memory of the kernel's device.
	Locate(m driver.Memory) (Location, error)
	// HasAddresses reports whether arguments can be addresses.
	HasAddresses() bool
	// Freed counts the memories of the device that were freed so far. Drivers reuse
	// the address or the handle of freed memory, and the kernel object may refer to
	// the memory itself: so an argument is set again after that, even to the same
	// address.
	Freed() uint64
}

// Location is where a memory lies: at an address, or in a memory object.
type Location struct {
	Address uintptr
	Buffer  uintptr // 0 for memory with an address
}

// Arguments are the present arguments of a kernel object. The kernel's lock guards
// them.
type Arguments struct {
	params  []driver.Param
	present []argument
	freed   uint64 // Setter.Freed when memories were last set
}

// argument is the value that a parameter was set to.
type argument struct {
	kind   argumentKind
	place  uintptr // argAddress; argBuffer: the handle
	offset int64   // argBuffer; argLocal: the size
	value  []byte  // argValue
}

type argumentKind uint8

const (
	argUnset argumentKind = iota
	argValue
	argAddress
	argBuffer
	argLocal
)

// New returns the arguments, none of them set, of a kernel object.
func New(params []driver.Param) Arguments {
	return Arguments{params: params, present: make([]argument, len(params))}
}

// SetAll sets the arguments of a launch.
func (a *Arguments) SetAll(k Setter, args []driver.Arg) error {
	if len(args) != len(a.params) {
		return fmt.Errorf("%d arguments were given; it takes %d", len(args), len(a.params))
	}
	a.forgetFreed(k.Freed())
	for i := range args {
		if err := a.setArgument(k, i, &args[i]); err != nil {
			return fmt.Errorf("argument %d: %w", i, err)
		}
	}
	return nil
}

// Forget forgets all arguments, when others may have set them.
func (a *Arguments) Forget() { clear(a.present) }

// forgetFreed forgets addresses and buffers once any memory was freed.
func (a *Arguments) forgetFreed(freed uint64) {
	if a.freed == freed {
		return
	}
	a.freed = freed
	for i := range a.present {
		if kind := a.present[i].kind; kind == argAddress || kind == argBuffer {
			a.present[i] = argument{}
		}
	}
}

func (a *Arguments) setArgument(k Setter, i int, arg *driver.Arg) error {
	switch {
	case a.params[i].Kind == driver.ParamOther:
		return fmt.Errorf("an image or a sampler: %w", driver.ErrUnsupported)
	case arg.Memory != nil:
		return a.setMemory(k, i, arg)
	case a.params[i].Kind == driver.ParamBuffer, a.params[i].Kind == driver.ParamUnknown && arg.Value == nil && arg.LocalSize == 0:
		return a.setPointer(k, i, arg.Value)
	case arg.Value != nil:
		return a.setValue(k, i, arg.Value)
	case arg.LocalSize > 0:
		if a.holds(i, argument{kind: argLocal, offset: arg.LocalSize}) {
			return nil
		}
		return a.remember(i, argument{kind: argLocal, offset: arg.LocalSize}, k.SetLocal(i, arg.LocalSize))
	}
	return errors.New("it is neither a value nor memory")
}

// holds reports whether the parameter is set to that already. It does not compare the bytes
// of values, which setValue does.
func (a *Arguments) holds(i int, wanted argument) bool {
	p := &a.present[i]
	return p.kind == wanted.kind && p.place == wanted.place && p.offset == wanted.offset
}

// remember notes the argument that was set. After a failure the parameter counts as unset.
func (a *Arguments) remember(i int, set argument, err error) error {
	if err != nil {
		set = argument{}
	}
	a.present[i] = set
	return err
}

func (a *Arguments) setValue(k Setter, i int, value []byte) error {
	if p := &a.present[i]; p.kind == argValue && bytes.Equal(p.value, value) {
		return nil
	}
	return a.remember(i, argument{kind: argValue, value: bytes.Clone(value)}, k.SetBytes(i, value))
}

func (a *Arguments) setMemory(k Setter, i int, arg *driver.Arg) error {
	at, err := k.Locate(arg.Memory)
	if err != nil {
		return err
	}
	if err := driver.CheckRange(arg.Memory, arg.Offset, 0); err != nil {
		return err
	}
	if at.Buffer == 0 {
		return a.setAddress(k, i, at.Address+uintptr(arg.Offset))
	}
	set := argument{kind: argBuffer, place: at.Buffer, offset: arg.Offset}
	if a.holds(i, set) {
		return nil
	}
	return a.remember(i, set, k.SetBuffer(i, at.Buffer, arg.Offset, arg.Memory.Size()-arg.Offset))
}

func (a *Arguments) setAddress(k Setter, i int, address uintptr) error {
	set := argument{kind: argAddress, place: address}
	if a.holds(i, set) {
		return nil
	}
	return a.remember(i, set, k.SetAddress(i, address))
}

// setPointer passes an address, or the null pointer, for a buffer.
func (a *Arguments) setPointer(k Setter, i int, value []byte) error {
	var address uint64
	switch len(value) {
	case 0:
	case 8:
		address = binary.LittleEndian.Uint64(value)
	default:
		return fmt.Errorf("%d bytes are not an address", len(value))
	}
	if k.HasAddresses() {
		return a.setAddress(k, i, uintptr(address))
	}
	if address != 0 {
		return fmt.Errorf("an address on a device without addresses: %w", driver.ErrUnsupported)
	}
	return a.remember(i, argument{}, k.SetNull(i))
}

package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"sync"

	"offlink/runtime"
	"offlink/runtime/driver"
)

// launchRequest is the part of a launch that comes from the caller, in memory that later
// launches reuse.
type launchRequest struct {
	size  driver.Range // in sizes
	sizes [3][3]int
	args  []argument
	yield func() // driver.Sync.Yield

	kernel *kernel // that was launched, stored by the session

	list  []driver.Arg
	words []byte // the addresses among the arguments
}

var launches = sync.Pool{New: func() any { return new(launchRequest) }}

// forgetLaunch forgets the launch before, and keeps none of its objects alive.
func (r *launchRequest) forgetLaunch() {
	clear(r.args)
	clear(r.list)
	*r = launchRequest{args: r.args[:0], list: r.list[:0], words: r.words[:0]}
}

// driverArgs returns the arguments for a kernel. They are valid until forgetLaunch.
func (r *launchRequest) driverArgs(s *session, k *kernel) ([]driver.Arg, error) {
	if err := k.CheckArgCount(len(r.args)); err != nil {
		return nil, err // before the arguments, of which C leaves out those beyond the kernel's
	}
	if need := 8 * len(r.args); cap(r.words) < need {
		r.words = make([]byte, 0, need)
	}
	for i := range r.args {
		arg, err := r.driverArg(s, k.device, &r.args[i])
		if err != nil {
			return nil, invalidArgument("kernel %s: argument %d: %v", k.Name, i, err)
		}
		r.list = append(r.list, arg)
	}
	return r.list, nil
}

func (r *launchRequest) driverArg(s *session, d *runtime.Device, arg *argument) (driver.Arg, error) {
	switch arg.kind {
	case argValue:
		if arg.value == nil && arg.size > 0 {
			return driver.Arg{}, errors.New("the value is NULL")
		}
		return driver.Arg{Value: arg.value}, nil
	case argPointer:
		start := len(r.words)
		r.words = binary.LittleEndian.AppendUint64(r.words, arg.address)
		return driver.Arg{Value: r.words[start:]}, nil
	case argLocal:
		return driver.Arg{LocalSize: max(int64(arg.size), 1)}, nil // not all drivers take 0
	case argBuffer:
		b, err := lookupHandle[*buffer](&s.handles, arg.buffer, "buffer")
		if err != nil {
			return driver.Arg{}, err
		}
		if b.device != d {
			return driver.Arg{}, fmt.Errorf("the buffer is on %v and the kernel on %v", b.device, d)
		}
		if arg.size > uint64(b.Size()) {
			return driver.Arg{}, fmt.Errorf("offset %d is beyond the end of a buffer of %d bytes", arg.size, b.Size())
		}
		return driver.Arg{Memory: b.Memory, Offset: int64(arg.size)}, nil
	}
	return driver.Arg{}, fmt.Errorf("%d is not a kind of argument; use the offlink_arg functions", arg.kind)
}

// ownValues makes the arguments the launch's own, for a command that runs
// after the call.
func ownValues(list []driver.Arg) []driver.Arg {
	size := 0
	for i := range list {
		size += len(list[i].Value)
	}
	owned := append([]driver.Arg(nil), list...)
	values := make([]byte, 0, size)
	for i := range owned {
		if owned[i].Value != nil {
			start := len(values)
			values = append(values, owned[i].Value...)
			owned[i].Value = values[start:len(values):len(values)]
		}
	}
	return owned
}

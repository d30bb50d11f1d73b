package driver

import (
	"context"
	"time"
)

// Aborter is a Queue that can be stopped while it works.
type Aborter interface {
	// Abort stops the running commands and drops the queued ones, and the
	// queue takes no more work: Finish and the commands' events return an error that wraps
	// the cause. It may be called at any time and from any goroutine, and
	// does not wait.
	Abort(cause error)
}

// CallerRunner is a Device whose queues, when they are idle, run a blocking
// command on the caller's goroutine, and whose other commands return at once.
// No call of a queue or an event enters code that is not Go's.
type CallerRunner interface {
	RunsOnCaller()
}

// Idler is a Queue that reports whether Finish would return at once.
type Idler interface {
	Idle() bool
}

// Checker is a Device that has a mode in which it looks for faults of kernels.
type Checker interface {
	// Checked returns the device in that mode: another one, with memory of its
	// own, which the driver closes.
	Checked() Device
}

// Timer is a Kernel that remembers how long it ran.
type Timer interface {
	// LastRun is how long its latest launch ran that has ended; 0 before.
	LastRun() time.Duration
}

// EventMaker is a Device that makes events which the host ends.
type EventMaker interface {
	NewEvent() (UserEvent, error)
}

// PointerQuerier is a Device that finds allocations by address.
type PointerQuerier interface {
	// Pointer describes the allocation that holds the address. ok is false
	// for an address that is not the device's.
	Pointer(address uint64) (p Pointer, ok bool)
}

// PrecompiledTaker is a Device that runs native code which was made of a module
// ahead of time, in place of compiling that.
type PrecompiledTaker interface {
	// OpenPrecompiled opens the code of a module, for Module.Precompiled. The result
	// stays owned by the device. The error is the reason why the code does not serve;
	// it is an ErrUnsupported if the device takes no such code at all.
	OpenPrecompiled(code, module []byte) (any, error)
}

// FunctionPointers is a Program that gives out pointers to functions, to be
// passed to kernels of this program and called there.
type FunctionPointers interface {
	// FunctionPointer returns the pointer to an exported function, or an
	// error that errors.Is ErrNotFound.
	FunctionPointer(name string) (uint64, error)
}

// LocalChooser is a Kernel that tells which local size its device chooses.
type LocalChooser interface {
	// ChooseLocal returns the local size of a launch with that range, whose own local
	// size is nil; an error if the kernel cannot have the range.
	ChooseLocal(r Range) ([]int, error)
}

// BinaryProgram is a Program that can be stored and loaded again.
type BinaryProgram interface {
	// Binary returns the program in the device's own form. It holds for this
	// device and this version of the driver.
	Binary() ([]byte, error)
}

// BinaryLoader is a Device that loads the binaries of a BinaryProgram.
type BinaryLoader interface {
	// LoadBinary makes the program again. Bytes that are not from this device
	// and driver are an error, never a crash.
	LoadBinary(ctx context.Context, binary []byte) (Program, error)
}

// NativeHandle is a Device, Memory, Queue, Event, Program or Kernel that has
// a handle of the native interface: a cl_mem, a CUdeviceptr, an address.
type NativeHandle interface {
	// Handle is the native handle. It stays owned by the object.
	Handle() uint64
}

// MemoryImporter is a Device that takes memory by its native handle.
type MemoryImporter interface {
	// ImportMemory makes a Memory of size bytes of the native handle of
	// memory of the same device. Close of the result leaves the native
	// memory, which must stay until then.
	ImportMemory(handle uint64, size int64) (Memory, error)
}

// QueueImporter is a Device that takes a queue by its native handle.
type QueueImporter interface {
	// ImportQueue makes a Queue of a native one, which stays the caller's.
	ImportQueue(handle uint64) (Queue, error)
}

// Partitioner is a Device that can be partitioned into sub-devices, which have contexts of
// their own.
type Partitioner interface {
	// SubDevices lists the sub-devices, none for a device that cannot be partitioned.
	// They live as long as the driver.
	SubDevices() ([]Device, error)
}

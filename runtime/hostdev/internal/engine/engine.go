// Package engine is the interface between the embedded device and the compiler of WebAssembly that
// runs its kernels. A compiler registers itself, so that a program which runs nothing, such as
// postlink, is linked without one: wazero makes tables when its packages are initialised.
package engine

import (
	"errors"
	"sync/atomic"
)

// Runtime compiles modules for one device. Its methods may be called from several goroutines.
type Runtime interface {
	// Instantiate compiles a module that imports the memory and the functions of the host.
	Instantiate(code []byte) (Module, error)
	// Close frees the code of all modules, none of which may run then.
	Close()
}

// Module is compiled code.
type Module interface {
	// Function returns an exported function with a stack of its own, for one goroutine at a time.
	Function(name string) Function
	// Close frees the code. It must not run then.
	Close()
}

// Function is an exported function of a module.
type Function interface {
	// Call takes its parameters from the stack and leaves its results there. An error is a trap,
	// or the panic of a function of the host; the function must not be called again then.
	Call(stack []uint64) error
}

// Host has the functions that modules import. Their parameters are on the stack.
type Host struct {
	Tick func(stack []uint64)
	Call func(stack []uint64)
}

// Open makes a runtime whose modules work in a memory, which it neither grows, moves nor frees.
type Open func(memory []byte, host Host) (Runtime, error)

var registered atomic.Pointer[Open]

// Register sets the compiler of this process. It is meant for functions init.
func Register(open Open) { registered.Store(&open) }

// New makes a runtime of the registered compiler.
func New(memory []byte, host Host) (Runtime, error) {
	open := registered.Load()
	if open == nil {
		return nil, errors.New("the program was built without a compiler of WebAssembly (package wazeroengine)")
	}
	return (*open)(memory, host)
}

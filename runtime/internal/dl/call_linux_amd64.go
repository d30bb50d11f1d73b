package dl

import (
	"sync"
	"unsafe"

	"github.com/ebitengine/purego"
)

// frame has the words that callFrame reads and writes; the assembly has its offsets.
type frame struct {
	function  uintptr
	arguments [FrameArguments]uintptr
	result    uintptr
}

// callFunction calls the function with the arguments of the frame.
func (f *frame) callFunction(function uintptr) uintptr {
	f.function = function
	cgocall(callFrameAddress, unsafe.Pointer(f))
	return f.result
}

// frames are on the heap: a stack of Go may move.
var frames = sync.Pool{New: func() any { return new(frame) }}

// callFrameAddress is that of callFrame.
var callFrameAddress uintptr

// cgocall calls a C function with one argument on the system's stack of the
// thread. The runtime gives it out to purego, which the commands are linked
// with, so that it works without cgo too.
//
//go:linkname cgocall runtime.cgocall
func cgocall(function uintptr, argument unsafe.Pointer) int32

// callC is purego's SyscallN for few arguments: that copies 800 bytes a call.
//
//go:uintptrescapes
func callC(function uintptr, args ...uintptr) uintptr {
	if len(args) > FrameArguments {
		result, _, _ := purego.SyscallN(function, args...)
		return result
	}
	f := frames.Get().(*frame)
	copy(f.arguments[:], args)
	result := f.callFunction(function)
	frames.Put(f)
	return result
}

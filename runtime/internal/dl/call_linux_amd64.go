package dl

import (
	"sync"
	"unsafe"

	"github.com/ebitengine/purego"
)

// frameArguments is how many arguments a frame has room for; calls with more
// go the way of other systems.
const frameArguments = 12

// frame has the words that callFrame reads and writes; the assembly has its offsets.
type frame struct {
	function  uintptr
	arguments [frameArguments]uintptr
	result    uintptr
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
	if len(args) > frameArguments {
		result, _, _ := purego.SyscallN(function, args...)
		return result
	}
	f := frames.Get().(*frame)
	f.function = function
	copy(f.arguments[:], args)
	cgocall(callFrameAddress, unsafe.Pointer(f))
	result := f.result
	frames.Put(f)
	return result
}

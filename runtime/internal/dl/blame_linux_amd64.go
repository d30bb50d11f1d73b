package dl

import (
	"encoding/binary"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"unsafe"

	"github.com/ebitengine/purego"
)

// Drivers and plugins end the process: by exit where their compiler finds a mistake, by a
// signal. A program that ends so, with status 0 maybe, tells nobody why. So calls that may
// do that are entered here with their thread and a text. A handler of exit, and handlers of
// the signals of crashes, write the text if it is that thread which ends the process.

const (
	blamedThreads = 32 // at the same time; calls of more threads have no text
	blamedSize    = 24 // of an entry
)

// blamedCall is an entry; the assembly has its layout.
type blamedCall struct {
	thread atomic.Int32 // 0: free
	_      int32
	text   *byte
	size   uintptr
}

// blamed are the calls under way. It is not heap memory, as handlers read it.
var blamed [blamedThreads]blamedCall

// earlier are the actions that the signals of crashes had, by the numbers of the signals.
var earlier [signalCount]signalAction

var exitHandlerAddress, signalHandlerAddress uintptr

// crashes are the signals whose default action is to end the process, and that drivers
// raise by their faults.
var crashes = []syscall.Signal{syscall.SIGILL, syscall.SIGABRT, syscall.SIGBUS, syscall.SIGFPE, syscall.SIGSEGV}

// blame has the text written if this thread ends the process before the function that it
// returns is called. That unlocks the goroutine from the thread.
func blame(text string) (done func()) {
	runtime.LockOSThread()
	watchExit()
	thread := int32(syscall.Gettid())
	for i := range blamed {
		// A thread's own entry stays where calls are nested: the outermost text is written.
		if blamed[i].thread.Load() == thread {
			break
		}
		if blamed[i].thread.CompareAndSwap(0, -1) {
			b := &blamed[i]
			b.text, b.size = unsafe.StringData(text), uintptr(len(text))
			b.thread.Store(thread)
			return func() {
				b.thread.Store(-1)
				b.text, b.size = nil, 0
				b.thread.Store(0)
				runtime.UnlockOSThread()
			}
		}
	}
	return runtime.UnlockOSThread
}

// exitFunction is exit of libc.
var exitFunction uintptr

// watchExit registers the handler of exit, once. on_exit, which passes the status, is
// glibc's.
var watchExit = sync.OnceFunc(func() {
	register, err := purego.Dlsym(purego.RTLD_DEFAULT, "on_exit")
	if err == nil {
		exitFunction, err = purego.Dlsym(purego.RTLD_DEFAULT, "exit")
	}
	if err == nil && exitFunction != 0 { // the handler calls it
		Call(register, exitHandlerAddress, 0)
	}
})

// watchCrashes puts signalHandler before the actions of the signals of crashes, which are
// among the saved ones.
func watchCrashes(s *Signals) {
	const handler = 0                     // the place in the kernel's struct
	model := s.actions[syscall.SIGSEGV-1] // Go has one: its flags and its way back serve for all
	if binary.NativeEndian.Uint64(model[handler:]) <= 1 {
		return
	}
	for _, signal := range crashes {
		own := s.actions[signal-1]
		earlier[signal] = own
		switch binary.NativeEndian.Uint64(own[handler:]) {
		case 0: // the default
			own = model
		case 1: // ignored
			continue
		}
		binary.NativeEndian.PutUint64(own[handler:], uint64(signalHandlerAddress))
		exchangeAction(int(signal), &own, nil)
	}
}

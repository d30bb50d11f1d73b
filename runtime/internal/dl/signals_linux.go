package dl

import (
	"syscall"
	"unsafe"
)

// Signals are the actions of all signals at one moment. Drivers replace them
// on first use: Intel's OpenCL driver installs handlers for fifteen signals,
// after which a nil pointer that Go would recover from ends the process.
type Signals struct{ actions [signalCount]signalAction }

const (
	signalCount = 64
	signalKill  = 9
	signalStop  = 19
	maskSize    = 8 // bytes of the kernel's signal set
)

// signalAction is struct sigaction as the kernel has it, which is at most 40
// bytes; its fields are not looked at.
type signalAction [64]byte

// SaveSignals records the actions of all signals. It asks the kernel itself:
// libc hides the signals that it uses.
func SaveSignals() *Signals {
	s := new(Signals)
	for i := range s.actions {
		exchangeAction(i+1, nil, &s.actions[i])
	}
	return s
}

// Restore puts back the actions that have changed since, and returns the
// signals.
func (s *Signals) Restore() (changed []int) {
	now := SaveSignals()
	for i := range s.actions {
		if now.actions[i] != s.actions[i] {
			exchangeAction(i+1, &s.actions[i], nil)
			changed = append(changed, i+1)
		}
	}
	return changed
}

func exchangeAction(signal int, set, old *signalAction) {
	if signal == signalKill || signal == signalStop {
		return
	}
	// A kernel that refuses leaves the action as it is, which the
	// comparison then sees.
	_, _, _ = syscall.RawSyscall6(syscall.SYS_RT_SIGACTION, uintptr(signal),
		uintptr(unsafe.Pointer(set)), uintptr(unsafe.Pointer(old)), maskSize, 0, 0)
}

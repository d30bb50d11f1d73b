// Package libcuda calls NVIDIA's driver API, libcuda, without cgo. It has the
// functions that the back end uses, one method each, with the names that the
// driver exports; a failure is a *driver.CallError with the function and the
// code's name.
//
// Calls are made on the thread of the caller. Those that need a context use
// the one that is current on that thread: the caller locks the goroutine to it
// (runtime.LockOSThread), calls PushCurrent, then the others, and PopCurrent.
//
// Handles and addresses are numbers. Go memory that is passed stays in place
// during the call; for a transfer that goes on after it the caller keeps it
// alive.
package libcuda

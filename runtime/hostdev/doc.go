// Package hostdev is the embedded device: a driver that runs SPIR-V kernels in
// this process, with no driver installed.
//
// The walk of a build: modules are read and linked (package spirv), the types
// laid out as OpenCL C does (types.go), constants evaluated and variables
// placed (constant.go, program.go), and the functions that kernels reach
// compiled to slot code (compile.go, emit_*.go, with the operations in ops_*.go
// and the functions of OpenCL.std in std_*.go). Anything that the device does
// not implement is refused there, with the function and the instruction.
//
// The walk of a launch: arguments become words (launch.go), work-groups run
// in parallel, each on one goroutine (group.go), and a work-item is an
// interpreter that runs its function until it ends, faults, or waits for its
// group (item.go).
//
// Kernels are not trusted: every access is checked against the allocation
// that its pointer was made for, so that what is out of bounds, a null pointer
// or a freed buffer is a Fault with kernel, work-item and source line; and
// endless kernels can be stopped.
package hostdev

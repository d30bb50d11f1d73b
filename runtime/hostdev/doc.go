// Package hostdev is the embedded device: a driver that runs SPIR-V kernels in
// this process, with no driver installed.
//
// A build reads and links the modules (package spirv), lays types out as
// OpenCL C does (types.go), evaluates constants and allocates variables
// (constant.go, program.go), and compiles the functions that kernels reach to
// slot code (compile.go, emit_*.go, with the operations in ops_*.go and the
// functions of OpenCL.std in std_*.go). It refuses everything that the device
// does not implement, with the function and the instruction.
//
// A launch turns the arguments into words (launch.go) and runs work-groups in
// parallel, each on one goroutine (group.go). A work-item is an interpreter
// that runs its function until it ends, faults, or waits for its group
// (item.go).
//
// Kernels are compiled as well, when they are first launched: lower*.go bring
// a kernel that the interpreter's compiler has accepted into the form of
// package lanes, which makes code for several work-items side by side, and
// native.go and worker.go run that. Where there is a cache and a C compiler, swap.go has
// native code made of the same form. All give the same bits, except that of an operation
// on two NaNs the result is either. The interpreter runs the
// kernels that are refused there, and everything with Options.Interpret.
//
// Kernels are not trusted: every access must lie within one allocation. An access out of
// bounds, through a null pointer or to a freed buffer is a Fault with kernel, work-item
// and source line. Endless kernels can be stopped.
package hostdev

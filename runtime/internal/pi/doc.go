// Package pi opens plugins of DPC++'s plugin interface (PI), shared libraries
// that export piPluginInit, and calls their functions. It knows the signatures
// and nothing of their use; package runtime/piplugin is the back end.
//
// Sources: pi.h, pi.def and pi_error.def of intel/llvm from 2021 to 2024, and
// the tables of the OpenCL plugins of six releases (functions.txt).
package pi

//go:generate go run gen.go

// Function is a function of the plugin interface.
type Function int

// String is the function's name in C.
func (f Function) String() string { return functionNames[f] }

// Handle is an object of a plugin: a pi_context, a pi_queue, ...
type Handle uintptr

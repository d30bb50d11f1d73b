// Package levelzero is the back end of Intel's GPUs, by the loader of Level
// Zero, libze_loader.so.1.
//
// It takes SPIR-V. Modules are linked by the descriptor of several modules
// (ZE_experimental_module_program) where the driver has it, else each is
// created for itself and zeModuleDynamicLink joins them (link.go). Specialization
// constants are set in the module before a driver sees it, and so are imports
// resolved and the module verified.
//
// A stream of a queue is an immediate command list with a barrier after each
// command; the events of package streams are events with a pool each
// (native.go).
//
// The package has never run on hardware: its tests use the loader with a driver of
// their own, which runs kernels on the embedded device.
package levelzero

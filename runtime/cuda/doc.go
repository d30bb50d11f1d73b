// Package cuda is the back end of NVIDIA's GPUs, by the driver API of
// libcuda.so.1; no toolkit is needed.
//
// It takes images of the target nvptx64: PTX, which the driver compiles and
// links for the device, and cubins. An object is a checked module (compile.go);
// a link gives all of them to the driver's linker, so that functions and
// variables of several shared libraries find each other, and adds the
// work-item functions of OpenCL that nobody defines (builtins.go).
//
// A device works in its primary context, the one that CUDA's runtime uses too, and has
// that made when it is first needed.
// Goroutines change threads, and a thread has one current context: each series
// of calls runs locked to its thread, with the context set for their time
// (Device.withContext), as the thread may be a host program's.
//
// An in-order queue is a stream; one out of order has several. A command that
// waits for an event which the host ends stays in the queue until then, as a
// stream could not be told that the event failed (queue.go). Kernels that run
// cannot be stopped: a queue is not a driver.Aborter, and Close
// leaves them.
package cuda

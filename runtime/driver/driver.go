// Package driver is the plugin interface: the operations that a back end
// offers to the runtime. It imports no other package of offlink, so that a back end needs
// only this package.
//
// The interfaces of this file, memory.go, queue.go and event.go are for every
// back end. Those of native.go are optional: the runtime asks for them by type
// assertion, as database/sql/driver does, and a back end that lacks one does
// without.
//
// There is one context for each device: memory, programs and events of one
// device may be used together, those of two devices may not.
//
// Every method may be called from several goroutines unless it says otherwise.
// The receiver of anything that has a Close calls it once, children before
// parents: kernels before their program, events before their queue, all of
// them before the driver. Memory, kernels and programs may be closed while commands use
// them: the commands run to their end. Errors of a native interface are CallErrors.
package driver

import (
	"context"
	"errors"
)

// Driver is one back end, opened.
type Driver interface {
	// Name is the back end's name in selectors: "host", "opencl", "cuda", ...
	Name() string
	// Devices lists the devices; they live as long as the driver.
	Devices() ([]Device, error)
	Close() error
}

// Device is one device of a back end, with its context.
type Device interface {
	Info() Info
	// Accepts returns nil if the device can build an image of this format and target,
	// otherwise the reason, which is shown to users.
	Accepts(Image) error
	// Compile makes an object of one module. The driver's whole log is in the
	// BuildError when it fails.
	Compile(ctx context.Context, m Module, opts CompileOptions) (Object, error)
	// Link makes a program of objects of this device, which may be linked
	// again and closed afterwards. The first object's kernels come first
	// if the order is visible. A failure is a BuildError.
	Link(ctx context.Context, objects []Object, opts LinkOptions) (Program, error)
	// Alloc returns zeroed memory of size bytes, aligned for every type of
	// OpenCL C. A kind that the device lacks is ErrUnsupported.
	Alloc(kind MemoryKind, size int64) (Memory, error)
	NewQueue(opts QueueOptions) (Queue, error)
}

// FormatOfflinkNative is the format of images that no device takes by themselves:
// native code of the embedded device, which is taken with the SPIR-V that it was
// made of (PrecompiledTaker). Other devices have native code of the same target.
const FormatOfflinkNative = "offlink-native"

// Image describes the kind of an image, without its bytes.
type Image struct {
	Format string // "spirv", "native", "llvmbc", FormatOfflinkNative
	Target string // the target string, "spir64"
	// CompileTarget is DPC++'s name of the devices that the code was compiled for,
	// "nvidia_gpu_sm_80"; "" where the image does not say.
	CompileTarget string
}

// Module is one image's code.
type Module struct {
	Name string // for messages: file and image
	Image
	Code []byte
	// HostNames maps the host's names of program-scope variables to the names in the
	// code, for code that does not state them itself.
	HostNames map[string]string
	// Precompiled is native code of the module as PrecompiledTaker returned it, nil
	// without.
	Precompiled any
}

// CompileOptions are the options of one module.
type CompileOptions struct {
	// Options is the image's own string, as the driver spells options.
	Options string
	// Hints are the wishes of the image's properties.
	Hints CompileHints
	// SpecConstants are the values of specialization constants by their
	// number in the module, little-endian. Numbers that the module lacks are
	// ignored.
	SpecConstants map[uint32][]byte
	// SpecBuffer has all values one after another, defaults too, for code that
	// has no specialization constants and reads memory instead (emulated
	// ones). It is nil for SPIR-V, and for modules without.
	SpecBuffer []byte
}

// CompileHints are the wishes of an image about the compiler of a driver, which each back end
// spells for its drivers, or leaves out where they mean nothing.
type CompileHints struct {
	// Unoptimized: the code was compiled without optimization, as for a debugger.
	Unoptimized bool
	// ExplicitSIMD: the kernels are for the vector compiler of Intel's GPUs.
	ExplicitSIMD bool
	// GlobalAddresses: the host asks for the addresses of the program's variables.
	GlobalAddresses bool
	// Registers is how many registers the kernels want, on Intel's GPUs.
	Registers RegisterMode
}

// RegisterMode is a choice of the size of a GPU's register file.
type RegisterMode uint8

// The modes of registers.
const (
	RegistersDefault   RegisterMode = iota // as the driver likes
	RegistersLarge                         // as many as there are, with fewer threads
	RegistersAutomatic                     // the driver decides for each kernel
)

// LinkOptions are the options of a program.
type LinkOptions struct {
	Options string
}

// Object is a compiled module. It is not changed by linking.
type Object interface {
	Close() error
}

// Program is linked code that can run.
type Program interface {
	// Kernel returns the kernel of that name, or an error that errors.Is
	// ErrNotFound.
	Kernel(name string) (Kernel, error)
	// Variable returns the program-scope variable with that linkage name or
	// host name, for the transfers of queues, or an error that errors.Is
	// ErrNotFound. It lives as long as the program and needs no Close. It is
	// an Addresser if the driver returns the address.
	Variable(name string) (Memory, error)
	// Close releases the program and its variables once the commands that were
	// submitted before have ended, as that of Memory does. It does not wait.
	Close() error
}

// Kernel is one kernel of a program.
type Kernel interface {
	Name() string
	// Params describes the parameters as the device code has them.
	Params() []Param
	// Info describes the kernel on this device.
	Info() KernelInfo
	// Close releases the kernel; launches that were submitted before run to their end.
	Close() error
}

// KernelInfo describes a kernel on its device. A field is 0 if the driver does not report
// it.
type KernelInfo struct {
	RequiredGroup     [3]int // the local size that the code asks for; 0: any
	MaxGroup          int    // work-items of a work-group
	PreferredMultiple int    // of the number of work-items of a work-group
	LocalMemory       int64  // bytes that a work-group uses, without arguments
	PrivateMemory     int64  // bytes that a work-item uses
	SubGroup          int    // work-items of a sub-group
	RequiredSubGroup  int    // that the code asks for; 0: any
	Uneven            bool   // a launch may have a local size that does not divide its global size
}

// ParamKind says how an argument is passed.
type ParamKind int

// The kinds of parameters.
const (
	ParamValue   ParamKind = iota // Size bytes by value
	ParamBuffer                   // a pointer to global or constant memory
	ParamLocal                    // a pointer to local memory
	ParamOther                    // pipes, queues: not settable
	ParamImage                    // an ImageMemory
	ParamSampler                  // a Sampler
	ParamUnknown                  // the driver does not describe it: any argument but those
)

// Param is one kernel parameter. Size is in bytes, 0 if the driver does not report it.
type Param struct {
	Kind ParamKind
	Size int
	Type string // as the source spells it where known, else ""
	Name string // in the source where known, else ""
}

// BuildOptions are the options of Build.
type BuildOptions struct {
	// SpecConstants are values by specialization number, the same for all
	// modules.
	SpecConstants map[uint32][]byte
	Options       string // of the link
}

// Build compiles the modules and links them, for a caller that keeps no
// objects.
func Build(ctx context.Context, d Device, modules []Module, opts BuildOptions) (p Program, err error) {
	objects := make([]Object, 0, len(modules))
	defer func() {
		for _, o := range objects {
			if closed := o.Close(); closed != nil && err == nil {
				p, err = nil, errors.Join(closed, p.Close())
			}
		}
	}()
	for _, m := range modules {
		o, err := d.Compile(ctx, m, CompileOptions{SpecConstants: opts.SpecConstants})
		if err != nil {
			return nil, err
		}
		objects = append(objects, o)
	}
	return d.Link(ctx, objects, LinkOptions{Options: opts.Options})
}

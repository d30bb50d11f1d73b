// Package driver is the plugin interface: what a back end offers to the
// runtime. It imports nothing of ours, so that a back end needs this package
// and no other.
//
// Every method may be called from several goroutines unless it says otherwise.
// Everything that has a Close is closed by whoever received it, children
// before parents; Close is called once.
package driver

import "context"

// Driver is one back end, opened.
type Driver interface {
	// Name is the back end's name in selectors: "host", "opencl", "cuda", ...
	Name() string
	// Devices lists the devices; they live as long as the driver.
	Devices() ([]Device, error)
	Close() error
}

// Device is one device of a back end.
type Device interface {
	Info() Info
	// Accepts tells whether the device can build an image of this format and
	// target. The error, nil if it can, is the reason that a refusal shows.
	Accepts(Image) error
	// Build makes a program of the modules, linked together. The driver's
	// whole log is in the BuildError when it fails.
	Build(ctx context.Context, modules []Module, opts BuildOptions) (Program, error)
	// Alloc returns zeroed device memory of size bytes.
	Alloc(size int64) (Memory, error)
	// NewQueue returns an in-order queue.
	NewQueue() (Queue, error)
}

// Info describes a device.
type Info struct {
	Name          string
	Vendor        string
	Version       string // of the device or its driver
	Type          Type
	ComputeUnits  int
	MaxWorkGroup  int // work-items
	LocalMemory   int64
	GlobalMemory  int64
	MaxAllocation int64
	Formats       []string // image formats taken: "spirv", "llvmbc", "native"
}

// Type is the type of a device, in the spelling of selectors.
type Type string

// The device types.
const (
	CPU         Type = "cpu"
	GPU         Type = "gpu"
	Accelerator Type = "fpga"
)

// Image says what an image is, without its bytes.
type Image struct {
	Format string // "spirv", "native", "llvmbc"
	Target string // the target string, "spir64"
}

// Module is one image's code for a build.
type Module struct {
	Name string // for messages: file and image
	Image
	Code           []byte
	CompileOptions string
	LinkOptions    string
}

// BuildOptions are the options of a whole program.
type BuildOptions struct {
	// SpecConstants are values by specialization id.
	SpecConstants map[uint32][]byte
}

// Program is built code.
type Program interface {
	// Kernel returns the kernel of that name, or an error that errors.Is
	// ErrNotFound.
	Kernel(name string) (Kernel, error)
	// Variable returns the memory of the program-scope variable with that
	// linkage name, or an error that errors.Is ErrNotFound. It lives as long
	// as the program and needs no Close.
	Variable(name string) (Memory, error)
	Close() error
}

// Kernel is one kernel of a program.
type Kernel interface {
	Name() string
	// Params describes the parameters as the device code has them.
	Params() []Param
	Close() error
}

// ParamKind tells how an argument is passed.
type ParamKind int

// The kinds of parameters.
const (
	ParamValue  ParamKind = iota // Size bytes by value
	ParamBuffer                  // a pointer to global or constant memory
	ParamLocal                   // a pointer to local memory
	ParamOther                   // images, samplers: not settable yet
)

// Param is one kernel parameter. Size is in bytes and 0 where the driver does
// not tell.
type Param struct {
	Kind ParamKind
	Size int
	Type string // as the source spells it where known, else ""
}

// Arg is one kernel argument: exactly one of the fields is used.
type Arg struct {
	Value     []byte // ParamValue: little-endian bytes
	Memory    Memory // ParamBuffer
	Offset    int64  // bytes into Memory
	LocalSize int64  // ParamLocal: bytes
}

// Range is an ND-range of one to three dimensions. Local is nil where the
// device may choose; else it has the dimensions of Global and divides it.
type Range struct {
	Global []int
	Local  []int
	Offset []int // nil: zero
}

// Memory is device memory.
type Memory interface {
	Size() int64
	Close() error
}

// Addresser is a Memory whose address kernels may find in arguments passed by
// value, or in other memory. The memory lives as long as a launch that uses it
// so.
type Addresser interface {
	// Address is the device address of the first byte; that of byte n is n
	// more.
	Address() uint64
}

// Queue runs commands in order. A queue is used by one goroutine at a time.
type Queue interface {
	Write(m Memory, offset int64, data []byte) error
	Read(m Memory, offset int64, data []byte) error
	// Launch starts a kernel and returns when it was accepted; errors of the
	// run itself may come from Finish. Either names the kernel.
	Launch(k Kernel, r Range, args []Arg) error
	// Finish waits for everything queued and reports the first failure.
	Finish() error
	Close() error
}

// Aborter is a Queue that can be stopped while it works.
type Aborter interface {
	// Abort stops what runs and drops what is queued, and the queue takes no
	// more work: Finish returns an error that wraps the cause. It may be
	// called at any time and from any goroutine, and does not wait.
	Abort(cause error)
}

package driver

// QueueOptions are the properties of a queue.
type QueueOptions struct {
	// OutOfOrder lets commands run in any order that their events and
	// barriers allow, and at the same time.
	OutOfOrder bool
	// Profiling makes Event.Times available.
	Profiling bool
}

// Sync says when a command may start, and how its end is reported. The zero value
// is a command that starts in the queue's order, and has no event.
type Sync struct {
	// After are events of this device that must have ended first. If one
	// failed, the command fails without being run.
	After []Event
	// Done, if not nil, receives the event of the command. The receiver
	// closes it.
	Done *Event
	// Block has the call return when the command has ended, with its error.
	// On an idle queue that may run on the caller's thread.
	Block bool
	// Yield, if set with Block, is called about once a millisecond while the
	// command runs on the caller's goroutine, and only there. Devices that are
	// CallerRunners honor it; others ignore it.
	Yield func()
}

// Queue takes commands. An in-order queue runs them one after another; once
// one has failed, those after it fail too, up to Finish, which reports the
// first failure.
//
// Each method returns when the command was accepted; with an error, none was.
// Host memory that is passed belongs to the command until it has ended.
type Queue interface {
	// Write copies data to the memory, Read the memory to data.
	Write(m Memory, offset int64, data []byte, s Sync) error
	Read(m Memory, offset int64, data []byte, s Sync) error
	// Copy copies size bytes between two memories of the device, or within
	// one where the ranges do not overlap.
	Copy(to Memory, toOffset int64, from Memory, fromOffset, size int64, s Sync) error
	// Fill repeats the pattern of 1 to 128 bytes, a power of two, over size
	// bytes, a multiple of its length.
	Fill(m Memory, offset, size int64, pattern []byte, s Sync) error
	// Launch runs a kernel. Its errors name the kernel.
	Launch(k Kernel, r Range, args []Arg, s Sync) error
	// Barrier ends when every command before it has ended; commands after it
	// start then.
	Barrier(s Sync) error
	// Flush has the device start the commands, and does not wait for them.
	Flush() error
	// Finish waits for everything queued and reports the first failure since
	// the last Finish.
	Finish() error
	// Close drops the commands that have not ended, except those that the driver has
	// started and cannot stop: they run to their end. No other call may be under way.
	Close() error
}

// Range is an ND-range of one to three dimensions. Local is nil where the
// device may choose; else it has the dimensions of Global and divides it.
type Range struct {
	Global []int
	Local  []int
	Offset []int // nil: zero
}

// Arg is one kernel argument: exactly one of the fields is used. A nil Memory
// is the null pointer.
type Arg struct {
	Value     []byte // ParamValue: little-endian bytes; ParamBuffer: a device address
	Memory    Memory // ParamBuffer; ParamImage: an ImageMemory
	Offset    int64  // bytes into Memory
	LocalSize int64  // ParamLocal: bytes
	Sampler   *Sampler
}

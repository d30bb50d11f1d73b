package driver

// MemoryKind is the place of memory: the kinds are those of allocations of unified
// shared memory.
type MemoryKind int

// The kinds of memory.
const (
	DeviceMemory MemoryKind = iota + 1 // of the device; the host reaches it by transfers
	HostMemory                         // of the host; the device reaches it too
	SharedMemory                       // of both; it moves
)

// String is the kind in messages.
func (k MemoryKind) String() string {
	switch k {
	case DeviceMemory:
		return "device"
	case HostMemory:
		return "host"
	case SharedMemory:
		return "shared"
	}
	return "unknown"
}

// Memory is memory that the device reaches.
type Memory interface {
	Size() int64
	Kind() MemoryKind
	// Close releases the memory once the commands that were submitted before
	// have ended, in queues that are open and in those that were closed. It
	// does not wait for them: a queue may wait for an event of the host. No
	// later command names the memory.
	Close() error
}

// Addresser is a Memory whose address kernels may find in arguments passed by
// value, in structs or in other memory. The memory lives as long as a launch
// that uses it so.
type Addresser interface {
	// Address is the device address of the first byte; that of byte n is n
	// more. That of host and shared memory is the host's address too.
	Address() uint64
}

// HostVisible is a Memory that the host reads and writes directly; host and
// shared memory are, and device memory may be.
type HostVisible interface {
	// Bytes is the memory itself, valid until Close. The host must not use it
	// while a command does, unless both use atomic operations.
	Bytes() []byte
}

// Pointer describes an address, as clGetMemAllocInfoINTEL does.
type Pointer struct {
	Memory Memory // the allocation
	Offset int64  // of the address in it
}

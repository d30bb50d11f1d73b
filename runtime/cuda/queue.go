package cuda

import (
	"fmt"
	"sync"

	"offlink/runtime/driver"
	"offlink/runtime/internal/libcuda"
	"offlink/runtime/internal/streams"
)

// queue is a queue with the commands of CUDA.
type queue struct {
	*streams.Queue
	device *Device
	// scratch is for launches that nobody waits for; the queue's lock guards
	// it, as it does programs.
	scratch     libcuda.Launch
	lastProgram *launchVariables
	programs    programSet
}

// programSet are the programs that a queue launched kernels of.
type programSet struct {
	mu   sync.Mutex
	list map[*launchVariables]bool
}

func (p *programSet) insert(v *launchVariables) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.list == nil {
		p.list = map[*launchVariables]bool{}
	}
	p.list[v] = true
}

// endStream tells the programs that a stream has no more work.
func (p *programSet) endStream(s streams.Stream) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for v := range p.list {
		v.forgetStream(libcuda.Stream(s))
	}
}

func newQueue(d *Device, opts driver.QueueOptions) (*queue, error) {
	q := &queue{device: d}
	var err error
	if q.Queue, err = d.streams.NewQueue(opts, q.programs.endStream); err != nil {
		return nil, err
	}
	return q, nil
}

// Write copies data into memory. Of memory that the driver does not know it
// makes a copy before the call returns.
func (q *queue) Write(m driver.Memory, offset int64, data []byte, s driver.Sync) error {
	to, err := q.device.rangeAddress(m, offset, int64(len(data)))
	if err != nil {
		return fmt.Errorf("Write: %w", err)
	}
	if len(data) == 0 {
		return q.Barrier(s)
	}
	return q.Enqueue(s, func(stream streams.Stream) error { return q.device.library.Write(to, data, libcuda.Stream(stream)) })
}

// Read copies memory into data. The driver returns when the copy is done,
// unless it knows the memory that data is.
func (q *queue) Read(m driver.Memory, offset int64, data []byte, s driver.Sync) error {
	from, err := q.device.rangeAddress(m, offset, int64(len(data)))
	if err != nil {
		return fmt.Errorf("Read: %w", err)
	}
	if len(data) == 0 {
		return q.Barrier(s)
	}
	return q.Enqueue(s, func(stream streams.Stream) error { return q.device.library.Read(data, from, libcuda.Stream(stream)) })
}

// Copy copies between memories of the device.
func (q *queue) Copy(to driver.Memory, toOffset int64, from driver.Memory, fromOffset, size int64, s driver.Sync) error {
	target, err := q.device.rangeAddress(to, toOffset, size)
	if err != nil {
		return fmt.Errorf("Copy: %w", err)
	}
	source, err := q.device.rangeAddress(from, fromOffset, size)
	if err != nil {
		return fmt.Errorf("Copy: %w", err)
	}
	if size == 0 {
		return q.Barrier(s)
	}
	return q.Enqueue(s, func(stream streams.Stream) error {
		return q.device.library.Copy(target, source, size, libcuda.Stream(stream))
	})
}

// Launch runs a kernel.
func (q *queue) Launch(k driver.Kernel, r driver.Range, args []driver.Arg, s driver.Sync) error {
	own, err := q.device.ownKernel(k)
	if err != nil {
		return err
	}
	if err := q.launch(own, r, args, s); err != nil {
		return fmt.Errorf("kernel %s: %w", own.name, err)
	}
	return nil
}

func (q *queue) launch(k *kernel, r driver.Range, args []driver.Arg, s driver.Sync) error {
	done, err := q.Direct(&s, func(stream streams.Stream) error {
		if err := k.prepareLaunch(&q.scratch, r, args); err != nil {
			return err
		}
		return q.submitLaunch(k, r, &q.scratch, libcuda.Stream(stream))
	})
	if done || err != nil {
		return err
	}
	n := new(libcuda.Launch)
	if err := k.prepareLaunch(n, r, args); err != nil {
		return err
	}
	return q.Enqueue(s, func(stream streams.Stream) error { return q.submitLaunch(k, r, n, libcuda.Stream(stream)) })
}

// submitLaunch launches in a stream. The queue is locked.
func (q *queue) submitLaunch(k *kernel, r driver.Range, n *libcuda.Launch, stream libcuda.Stream) error {
	v := &k.program.launch
	if q.lastProgram != v {
		q.programs.insert(v)
		q.lastProgram = v
	}
	f := k.function
	if k.usesOffset(r) {
		f = k.withOffset
	}
	return v.withValues(q.device, stream, v.wanted(r), func() error { return q.device.library.Launch(f, stream, n) })
}

// Fill repeats a pattern.
func (q *queue) Fill(m driver.Memory, offset, size int64, pattern []byte, s driver.Sync) error {
	to, err := q.device.rangeAddress(m, offset, size)
	if err != nil {
		return fmt.Errorf("Fill: %w", err)
	}
	n := len(pattern)
	if n < 1 || n > maxPattern || n&(n-1) != 0 {
		return fmt.Errorf("Fill: a pattern of %d bytes; it has 1 to %d, a power of two", n, maxPattern)
	}
	if size%int64(n) != 0 {
		return fmt.Errorf("Fill: %d bytes are not a multiple of the pattern's %d", size, n)
	}
	if size == 0 {
		return q.Barrier(s)
	}
	pattern = append([]byte(nil), pattern...)
	return q.Enqueue(s, func(stream streams.Stream) error {
		return q.device.fillMemory(to, size, pattern, libcuda.Stream(stream))
	})
}

const maxPattern = 128

// fillMemory repeats a pattern with the widest values that the driver sets and
// the address allows: each value of the pattern is one series.
func (d *Device) fillMemory(to uint64, size int64, pattern []byte, s libcuda.Stream) error {
	width := min(len(pattern), 4)
	for to%uint64(width) != 0 {
		width /= 2
	}
	if len(pattern) == width {
		return d.library.Set(to, littleEndian(pattern), width, size/int64(width), s)
	}
	if width == 2 { // series of these do not exist
		width = 1
	}
	for i := 0; i < len(pattern); i += width {
		if err := d.library.SetStrided(to+uint64(i), len(pattern), littleEndian(pattern[i:i+width]), width, size/int64(len(pattern)), s); err != nil {
			return err
		}
	}
	return nil
}

func littleEndian(b []byte) (value uint32) {
	for i, c := range b {
		value |= uint32(c) << (8 * i)
	}
	return value
}

package cuda

import (
	"fmt"
	"slices"
	"sync"

	"offlink/runtime/driver"
	"offlink/runtime/internal/libcuda"
	"offlink/runtime/internal/streams"
)

// queue is a queue with the commands of CUDA.
type queue struct {
	streams.KeepingQueue
	device *Device
	// scratch is for launches without events that do not block. The queue's lock
	// guards it and the fields up to lastProgram.
	scratch     libcuda.Launch
	shape       launchShape
	lastProgram *launchVariables
	programs    programSet
}

// programSet are the programs that a queue launched kernels of.
type programSet struct {
	mu   sync.Mutex
	list map[*launchVariables]bool
}

func (p *programSet) insertProgram(v *launchVariables) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.list == nil {
		p.list = map[*launchVariables]bool{}
	}
	p.list[v] = true
}

// endStream notes in the programs that a stream has no more work.
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
	if q.Queue, err = d.MakeQueue(opts, q.endStream); err != nil {
		return nil, err
	}
	return q, nil
}

func (q *queue) endStream(s streams.Stream) {
	q.programs.endStream(s)
	q.KeepUntilEnd(s)
}

// Write copies data into memory. Where the device reads the memory of the host's programs
// as it is, the copy may come after the call; other drivers copy the data before.
func (q *queue) Write(m driver.Memory, offset int64, data []byte, s driver.Sync) error {
	if q.device.readsPageable {
		return q.KeepingQueue.Write(m, offset, data, s)
	}
	return q.Queue.Write(m, offset, data, s)
}

// Read copies memory into data, after the call where Write does.
func (q *queue) Read(m driver.Memory, offset int64, data []byte, s driver.Sync) error {
	if q.device.readsPageable {
		return q.KeepingQueue.Read(m, offset, data, s)
	}
	return q.Queue.Read(m, offset, data, s)
}

// Launch runs a kernel.
func (q *queue) Launch(k driver.Kernel, r driver.Range, args []driver.Arg, s driver.Sync) error {
	own, err := q.device.ownKernel(k)
	if err != nil {
		return err
	}
	if err := q.launchKernel(own, &r, args, s); err != nil {
		return fmt.Errorf("kernel %s: %w", own.name, err)
	}
	return nil
}

func (q *queue) launchKernel(k *kernel, r *driver.Range, args []driver.Arg, s driver.Sync) error {
	if stream, ok := q.LockStream(&s); ok {
		err := q.launchNow(k, r, args, libcuda.Stream(stream))
		q.UnlockStream()
		return err
	}
	n := new(libcuda.Launch)
	if err := k.prepareLaunch(n, r, args); err != nil {
		return err
	}
	later := *r
	later.Offset = slices.Clone(r.Offset) // the command may run after the caller changed it
	return q.Enqueue(s, func(stream streams.Stream) error { return q.submitLaunch(k, &later, n, libcuda.Stream(stream)) })
}

// launchShape is the kernel and the range for which the scratch memory is filled in: most
// launches have those of the one before, which need no check again.
type launchShape struct {
	kernel        *kernel
	dimensions    int
	global, local [3]int
}

// matches reports whether a launch has the shape.
func (s *launchShape) matches(k *kernel, r *driver.Range) bool {
	if s.kernel != k || r.Offset != nil || len(r.Global) != s.dimensions || len(r.Local) != s.dimensions {
		return false
	}
	for i := range r.Global {
		if r.Global[i] != s.global[i] || r.Local[i] != s.local[i] {
			return false
		}
	}
	return true
}

// rememberShape sets the shape to that of a launch whose range was filled in.
func (s *launchShape) rememberShape(k *kernel, r *driver.Range) {
	if r.Offset != nil || len(r.Local) != len(r.Global) {
		return
	}
	s.kernel, s.dimensions = k, len(r.Global)
	copy(s.global[:], r.Global)
	copy(s.local[:], r.Local)
}

// launchNow launches the kernel from the scratch memory, on the caller's thread where
// the driver allows that. The queue is locked.
func (q *queue) launchNow(k *kernel, r *driver.Range, args []driver.Arg, stream libcuda.Stream) error {
	if !q.shape.matches(k, r) {
		q.shape.kernel = nil
		if err := k.prepareRange(&q.scratch, r); err != nil {
			return err
		}
		q.shape.rememberShape(k, r)
	}
	if err := k.setArguments(&q.scratch, r, args); err != nil {
		return err
	}
	if q.device.needsNoContext {
		if err := q.submitLaunch(k, r, &q.scratch, stream); !libcuda.IsContextError(err) {
			return err
		}
	}
	return q.device.withContext(func() error { return q.submitLaunch(k, r, &q.scratch, stream) })
}

// submitLaunch launches in a stream. The queue is locked.
func (q *queue) submitLaunch(k *kernel, r *driver.Range, n *libcuda.Launch, stream libcuda.Stream) error {
	v := &k.program.launch
	if q.lastProgram != v {
		q.programs.insertProgram(v)
		q.lastProgram = v
	}
	f := k.function
	if k.usesOffset(r) {
		f = k.withOffset
	}
	if !v.isRead() {
		return q.device.library.Launch(f, stream, n)
	}
	return v.launchWithValues(q.device, f, stream, v.wantedValues(r), n)
}

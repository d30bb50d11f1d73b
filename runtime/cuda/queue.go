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

func (p *programSet) insertProgram(v *launchVariables) {
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
	if q.Queue, err = d.MakeQueue(opts, q.programs.endStream); err != nil {
		return nil, err
	}
	return q, nil
}

// Launch runs a kernel.
func (q *queue) Launch(k driver.Kernel, r driver.Range, args []driver.Arg, s driver.Sync) error {
	own, err := q.device.ownKernel(k)
	if err != nil {
		return err
	}
	if err := q.launchKernel(own, r, args, s); err != nil {
		return fmt.Errorf("kernel %s: %w", own.name, err)
	}
	return nil
}

func (q *queue) launchKernel(k *kernel, r driver.Range, args []driver.Arg, s driver.Sync) error {
	if stream, ok := q.LockStream(&s); ok {
		defer q.UnlockStream()
		if err := k.prepareLaunch(&q.scratch, r, args); err != nil {
			return err
		}
		return q.launchDirect(k, r, libcuda.Stream(stream))
	}
	n := new(libcuda.Launch)
	if err := k.prepareLaunch(n, r, args); err != nil {
		return err
	}
	r.Offset = slices.Clone(r.Offset) // the command may run after the caller changed it
	return q.Enqueue(s, func(stream streams.Stream) error { return q.submitLaunch(k, r, n, libcuda.Stream(stream)) })
}

// launchDirect launches the kernel with the arguments in scratch, on the caller's thread where the
// driver allows that.
func (q *queue) launchDirect(k *kernel, r driver.Range, stream libcuda.Stream) error {
	if q.device.needsNoContext {
		if err := q.submitLaunch(k, r, &q.scratch, stream); !libcuda.IsContextError(err) {
			return err
		}
	}
	return q.device.withContext(func() error { return q.submitLaunch(k, r, &q.scratch, stream) })
}

// submitLaunch launches in a stream. The queue is locked.
func (q *queue) submitLaunch(k *kernel, r driver.Range, n *libcuda.Launch, stream libcuda.Stream) error {
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
	return v.withValues(q.device, stream, v.wantedValues(r), func() error { return q.device.library.Launch(f, stream, n) })
}

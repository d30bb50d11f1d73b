package runtime

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"offlink/runtime/driver"
	"offlink/runtime/globals"
	"offlink/runtime/registry"
	"offlink/runtime/resolve"
)

// deviceGlobals are the device globals with their memory on each device.
type deviceGlobals struct {
	database globals.Database

	mu      sync.Mutex
	buffers map[globalKey]*globalMemory // of the variables without image scope
}

// globalKey names the memory of a variable. A library that was unloaded may come back:
// its variables are new ones then, as those of its host code are, while kernels of the old
// ones still point to the old memory. The size counts too, as the host's object alone keeps
// a variable while its images come and go.
type globalKey struct {
	device *Device
	id     string
	number uint64
	size   int64 // bytes
}

// globalMemory is the memory of a variable, with the number of its users: programs that
// point to it, and calls. Only those that have the lock of deviceGlobals add users.
type globalMemory struct {
	driver.Memory
	users atomic.Int64
}

func (m *globalMemory) releaseUse() { m.users.Add(-1) }

// DeviceGlobals is the database of device globals; the host registers its
// objects there.
func (r *Runtime) DeviceGlobals() *globals.Database { return &r.globals.database }

// sharedMemory returns the memory of a variable on a device, zeroed on first use, with a
// user added. All images and programs of the device share it.
func (g *deviceGlobals) sharedMemory(d *Device, v *globals.Variable) (*globalMemory, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	key := globalKey{d, v.ID, v.Number, v.Size}
	m := g.buffers[key]
	if m == nil {
		g.closeGone()
		allocated, err := d.Alloc(driver.DeviceMemory, v.Size)
		if err != nil {
			return nil, fmt.Errorf("device global %s: %w", v.ID, err)
		}
		if g.buffers == nil {
			g.buffers = make(map[globalKey]*globalMemory)
		}
		m = &globalMemory{Memory: allocated}
		g.buffers[key] = m
	}
	m.users.Add(1)
	return m, nil
}

// closeGone closes the memory of variables that left, where no program points to it any
// more. It waits for the next allocation, since no driver may be called while a library is
// unloaded. The caller has the lock.
func (g *deviceGlobals) closeGone() {
	for key, m := range g.buffers {
		if m.users.Load() == 0 && g.database.IsGone(key.id, key.number) {
			delete(g.buffers, key)
			_ = m.Close() // not about this allocation
		}
	}
}

// prepareProgram writes the addresses of the shared variables into a program before its
// first launch. One caller does that while others wait.
func (g *deviceGlobals) prepareProgram(d *Device, p *builtProgram) error {
	return p.value.prepareOnce(func() error {
		var q driver.Queue
		for _, img := range p.value.link.Images {
			for _, id := range globals.Of(img) {
				v, err := g.database.ByID(id)
				if err != nil || v.ImageScope || !slices.Contains(v.Images, img) {
					continue // the image went meanwhile, or the variable is the program's
				}
				if q == nil {
					if q, err = d.NewQueue(driver.QueueOptions{}); err != nil {
						return err
					}
					defer q.Close()
				}
				if err := g.writePointer(d, q, p.value, &v); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// writePointer writes the address of a variable's memory into the program's pointer
// to it. A program without the pointer does not use the variable.
func (g *deviceGlobals) writePointer(d *Device, q driver.Queue, p *linkedProgram, v *globals.Variable) error {
	pointer, err := p.Variable(v.ID)
	if errors.Is(err, driver.ErrNotFound) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("device global %s: %w", v.ID, err)
	}
	m, err := g.sharedMemory(d, v)
	if err != nil {
		return err
	}
	p.pointsTo = append(p.pointsTo, m)
	a, ok := m.Memory.(driver.Addresser)
	if !ok {
		return fmt.Errorf("device global %s: memory of %v has no address: %w", v.ID, d, driver.ErrUnsupported)
	}
	return q.Write(pointer, 0, binary.LittleEndian.AppendUint64(nil, a.Address()), driver.Sync{Block: true})
}

// WriteGlobal copies data to a device global of a device at an offset, as a
// command of the queue. The errors for a variable that cannot be reached are
// those of package globals.
func (r *Runtime) WriteGlobal(ctx context.Context, d *Device, q driver.Queue, v globals.Variable, offset int64, data []byte, s driver.Sync) error {
	if err := v.CheckRange(offset, int64(len(data)), globals.ErrCopyTo); err != nil {
		return err
	}
	return r.withGlobal(ctx, d, v, func(m driver.Memory, p *linkedProgram) error {
		if err := q.Write(m, offset, data, s); err != nil {
			return err
		}
		if p != nil {
			p.written.Store(v.ID, true)
		}
		return nil
	})
}

// ReadGlobal copies a device global to data.
func (r *Runtime) ReadGlobal(ctx context.Context, d *Device, q driver.Queue, v globals.Variable, offset int64, data []byte, s driver.Sync) error {
	if err := v.CheckRange(offset, int64(len(data)), globals.ErrCopyFrom); err != nil {
		return err
	}
	return r.withGlobal(ctx, d, v, func(m driver.Memory, _ *linkedProgram) error { return q.Read(m, offset, data, s) })
}

// withGlobal calls f with the memory of a variable: the shared memory, or for image scope
// the variable of the only program that has it, with that program.
func (r *Runtime) withGlobal(ctx context.Context, d *Device, v globals.Variable, f func(driver.Memory, *linkedProgram) error) error {
	if err := r.checkOpen(); err != nil {
		return err
	}
	if !v.ImageScope {
		m, err := r.globals.sharedMemory(d, &v)
		if err != nil {
			return err
		}
		defer m.releaseUse() // a command that was queued keeps the memory until it ends
		return f(m.Memory, nil)
	}
	img, err := imageForDevice(d, &v)
	if err != nil {
		return err
	}
	b, err := r.programOf(ctx, d, img, v.ID)
	if err != nil {
		return err
	}
	m, err := b.value.Variable(v.ID)
	if err == nil {
		err = f(m, b.value)
	}
	// A command that was queued needs the program until it ends, also where its images
	// go meanwhile: driver.Program.Close leaves it that.
	return errors.Join(err, b.releaseUse())
}

// imageForDevice returns the only image with a variable that the device takes. An error tells
// why it takes none.
func imageForDevice(d *Device, v *globals.Variable) (*registry.Image, error) {
	all := v.Images
	v.Images = resolve.OfDevice(all, d.Accepts, d.Info().Type)
	img, err := v.OnlyImage()
	if err == nil || len(v.Images) > 0 {
		return img, err
	}
	for _, img := range all {
		if refused := d.acceptsImage(resolve.DriverImage(img)); refused != nil {
			err = fmt.Errorf("%w\n  %v: %w", err, img, refused)
		}
	}
	return nil, err
}

// oneProgram is the advice where a variable of image scope is in several programs.
const oneProgram = "keep the variable and all kernels that use it in one image, without specialization constants"

// warnWritten warns of variables of image scope that the host has written in another program:
// in the new one they have their first values.
func (b *builder) warnWritten() {
	warn := b.runtime.options.Warn
	if warn == nil {
		return
	}
	for _, img := range b.link.Images {
		for _, id := range globals.Of(img) {
			if v, err := b.runtime.globals.database.ByID(id); err != nil || !v.ImageScope || !slices.Contains(v.Images, img) {
				continue
			}
			if kernel := b.writtenBy(img, id); kernel != "" {
				warn(fmt.Sprintf("kernel %s: the host has written device global %s in the program of kernel %s, and here it has its first value, as each program has a variable of its own: %s", b.link.Kernel, id, kernel, oneProgram))
			}
		}
	}
}

// writtenBy returns the kernel of a program whose variable the host has written, "" if there
// is none.
func (b *builder) writtenBy(img *registry.Image, id string) (kernel string) {
	b.runtime.programs.findBuilt(func(key programKey, images []*registry.Image, p *linkedProgram) bool {
		if _, written := p.written.Load(id); written && key.device == b.device && indexOf(images, img) >= 0 && (kernel == "" || p.link.Kernel < kernel) {
			kernel = p.link.Kernel
		}
		return false // it is not wanted for a launch
	})
	return kernel
}

// programOf returns the only program with an image on a device. If there is none, it is
// built for any kernel of the image.
func (r *Runtime) programOf(ctx context.Context, d *Device, img *registry.Image, id string) (*builtProgram, error) {
	found := 0
	b := r.programs.findBuilt(func(key programKey, images []*registry.Image, _ *linkedProgram) bool {
		if key.device != d || indexOf(images, img) < 0 {
			return false
		}
		found++
		return true
	})
	switch {
	case found == 1:
		return b, nil
	case found > 1:
		// Each program has a variable of its own, so that the name is ambiguous.
		return nil, errors.Join(fmt.Errorf("device global %s: %w %d programs have %v, built for different specialization constants or linked with different images, and each has a variable of its own: %s",
			id, globals.ErrManyImage, found, img, oneProgram), b.releaseUse())
	}
	kernels := img.Kernels()
	if len(kernels) == 0 {
		return nil, fmt.Errorf("device global %s: %v has no kernel and is in no program; open a kernel that uses the variable first: %w", id, img, globals.ErrNoImage)
	}
	p, err := r.Program(ctx, d, KernelRef{Name: kernels[0], Owner: img.Owner})
	if err != nil {
		return nil, err
	}
	return p.built, nil
}

// endDevices forgets the memory on devices. Without closed it is left as it is, as that
// of drivers that must not be called any more.
func (g *deviceGlobals) endDevices(closed bool, ended map[*Device]bool) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	var errs []error
	for key, m := range g.buffers {
		if !ended[key.device] {
			continue
		}
		delete(g.buffers, key)
		if closed {
			errs = append(errs, m.Close())
		}
	}
	return errors.Join(errs...)
}

// closeMemory releases the memory.
func (g *deviceGlobals) closeMemory() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	var errs []error
	for _, m := range g.buffers {
		errs = append(errs, m.Close())
	}
	g.buffers = nil
	return errors.Join(errs...)
}

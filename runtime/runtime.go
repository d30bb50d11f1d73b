// Package runtime runs kernels out of wrapped device images: it keeps the
// loaded images (registry), finds the images that a kernel needs (resolve), has a
// back end build them, and launches. The order of the steps is here; each step is
// in one of those packages.
//
//	rt := runtime.New(backends.Open(backends.Options{}))
//	rt.Register(owner, images)
//	device, err := rt.Device("")
//	program, err := rt.Program(ctx, device, runtime.KernelRef{Name: "app"})
//	kernel, err := program.Kernel()
//	err = kernel.Launch(queue, driver.Range{Global: []int{8}}, args, driver.Sync{Block: true})
package runtime

import (
	"errors"
	"sync"

	"offlink/runtime/driver"
	"offlink/runtime/registry"
	"offlink/runtime/resolve"
	"offlink/runtime/trace"
	"offlink/wrapper/container"
	"offlink/wrapper/devimg"
)

// ErrShutdown is the error of every use of a runtime after Shutdown.
var ErrShutdown = errors.New("the runtime has been shut down")

// Runtime is the loaded images and the devices. It is safe for concurrent
// use.
type Runtime struct {
	backends []*lazyBackend // in order of preference
	registry registry.Registry
	resolver resolve.Resolver
	programs programStore
	objects  objectStore
	options  Options
	globals  deviceGlobals

	mu     sync.Mutex
	closed bool
}

// New returns a runtime on the drivers, in order of preference. It closes
// them on Shutdown.
func New(drivers []driver.Driver) *Runtime { return NewWithOptions(drivers, Options{}) }

// NewWithOptions is New with options.
func NewWithOptions(drivers []driver.Driver, o Options) *Runtime {
	r := NewLazily(nil, o)
	for _, d := range drivers {
		open := []driver.Driver{d}
		r.backends = append(r.backends, &lazyBackend{
			Backend: Backend{Name: d.Name(), Open: func() ([]driver.Driver, error) { return open, nil }},
			trace:   o.Trace, drivers: open, // Shutdown closes them, used or not
		})
	}
	return r
}

// NewLazily is NewWithOptions for back ends that are opened when a device of
// theirs may be wanted: a program that only registers images starts no driver,
// and one that asks for a device of one back end opens no other.
func NewLazily(backends []Backend, o Options) *Runtime {
	r := &Runtime{options: o}
	for _, b := range backends {
		r.backends = append(r.backends, &lazyBackend{Backend: b, trace: o.Trace})
	}
	r.programs.limit, r.objects.limit = maxPrograms, maxObjects
	r.programs.isState = func(p *linkedProgram) bool { return p.ownVariables }
	return r
}

// Register adds the images of a file. Compressed code is decompressed, and digests are
// verified, when the code is first needed.
func (r *Runtime) Register(owner registry.Owner, images []*devimg.Image) *registry.Registration {
	usable := make([]*devimg.Image, len(images))
	for i, img := range images {
		usable[i] = translatedImage(container.Lazy(img), owner.Name)
	}
	defer r.options.Trace.Start("register", owner.Name, trace.Arg{Name: "images", Value: len(images)}).End(nil)
	reg := r.registry.Add(owner, usable)
	if err := r.globals.database.AddImages(reg.Images); err != nil && r.options.Warn != nil {
		r.options.Warn(err.Error())
	}
	return reg
}

// Unregister takes the images of a registration out. Programs that were built with them
// stay valid as long as they are held, and are not returned again. It calls no driver, so
// that it may be called while a library is unloaded.
func (r *Runtime) Unregister(reg *registry.Registration) {
	r.registry.Remove(reg)
	r.resolver.Forget(reg.Images)
	gone := make(map[*registry.Image]bool, len(reg.Images))
	for _, img := range reg.Images {
		gone[img] = true
	}
	r.programs.forgetImages(gone)
	r.objects.forgetImages(gone)
	r.globals.database.RemoveImages(gone)
}

// Registered returns the images that are registered now.
func (r *Runtime) Registered() *registry.Snapshot { return r.registry.Snapshot() }

// Shutdown closes the programs that nobody holds and the drivers. The
// holders of programs and kernels close them before. A second call does nothing.
func (r *Runtime) Shutdown() error {
	r.mu.Lock()
	closed := r.closed
	r.closed = true
	r.mu.Unlock()
	if closed {
		return nil
	}
	errs := []error{r.closeStores(), r.globals.closeMemory()}
	for _, b := range r.backends {
		errs = append(errs, b.closeDrivers())
	}
	return errors.Join(errs...)
}

func (r *Runtime) checkOpen() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return ErrShutdown
	}
	return nil
}

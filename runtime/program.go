package runtime

import (
	"context"
	"fmt"

	"offlink/runtime/driver"
	"offlink/runtime/registry"
	"offlink/runtime/resolve"
)

// KernelRef names a kernel. Owner is preferred where several have one of that
// name; the zero Owner means no preference.
type KernelRef struct {
	Name  string
	Owner registry.Owner
}

// Program is a kernel's images, linked and built for a device. It is safe for
// concurrent use. Its holder closes it, after its kernels.
type Program struct {
	Device *Device
	Link   *resolve.Link

	built *builtProgram
}

// Program returns the program of a kernel on a device, built now or before:
//
//	registry snapshot -> resolve.Link -> driver modules -> driver.Program
//
// Errors are those of [resolve.Resolver.Link], and *driver.BuildError.
func (r *Runtime) Program(ctx context.Context, d *Device, ref KernelRef) (*Program, error) {
	if err := r.check(); err != nil {
		return nil, err
	}
	link, err := r.resolver.Link(r.registry.Snapshot(), resolve.Request{
		Kernel:     ref.Name,
		Owner:      ref.Owner,
		Accepts:    d.accepts,
		DeviceType: d.Info().Type,
		Extensions: d.Info().Extensions,
	})
	if err != nil {
		return nil, err
	}
	built, err := r.programs.get(ctx, programKey{d, imagesKey(link.Images)}, link.Images, func(ctx context.Context) (driver.Program, error) {
		return build(ctx, d, link)
	})
	if err != nil {
		return nil, err
	}
	return &Program{d, link, built}, nil
}

func build(ctx context.Context, d *Device, link *resolve.Link) (driver.Program, error) {
	modules := make([]driver.Module, len(link.Images))
	for i, img := range link.Images {
		code, err := link.Code(i)
		if err != nil {
			return nil, err
		}
		modules[i] = module(img, code)
	}
	p, err := driver.Build(ctx, d, modules, driver.BuildOptions{})
	if err != nil {
		return nil, fmt.Errorf("kernel %s: %w", link.Kernel, err)
	}
	return p, nil
}

func module(img *registry.Image, code []byte) driver.Module {
	return driver.Module{
		Name:  img.String(),
		Image: resolve.DriverImage(img),
		Code:  code,
	}
}

// Close gives the program back.
func (p *Program) Close() error { return p.built.release() }

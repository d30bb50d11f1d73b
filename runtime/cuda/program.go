package cuda

import (
	"errors"
	"fmt"
	"sync/atomic"

	"offlink/runtime/driver"
	"offlink/runtime/internal/libcuda"
	"offlink/runtime/internal/streams"
)

// program is a loaded module.
type program struct {
	device *Device
	image  *image
	module libcuda.Module
	launch launchVariables
}

// loadImage loads linked code. It is called with the context set.
func (d *Device) loadImage(i *image) (p *program, err error) {
	p = &program{device: d, image: i}
	if p.module, err = d.library.Load(i.code); err != nil {
		return nil, err
	}
	if err = p.launch.findVariables(p); err != nil {
		return nil, errors.Join(err, d.library.Unload(p.module))
	}
	return p, nil
}

// Close unloads the module once the launches submitted before have ended.
func (p *program) Close() error {
	return p.device.FreeLater(func() error {
		return p.device.releaseInContext(func() error { return errors.Join(p.launch.closeEvents(p.device), p.device.library.Unload(p.module)) })
	})
}

// Handle is the CUmodule.
func (p *program) Handle() uint64 { return uint64(p.module) }

// Variable returns a variable by the name that the host has for it, or by that
// in the code.
func (p *program) Variable(name string) (driver.Memory, error) {
	inCode := name
	if mapped, ok := p.image.Variables[name]; ok {
		inCode = mapped
	}
	var address uint64
	var size int64
	err := p.device.withContext(func() (err error) {
		address, size, err = p.device.library.Global(p.module, inCode)
		return err
	})
	if libcuda.IsNotFound(err) {
		return nil, fmt.Errorf("variable %s: %w", name, driver.ErrNotFound)
	}
	if err != nil {
		return nil, fmt.Errorf("variable %s: %w", name, err)
	}
	return p.device.NewVariable(address, size), nil
}

// Kernel returns a kernel.
func (p *program) Kernel(name string) (driver.Kernel, error) {
	k := &kernel{program: p, name: name}
	if err := p.device.withContext(k.loadKernel); err != nil {
		if libcuda.IsNotFound(err) {
			err = driver.ErrNotFound
		}
		return nil, fmt.Errorf("kernel %s: %w", name, err)
	}
	return k, nil
}

// kernel is a kernel of a program.
type kernel struct {
	program  *program
	name     string
	function libcuda.Function
	// withOffset is DPC++'s second form of a kernel, which takes the offset of
	// a launch as its last argument; 0 where there is none.
	withOffset libcuda.Function
	params     []param
	size       int // of the block of arguments
	static     int // bytes of shared memory that its code has
	private    int
	groups     streams.GroupRules

	raised atomic.Bool // the limit of dynamic shared memory is that of the device
}

// offsetSuffix ends the names of DPC++'s kernels that take an offset.
const offsetSuffix = "_with_offset"

// loadKernel asks the driver about the kernel.
func (k *kernel) loadKernel() (err error) {
	p, library := k.program, k.program.device.library
	if k.function, err = library.Function(p.module, k.name); err != nil {
		return err
	}
	for _, a := range []struct {
		attribute libcuda.FunctionAttribute
		value     *int
	}{{libcuda.FunctionSharedSize, &k.static}, {libcuda.FunctionMaxThreads, &k.groups.Most}, {libcuda.FunctionLocalSize, &k.private}} {
		if *a.value, err = library.FunctionAttribute(k.function, a.attribute); err != nil {
			return err
		}
	}
	if err := k.findParams(); err != nil {
		return err
	}
	if p.launch.offset == 0 {
		k.withOffset, err = library.Function(p.module, k.name+offsetSuffix)
		if libcuda.IsNotFound(err) {
			err = nil
		}
	}
	return err
}

// findParams takes the parameters from the PTX of which the kernel was made, or asks the
// driver, which knows only their sizes.
func (k *kernel) findParams() error {
	if e, ok := k.program.image.Entries[k.name]; ok {
		k.params, k.groups.Required = e.Params, e.Required
	} else {
		infos, err := k.program.device.library.Params(k.function)
		if err != nil {
			return err
		}
		for _, p := range infos {
			kind := driver.ParamValue
			if p.Size == 8 {
				kind = driver.ParamBuffer // it may be a pointer
			}
			k.params = append(k.params, param{driver.Param{Kind: kind, Size: p.Size}, p.Offset})
		}
	}
	for _, p := range k.params {
		k.size = max(k.size, p.Offset+p.Size)
	}
	return nil
}

// Name is the kernel's name.
func (k *kernel) Name() string { return k.name }

// Handle is the CUfunction.
func (k *kernel) Handle() uint64 { return uint64(k.function) }

// Params describes the parameters. A number of 64 bits in PTX without .ptr
// counts as a buffer.
func (k *kernel) Params() []driver.Param {
	list := make([]driver.Param, len(k.params))
	for i, p := range k.params {
		list[i] = p.Param
	}
	return list
}

// Info describes the kernel.
func (k *kernel) Info() driver.KernelInfo {
	warp := k.program.device.limits.warp
	return driver.KernelInfo{
		RequiredGroup: k.groups.Required, MaxGroup: k.groups.Most, PreferredMultiple: warp,
		LocalMemory: int64(k.static), PrivateMemory: int64(k.private), SubGroup: warp,
	}
}

// Close does nothing: functions live as long as their module.
func (k *kernel) Close() error { return nil }

package piplugin

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"offlink/runtime/driver"
	"offlink/runtime/internal/devicecode"
	"offlink/runtime/internal/kernelargs"
	"offlink/runtime/internal/pi"
)

// program is a built program.
type program struct {
	device *Device
	handle pi.Handle
	tables devicecode.Tables
	binary []byte // that it was loaded from; nil if it was built

	mu        sync.Mutex
	variables map[string]driver.Memory // by linkage name
}

// Handle is the native handle of the program.
func (p *program) Handle() uint64 {
	return p.device.nativeHandle(pi.ExtProgramGetNativeHandle, p.handle)
}

// Close releases the program.
func (p *program) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	var errs []error
	for _, v := range p.variables {
		if own, ok := asVariable(v); ok {
			errs = append(errs, own.kernels.Close())
		}
	}
	return errors.Join(append(errs, p.device.plugin.Release(pi.ProgramRelease, p.handle))...)
}

// Kernel returns a kernel by its entry point's name.
func (p *program) Kernel(name string) (driver.Kernel, error) {
	params, listed := p.tables.Kernels[name]
	if !listed && len(p.tables.Kernels) > 0 {
		return nil, p.tables.KernelNotFound(name)
	}
	k, err := p.newKernel(name, params)
	if err != nil {
		return nil, err
	}
	if !listed {
		if err := k.countParams(); err != nil {
			return nil, errors.Join(err, k.Close())
		}
	}
	return k, nil
}

func (p *program) newKernel(name string, params []driver.Param) (*kernel, error) {
	handle, err := p.device.plugin.NewKernel(p.handle, name)
	if pi.IsCode(err, pi.InvalidKernelName) {
		return nil, errors.Join(p.tables.KernelNotFound(name), err)
	}
	if err != nil {
		return nil, fmt.Errorf("kernel %s: %w", name, err)
	}
	k := &kernel{program: p, device: p.device, handle: handle, name: name, params: params, arguments: kernelargs.New(params)}
	if p.device.able.usm {
		if err := p.device.plugin.AllowIndirect(handle); err != nil {
			return nil, errors.Join(fmt.Errorf("kernel %s: %w", name, err), k.Close())
		}
	}
	return k, nil
}

// FunctionPointer returns the address of an exported function.
func (p *program) FunctionPointer(name string) (uint64, error) {
	d := p.device
	if !d.plugin.Has(pi.ExtGetDeviceFunctionPointer) {
		return 0, fmt.Errorf("function pointers on %s: %w", d.info.Name, driver.ErrUnsupported)
	}
	if !slices.Contains(p.tables.Functions, name) {
		return 0, fmt.Errorf("function %s: %w", name, driver.ErrNotFound)
	}
	address, err := d.plugin.FunctionPointer(d.handle, p.handle, name)
	for _, code := range []int{pi.InvalidKernelName, pi.InvalidArgValue, pi.NoFunctionAddress} {
		if pi.IsCode(err, code) {
			return 0, fmt.Errorf("function %s: %w: the plugin has no address for it: %w", name, driver.ErrNotFound, err)
		}
	}
	return address, err
}

package opencl

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"offlink/runtime/driver"
	"offlink/runtime/internal/cl"
	"offlink/runtime/internal/devicecode"
)

// program is a built program.
type program struct {
	device *Device
	handle cl.Handle
	tables devicecode.Tables
	binary []byte // that it was loaded from; nil if it was built

	mu        sync.Mutex
	variables map[string]driver.Memory // by linkage name
}

// Handle is the cl_program.
func (p *program) Handle() uint64 { return uint64(p.handle) }

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
	return errors.Join(append(errs, p.device.api.Release(cl.ReleaseProgram, p.handle))...)
}

// Kernel returns a kernel by its entry point's name.
func (p *program) Kernel(name string) (driver.Kernel, error) {
	params, listed := p.tables.Kernels[name]
	if !listed && len(p.tables.Kernels) > 0 {
		return nil, p.tables.KernelNotFound(name)
	}
	handle, err := p.device.api.NewKernel(p.handle, name)
	if cl.IsCode(err, cl.InvalidKernelName) {
		return nil, errors.Join(p.tables.KernelNotFound(name), err)
	}
	if err != nil {
		return nil, err
	}
	k := &kernel{program: p, device: p.device, handle: handle, name: name, params: params}
	if err := k.prepareKernel(listed); err != nil {
		return nil, errors.Join(err, k.Close())
	}
	return k, nil
}

// FunctionPointer returns the address of an exported function.
func (p *program) FunctionPointer(name string) (uint64, error) {
	if !p.device.api.Has(cl.GetDeviceFunctionPointerINTEL) || p.device.able.noFunctionPointers {
		return 0, fmt.Errorf("function pointers on %s: %w", p.device.info.Name, driver.ErrUnsupported)
	}
	if !slices.Contains(p.tables.Functions, name) {
		return 0, fmt.Errorf("function %s: %w", name, driver.ErrNotFound)
	}
	address, err := p.device.api.FunctionPointer(p.device.handle, p.handle, name)
	if cl.IsCode(err, cl.InvalidArgValue) {
		return 0, fmt.Errorf("function %s: %w: it is not decorated ReferencedIndirectlyINTEL", name, driver.ErrNotFound)
	}
	return address, err
}

package runtime

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"offlink/props"
	"offlink/runtime/driver"
	"offlink/runtime/registry"
)

// Kernel is a kernel that can be launched. It may be used from several
// goroutines, each with a queue of its own. Its holder closes it.
type Kernel struct {
	Name string
	// Params are the parameters as the source has them.
	Params []Param

	program *builtProgram
	kernel  driver.Kernel
	device  *Device
	images  []*registry.Image // of the program, for messages
	// required returns the local size that the code asks for, zeros for any. It is
	// called only when needed, as drivers may have to compile the kernel to answer.
	required func() [3]int
}

// Param is a parameter of a kernel's source.
type Param struct {
	driver.Param
	// Removed is set where the compiler dropped the parameter as unused: an
	// argument is expected and not passed on, and nothing is known of it.
	Removed bool
}

// Kernel returns the kernel that the program was made for. It keeps the
// program alive.
func (p *Program) Kernel() (*Kernel, error) {
	if err := p.runtime.globals.prepareProgram(p.Device, p.built); err != nil {
		return nil, fmt.Errorf("kernel %s: %w", p.Link.Kernel, err)
	}
	kernel, err := p.built.value.Kernel(p.Link.Kernel)
	if err != nil {
		return nil, fmt.Errorf("kernel %s: %v lists it, but its code does not have it: %w", p.Link.Kernel, p.Link.Images[0], err)
	}
	mask, _ := p.Link.Images[0].Properties.Get(props.SetKernelParamOpt).Get(p.Link.Kernel)
	params, err := sourceParams(kernel.Params(), mask)
	if err != nil {
		_ = kernel.Close()
		return nil, fmt.Errorf("kernel %s of %v: %w", p.Link.Kernel, p.Link.Images[0], err)
	}
	p.built.addUse()
	return &Kernel{p.Link.Kernel, params, p.built, kernel, p.Device, p.Link.Images, sync.OnceValue(func() [3]int { return kernel.Info().RequiredGroup })}, nil
}

// Info describes the kernel on its device.
func (k *Kernel) Info() driver.KernelInfo { return k.kernel.Info() }

// Driver is the kernel of the back end, for its native handle. It lives as long
// as this one.
func (k *Kernel) Driver() driver.Kernel { return k.kernel }

// NoFunctionError is a function that the program of a kernel has no pointer to.
type NoFunctionError struct {
	Kernel string
	Images []*registry.Image // that are linked with the kernel
	Err    error             // the back end's, which names the function
}

func (e *NoFunctionError) Error() string {
	var list []string
	for _, img := range e.Images {
		list = append(list, img.String())
	}
	return fmt.Sprintf("kernel %s: %v; the images that are linked with it are %s: name the function when the kernel is opened, so that the image which exports it is among them",
		e.Kernel, e.Err, strings.Join(list, ", "))
}

// Unwrap returns the back end's error.
func (e *NoFunctionError) Unwrap() error { return e.Err }

// FunctionPointer returns the pointer to an exported function of the kernel's
// program, for memory and arguments of its kernels. One that is not there is a
// *NoFunctionError.
func (k *Kernel) FunctionPointer(name string) (uint64, error) {
	p, ok := k.program.value.Program.(driver.FunctionPointers)
	if !ok {
		return 0, fmt.Errorf("%v has no pointers to functions: %w", k.device, driver.ErrUnsupported)
	}
	pointer, err := p.FunctionPointer(name)
	if errors.Is(err, driver.ErrNotFound) {
		err = &NoFunctionError{k.Name, k.images, err}
	}
	return pointer, err
}

// LastRun returns how long the latest launch of the kernel ran, 0 before the first or if
// the back end does not report it.
func (k *Kernel) LastRun() time.Duration {
	if t, ok := k.kernel.(driver.Timer); ok {
		return t.LastRun()
	}
	return 0
}

// sourceParams puts the removed parameters back. Bit i of the mask, least
// significant first, is set if parameter i of the source was removed.
func sourceParams(device []driver.Param, mask props.Value) ([]Param, error) {
	if mask.Type() != props.TypeByteArray || mask.BitLen() == 0 {
		return allParams(device), nil
	}
	n, removed := int(mask.BitLen()), 0
	for i := range n {
		removed += bitAt(mask.Data(), i)
	}
	if n-removed != len(device) {
		return nil, fmt.Errorf("the mask of removed parameters has %d bits, %d of them set, and the code has %d parameters: the property set and the code do not belong together",
			n, removed, len(device))
	}
	params := make([]Param, n)
	for i := range params {
		if bitAt(mask.Data(), i) == 1 {
			params[i].Removed = true
			continue
		}
		params[i].Param, device = device[0], device[1:]
	}
	return params, nil
}

func bitAt(data []byte, i int) int { return int(data[i/8] >> (i % 8) & 1) }

func allParams(device []driver.Param) []Param {
	params := make([]Param, len(device))
	for i, p := range device {
		params[i].Param = p
	}
	return params
}

// Close releases the kernel.
func (k *Kernel) Close() error {
	err := k.kernel.Close()
	if released := k.program.releaseUse(); err == nil {
		err = released
	}
	return err
}

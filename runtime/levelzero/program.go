package levelzero

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"offlink/runtime/builtins"
	"offlink/runtime/driver"
	"offlink/runtime/internal/devicecode"
	"offlink/runtime/internal/dl"
	"offlink/runtime/internal/streams"
	"offlink/runtime/internal/ze"
	"offlink/spirv"
)

// object is a module that was verified and specialized.
type object struct {
	device *Device
	name   string
	module *spirv.Module
	flags  string
}

// Compile verifies a module and sets its specialization constants. The driver
// sees it when it is linked.
func (d *Device) Compile(ctx context.Context, m driver.Module, opts driver.CompileOptions) (driver.Object, error) {
	if err := ctx.Err(); err != nil {
		return nil, d.buildError(err)
	}
	// A driver may crash on a module that is not valid, and take the process with it.
	// So the module is checked here.
	module, err := devicecode.ParseModule(m.Code, devicecode.Limits{Device: d.info.Name, ILVersions: d.info.ILVersions})
	if err == nil {
		module, err = module.Specialize(opts.SpecConstants)
	}
	if err == nil {
		module, err = devicecode.ExportHostNames(module)
	}
	if err != nil {
		return nil, d.buildError(fmt.Errorf("%s: %w", m.Name, err))
	}
	return &object{d, m.Name, module, devicecode.DriverOptions(&opts, &d.info, devicecode.ZeUnoptimized)}, nil
}

// buildError is a failed build with a cause.
func (d *Device) buildError(err error) error {
	return &driver.BuildError{Device: d.info.Name, Err: err}
}

// Close does nothing.
func (o *object) Close() error { return nil }

// program is linked modules.
type program struct {
	device  *Device
	modules []ze.Handle // one if the driver linked them at once
	tables  devicecode.Tables
	binary  []byte       // that it was loaded from; nil otherwise
	uses    atomic.Int64 // kernels; less than 0 once the holder has closed it too
}

// Link links the objects. They are linked here first, although the driver links them
// too: a symbol that no object defines is an error before the driver sees them, and the
// linked module has the kernels' parameters.
func (d *Device) Link(ctx context.Context, objects []driver.Object, _ driver.LinkOptions) (driver.Program, error) {
	if len(objects) == 0 {
		return nil, d.buildError(errors.New("a program without objects"))
	}
	own := make([]*object, len(objects))
	inputs := make([]spirv.Input, len(objects))
	for i, o := range objects {
		var ok bool
		if own[i], ok = o.(*object); !ok || own[i].device != d {
			return nil, d.buildError(errors.New("the object is not of this device"))
		}
		inputs[i] = spirv.Input{Name: own[i].name, Module: own[i].module}
	}
	if err := ctx.Err(); err != nil {
		return nil, d.buildError(err)
	}
	linked, err := devicecode.Link(inputs, &d.info, builtins.Contains)
	if err != nil {
		return nil, d.buildError(err)
	}
	p := &program{device: d, tables: devicecode.NewTables(linked)}
	if err := p.closeUnless(dl.KeepSignals("a Level Zero driver", func() error { return p.createModules(own) })); err != nil {
		return nil, err
	}
	return p, nil
}

// closeUnless returns nil if nothing failed. Otherwise it closes the program, and adds
// the device to the failure.
func (p *program) closeUnless(failed error) error {
	if failed == nil {
		return nil
	}
	if build, ok := errors.AsType[*driver.BuildError](failed); ok {
		build.Device = p.device.info.Name
	}
	return errors.Join(failed, p.Close())
}

// createModules has the driver make the program: of all modules at once where it can,
// otherwise one by one, linked afterwards.
func (p *program) createModules(objects []*object) error {
	sources := make([]ze.Source, len(objects))
	for i, o := range objects {
		sources[i] = ze.Source{Code: o.module.Bytes(), Flags: o.flags}
	}
	d := p.device
	// One program of all modules lets the driver optimize across them; the
	// extension is ze_module_program_exp_desc_t.
	if len(sources) > 1 && d.programs {
		module, err := d.library.NewProgram(d.context, d.handle, sources)
		if err == nil {
			p.modules = append(p.modules, module)
		}
		return err
	}
	return p.loadModules(ze.FormatSPIRV, sources)
}

// loadModules has the driver make modules one by one, and link them.
func (p *program) loadModules(format uint32, sources []ze.Source) error {
	d := p.device
	for _, source := range sources {
		d.used.Store(true)
		module, err := d.library.NewModule(d.context, d.handle, format, source)
		if err != nil {
			return err
		}
		p.modules = append(p.modules, module)
	}
	if len(p.modules) > 1 {
		// Modules are linked after all were made: each may import from a later
		// one.
		return d.library.DynamicLink(p.modules)
	}
	return nil
}

// Close destroys the modules once the launches submitted before have ended and the
// program's kernels are closed.
func (p *program) Close() error { return p.device.FreeLater(p.dropUse) }

// dropUse ends a use of the modules, by the program's holder or by a kernel. The last
// one destroys them: uses counts the kernels, so that it is below 0 only after the
// holder has gone as well.
func (p *program) dropUse() error {
	if p.uses.Add(-1) >= 0 {
		return nil
	}
	var errs []error
	for _, module := range p.modules {
		errs = append(errs, p.device.library.DestroyModule(module))
	}
	p.modules = nil
	return errors.Join(errs...)
}

// Handle is the first ze_module_handle_t.
func (p *program) Handle() uint64 { return uint64(p.modules[0]) }

// Variable finds a variable: by the host's name first, which drivers know as
// the name of its HostAccess decoration, then by its linkage name.
func (p *program) Variable(name string) (driver.Memory, error) {
	symbols := []string{name}
	if v, ok := p.tables.Variables[name]; ok && v.Linkage != name {
		symbols = append(symbols, v.Linkage)
	}
	for _, symbol := range symbols {
		m, err := p.findSymbol(symbol)
		if err != nil {
			return nil, fmt.Errorf("variable %s: %w", name, err)
		}
		if m != nil {
			return m, nil
		}
	}
	return nil, fmt.Errorf("variable %s: %w", name, driver.ErrNotFound)
}

// findSymbol asks the modules in turn for a variable; nil if none has it.
func (p *program) findSymbol(symbol string) (driver.Memory, error) {
	for _, module := range p.modules {
		address, size, err := p.device.library.Global(module, symbol)
		switch {
		case err == nil && address != 0:
			return p.device.NewVariable(address, size), nil
		case err != nil && !ze.IsNotFound(err):
			return nil, err
		}
	}
	return nil, nil
}

// Kernel returns a kernel. Each module is asked, as a program that was linked
// dynamically keeps its kernels where they were.
func (p *program) Kernel(name string) (driver.Kernel, error) {
	params, ok := p.tables.Kernels[name]
	if !ok {
		return nil, p.tables.KernelNotFound(name)
	}
	for _, module := range p.modules {
		handle, err := p.device.library.NewKernel(module, name)
		if ze.IsNotFound(err) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("kernel %s: %w", name, err)
		}
		p.uses.Add(1)
		k := &kernel{program: p, name: name, handle: handle, params: params}
		if k.properties, err = p.device.library.KernelProperties(handle); err != nil {
			return nil, errors.Join(fmt.Errorf("kernel %s: %w", name, err), k.Close())
		}
		k.groups.Most = p.device.info.MaxWorkGroup
		for i, n := range k.properties.Required {
			k.groups.Required[i] = int(n)
		}
		return k, nil
	}
	return nil, p.tables.KernelNotFound(name)
}

// kernel is a kernel. Arguments, group size and offset are state of the native handle,
// so that a launch sets them and appends the kernel under one lock.
type kernel struct {
	program    *program
	name       string
	handle     ze.Handle
	params     []driver.Param
	properties *ze.KernelProperties
	groups     streams.GroupRules

	mu sync.Mutex
}

func (k *kernel) Name() string           { return k.name }
func (k *kernel) Handle() uint64         { return uint64(k.handle) }
func (k *kernel) Params() []driver.Param { return append([]driver.Param(nil), k.params...) }

// Close destroys the kernel when its launches have ended.
func (k *kernel) Close() error {
	return k.program.device.FreeLater(func() error {
		return errors.Join(k.program.device.library.DestroyKernel(k.handle), k.program.dropUse())
	})
}

// Info describes the kernel.
func (k *kernel) Info() driver.KernelInfo {
	p := k.properties
	return driver.KernelInfo{
		RequiredGroup: k.groups.Required, MaxGroup: k.groups.Most, LocalMemory: int64(p.LocalMemory), PrivateMemory: int64(p.PrivateMemory),
		SubGroup: int(p.MaxSubGroup), RequiredSubGroup: int(p.RequiredSubGroup), PreferredMultiple: int(p.MaxSubGroup),
	}
}

// launchPlan is a launch that was checked.
type launchPlan struct {
	group, groups, offset [3]uint32
	hasOffset             bool
	args                  []argument
}

// argument has the size and the value that zeKernelSetArgumentValue takes.
type argument struct {
	size  int64
	value []byte // nil: local memory, or a null pointer
}

func (k *kernel) prepareLaunch(r driver.Range, args []driver.Arg) (*launchPlan, error) {
	n := new(launchPlan)
	if err := k.program.device.limits.Grid(r, &k.groups, &n.groups, &n.group); err != nil {
		return nil, err
	}
	if err := k.setOffset(n, r); err != nil {
		return nil, err
	}
	if len(args) != len(k.params) {
		return nil, fmt.Errorf("%d arguments; it takes %d", len(args), len(k.params))
	}
	for i := range args {
		a, err := k.encodeArgument(k.params[i], &args[i])
		if err != nil {
			return nil, fmt.Errorf("argument %d: %w", i, err)
		}
		n.args = append(n.args, a)
	}
	return n, nil
}

func (k *kernel) setOffset(n *launchPlan, r driver.Range) error {
	for i, offset := range r.Offset {
		n.offset[i] = uint32(offset)
		n.hasOffset = n.hasOffset || offset != 0
		if int64(n.offset[i]) != int64(offset) {
			return fmt.Errorf("the offset %d does not fit 32 bits: %w", offset, driver.ErrUnsupported)
		}
	}
	if n.hasOffset && !k.program.device.offsets {
		return fmt.Errorf("the driver lacks %s: %w", extensionOffset, driver.ErrUnsupported)
	}
	return nil
}

const pointerSize = 8

func (k *kernel) encodeArgument(p driver.Param, a *driver.Arg) (argument, error) {
	switch {
	case p.Kind == driver.ParamOther:
		return argument{}, fmt.Errorf("an image or a sampler: %w", driver.ErrUnsupported)
	case p.Kind == driver.ParamLocal:
		if a.LocalSize < 0 {
			return argument{}, fmt.Errorf("%d bytes of local memory", a.LocalSize)
		}
		return argument{size: max(a.LocalSize, 1)}, nil
	case a.Memory != nil:
		address, err := k.program.device.RangeAddress(a.Memory, a.Offset, 0)
		if err == nil && p.Kind != driver.ParamBuffer {
			err = errors.New("the kernel takes a value here, and memory was given")
		}
		return argument{pointerSize, binary.LittleEndian.AppendUint64(nil, address)}, err
	case p.Kind == driver.ParamBuffer && a.Value == nil && a.LocalSize == 0:
		return argument{size: pointerSize}, nil
	case p.Kind == driver.ParamBuffer && len(a.Value) != pointerSize, p.Kind == driver.ParamValue && len(a.Value) != p.Size:
		return argument{}, fmt.Errorf("%d bytes; the kernel takes %d", len(a.Value), max(p.Size, pointerSize))
	}
	return argument{int64(len(a.Value)), append([]byte(nil), a.Value...)}, nil
}

// appendLaunch sets the arguments and appends the kernel.
func (k *kernel) appendLaunch(list ze.Handle, n *launchPlan) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	library := k.program.device.library
	for i, a := range n.args {
		if err := library.SetArgument(k.handle, i, a.size, a.value); err != nil {
			return fmt.Errorf("argument %d: %w", i, err)
		}
	}
	if err := library.SetGroupSize(k.handle, n.group); err != nil {
		return err
	}
	// The offset is state of the kernel too: that of an earlier launch must not stay
	// in effect.
	if k.program.device.offsets {
		if err := library.SetOffset(k.handle, n.offset); err != nil {
			return err
		}
	}
	return library.Launch(list, k.handle, n.groups)
}

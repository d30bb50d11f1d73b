package piplugin

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"offlink/runtime/driver"
	"offlink/runtime/internal/cl"
	"offlink/runtime/internal/devicecode"
	"offlink/runtime/internal/dl"
	"offlink/runtime/internal/pi"
	"offlink/spirv"
)

// object is a compiled module.
type object struct {
	device  *Device
	name    string
	module  *spirv.Module // nil for native code
	code    []byte        // native code
	program pi.Handle     // the compiled program; 0 for native code
	options string
}

// Close releases the object.
func (o *object) Close() error {
	if o.program == 0 {
		return nil
	}
	return o.device.plugin.Release(pi.ProgramRelease, o.program)
}

// buildError is a failed build with a cause.
func (d *Device) buildError(err error) error {
	return &driver.BuildError{Device: d.info.Name, Err: err}
}

// failedBuild is the error of a build, with the program's log.
func (d *Device) failedBuild(err error, program pi.Handle) error {
	build := &driver.BuildError{Device: d.info.Name, Err: err}
	if program != 0 {
		var failed error
		if build.Log, failed = d.plugin.Text(pi.ProgramGetBuildInfo, cl.ProgramBuildLog, program, d.handle); failed != nil {
			build.Err = errors.Join(err, fmt.Errorf("its build log: %w", failed))
		}
	}
	return build
}

// unoptimized are the options against optimizing, by the name of the back end.
var unoptimized = map[string]string{"opencl": devicecode.CLUnoptimized, "level_zero": devicecode.ZeUnoptimized}

// Compile verifies a module and has the plugin compile it.
func (d *Device) Compile(ctx context.Context, m driver.Module, opts driver.CompileOptions) (driver.Object, error) {
	if err := ctx.Err(); err != nil {
		return nil, d.buildError(err)
	}
	if err := d.Accepts(m.Image); err != nil {
		return nil, d.buildError(fmt.Errorf("%s: %w", m.Name, err))
	}
	o := &object{device: d, name: m.Name, options: devicecode.DriverOptions(&opts, &d.info, unoptimized[d.driver.Name()])}
	if m.Format != "spirv" {
		o.code = slices.Clone(m.Code)
		return o, nil
	}
	module, err := devicecode.ParseModule(m.Code, devicecode.Limits{Device: d.info.Name, ILVersions: d.info.ILVersions, KnownOnly: d.able.knownOnly})
	if err == nil {
		module, err = devicecode.ExportHostNames(module)
	}
	if err != nil {
		return nil, d.buildError(fmt.Errorf("%s: %w", m.Name, err))
	}
	o.module = module
	if err := d.compileModule(o, opts.SpecConstants); err != nil {
		return nil, errors.Join(err, o.Close())
	}
	return o, nil
}

// compileModule has the plugin compile the module. If the plugin cannot set specialization
// constants, they are set in the module.
func (d *Device) compileModule(o *object, values map[uint32][]byte) error {
	special, err := o.module.Specialize(values) // checks the sizes too
	if err != nil {
		return d.buildError(fmt.Errorf("%s: %w", o.name, err))
	}
	if !d.able.specConstants {
		o.module, values = special, nil
	}
	context, err := d.open()
	if err != nil {
		return err
	}
	if o.program, err = d.plugin.NewProgramIL(context, o.module.Bytes()); err != nil {
		o.program = 0
		return d.failedBuild(fmt.Errorf("%s: %w", o.name, err), 0)
	}
	err = devicecode.SetSpecConstants(o.module, values, func(id uint32, value []byte) error {
		return d.plugin.SetSpecConstant(o.program, id, value)
	})
	if err != nil {
		return d.buildError(fmt.Errorf("%s: %w", o.name, err))
	}
	err = dl.KeepSignals(d.driver.culprit(), func() error { return d.plugin.Compile(o.program, d.handle, o.options) })
	if err != nil {
		return d.failedBuild(fmt.Errorf("%s: %w", o.name, err), o.program)
	}
	return nil
}

package opencl

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"offlink/runtime/driver"
	"offlink/runtime/internal/cl"
	"offlink/runtime/internal/devicecode"
	"offlink/runtime/internal/dl"
	"offlink/spirv"
)

// object is a compiled module.
type object struct {
	device *Device
	name   string
	format string
	module *spirv.Module // of SPIR-V, specialized if the driver cannot do that
	code   []byte        // of other formats
	// program is the compiled program of the driver, 0 if offlink links.
	program cl.Handle
	options string
}

// Close releases the object.
func (o *object) Close() error {
	if o.program == 0 {
		return nil
	}
	return o.device.api.Release(cl.ReleaseProgram, o.program)
}

// buildError is a failed build with a cause.
func (d *Device) buildError(err error) error {
	return &driver.BuildError{Device: d.info.Name, Err: err}
}

// Compile verifies a module and has the driver compile it.
func (d *Device) Compile(ctx context.Context, m driver.Module, opts driver.CompileOptions) (driver.Object, error) {
	if err := ctx.Err(); err != nil {
		return nil, d.buildError(err)
	}
	if err := d.Accepts(driver.Image{Format: m.Format, Target: m.Target}); err != nil {
		return nil, d.buildError(fmt.Errorf("%s: %w", m.Name, err))
	}
	o := &object{device: d, name: m.Name, format: m.Format, options: devicecode.DriverOptions(&opts, &d.info, devicecode.CLUnoptimized)}
	if m.Format != "spirv" {
		o.code = slices.Clone(m.Code)
		return o, d.compileOther(o)
	}
	module, err := d.readModule(m.Code)
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

// compileModule has the driver compile SPIR-V. If offlink links the modules, or the driver
// has no specialization constants, the constants are set in the module first.
func (d *Device) compileModule(o *object, values map[uint32][]byte) error {
	if d.able.linksHere || !d.able.specConstants {
		module, err := o.module.Specialize(values)
		if err != nil {
			return d.buildError(fmt.Errorf("%s: %w", o.name, err))
		}
		o.module = module
	}
	if d.able.linksHere || d.able.buildsWhole || d.able.wrapIL != nil {
		return nil
	}
	context, err := d.openContext()
	if err != nil {
		return err
	}
	code := o.module.Bytes()
	if o.program, err = d.api.NewProgramIL(d.able.create, context, code); err != nil {
		o.program = 0
		return d.failedBuild(err, 0)
	}
	return d.compileProgram(o, values)
}

// compileProgram sets the specialization constants of a new program and compiles it. They
// cannot be set after that.
func (d *Device) compileProgram(o *object, values map[uint32][]byte) error {
	if d.able.specConstants {
		err := devicecode.SetSpecConstants(o.module, values, func(id uint32, value []byte) error {
			return d.api.SetSpecConstant(o.program, id, value)
		})
		if err != nil {
			return d.buildError(fmt.Errorf("%s: %w", o.name, err))
		}
	}
	err := dl.KeepSignals(d.culprit(), func() error { return d.api.Compile(o.program, d.handle, o.options) })
	if err != nil {
		return d.failedBuild(fmt.Errorf("%s: %w", o.name, err), o.program)
	}
	return nil
}

// compileOther prepares bitcode, which is compiled like SPIR-V where the driver
// links, and native code, which is compiled already.
func (d *Device) compileOther(o *object) error {
	if o.format != "llvmbc" || d.able.linksHere {
		return nil
	}
	context, err := d.openContext()
	if err != nil {
		return err
	}
	if o.program, err = d.api.NewProgramBinary(context, d.handle, o.code); err != nil {
		o.program = 0
		return d.failedBuild(fmt.Errorf("%s: %w", o.name, err), 0)
	}
	err = dl.KeepSignals(d.culprit(), func() error { return d.api.Compile(o.program, d.handle, o.options) })
	if err != nil {
		return errors.Join(d.failedBuild(fmt.Errorf("%s: %w", o.name, err), o.program), o.Close())
	}
	return nil
}

// failedBuild returns the error of a build with the program's log. It wraps err, so that
// exhausted resources and the like can still be recognized.
func (d *Device) failedBuild(err error, program cl.Handle) error {
	build := &driver.BuildError{Device: d.info.Name, Err: err}
	if program != 0 {
		var failed error
		if build.Log, failed = d.api.Text(cl.GetProgramBuildInfo, cl.ProgramBuildLog, program, d.handle); failed != nil {
			build.Err = errors.Join(err, fmt.Errorf("its build log: %w", failed))
		}
	}
	return build
}

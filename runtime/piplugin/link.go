package piplugin

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"offlink/runtime/builtins"
	"offlink/runtime/driver"
	"offlink/runtime/internal/devicecode"
	"offlink/runtime/internal/dl"
	"offlink/runtime/internal/pi"
	"offlink/spirv"
)

// Link makes a program of objects.
func (d *Device) Link(ctx context.Context, objects []driver.Object, opts driver.LinkOptions) (driver.Program, error) {
	if err := ctx.Err(); err != nil {
		return nil, d.buildError(err)
	}
	own, err := d.ownObjects(objects)
	if err != nil {
		return nil, d.buildError(err)
	}
	linked, err := d.checkLink(own)
	if err != nil {
		return nil, d.buildError(err)
	}
	p := &program{device: d, tables: devicecode.NewTables(linked)}
	err = dl.KeepSignals(d.driver.culprit(), func() (err error) {
		p.handle, err = d.linkNative(own, linked, opts.Options)
		return err
	})
	if err != nil {
		return nil, err
	}
	return p, nil
}

func (d *Device) ownObjects(objects []driver.Object) ([]*object, error) {
	if len(objects) == 0 {
		return nil, errors.New("there is nothing to link")
	}
	var own []*object
	for i, o := range objects {
		object, ok := o.(*object)
		if !ok || object.device != d {
			return nil, fmt.Errorf("object %d is not of this device", i)
		}
		own = append(own, object)
		if native := object.module == nil; native && len(objects) > 1 {
			return nil, fmt.Errorf("%s: native code does not link with other images", object.name)
		}
	}
	return own, nil
}

// checkLink links modules of SPIR-V here as well; it returns nil for other formats.
func (d *Device) checkLink(own []*object) (*spirv.Module, error) {
	if own[0].module == nil {
		return nil, nil
	}
	inputs := make([]spirv.Input, len(own))
	for i, o := range own {
		inputs[i] = spirv.Input{Name: o.name, Module: o.module}
	}
	return devicecode.Link(inputs, &d.info, builtins.Contains)
}

// linkNative makes the plugin's program.
func (d *Device) linkNative(own []*object, linked *spirv.Module, options string) (pi.Handle, error) {
	if own[0].module == nil {
		return d.buildBinary(own[0].code, strings.TrimSpace(own[0].options+" "+options))
	}
	if d.able.variables == variablesByKernel && len(devicecode.Accessors(linked)) > 0 {
		return d.buildWithAccessors(linked, options)
	}
	programs := make([]pi.Handle, len(own))
	for i, o := range own {
		programs[i] = o.program
	}
	context, err := d.open()
	if err != nil {
		return 0, err
	}
	handle, err := d.plugin.Link(context, d.handle, options, programs)
	if err == nil {
		return handle, nil
	}
	err = d.failedBuild(err, handle)
	if handle != 0 {
		err = errors.Join(err, d.plugin.Release(pi.ProgramRelease, handle))
	}
	return 0, err
}

// buildBinary builds a program of a binary for the device.
func (d *Device) buildBinary(code []byte, options string) (pi.Handle, error) {
	context, err := d.open()
	if err != nil {
		return 0, err
	}
	handle, err := d.plugin.NewProgramBinary(context, d.handle, code)
	if err != nil {
		return 0, d.failedBuild(err, 0)
	}
	return handle, d.buildProgram(handle, options)
}

// buildWithAccessors builds the linked module, with kernels that reach its
// variables, as one module.
func (d *Device) buildWithAccessors(linked *spirv.Module, options string) (pi.Handle, error) {
	m, err := linked.WithAccessors(devicecode.Accessors(linked))
	if err != nil {
		return 0, d.buildError(err)
	}
	context, err := d.open()
	if err != nil {
		return 0, err
	}
	handle, err := d.plugin.NewProgramIL(context, m.Bytes())
	if err != nil {
		return 0, d.failedBuild(err, 0)
	}
	return handle, d.buildProgram(handle, options)
}

// buildProgram builds a program, or releases it.
func (d *Device) buildProgram(handle pi.Handle, options string) error {
	err := d.plugin.Build(handle, d.handle, options)
	if err == nil {
		return nil
	}
	return errors.Join(d.failedBuild(err, handle), d.plugin.Release(pi.ProgramRelease, handle))
}

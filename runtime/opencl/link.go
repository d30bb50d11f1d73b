package opencl

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"offlink/runtime/builtins"
	"offlink/runtime/driver"
	"offlink/runtime/internal/cl"
	"offlink/runtime/internal/devicecode"
	"offlink/runtime/internal/dl"
	"offlink/spirv"
)

// Link makes a program of objects. Our own link comes first: it finds every missing or
// duplicate symbol before any code of the driver runs, and names it with its file.
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
	// Drivers' compilers install signal handlers while they run.
	err = dl.KeepSignals(d.culprit(), func() (err error) {
		p.handle, err = d.linkNative(ctx, own, linked, opts.Options)
		return err
	})
	if err != nil {
		return nil, err
	}
	return p, nil
}

func (d *Device) ownObjects(objects []driver.Object) ([]*object, error) {
	if len(objects) == 0 {
		return nil, errNoObjects
	}
	var own []*object
	for i, o := range objects {
		object, ok := o.(*object)
		if !ok || object.device != d {
			return nil, fmt.Errorf("object %d is not of this device", i)
		}
		if object.format != firstObject(own, object).format {
			return nil, fmt.Errorf("%s is %s and %s is %s; all images of a program have one format", own[0].name, own[0].format, object.name, object.format)
		}
		own = append(own, object)
	}
	return own, nil
}

// firstObject is the first of the list, or the object itself.
func firstObject(list []*object, o *object) *object {
	if len(list) > 0 {
		return list[0]
	}
	return o
}

// checkLink links modules of SPIR-V here as well; it returns nil for other formats.
func (d *Device) checkLink(own []*object) (*spirv.Module, error) {
	if own[0].format != "spirv" {
		return nil, nil
	}
	inputs := make([]spirv.Input, len(own))
	for i, o := range own {
		inputs[i] = spirv.Input{Name: o.name, Module: o.module}
	}
	return devicecode.Link(inputs, &d.info, builtins.Contains)
}

// linkNative makes the driver's program. Drivers differ in the steps that they can do;
// abilities.go says how each was found out. The plain way, clLinkProgram of the compiled
// objects, comes last.
func (d *Device) linkNative(ctx context.Context, own []*object, linked *spirv.Module, options string) (cl.Handle, error) {
	switch {
	case own[0].format == "native":
		return d.buildNative(own, options)
	case d.able.linksHere:
		return d.buildBitcode(ctx, own, linked, options)
	case linked != nil && d.able.wrapIL != nil:
		return d.linkWrapped(linked, options)
	case d.needsAccessors(linked) || linked != nil && d.able.buildsWhole:
		return d.buildLinked(linked, joinOptions(own, options))
	}
	programs := make([]cl.Handle, len(own))
	for i, o := range own {
		programs[i] = o.program
	}
	return d.linkPrograms(programs, options)
}

// linkWrapped has the driver link the module that is linked already, wrapped in a binary
// of the driver's own form: such a driver refuses to link modules of different versions
// of SPIR-V.
func (d *Device) linkWrapped(linked *spirv.Module, options string) (handle cl.Handle, err error) {
	context, err := d.openContext()
	if err != nil {
		return 0, err
	}
	whole, err := d.api.NewProgramBinary(context, d.handle, d.able.wrapIL(linked.Bytes())) // compiled, by its header
	if err != nil {
		return 0, d.failedBuild(err, 0)
	}
	defer func() { err = errors.Join(err, d.api.Release(cl.ReleaseProgram, whole)) }()
	return d.linkPrograms([]cl.Handle{whole}, options)
}

// linkPrograms has the driver link compiled programs.
func (d *Device) linkPrograms(programs []cl.Handle, options string) (cl.Handle, error) {
	context, err := d.openContext()
	if err != nil {
		return 0, err
	}
	handle, err := d.api.Link(context, d.handle, options, programs)
	if err == nil {
		return handle, nil
	}
	err = d.failedBuild(err, handle)
	// A failed link may leave a program, which has the log.
	if handle != 0 {
		err = errors.Join(err, d.api.Release(cl.ReleaseProgram, handle))
	}
	return 0, err
}

// joinOptions returns the options of the objects and of the link as the one text that
// clBuildProgram takes, with equal options of objects once.
func joinOptions(own []*object, options string) string {
	var list []string
	for _, o := range own {
		if o.options != "" && !slices.Contains(list, o.options) {
			list = append(list, o.options)
		}
	}
	return strings.TrimSpace(strings.Join(list, " ") + " " + options)
}

// buildLinked builds the linked module, with accessors of its variables where
// they are needed.
func (d *Device) buildLinked(linked *spirv.Module, options string) (cl.Handle, error) {
	m, err := d.withAccessors(linked)
	if err != nil {
		return 0, d.buildError(err)
	}
	context, err := d.openContext()
	if err != nil {
		return 0, err
	}
	handle, err := d.api.NewProgramIL(d.able.create, context, m.Bytes())
	if err != nil {
		return 0, d.failedBuild(err, 0)
	}
	if err := d.api.Build(handle, d.handle, options); err != nil {
		err = d.failedBuild(err, handle)
		return 0, errors.Join(err, d.api.Release(cl.ReleaseProgram, handle))
	}
	return handle, nil
}

// buildNative builds code that was compiled ahead of time. One image is a whole
// program: native images do not link with each other.
func (d *Device) buildNative(own []*object, options string) (cl.Handle, error) {
	if len(own) > 1 {
		return 0, d.buildError(fmt.Errorf("%s: native code does not link with %s", own[0].name, own[1].name))
	}
	return d.buildBinary(own[0].code, strings.TrimSpace(own[0].options+" "+options))
}

// buildBinary builds a program from a binary for the device. The build is quick, but
// OpenCL requires it before kernels are made.
func (d *Device) buildBinary(code []byte, options string) (cl.Handle, error) {
	context, err := d.openContext()
	if err != nil {
		return 0, err
	}
	handle, err := d.api.NewProgramBinary(context, d.handle, code)
	if err != nil {
		return 0, d.failedBuild(err, 0)
	}
	if err := d.api.Build(handle, d.handle, options); err != nil {
		err = d.failedBuild(err, handle)
		return 0, errors.Join(err, d.api.Release(cl.ReleaseProgram, handle))
	}
	return handle, nil
}

package hostdev

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"

	"offlink/runtime/driver"
	"offlink/spirv"
)

// object is a compiled module: one that was read, with the values of its
// specialization constants. Compiling to slot code needs all modules of a
// program, as the values of variables of others are constants in it.
type object struct {
	device *Device
	name   string
	module *spirv.Module

	precompiled    *nativeLibrary // of the module as it is; nil if there is none
	notPrecompiled error          // why there is none
}

// ErrNoNativeImage is the reason of Precompiled for programs without one.
var ErrNoNativeImage = errors.New("there is no native image of it that serves")

var errSpecialized = errors.New("specialization constants are set, and native images have their defaults")

// Close does nothing.
func (o *object) Close() error { return nil }

// Compile reads a module. Options other than specialization constants are
// ignored: the device has none.
func (d *Device) Compile(ctx context.Context, m driver.Module, opts driver.CompileOptions) (driver.Object, error) {
	if err := d.injectedFailure("Compile"); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, buildError(err)
	}
	module, err := spirv.Parse(m.Code)
	if err == nil {
		module, err = module.Specialize(opts.SpecConstants)
	}
	if err != nil {
		return nil, buildError(fmt.Errorf("%s: %w", m.Name, err))
	}
	o := &object{device: d, name: m.Name, module: module, notPrecompiled: ErrNoNativeImage}
	switch library, ok := m.Precompiled.(*nativeLibrary); {
	case ok && len(opts.SpecConstants) > 0:
		o.notPrecompiled = errSpecialized
	case ok:
		o.precompiled = library
	}
	return o, nil
}

// Link links objects and compiles their kernels. A function that a kernel
// reaches and the device does not implement is refused here: the log has a
// line for each.
func (d *Device) Link(ctx context.Context, objects []driver.Object, _ driver.LinkOptions) (driver.Program, error) {
	if err := d.injectedFailure("Link"); err != nil {
		return nil, err
	}
	inputs := make([]spirv.Input, len(objects))
	for i, o := range objects {
		own, ok := o.(*object)
		if !ok || own.device != d {
			return nil, buildError(fmt.Errorf("object %d is not of this device", i))
		}
		inputs[i] = spirv.Input{Name: own.name, Module: own.module}
	}
	linked, err := linkModules(inputs)
	if err != nil {
		return nil, buildError(err)
	}
	p, err := d.makeProgram(ctx, linked)
	if err != nil {
		return nil, err
	}
	// Native code is of one module alone: a link may replace functions of it.
	p.notPrecompiled = fmt.Errorf("it needs %d images, and a native image is of one", len(objects))
	if own, ok := objects[0].(*object); ok && len(objects) == 1 {
		p.precompiled, p.notPrecompiled = own.precompiled, own.notPrecompiled
	}
	return p, nil
}

func linkModules(inputs []spirv.Input) (*spirv.Module, error) {
	return spirv.Link(inputs, spirv.LinkOptions{KeepExports: true, Provided: isIntrinsic})
}

// makeProgram builds a linked module. The functions that the device refuses become the
// lines of the error's log.
func (d *Device) makeProgram(ctx context.Context, linked *spirv.Module) (*program, error) {
	p, err := buildLinked(ctx, d, linked)
	if err == nil {
		p.notPrecompiled = ErrNoNativeImage
		return p, nil
	}
	if log, ok := errors.AsType[buildLog](err); ok {
		return nil, &driver.BuildError{Device: deviceName, Log: strings.Join(log, "\n")}
	}
	return nil, buildError(err)
}

func buildError(err error) error { return &driver.BuildError{Device: deviceName, Err: err} }

// The binary form of a program is binaryMagic, the SHA-256 of the rest, and
// the linked module. driverVersion is part of the magic, so that a version that
// would compile a module differently refuses older binaries.
const binaryMagic = "offlink program " + driverVersion + "\n"

// Binary returns the program in the device's form.
func (p *program) Binary() ([]byte, error) {
	if err := p.device.injectedFailure("Binary"); err != nil {
		return nil, err
	}
	code := p.module.Bytes()
	sum := sha256.Sum256(code)
	return append(append([]byte(binaryMagic), sum[:]...), code...), nil
}

// LoadBinary builds a program from its binary form.
func (d *Device) LoadBinary(ctx context.Context, binary []byte) (driver.Program, error) {
	if err := d.injectedFailure("LoadBinary"); err != nil {
		return nil, err
	}
	rest, ok := bytes.CutPrefix(binary, []byte(binaryMagic))
	if !ok || len(rest) < sha256.Size {
		return nil, buildError(errors.New("not a program of this version of the embedded device"))
	}
	code := rest[sha256.Size:]
	if sum := sha256.Sum256(code); !bytes.Equal(sum[:], rest[:sha256.Size]) {
		return nil, buildError(errors.New("the program was changed: its checksum differs"))
	}
	module, err := spirv.Parse(code)
	if err != nil {
		return nil, buildError(err)
	}
	p, err := d.makeProgram(ctx, module)
	if err != nil {
		return nil, err
	}
	return p, nil
}

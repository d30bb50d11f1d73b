package cuda

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"offlink/ptx"
	"offlink/runtime/driver"
	"offlink/runtime/internal/dl"
	"offlink/runtime/internal/libcuda"
)

// object is a module that was checked. The driver sees it only at the link: its compiler
// takes a module only together with those that it imports from.
type object struct {
	device *Device
	name   string
	kind   codeKind
	code   []byte
	ptx    *ptx.Module // nil unless it is PTX
	cubin  *ptx.Cubin  // nil unless it is one
	// variables are the names of variables in the code by the host's names.
	variables map[string]string
}

// Compile checks a module.
func (d *Device) Compile(ctx context.Context, m driver.Module, opts driver.CompileOptions) (driver.Object, error) {
	if err := ctx.Err(); err != nil {
		return nil, d.buildError(err)
	}
	o := &object{device: d, name: m.Name, code: m.Code, kind: kindOf(m.Code), variables: m.HostNames}
	if err := o.readCode(opts.SpecBuffer); err != nil {
		return nil, d.buildError(err)
	}
	return o, nil
}

// buildError is a failed build with a cause.
func (d *Device) buildError(err error) error {
	return &driver.BuildError{Device: d.info.Name, Err: err}
}

// readCode reads the facts of the code, and refuses native code that ends early: the driver is
// given an address and no size.
func (o *object) readCode(specBuffer []byte) (err error) {
	if o.kind == codeFatBinary {
		if err := o.openFatBinary(o.device.architecture()); err != nil {
			return err
		}
	}
	if o.kind == codeCubin {
		if o.cubin, err = ptx.ReadCubin(o.code); err == nil {
			err = o.device.checkCubin(o.cubin)
		}
		return err
	}
	if o.ptx, err = ptx.Parse(o.name, o.code); err == nil {
		err = o.device.checkTarget(o.ptx)
	}
	if err == nil {
		err = o.defineConstants(specBuffer)
	}
	return err
}

// specVariable is the memory that code reads its specialization constants from;
// offlink/device.h mentions it.
const specVariable = "offlink_spec_constants"

// defineConstants defines the variable with the module's specialization constants. Each
// module has a variable of its own, with local linkage, so that those of several modules of
// a program do not clash.
func (o *object) defineConstants(values []byte) (err error) {
	if !o.ptx.Mentions(specVariable) {
		return nil
	}
	if len(values) == 0 {
		return errors.New("it reads specialization constants, and its image describes none: give postlink -spec-const=emulation and -properties")
	}
	o.code = o.ptx.DefineVariable(o.code, specVariable, values)
	o.ptx, err = ptx.Parse(o.name, o.code)
	return err
}

// checkTarget refuses modules with 32-bit addresses, which no driver has taken
// since CUDA 10, and those for newer devices or for other ones alone: the driver's compiler
// names neither architecture.
func (d *Device) checkTarget(m *ptx.Module) error {
	if m.AddressSize != 64 {
		return fmt.Errorf("the module has addresses of %d bits; compile it for nvptx64", m.AddressSize)
	}
	if a, ok := m.Architecture(); ok && !a.Compiles(d.architecture()) {
		return fmt.Errorf("the PTX is for %v%s; the device is an sm_%d", a, alone(a), d.architecture())
	}
	return nil
}

// checkCubin refuses native code for other devices.
func (d *Device) checkCubin(c *ptx.Cubin) error {
	if a := c.Architecture; a.SM != 0 && !a.RunsNative(d.architecture()) {
		return fmt.Errorf("the cubin is for %v%s; the device is an sm_%d: give PTX, or a cubin for it", a, alone(a), d.architecture())
	}
	return nil
}

// alone says that the code is not for newer devices either.
func alone(a ptx.Architecture) string {
	switch {
	case a.Exact:
		return " alone"
	case a.Family:
		return " and its family"
	}
	return ""
}

// architecture is the device's: 90 for sm_90.
func (d *Device) architecture() int { return 10*d.limits.major + d.limits.minor }

// Close does nothing: the code is the caller's.
func (o *object) Close() error { return nil }

// Link gives the objects to the driver's linker, and loads the result.
func (d *Device) Link(ctx context.Context, objects []driver.Object, _ driver.LinkOptions) (driver.Program, error) {
	own, err := d.ownObjects(objects)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return nil, d.buildError(err)
	}
	image := newImage(own)
	var p *program
	err = dl.KeepSignals("NVIDIA's driver", func() error { // the compiler is a library of its own
		return d.withContext(func() (err error) {
			if image.code, err = d.linkCode(own); err == nil {
				p, err = d.loadImage(image)
			}
			return err
		})
	})
	if err != nil {
		return nil, d.explainBuild(d.explainVersion(err, own))
	}
	return p, nil
}

// explainVersion says which PTX is too new for the driver, whose own words name neither version.
func (d *Device) explainVersion(err error, objects []*object) error {
	if !libcuda.IsNewPTX(err) {
		return err
	}
	var parts []string
	for _, o := range objects {
		if o.ptx != nil {
			parts = append(parts, fmt.Sprintf("%s is PTX %s", o.name, o.ptx.Version))
		}
	}
	build, ok := errors.AsType[*driver.BuildError](err)
	if !ok {
		build = &driver.BuildError{Err: err}
	}
	build.Err = fmt.Errorf("%s, and the driver is for CUDA %s: install a newer driver, or compile for an older PTX: %w", strings.Join(parts, ", "), d.driver.Version(), build.Err)
	return build
}

// explainBuild adds the device to a failed build.
func (d *Device) explainBuild(err error) error {
	if build, ok := errors.AsType[*driver.BuildError](err); ok {
		build.Device = d.info.Name
	}
	return err
}

func (d *Device) ownObjects(objects []driver.Object) ([]*object, error) {
	if len(objects) == 0 {
		return nil, errors.New("a program without objects")
	}
	own := make([]*object, len(objects))
	for i, o := range objects {
		var ok bool
		if own[i], ok = o.(*object); !ok || own[i].device != d {
			return nil, errors.New("the object is not of this device")
		}
		if own[i].isLinked() && len(objects) > 1 {
			return nil, fmt.Errorf("%s is a cubin that was linked, which cannot be linked with others; give its PTX, or a cubin for linking (nvcc -rdc=true -cubin)", own[i].name)
		}
	}
	return own, nil
}

// isLinked reports whether an object was linked before.
func (o *object) isLinked() bool {
	return o.kind == codeCubin && !o.cubin.Relocatable
}

// linkCode links the objects to a cubin. A single one that was linked before is taken as it is.
func (d *Device) linkCode(objects []*object) ([]byte, error) {
	if len(objects) == 1 && objects[0].isLinked() {
		return objects[0].code, nil
	}
	undefined := findUndefined(objects)
	if err := undefined.checkOpenCL(); err != nil {
		return nil, &driver.BuildError{Err: err}
	}
	inputs := make([]libcuda.Input, 0, len(objects)+1)
	for _, o := range objects {
		in := libcuda.Input{Name: o.name, Kind: libcuda.InputCubin, Code: o.code}
		if o.ptx != nil {
			in.Kind, in.Code = libcuda.InputPTX, o.ptx.PlainShared(o.code)
		}
		inputs = append(inputs, in)
	}
	if undefined.needBuiltins() {
		inputs = append(inputs, libcuda.Input{Name: "work-item functions", Kind: libcuda.InputPTX, Code: d.workItems()})
	}
	return d.library.Link(inputs)
}

// newImage collects the facts about the linked code for which the driver has no query.
func newImage(objects []*object) *image {
	i := &image{Entries: map[string]entry{}, Variables: map[string]string{}, Offsets: true}
	for _, o := range objects {
		for host, name := range o.variables {
			i.Variables[host] = name
		}
		if o.ptx == nil {
			i.Offsets = false
			continue
		}
		i.Offsets = i.Offsets && knowsOffset(o.ptx)
		for _, e := range o.ptx.Entries {
			if _, known := i.Entries[e.Name]; !known {
				i.Entries[e.Name] = newEntry(&e)
			}
		}
	}
	return i
}

// knowsOffset reports whether a module's kernels respect the global offset of a launch.
// Kernels that read block numbers must read the offset too. Kernels that call the work-item
// functions of the back end read neither, as these add the offset.
func knowsOffset(m *ptx.Module) bool {
	return !m.ReadsRegister("%ctaid") || m.Mentions(offsetVariable)
}

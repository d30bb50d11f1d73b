package runtime

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"offlink/props"
	"offlink/runtime/driver"
	"offlink/runtime/registry"
	"offlink/runtime/resolve"
	"offlink/runtime/trace"
)

// KernelRef names a kernel. Owner is preferred where several have one of that
// name; the zero Owner means no preference.
type KernelRef struct {
	Name  string
	Owner registry.Owner
	// Spec are the values of specialization constants.
	Spec SpecConstants
	// Functions are exported functions that are linked with the kernel, which
	// calls them through pointers (Program.FunctionPointer).
	Functions []string
	// RefuseDuplicates returns a [resolve.DuplicatesError] instead of a warning if
	// another image defines a symbol of the link differently.
	RefuseDuplicates bool
}

// Program is a kernel's images, linked and built for a device. It is safe for
// concurrent use. Its holder closes it, after its kernels.
type Program struct {
	Device *Device
	Link   *resolve.Link

	built   *builtProgram
	runtime *Runtime
}

// Program returns the program of a kernel on a device, built now or before:
//
//	registry snapshot -> resolve.Link -> driver objects -> driver.Program
//
// Each image is compiled once and linked as often as links need it, and a
// program serves the kernels of all its images. Errors are those of
// [resolve.Resolver.Link], *SpecError and *driver.BuildError.
func (r *Runtime) Program(ctx context.Context, d *Device, ref KernelRef) (_ *Program, err error) {
	span := r.options.Trace.Start("program", ref.Name, deviceArg(d))
	defer func() { span.End(err) }()
	b, err := r.resolveKernel(span, d, ref)
	if err != nil {
		return nil, err
	}
	built, err := b.getProgram(trace.NewContext(ctx, span))
	if err != nil {
		return nil, err
	}
	return &Program{d, b.link, built, r}, nil
}

// resolveKernel is newBuilder as a step of the trace.
func (r *Runtime) resolveKernel(program *trace.Span, d *Device, ref KernelRef) (*builder, error) {
	span := program.Start("resolve", ref.Name)
	b, err := r.newBuilder(d, ref)
	if b == nil {
		span.End(err)
		return nil, err
	}
	span.End(err, trace.Arg{Name: "images", Value: linkCauses(b.link)})
	return b, err
}

// newBuilder resolves the kernel.
func (r *Runtime) newBuilder(d *Device, ref KernelRef) (*builder, error) {
	if err := r.checkOpen(); err != nil {
		return nil, err
	}
	info := d.Info()
	snapshot := r.registry.Snapshot()
	link, err := r.resolver.Link(snapshot, resolve.Request{
		Kernel:        ref.Name,
		Owner:         ref.Owner,
		Accepts:       d.acceptsImage,
		DeviceType:    info.Type,
		Info:          &info,
		Extensions:    info.Extensions,
		Functions:     ref.Functions,
		SpecConstants: len(ref.Spec) > 0,
		Native:        r.options.nativeSymbols(info.Extensions),
		Library:       r.options.deviceLibrary(),
	})
	if err != nil {
		return nil, err
	}
	b := &builder{runtime: r, device: d, link: link, snapshot: snapshot}
	if ref.RefuseDuplicates {
		if list := r.resolver.Duplicates(snapshot, link); len(list) > 0 {
			return nil, &resolve.DuplicatesError{Kernel: ref.Name, List: list}
		}
	}
	if err := b.specializeImages(ref.Spec); err != nil {
		return nil, fmt.Errorf("kernel %s: %w", ref.Name, err)
	}
	return b, nil
}

// builder makes one program.
type builder struct {
	runtime  *Runtime
	device   *Device
	link     *resolve.Link
	snapshot *registry.Snapshot
	values   []map[uint32][]byte // of specialization constants, by image
	buffers  [][]byte            // with them, for code that reads memory instead
	specs    []string            // their keys
	uncached string              // why the program is not kept between runs, where it is not
}

func (b *builder) specializeImages(spec SpecConstants) error {
	for _, img := range b.link.Images {
		values, err := spec.valuesFor(img)
		if err != nil {
			return err
		}
		b.values = append(b.values, values)
		var buffer []byte
		if resolve.DriverImage(img).Format != "spirv" {
			if buffer, err = spec.bufferFor(img); err != nil {
				return err
			}
		}
		b.buffers = append(b.buffers, buffer)
		b.specs = append(b.specs, specKey(values))
	}
	return nil
}

// getProgram returns a built program that serves the link, which may have been built for
// another kernel of the same images, or builds one.
func (b *builder) getProgram(ctx context.Context) (*builtProgram, error) {
	programs := &b.runtime.programs
	found := programs.findBuilt(func(key programKey, _ []*registry.Image, p *linkedProgram) bool {
		return key.device == b.device && p.servesLink(b.link, b.specs)
	})
	if found != nil {
		return found, nil
	}
	return programs.getOrBuild(ctx, programKey{b.device, imagesKey(b.link.Images, b.specs)}, b.link.Images, b.buildProgram)
}

// buildProgram loads the program from the cache, or compiles the images that are not
// compiled yet and links all.
func (b *builder) buildProgram(ctx context.Context) (*linkedProgram, error) {
	b.warnDuplicates()
	inputs, err := b.cacheInputs()
	if err != nil {
		return nil, fmt.Errorf("kernel %s: %w", b.link.Kernel, err)
	}
	p := b.loadTraced(ctx, inputs)
	if p == nil {
		if p, err = b.compileAndLink(ctx); err != nil {
			return nil, fmt.Errorf("kernel %s: %w", b.link.Kernel, err)
		}
		b.keepBinary(inputs, p)
	}
	b.warnWritten()
	return &linkedProgram{Program: p, link: b.link, specs: b.specs, ownVariables: b.runtime.globals.database.HaveOwn(b.link.Images)}, nil
}

func (b *builder) compileAndLink(ctx context.Context) (_ driver.Program, err error) {
	var objects []driver.Object
	for i := range b.link.Images {
		object, err := b.compiledObject(ctx, i)
		if err != nil {
			return nil, err
		}
		defer func() {
			if released := object.releaseUse(); err == nil {
				err = released
			}
		}()
		objects = append(objects, object.value)
	}
	span := trace.FromContext(ctx).Start("link", b.link.Kernel, deviceArg(b.device), trace.Arg{Name: "images", Value: len(objects)})
	p, err := b.device.Link(ctx, objects, driver.LinkOptions{Options: b.runtime.options.linkOptions(b.link.Images[0])})
	span.End(err)
	return p, err
}

// compiledObject is the compiled image i of the link.
func (b *builder) compiledObject(ctx context.Context, i int) (*built[objectKey, driver.Object], error) {
	img := b.link.Images[i]
	key := objectKey{b.device, img.ID, b.link.TrimKey(i), b.specs[i]}
	return b.runtime.objects.getOrBuild(ctx, key, b.link.Images[i:i+1], func(ctx context.Context) (driver.Object, error) {
		code, err := b.link.Code(i)
		if err != nil {
			return nil, err
		}
		span := trace.FromContext(ctx).Start("compile", img.String(), b.compileDetails(i, len(code))...)
		module := driver.Module{Name: img.String(), Image: resolve.DriverImage(img), Code: code, HostNames: hostNames(img)}
		module.Precompiled = b.openPrecompiled(ctx, i, code)
		object, err := b.device.Compile(ctx, module,
			driver.CompileOptions{Options: b.runtime.options.compileOptions(img), Hints: b.runtime.options.compileHints(img), SpecConstants: b.values[i], SpecBuffer: b.buffers[i]})
		span.End(err)
		return object, err
	})
}

// globalMapping ends the keys of the property set SYCL/program metadata that map the
// host's name of a variable to its name in the code.
const globalMapping = "@global_id_mapping"

// hostNames returns the names of variables that the property sets of an image state, by
// the host's name. SPIR-V states them in its decorations instead.
func hostNames(img *registry.Image) map[string]string {
	var names map[string]string
	set := img.Properties.Get(props.SetProgramMetadata)
	for _, key := range set.Names() {
		host, ok := strings.CutSuffix(key, globalMapping)
		value, _ := set.Get(key)
		if !ok || value.Type() != props.TypeByteArray {
			continue
		}
		if names == nil {
			names = map[string]string{}
		}
		names[host] = strings.TrimRight(string(value.Data()), "\x00")
	}
	return names
}

// warnDuplicates warns of symbols that other images define differently.
func (b *builder) warnDuplicates() {
	if b.runtime.options.Warn == nil {
		return
	}
	for _, d := range b.runtime.resolver.Duplicates(b.snapshot, b.link) {
		b.runtime.options.Warn(fmt.Sprintf("kernel %s: %v", b.link.Kernel, d))
	}
}

// Close releases the program.
func (p *Program) Close() error { return p.built.releaseUse() }

// Statistics are the counters of a runtime.
type Statistics struct {
	Programs Counters
	Objects  Counters // compiled images
}

// Statistics returns the counters as they are now.
func (r *Runtime) Statistics() Statistics {
	return Statistics{r.programs.statistics(), r.objects.statistics()}
}

// closeStores closes the programs and objects that nobody holds.
func (r *Runtime) closeStores() error {
	return errors.Join(r.programs.closeAll(), r.objects.closeAll())
}

package hostdev

import (
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"offlink/runtime/driver"
	"offlink/runtime/hostdev/internal/lanes"
	"offlink/spirv"
)

// kernel is an entry point of a program.
type kernel struct {
	p    *program
	name string
	fn   *function
	// entered is the function that the interpreter begins with: that of an entry point
	// which only calls it, or fn.
	entered *function
	params  []param
	size    [3]int // the required local size; 0 if there is none
	// subgroup is the number of work-items of a sub-group; 1 if that makes no
	// difference. It is known once all functions are compiled.
	subgroup int

	lastRun    atomic.Int64                        // nanoseconds
	native     [lanes.SubgroupRows + 1]nativeState // by the rows of launches
	rendezvous bool                                // its work-items wait for each other
	private    int64                               // bytes of a work-item in the interpreter, if no function is called twice
	inputs     []*variable
	locals     []*variable
}

// param is a parameter with its index among the words of the arguments.
type param struct {
	driver.Param
	t     *typ
	byVal bool // the value is in private memory, the argument its address
	word  int64
}

// newKernel describes an entry point and demands its function.
func (p *program) newKernel(e spirv.EntryPoint) (*kernel, error) {
	fn, err := p.function(e.Function)
	if err != nil {
		return nil, err
	}
	k := &kernel{p: p, name: e.Name, fn: fn, subgroup: p.subgroupSize(e.Function)}
	if k.subgroup > maxSubgroup {
		return nil, fmt.Errorf("the kernel requires sub-groups of %d work-items; the embedded device has at most %d in one", k.subgroup, maxSubgroup)
	}
	if err := k.addParams(p.bodies[e.Function]); err != nil {
		return nil, err
	}
	if k.size, err = p.requiredSize(e.Function); err != nil {
		return nil, err
	}
	return k, nil
}

func (k *kernel) addParams(f *spirv.Function) error {
	types := k.p.argumentTypes(k.name)
	word := int64(0)
	for i, in := range f.Params {
		t, err := k.p.types.get(in.Type())
		if err != nil {
			return err
		}
		prm := param{t: t, word: word, byVal: k.p.isByVal(in.Result())}
		if err := prm.classifyParam(); err != nil {
			return fmt.Errorf("parameter %d: %w: %s", i, err, k.p.module.TypeString(t.id))
		}
		if prm.Kind == driver.ParamValue {
			// Without the source's spelling, unsigned types are spelled as signed
			// ones: SPIR-V for OpenCL does not have signedness.
			prm.Type = k.p.module.TypeString(prm.passedType().id)
		}
		if i < len(types) {
			prm.Type = types[i]
		}
		k.params = append(k.params, prm)
		word += t.words
	}
	return nil
}

// LastRun implements driver.Timer.
func (k *kernel) LastRun() time.Duration { return time.Duration(k.lastRun.Load()) }

// passedType is the type of the value that a caller passes.
func (p *param) passedType() *typ {
	if p.byVal {
		return p.t.elem
	}
	return p.t
}

// classifyParam finds how an argument is passed. The decoration ByVal counts only for
// pointers to private memory.
func (p *param) classifyParam() error {
	switch {
	case !p.t.isValue() || p.t.words > maxConstantWords:
		return fmt.Errorf("the embedded device does not implement parameters of this type")
	case p.t.kind == kindEvent:
		return fmt.Errorf("an event cannot be a parameter")
	case p.t.kind == kindImage:
		p.Kind, p.byVal = driver.ParamImage, false
		return nil
	case p.t.kind == kindSampler:
		p.Kind, p.byVal = driver.ParamSampler, false
		return nil
	case p.t.kind == kindSampledImage:
		return fmt.Errorf("a sampled image cannot be a parameter")
	case p.t.kind != kindPointer:
		p.Kind, p.Size, p.byVal = driver.ParamValue, int(p.t.size), false
		return nil
	}
	switch p.t.storage {
	case spirv.StorageCrossWorkgroup, spirv.StorageUniformConstant, spirv.StorageGeneric,
		spirv.StorageDeviceOnlyINTEL, spirv.StorageHostOnlyINTEL:
		p.Kind, p.byVal = driver.ParamBuffer, false
	case spirv.StorageWorkgroup:
		p.Kind, p.byVal = driver.ParamLocal, false
	case spirv.StorageFunction:
		if !p.byVal || !p.t.elem.isValue() || p.t.elem.size > maxPrivate {
			return fmt.Errorf("a pointer to private memory cannot be a parameter unless it is passed by value")
		}
		p.Kind, p.Size = driver.ParamValue, int(p.t.elem.size)
	default:
		return fmt.Errorf("no parameter has the storage class %v", p.t.storage)
	}
	return nil
}

const funcParamAttrByVal = 2

func (p *program) isByVal(id spirv.ID) bool {
	for _, d := range p.module.Decorations(id) {
		if d.Kind == spirv.DecorationFuncParamAttr && d.Words[0] == funcParamAttrByVal {
			return true
		}
	}
	return false
}

// argumentTypes returns the types of a kernel's parameters as the source spells
// them (spirv.Module.KernelArgTypes).
func (p *program) argumentTypes(kernel string) []string {
	return p.module.KernelArgTypes(kernel)
}

// requiredSize is the local size that a function's execution modes require.
func (p *program) requiredSize(id spirv.ID) (size [3]int, err error) {
	for _, mode := range p.module.ExecutionModes(id) {
		switch mode.Mode {
		case spirv.ExecutionModeLocalSize:
			for i := range size {
				size[i] = int(mode.Words[i])
			}
		case spirv.ExecutionModeLocalSizeId:
			for i := range size {
				v, ok := p.constantInt(spirv.ID(mode.Words[i]))
				if !ok {
					return size, fmt.Errorf("the required local size is not constant")
				}
				size[i] = int(min(v, maxGroup+1))
			}
		default:
			continue
		}
		if product := groupSize(size); product < 1 || product > maxGroup {
			return size, fmt.Errorf("the kernel requires work-groups of %v; the embedded device has at most %d work-items in one", size, maxGroup)
		}
	}
	return size, nil
}

// maxSubgroup is the largest size of a sub-group: a ballot has 128 bits.
const maxSubgroup = 128

// defaultSubgroup is the size of sub-groups where a kernel uses them and requires
// no size. Real code counts on several work-items.
const defaultSubgroup = 8

// subgroupSize is the size that a function's execution modes require, or 0.
func (p *program) subgroupSize(id spirv.ID) int {
	for _, mode := range p.module.ExecutionModes(id) {
		if mode.Mode == spirv.ExecutionModeSubgroupSize && mode.Words[0] > 0 {
			return int(min(mode.Words[0], maxSubgroup+1))
		}
	}
	return 0
}

// groupSize is the number of work-items, or more than any group has.
func groupSize(size [3]int) int {
	product := 1
	for _, n := range size {
		if n < 0 || n > maxGroup {
			return maxGroup + 1
		}
		product *= n
	}
	return product
}

// collectVariables gathers the variables that the kernel's functions refer to, and finds
// whether they wait for each other. With a call through a pointer, all functions that have
// pointers count.
func (k *kernel) collectVariables() {
	seen, together := map[*function]bool{}, false
	inputs, locals := map[spirv.ID]bool{}, map[int]bool{}
	work := []*function{k.fn}
	for len(work) > 0 {
		fn := work[len(work)-1]
		work = work[:len(work)-1]
		if seen[fn] {
			continue
		}
		seen[fn] = true
		k.rendezvous, together = k.rendezvous || fn.rendezvous, together || fn.subgroup
		k.private += 8 * int64(fn.words)
		for _, size := range fn.private {
			k.private += size
		}
		for id := range fn.inputs {
			inputs[id] = true
		}
		for index := range fn.locals {
			locals[index] = true
		}
		work = append(work, fn.calls...)
		if fn.indirect {
			work = append(work, k.p.pointedTo()...)
		}
	}
	k.inputs = slices.DeleteFunc(slices.Clone(k.p.inputs), func(v *variable) bool { return !inputs[v.id] })
	k.locals = slices.DeleteFunc(slices.Clone(k.p.locals), func(v *variable) bool { return !locals[v.index] })
	k.entered = k.p.forwarded(k.fn)
	k.chooseSubgroup(together || slices.ContainsFunc(k.inputs, func(v *variable) bool { return ofSubgroup.Get()[v.builtin] }))
}

// forwarded is the function that a function calls with its own arguments, if it does nothing
// else: translators make such entry points. The checked mode begins with the entry point, whose
// arguments have the shadows.
func (p *program) forwarded(fn *function) *function {
	if p.device.options.Check || len(fn.calls) != 1 || len(fn.private) > 0 || !isForwarding(p.bodies[fn.id]) {
		return fn
	}
	return fn.calls[0]
}

// isForwarding reports whether a function is one call, with its own parameters.
func isForwarding(f *spirv.Function) bool {
	calls := 0
	isParam := func(arg uint32, param *spirv.Instruction) bool { return spirv.ID(arg) == param.Result() }
	for _, in := range f.Body {
		switch in.Op {
		case spirv.OpLabel, spirv.OpReturn, spirv.OpLine, spirv.OpNoLine:
		case spirv.OpFunctionCall:
			if calls++; !slices.EqualFunc(in.Operands()[1:], f.Params, isParam) {
				return false
			}
		default:
			return false
		}
	}
	return calls == 1
}

// chooseSubgroup sets the size of sub-groups where the kernel requires none.
func (k *kernel) chooseSubgroup(used bool) {
	switch {
	case k.subgroup > 0:
	case used:
		k.subgroup = defaultSubgroup
	default:
		k.subgroup = 1
	}
}

// pointedTo returns the compiled functions that a pointer may lead to.
func (p *program) pointedTo() []*function {
	var list []*function
	for _, id := range p.pointers {
		if fn := p.functions[id]; fn != nil {
			list = append(list, fn)
		}
	}
	return list
}

// Name is the kernel's name.
func (k *kernel) Name() string { return k.name }

// Params describes the parameters.
func (k *kernel) Params() []driver.Param {
	list := make([]driver.Param, len(k.params))
	for i, p := range k.params {
		list[i] = p.Param
	}
	return list
}

// maxGroup is the largest power of two of work-items whose private memory a work-group has,
// where all of them exist at the same time.
func (k *kernel) maxGroup() int {
	n := maxGroup
	for k.rendezvous && n > 1 && int64(n)*k.private > maxGroupPrivate {
		n /= 2
	}
	return n
}

// Info describes the kernel.
func (k *kernel) Info() driver.KernelInfo {
	info := driver.KernelInfo{RequiredGroup: k.size, MaxGroup: k.maxGroup(), PreferredMultiple: k.subgroup, SubGroup: k.subgroup, Uneven: k.p.uneven}
	for _, v := range k.locals {
		info.LocalMemory += v.t.size
	}
	return info
}

// Close does nothing: the program owns the kernel.
func (k *kernel) Close() error { return nil }

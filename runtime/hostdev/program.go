package hostdev

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"offlink/runtime/driver"
	"offlink/runtime/hostdev/internal/mathlib"
	"offlink/spirv"
)

// program is a linked module with its compiled kernels.
type program struct {
	device *Device
	module *spirv.Module

	types       *typeTable
	constants   map[spirv.ID]*constant
	variables   map[spirv.ID]*variable
	inputs      []*variable // by index in spaceInput
	locals      []*variable // by index in spaceLocal
	byName      map[string]*variable
	bodies      map[spirv.ID]*spirv.Function
	entryPoints map[spirv.ID]bool
	divided     bool // parts of sub-groups meet
	uneven      bool // spirv.Module.AllowsUneven
	room        int  // steps left: a build takes time in proportion to the modules

	accesses  map[*typ]*access
	functions map[spirv.ID]*function
	queue     []*function // to be compiled
	pointers  []spirv.ID  // functions by pointer minus one
	kernels   map[string]*kernel
	host      hostTable // functions that compiled kernels call

	precompiled    *nativeLibrary // the native image, nil if there is none
	notPrecompiled error          // why there is none
}

// variable is a program-scope variable.
type variable struct {
	id      spirv.ID
	name    string
	t       *typ // of its value
	storage spirv.StorageClass
	index   int     // among inputs or locals
	memory  *memory // nil for inputs and locals
	builtin spirv.BuiltIn
	// isBuiltin tells that the device provides a value for every work-item.
	isBuiltin bool
	initial   spirv.ID
}

// linkMath links a program with the functions of floats that it uses.
func linkMath(m *spirv.Module) (*spirv.Module, error) {
	inputs, err := mathlib.Inputs(m)
	if err != nil || len(inputs) == 1 {
		return m, err
	}
	return linkModules(inputs)
}

// buildLinked makes the kernels of a linked module.
func buildLinked(ctx context.Context, d *Device, linked *spirv.Module) (*program, error) {
	uneven := linked.AllowsUneven() // the library that is linked next has a version of its own
	linked, err := linkMath(linked)
	if err != nil {
		return nil, err
	}
	p := newProgram(d, linked)
	p.uneven = uneven
	// The order is a need: compiling indexes operands without further checks,
	// on the word of verifyModule; constants need types, and code needs both;
	// the initial value of a variable may name a function, which is compiled
	// then; collectNeeds reads the references of all code.
	for _, step := range []func(*program) error{
		(*program).verifyModule,
		(*program).defineGlobals,
		(*program).compileKernels,
		(*program).initializeVariables,
		(*program).collectNeeds,
	} {
		err := ctx.Err()
		if err == nil {
			err = step(p)
		}
		if err != nil {
			p.releaseVariables() // no kernel has code yet
			return nil, err
		}
	}
	return p, nil
}

func newProgram(d *Device, m *spirv.Module) *program {
	p := &program{
		device: d, module: m,
		constants: map[spirv.ID]*constant{}, variables: map[spirv.ID]*variable{}, byName: map[string]*variable{},
		bodies: map[spirv.ID]*spirv.Function{}, functions: map[spirv.ID]*function{}, accesses: map[*typ]*access{}, kernels: map[string]*kernel{},
		// A few words of a module can describe a great many: arrays of arrays,
		// constants of constants. The budget grows with the module and covers
		// all that is made of it.
		room:    1<<24 + 64*int(m.Bound),
		divided: meetInPart(m),
	}
	p.types = newTypeTable(m, p.constantInt)
	for _, f := range m.Functions() {
		p.bodies[f.ID()] = f
	}
	return p
}

// verifyModule checks the rules that compiling relies on, and refuses 32-bit
// addresses: a pointer has 64 bits here.
func (p *program) verifyModule() error {
	if addressing := p.module.AddressingModel(); addressing != spirv.AddressingPhysical64 {
		return fmt.Errorf("the module's addressing model is %v; the embedded device takes Physical64 (compile for spir64)", addressing)
	}
	return p.module.Verify()
}

// defineGlobals reads types, constants and variables in their order.
func (p *program) defineGlobals() error {
	for _, in := range p.module.Globals() {
		isType, err := p.types.add(in)
		switch {
		case err != nil:
			return err
		case isType:
		case in.Op == spirv.OpVariable:
			err = p.defineVariable(in)
		default:
			err = p.defineConstant(in)
		}
		if err != nil {
			return err
		}
		if p.room < 0 {
			return fmt.Errorf("the constants of the module are too large")
		}
	}
	return nil
}

// defineVariable allocates a program-scope variable, or numbers it among those
// that a group or a work-item provides.
func (p *program) defineVariable(in *spirv.Instruction) error {
	t, err := p.types.get(in.Type())
	if err != nil {
		return err
	}
	v := &variable{id: in.Result(), name: p.module.Name(in.Result()), storage: spirv.StorageClass(in.Words[2])}
	if len(in.Words) > 3 {
		v.initial = spirv.ID(in.Words[3])
	}
	if t.kind != kindPointer || t.storage != v.storage || !t.elem.isValue() {
		return fmt.Errorf("variable %s: its type is not a pointer to a value in %v", v.name, v.storage)
	}
	v.t = t.elem
	p.variables[v.id] = v
	address, err := p.place(v)
	if err != nil {
		return fmt.Errorf("variable %s: %w", v.name, err)
	}
	p.constants[v.id] = &constant{t: t, words: []uint64{uint64(address)}, uses: []spirv.ID{v.id}}
	return nil
}

// place returns the address of a variable. A variable decorated BuiltIn is one
// in every storage class: SYCL compilers declare them in CrossWorkgroup, OpenCL
// compilers in Input.
func (p *program) place(v *variable) (pointer, error) {
	if builtin, ok := p.module.IsBuiltIn(v.id); ok {
		return p.placeBuiltin(v, builtin)
	}
	switch v.storage {
	case spirv.StorageInput:
		return 0, errors.New("a variable of storage class Input that is not decorated BuiltIn")
	case spirv.StorageWorkgroup:
		v.index = len(p.locals)
		p.locals = append(p.locals, v)
		return makePointer(spaceLocal, v.index, 0), nil
	case spirv.StorageCrossWorkgroup:
		return p.allocateVariable(v, 0)
	case spirv.StorageUniformConstant:
		return p.allocateVariable(v, entryReadOnly)
	}
	return 0, fmt.Errorf("the embedded device has no variables of storage class %v", v.storage)
}

func (p *program) placeBuiltin(v *variable, builtin spirv.BuiltIn) (pointer, error) {
	if builtins.Get()[builtin] == nil {
		return 0, fmt.Errorf("the embedded device has no built-in variable %v", builtin)
	}
	if s := v.t.scalar(); s.kind != kindInt {
		return 0, fmt.Errorf("the built-in variable %v is not of integers", builtin)
	}
	v.isBuiltin, v.builtin, v.index = true, builtin, len(p.inputs)
	p.inputs = append(p.inputs, v)
	return makePointer(spaceInput, v.index, 0), nil
}

func (p *program) allocateVariable(v *variable, flags uint64) (pointer, error) {
	// Code that is compiled ahead of time runs in another process: its
	// variables get places now, and memory when the image is opened.
	if p.device.aot {
		m, err := p.device.placeAhead(v.t.size)
		if err != nil {
			return 0, err
		}
		v.memory = m
		return m.pointer(0), nil
	}
	m, err := p.device.heap.allocate(p.device, driver.DeviceMemory, v.t.size, flags)
	if err != nil {
		return 0, err
	}
	m.keep, v.memory = true, m
	return m.pointer(0), nil
}

// initializeVariables writes the initial values of the variables once all
// addresses are known, and records the names that the host uses.
func (p *program) initializeVariables() error {
	for _, in := range p.module.Globals() {
		v := p.variables[in.Result()]
		if v == nil || v.memory == nil {
			continue
		}
		if err := p.writeInitial(v); err != nil {
			return fmt.Errorf("variable %s: %w", v.name, err)
		}
		p.nameVariable(v)
	}
	return p.compileQueue()
}

func (p *program) writeInitial(v *variable) error {
	if v.initial == 0 {
		return nil
	}
	return p.writeConstant(v.memory.data, v.t, v.initial)
}

// nameVariable records the linkage name and the host's name of a device global.
func (p *program) nameVariable(v *variable) {
	if name, ok := p.module.HostAccessName(v.id); ok {
		p.byName[name] = v
	}
	if name, ok := p.module.LinkageName(v.id); ok {
		p.byName[name] = v
	}
}

// compileKernels compiles the entry points and everything that they call.
// Functions that no kernel reaches may use anything.
func (p *program) compileKernels() error {
	p.entryPoints = map[spirv.ID]bool{}
	for _, e := range p.module.EntryPoints() {
		p.entryPoints[e.Function] = true
	}
	for _, e := range p.module.EntryPoints() {
		if e.Model != spirv.ExecutionModelKernel {
			continue
		}
		k, err := p.newKernel(e)
		if err != nil {
			return fmt.Errorf("kernel %s: %w", e.Name, err)
		}
		p.kernels[e.Name] = k
	}
	if p.module.Declares(capabilityFunctionPointers) {
		p.takeExports()
	}
	return p.compileQueue()
}

// capabilityFunctionPointers is FunctionPointersINTEL.
const capabilityFunctionPointers = 5603

// takeExports gives each exported function a pointer, as the host may ask for it.
func (p *program) takeExports() {
	for _, s := range p.module.Exports() {
		if s.Function && p.bodies[s.ID] != nil {
			p.pointerIndex(s.ID)
			p.demandFunction(s.ID)
		}
	}
}

// pointerIndex returns the place of a function among those that have pointers.
func (p *program) pointerIndex(id spirv.ID) int {
	at := slices.Index(p.pointers, id)
	if at < 0 {
		at = len(p.pointers)
		p.pointers = append(p.pointers, id)
	}
	return at
}

// FunctionPointer returns the pointer to an exported function. Functions have pointers
// only in modules that use those.
func (p *program) FunctionPointer(name string) (uint64, error) {
	if err := p.device.injectedFailure("FunctionPointer"); err != nil {
		return 0, err
	}
	for _, s := range p.module.Exports() {
		if at := slices.Index(p.pointers, s.ID); s.Name == name && at >= 0 {
			return uint64(at) + 1, nil
		}
	}
	return 0, fmt.Errorf("a pointer to function %s: %w", name, driver.ErrNotFound)
}

// collectNeeds finds the variables of each kernel, after all functions are
// compiled.
func (p *program) collectNeeds() error {
	for _, k := range p.kernels {
		k.collectVariables()
	}
	return nil
}

// function returns the function of an identifier and queues its compilation.
func (p *program) function(id spirv.ID) (*function, error) {
	f := p.bodies[id]
	if f == nil {
		return nil, fmt.Errorf("%%%d is not a function", id)
	}
	return p.demandFunction(id), nil
}

// demandFunction returns a function and queues its compilation.
func (p *program) demandFunction(id spirv.ID) *function {
	fn := p.functions[id]
	if fn == nil {
		fn = &function{id: id, name: p.functionName(id)}
		p.functions[id] = fn
		p.queue = append(p.queue, fn)
	}
	return fn
}

// buildLog has a line for each function that the device refuses.
type buildLog []string

func (l buildLog) Error() string {
	if len(l) > 1 {
		return fmt.Sprintf("%s (and %d more)", l[0], len(l)-1)
	}
	return l[0]
}

// compileQueue compiles the queued functions and those that they queue. It
// tries every function, so that the log has all refusals.
func (p *program) compileQueue() error {
	var log buildLog
	for len(p.queue) > 0 {
		fn := p.queue[0]
		p.queue = p.queue[1:]
		if err := p.compileInto(fn); err != nil {
			log = append(log, err.Error())
		}
	}
	if len(log) > 0 {
		return log
	}
	return nil
}

func (p *program) compileInto(fn *function) error {
	f := p.bodies[fn.id]
	if f.IsDeclaration() {
		return fmt.Errorf("function %s: no module defines it", fn.name)
	}
	compiled, err := p.compileFunction(f)
	if err != nil {
		return err
	}
	// In place: calls that were compiled before hold the pointer.
	*fn = *compiled
	return nil
}

// functionName is the linkage name of a function, or its name as an entry point, or its
// OpName.
func (p *program) functionName(id spirv.ID) string {
	if name, ok := p.module.LinkageName(id); ok {
		return name
	}
	for _, e := range p.module.EntryPoints() {
		if e.Function == id {
			return e.Name
		}
	}
	return p.module.Name(id)
}

// typeOfFunction is the type that OpFunction names in its last word (SPIR-V,
// OpFunction).
func (p *program) typeOfFunction(id spirv.ID) *typ {
	return p.types.types[spirv.ID(p.bodies[id].Def.Words[3])]
}

// Kernel returns a kernel by its entry point's name.
func (p *program) Kernel(name string) (driver.Kernel, error) {
	if err := p.device.injectedFailure("Kernel"); err != nil {
		return nil, err
	}
	if k := p.kernels[name]; k != nil {
		return k, nil
	}
	return nil, fmt.Errorf("kernel %s: %w; the program has %s", name, driver.ErrNotFound, p.kernelNames())
}

// kernelNames lists the kernels for a message, sorted, as the order of a map
// differs between runs.
func (p *program) kernelNames() string {
	if len(p.kernels) == 0 {
		return "no kernels"
	}
	var names []string
	for name := range p.kernels {
		names = append(names, name)
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

// Variable returns the memory of a program-scope variable by its linkage
// name or its host name.
func (p *program) Variable(name string) (driver.Memory, error) {
	if err := p.device.injectedFailure("Variable"); err != nil {
		return nil, err
	}
	if v := p.byName[name]; v != nil {
		return v.memory, nil
	}
	return nil, fmt.Errorf("variable %s: %w", name, driver.ErrNotFound)
}

// Close frees the code and the memory of the variables when the launches before have
// ended.
func (p *program) Close() error {
	return p.device.frees.FreeAfter(p.device.presentCommands(), p.freeCode)
}

func (p *program) freeCode() error {
	for _, k := range p.kernels {
		for rows := range k.native {
			if n := k.native[rows].code; n != nil {
				engine, _ := p.device.engine()
				n.close(engine)
			}
		}
	}
	p.releaseVariables()
	return nil
}

// releaseVariables gives the memory of variables back. Ahead of time there is
// none, only places.
func (p *program) releaseVariables() {
	for _, v := range p.variables {
		if v.memory != nil && !p.device.aot {
			v.memory.release()
		}
	}
}

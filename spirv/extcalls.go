package spirv

import (
	"fmt"
	"slices"
)

// ExtCall names the functions that take the place of an extended instruction, without the
// suffix of their type: "sin" stands for sin_f32 and sin_f64.
type ExtCall struct {
	// Result computes the instruction's result.
	Result string
	// Stored computes the value that the instruction stores through its last operand,
	// from the other operands; "" for instructions that store nothing.
	Stored string
}

// WithExtCalls returns a copy of the module in which instructions of an extended set, and the
// remainders OpFRem and OpFMod, are calls of imported functions, and the names of the functions,
// in the order of their first use. m is not changed; without such instructions it is the result.
// choose returns the functions of an instruction by its name ("sin", "OpFRem"), and has reports
// whether one with a suffix is there; other instructions stay.
//
// Functions take scalars: their suffix is the type of the instruction's first operand, such as
// _f32 or _i64. Vectors are called component by component. Halves are converted to float and back; they
// have functions with the suffix _f16 where those for floats would not do.
func (m *Module) WithExtCalls(set string, choose func(instruction string) (ExtCall, bool), has func(function string) bool) (*Module, []string, error) {
	b := &extCallBuilder{m: m, set: set, choose: choose, has: has, imports: map[string]ID{}, types: map[string]ID{}}
	b.out = &Module{Version: m.Version, Generator: m.Generator, Bound: m.Bound, sections: m.sections}
	b.out.sections[sectionGlobal] = slices.Clone(m.sections[sectionGlobal])
	b.out.sections[sectionAnnotation] = slices.Clone(m.sections[sectionAnnotation])
	functions := make([]*Function, len(m.functions))
	for i, f := range m.functions {
		functions[i] = b.replaceInstructions(f)
	}
	if len(b.names) == 0 {
		return m, nil, nil
	}
	for _, c := range []uint32{capabilityLinkage, capabilityInt64, capabilityFloat64} {
		b.out.sections[sectionCapability] = withCapability(b.out.sections[sectionCapability], c)
	}
	b.out.functions = append(b.declarations, functions...)
	return b.out, b.names, b.out.rebuildIndexes()
}

const capabilityFloat64 = 10

// extCallBuilder makes the copy.
type extCallBuilder struct {
	m, out *Module
	set    string
	choose func(string) (ExtCall, bool)
	has    func(string) bool

	names        []string
	imports      map[string]ID
	declarations []*Function
	types        map[string]ID

	body []*Instruction // of the function at hand
}

// replaceInstructions returns the function itself if it has none of the instructions.
func (b *extCallBuilder) replaceInstructions(f *Function) *Function {
	changed := false
	b.body = nil
	for i, in := range f.Body {
		c, ok := b.extCallOf(in)
		if ok && !changed {
			b.body = append(make([]*Instruction, 0, len(f.Body)+16), f.Body[:i]...)
			changed = true
		}
		switch {
		case ok:
			b.callFunctions(in, c)
		case changed:
			b.body = append(b.body, in)
		}
	}
	if !changed {
		return f
	}
	return &Function{Def: f.Def, Params: f.Params, Body: b.body}
}

// extCall is an instruction that is replaced.
type extCall struct {
	ExtCall
	operands []ID // without the pointer
	pointer  ID   // 0 if nothing is stored
	suffix   string
	stored   ID // the type of the value that is stored
}

// extCallOf finds out the functions of an instruction, and reports whether all are there and
// its operands are of types that they take.
func (b *extCallBuilder) extCallOf(in *Instruction) (c extCall, ok bool) {
	name, operands := b.instructionName(in)
	if name == "" {
		return c, false
	}
	if c.ExtCall, ok = b.choose(name); !ok {
		return c, false
	}
	for _, w := range operands {
		c.operands = append(c.operands, ID(w))
	}
	if c.Stored != "" {
		last := len(c.operands) - 1
		c.pointer, c.operands = c.operands[last], c.operands[:last]
		c.stored = b.pointee(c.pointer)
	}
	if len(c.operands) == 0 {
		return c, false
	}
	c.suffix = b.suffixOf(c.operands[0])
	if c.suffix == "_f16" && !b.has(c.Result+c.suffix) {
		c.suffix = "_f32"
	}
	return c, c.suffix != "" && b.fits(in.Type()) && (c.pointer == 0 || b.fits(c.stored)) && b.operandsFit(in, &c) && b.hasFunctions(&c)
}

// instructionName is empty for instructions that stay.
func (b *extCallBuilder) instructionName(in *Instruction) (name string, operands []uint32) {
	switch {
	case (in.Op == OpFRem || in.Op == OpFMod) && len(in.Words) == 4:
		return in.Op.String(), in.Words[2:]
	case in.Op == OpExtInst && len(in.Words) > 4 && b.m.ExtInstSet(ID(in.Words[2])) == b.set:
		return ExtInstName(b.set, in.Words[3]), in.Words[4:]
	}
	return "", nil
}

func (b *extCallBuilder) hasFunctions(c *extCall) bool {
	return b.has(c.Result+c.suffix) && (c.Stored == "" || b.has(c.Stored+storedSuffix(c.suffix)))
}

// storedSuffix is the suffix of the function for the second result: halves have none of their own.
func storedSuffix(suffix string) string {
	if suffix == "_f16" {
		return "_f32"
	}
	return suffix
}

// operandsFit reports whether operands have the components of the result.
func (b *extCallBuilder) operandsFit(in *Instruction, c *extCall) bool {
	_, count := b.componentsOf(in.Type())
	if _, n := b.componentsOf(c.stored); c.pointer != 0 && n != count {
		return false
	}
	var types []ID
	for _, id := range c.operands {
		t := b.m.TypeOf(id)
		if _, n := b.componentsOf(t); n != count || !b.fits(t) {
			return false
		}
		types = append(types, t)
	}
	return !b.isFloat(types[0]) || !slices.ContainsFunc(append(types, in.Type()), func(t ID) bool { return !b.isFloat(t) && !b.isInt32(t) })
}

// pointee is the type that a pointer leads to, 0 for other values.
func (b *extCallBuilder) pointee(p ID) ID {
	if t := b.m.Def(b.m.TypeOf(p)); t != nil && t.Op == OpTypePointer && len(t.Words) > 2 {
		return ID(t.Words[2])
	}
	return 0
}

// componentsOf is the type of a vector's components and their number, 1 for other types.
func (b *extCallBuilder) componentsOf(t ID) (scalar ID, count int) {
	if in := b.m.Def(t); in != nil && in.Op == OpTypeVector && len(in.Words) > 2 {
		return ID(in.Words[1]), int(in.Words[2])
	}
	return t, 1
}

// fits reports whether a type is one that functions take.
func (b *extCallBuilder) fits(t ID) bool {
	scalar, count := b.componentsOf(t)
	in := b.m.Def(scalar)
	if in == nil || count > 16 || len(in.Words) < 2 {
		return false
	}
	switch width := in.Words[1]; in.Op {
	case OpTypeFloat:
		return width == 16 || width == 32 || width == 64
	case OpTypeInt:
		return width == 8 || width == 16 || width == 32 || width == 64
	}
	return false
}

// isInt32 reports whether a type is of integers of 32 bits, the only ones that functions
// take or return beside floats.
func (b *extCallBuilder) isInt32(t ID) bool {
	scalar, _ := b.componentsOf(t)
	in := b.m.Def(scalar)
	return in.Op == OpTypeInt && in.Words[1] == 32
}

func (b *extCallBuilder) isFloat(t ID) bool {
	scalar, _ := b.componentsOf(t)
	return b.m.Def(scalar).Op == OpTypeFloat
}

func (b *extCallBuilder) isHalf(scalar ID) bool {
	in := b.m.Def(scalar)
	return in.Op == OpTypeFloat && in.Words[1] == 16
}

// suffixOf is the suffix for the type of an operand, "" if it is not of numbers.
func (b *extCallBuilder) suffixOf(id ID) string {
	scalar, _ := b.componentsOf(b.m.TypeOf(id))
	in := b.m.Def(scalar)
	switch {
	case in == nil || len(in.Words) < 2:
		return ""
	case in.Op == OpTypeInt:
		return fmt.Sprintf("_i%d", in.Words[1])
	case in.Op == OpTypeFloat:
		return fmt.Sprintf("_f%d", in.Words[1])
	}
	return ""
}

func (b *extCallBuilder) newID() ID {
	b.out.Bound++
	return ID(b.out.Bound - 1)
}

func (b *extCallBuilder) emit(op Opcode, words ...uint32) {
	b.body = append(b.body, &Instruction{Op: op, Words: words})
}

// callFunctions emits the calls for an instruction. The second result is computed from
// the operands as well, so that the order does not matter.
func (b *extCallBuilder) callFunctions(in *Instruction, c extCall) {
	b.emitCalls(in.Result(), in.Type(), c.Result+c.suffix, c.operands)
	if c.pointer != 0 {
		value := b.newID()
		b.emitCalls(value, c.stored, c.Stored+storedSuffix(c.suffix), c.operands)
		b.emit(OpStore, uint32(c.pointer), uint32(value))
	}
}

// emitCalls computes a value of a type, component by component.
func (b *extCallBuilder) emitCalls(result, t ID, name string, operands []ID) {
	scalar, count := b.componentsOf(t)
	if count == 1 {
		b.emitCall(result, scalar, name, operands)
		return
	}
	words := []uint32{uint32(t), uint32(result)}
	for i := range count {
		parts := make([]ID, len(operands))
		for j, id := range operands {
			component, _ := b.componentsOf(b.m.TypeOf(id))
			parts[j] = b.newID()
			b.emit(OpCompositeExtract, uint32(component), uint32(parts[j]), uint32(id), uint32(i))
		}
		part := b.newID()
		b.emitCall(part, scalar, name, parts, operands...)
		words = append(words, uint32(part))
	}
	b.emit(OpCompositeConstruct, words...)
}

// emitCall calls a function of scalars. like are the values whose components the operands are,
// the operands themselves if it is left out.
func (b *extCallBuilder) emitCall(result, scalar ID, name string, operands []ID, like ...ID) {
	if like == nil {
		like = operands
	}
	var args, params []uint32
	for i, id := range operands {
		component, _ := b.componentsOf(b.m.TypeOf(like[i]))
		wide := b.widened(component)
		if wide != component {
			id = b.emitConversion(b.newID(), wide, id)
		}
		args, params = append(args, uint32(id)), append(params, uint32(wide))
	}
	wide := b.widened(scalar)
	to := result
	if wide != scalar {
		to = b.newID()
	}
	b.emit(OpFunctionCall, append([]uint32{uint32(wide), uint32(to), uint32(b.importFunction(name, wide, params))}, args...)...)
	if to != result {
		b.emitConversion(result, scalar, to)
	}
}

func (b *extCallBuilder) emitConversion(result, t, id ID) ID {
	b.emit(OpFConvert, uint32(t), uint32(result), uint32(id))
	return result
}

// widened is the type that a function has for a component: float for a half.
func (b *extCallBuilder) widened(scalar ID) ID {
	if b.isHalf(scalar) {
		return b.typeID(OpTypeFloat, 32)
	}
	return scalar
}

// typeID finds a type or adds it: a module must not declare a type twice.
func (b *extCallBuilder) typeID(op Opcode, words ...uint32) ID {
	key := typeKey(op, words)
	if len(b.types) == 0 {
		for _, in := range b.out.sections[sectionGlobal] {
			if (in.Op == OpTypeFloat || in.Op == OpTypeFunction) && len(in.Words) > 1 {
				b.types[typeKey(in.Op, in.Words[1:])] = in.Result()
			}
		}
	}
	id, ok := b.types[key]
	if !ok {
		id = b.newID()
		b.types[key] = id
		b.out.sections[sectionGlobal] = append(b.out.sections[sectionGlobal], &Instruction{Op: op, Words: append([]uint32{uint32(id)}, words...)})
	}
	return id
}

func typeKey(op Opcode, words []uint32) string {
	key := make([]byte, 0, 4*len(words)+2)
	key = append(key, byte(op), byte(op>>8))
	for _, w := range words {
		key = append(key, byte(w), byte(w>>8), byte(w>>16), byte(w>>24))
	}
	return string(key)
}

// importFunction declares a function that the module imports.
func (b *extCallBuilder) importFunction(name string, result ID, params []uint32) ID {
	if id := b.imports[name]; id != 0 {
		return id
	}
	t, id := b.typeID(OpTypeFunction, append([]uint32{uint32(result)}, params...)...), b.newID()
	f := &Function{Def: &Instruction{Op: OpFunction, Words: []uint32{uint32(result), uint32(id), 0, uint32(t)}}}
	for _, p := range params {
		f.Params = append(f.Params, &Instruction{Op: OpFunctionParameter, Words: []uint32{p, uint32(b.newID())}})
	}
	linkage := append(appendString([]uint32{uint32(id), uint32(DecorationLinkageAttributes)}, name), uint32(LinkageImport))
	b.out.sections[sectionAnnotation] = append(b.out.sections[sectionAnnotation], &Instruction{Op: OpDecorate, Words: linkage})
	b.declarations = append(b.declarations, f)
	b.imports[name] = id
	b.names = append(b.names, name)
	return id
}

package spirv

// Pointers of SPIR-V have the type of their target, those of LLVM do not: a translator infers it
// from the uses within a module. So two modules may declare the same function with different
// pointer types. Link binds such an import to the export all the same, and converts the
// pointers at its calls. Where a module has the address of the function, in a table of virtual
// functions for example, that is the address of a function of the imported type that calls it.

// adaptation has the types of a function as it is imported and as it is exported, with new
// numbers: the return type, then the parameters.
type adaptation struct {
	imported, exported []uint32
}

// addressed is a function and the type for which it has an address, with new numbers.
type addressed struct{ function, imported ID }

// adaptPointers notes that the calls of an import need conversions. It returns false if the types
// differ in more than the targets of pointers, or if something other than a call and an address
// uses the function.
func (l *linker) adaptPointers(b binding, from, to ID) bool {
	if !b.Function || !b.to.Function {
		return false
	}
	types := l.globalsByResult()
	imported, exported := types[from], types[to]
	if imported == nil || exported == nil || len(imported.Words) != len(exported.Words) {
		return false
	}
	for i := 1; i < len(imported.Words); i++ {
		if !samePointers(types, ID(imported.Words[i]), ID(exported.Words[i])) {
			return false
		}
	}
	if !b.unit.onlyCalls(b.ID) {
		return false
	}
	if l.adapted == nil {
		l.adapted = make(map[addressed]adaptation)
	}
	l.adapted[addressed{b.to.unit.ids.get(b.to.ID), from}] = adaptation{imported.Words[1:], exported.Words[1:]}
	if b.unit.adapted == nil {
		b.unit.adapted = make(map[ID]adaptation)
	}
	b.unit.adapted[b.ID] = adaptation{imported.Words[1:], exported.Words[1:]}
	return true
}

// globalsByResult returns the new types by their numbers. It finds them on the first call, when
// all globals have been copied.
func (l *linker) globalsByResult() map[ID]*Instruction {
	if l.types == nil {
		l.types = make(map[ID]*Instruction)
		for _, in := range l.out.sections[sectionGlobal] {
			if isType(in.Op) {
				l.types[in.Result()] = in
			}
		}
	}
	return l.types
}

// samePointers reports whether two types are equal, or both pointers of the same storage class.
func samePointers(types map[ID]*Instruction, a, b ID) bool {
	if a == b {
		return true
	}
	x, y := types[a], types[b]
	return x != nil && y != nil && x.Op == OpTypePointer && y.Op == OpTypePointer && x.Words[1] == y.Words[1]
}

// onlyCalls reports whether a unit uses a function only in calls of it, and by its address.
func (u *unit) onlyCalls(id ID) bool {
	for _, g := range u.Module.Globals() {
		if g.Op != OpConstantFunctionPointerINTEL && u.refersTo(g, id) {
			return false
		}
	}
	for _, f := range u.Module.functions {
		for _, in := range f.Body {
			if in.Op == OpFunctionCall && ID(in.Words[2]) == id {
				continue
			}
			if u.refersTo(in, id) {
				return false
			}
		}
	}
	return true
}

// refersTo reports whether an instruction has an identifier among its operands, true if that is
// not known.
func (u *unit) refersTo(in *Instruction, id ID) bool {
	refs, err := u.Module.operands(in, u.refs[:0])
	u.refs = refs
	if err != nil {
		return true // not known: it may
	}
	for _, r := range refs {
		if r.kind.isID() && r.kind != kindIdResult && ID(in.Words[r.at]) == id {
			return true
		}
	}
	return false
}

// adaptCalls adds conversions around the calls in a function's body that need them. body has the
// instructions of the unit, out the renumbered ones.
func (l *linker) adaptCalls(u *unit, body, out []*Instruction) []*Instruction {
	if len(u.adapted) == 0 {
		return out
	}
	var list []*Instruction
	for i, in := range body {
		a, ok := adaptation{}, false
		if in.Op == OpFunctionCall {
			a, ok = u.adapted[ID(in.Words[2])]
		}
		if !ok {
			list = append(list, out[i])
			continue
		}
		list = l.adaptCall(list, out[i], a)
	}
	return list
}

// adaptCall appends a call with the conversions of its arguments before it, and of its result
// after it. The converted result keeps the identifier that its uses have.
func (l *linker) adaptCall(list []*Instruction, call *Instruction, a adaptation) []*Instruction {
	words := append([]uint32(nil), call.Words...)
	for i, arg := range words[3:] {
		if param := i + 1; param < len(a.exported) && a.imported[param] != a.exported[param] {
			converted := l.newIdentifier()
			list = append(list, &Instruction{Op: OpBitcast, Words: []uint32{a.exported[param], uint32(converted), arg}})
			words[3+i] = uint32(converted)
		}
	}
	if a.imported[0] == a.exported[0] {
		return append(list, &Instruction{Op: OpFunctionCall, Words: words})
	}
	result := words[1]
	words[0], words[1] = a.exported[0], uint32(l.newIdentifier())
	return append(list, &Instruction{Op: OpFunctionCall, Words: words},
		&Instruction{Op: OpBitcast, Words: []uint32{a.imported[0], result, words[1]}})
}

func (l *linker) newIdentifier() ID {
	l.next++
	return l.next - 1
}

// adaptAddresses gives the addresses of functions that were imported with another type those of
// functions of that type, which it adds.
func (l *linker) adaptAddresses() error {
	if len(l.adapted) == 0 {
		return nil
	}
	types, wrappers := l.globalsByResult(), map[addressed]ID{}
	for i, in := range l.out.sections[sectionGlobal] {
		if in.Op != OpConstantFunctionPointerINTEL || types[in.Type()] == nil {
			continue
		}
		at := addressed{ID(in.Words[2]), ID(types[in.Type()].Words[2])}
		a, ok := l.adapted[at]
		if !ok {
			continue
		}
		if wrappers[at] == 0 {
			wrappers[at] = l.addWrapper(at, a)
		}
		l.out.sections[sectionGlobal][i] = &Instruction{Op: in.Op, Words: []uint32{in.Words[0], in.Words[1], uint32(wrappers[at])}}
	}
	return nil
}

// addWrapper adds a function of the imported type that calls the exported one.
func (l *linker) addWrapper(at addressed, a adaptation) ID {
	f := &Function{Def: &Instruction{Op: OpFunction, Words: []uint32{a.imported[0], uint32(l.newIdentifier()), 0, uint32(at.imported)}}}
	call := []uint32{a.imported[0], uint32(l.newIdentifier()), uint32(at.function)}
	for _, t := range a.imported[1:] {
		p := uint32(l.newIdentifier())
		f.Params = append(f.Params, &Instruction{Op: OpFunctionParameter, Words: []uint32{t, p}})
		call = append(call, p)
	}
	result := call[1]
	f.Body = []*Instruction{{Op: OpLabel, Words: []uint32{uint32(l.newIdentifier())}}}
	f.Body = l.adaptCall(f.Body, &Instruction{Op: OpFunctionCall, Words: call}, a)
	end := &Instruction{Op: OpReturnValue, Words: []uint32{result}}
	if l.types[ID(a.imported[0])].Op == OpTypeVoid {
		end = &Instruction{Op: OpReturn}
	}
	f.Body = append(f.Body, end)
	l.out.functions = append(l.out.functions, f)
	return f.ID()
}

package spirv

// Pointers of SPIR-V have the type of their target, those of LLVM do not: a translator infers it
// from the uses within a module. So two modules may declare the same function with different
// pointer types. Link binds such an import to the export all the same, and converts the
// pointers at its calls.

// adaptation has the types of a function as it is imported and as it is exported, with new
// numbers: the return type, then the parameters.
type adaptation struct {
	imported, exported []uint32
}

// adaptPointers notes that the calls of an import need conversions. It returns false if the types
// differ in more than the targets of pointers, or if something other than a call uses the
// function: its address would have the wrong type.
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

// onlyCalls reports whether a unit uses a function only in calls of it.
func (u *unit) onlyCalls(id ID) bool {
	for _, g := range u.Module.Globals() {
		if u.refersTo(g, id) {
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

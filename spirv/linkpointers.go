package spirv

// Pointers of SPIR-V have the type of their target, and those of LLVM do not: a
// translator guesses it from the uses that a module has. So two modules
// may spell one function with different pointers. Link takes such an import
// for the export, and has its calls convert the pointers.

// adaptation is the two types of a function, renumbered: return type, then the
// parameters.
type adaptation struct {
	imported, exported []uint32
}

// adaptPointers notes that the calls of an import need conversions. It is false
// where the types differ in more than the targets of pointers, or where the
// function is not only called.
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

// globalsByResult finds the new types, once.
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

// samePointers tells whether two types are equal, or pointers of one storage
// class.
func samePointers(types map[ID]*Instruction, a, b ID) bool {
	if a == b {
		return true
	}
	x, y := types[a], types[b]
	return x != nil && y != nil && x.Op == OpTypePointer && y.Op == OpTypePointer && x.Words[1] == y.Words[1]
}

// onlyCalls tells whether a unit uses a function for nothing but calls.
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

// refersTo tells whether an instruction has an identifier among its operands.
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

// adaptCalls puts the conversions around the calls of a function's body. body
// is that of the unit, out the renumbered one.
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

// adaptCall appends a call with its conversions.
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

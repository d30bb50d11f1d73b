package spirv

import "slices"

// numberFunctions numbers the functions that are copied, so that constants
// may name them.
func (l *linker) numberFunctions() error {
	for _, u := range l.units {
		for _, f := range u.Module.functions {
			if !u.dropped[f.ID()] {
				l.number(target{u, f.ID()})
			}
		}
	}
	return nil
}

// copyFunctions copies declarations, then definitions.
func (l *linker) copyFunctions() error {
	var declarations, definitions []*Function
	for _, u := range l.units {
		for _, f := range u.Module.functions {
			switch {
			case u.dropped[f.ID()]:
			case f.IsDeclaration():
				declarations = append(declarations, l.copyFunction(u, f))
			default:
				definitions = append(definitions, l.copyFunction(u, f))
			}
		}
	}
	l.out.functions = append(declarations, definitions...)
	return nil
}

func (l *linker) copyFunction(u *unit, f *Function) *Function {
	return &Function{
		Def:    l.renumber(u, f.Def),
		Params: l.renumberAll(u, f.Params),
		Body:   l.renumberAll(u, f.Body),
	}
}

func (l *linker) renumberAll(u *unit, list []*Instruction) []*Instruction {
	out := make([]*Instruction, len(list))
	for i, in := range list {
		out[i] = l.renumber(u, in)
	}
	return out
}

// copyDebug copies sources, then names, then the notes of tools. The strings
// were copied first.
func (l *linker) copyDebug() error {
	for rank := range debugRanks {
		for _, u := range l.units {
			for _, in := range u.Module.sections[sectionDebug] {
				if debugRank(in.Op) == rank {
					l.copyDebugInstruction(u, in)
				}
			}
		}
	}
	return nil
}

const debugRanks = 3

// debugRank is the place of an instruction in the order of the layout.
func debugRank(op Opcode) int {
	switch op {
	case OpName, OpMemberName:
		return 1
	case OpModuleProcessed:
		return 2
	}
	return 0
}

func (l *linker) copyDebugInstruction(u *unit, in *Instruction) {
	switch in.Op {
	case OpString:
	case OpModuleProcessed:
		l.addOnce(sectionDebug, in)
	case OpName, OpMemberName:
		if u.owns(ID(in.Words[0])) {
			l.append(sectionDebug, l.renumber(u, in))
		}
	default:
		l.append(sectionDebug, l.renumber(u, in))
	}
}

func (l *linker) append(s section, in *Instruction) {
	l.out.sections[s] = append(l.out.sections[s], in)
}

// owns tells whether the copy of an identifier came from this unit, so that
// the unit's names and decorations are the ones to keep.
func (u *unit) owns(id ID) bool {
	return !u.dropped[id] && !u.shared[id] && u.ids.get(id) != 0
}

// copyAnnotations copies the decorations of what was copied, groups taken
// apart.
func (l *linker) copyAnnotations() error {
	for _, u := range l.units {
		seen := map[ID]bool{}
		for _, in := range u.Module.sections[sectionAnnotation] {
			if isAliasScope(in.Op) {
				l.append(sectionAnnotation, l.renumber(u, in))
				continue
			}
			for _, id := range annotationTargets(in) {
				if !seen[id] && u.owns(id) && u.Module.Def(id).Op != OpDecorationGroup {
					seen[id] = true
					l.copyDecorations(u, id)
				}
			}
		}
	}
	return nil
}

// isAliasScope tells the declarations that stand among the decorations
// (SPV_INTEL_memory_access_aliasing).
func isAliasScope(op Opcode) bool {
	return op == OpAliasDomainDeclINTEL || op == OpAliasScopeDeclINTEL || op == OpAliasScopeListDeclINTEL
}

func annotationTargets(in *Instruction) []ID {
	step, ids := 1, in.Words
	switch in.Op {
	case OpDecorationGroup:
		return nil
	case OpGroupDecorate:
		ids = ids[1:]
	case OpGroupMemberDecorate:
		step, ids = 2, ids[1:]
	default:
		ids = ids[:1]
	}
	var list []ID
	for i := 0; i < len(ids); i += step {
		list = append(list, ID(ids[i]))
	}
	return list
}

func (l *linker) copyDecorations(u *unit, id ID) {
	_, builtin := u.Module.IsBuiltIn(id)
	for _, d := range u.Module.Decorations(id) {
		if d.Kind == DecorationLinkageAttributes && (builtin || !l.keepsLinkage(d)) {
			continue
		}
		l.append(sectionAnnotation, l.renumber(u, d.instruction(id)))
	}
}

// keepsLinkage tells whether a symbol stays one: imports that are still here
// were not resolved.
func (l *linker) keepsLinkage(d Decoration) bool {
	_, linkage, ok := linkageAttributes(d.Words)
	return ok && (linkage == LinkageImport || l.opts.KeepExports)
}

// instruction is the decoration as an instruction of its own.
func (d Decoration) instruction(id ID) *Instruction {
	words := []uint32{uint32(id)}
	if d.Member >= 0 {
		words = append(words, uint32(d.Member))
	}
	words = append(words, uint32(d.Kind))
	return &Instruction{Op: d.op, Words: append(words, d.Words...)}
}

// copyEntryPoints copies entry points and their modes. From version 1.4 on an
// entry point lists all globals that its functions use, before only inputs
// and outputs; functions of other modules bring theirs.
func (l *linker) copyEntryPoints() error {
	first := map[string]string{} // by model and name
	uses := l.globalUses()
	l.interfaces = map[ID]bool{}
	for _, in := range l.out.sections[sectionGlobal] {
		if in.Op == OpVariable && l.inInterface(StorageClass(in.Words[2])) {
			l.interfaces[in.Result()] = true
		}
	}
	for _, u := range l.units {
		for _, in := range u.Module.sections[sectionEntryPoint] {
			name, _ := getString(in.Words[2:])
			key := string(appendWords(nil, in.Words[:1])) + name
			if have, ok := first[key]; ok {
				return &DuplicateError{"kernel", name, have, u.Name}
			}
			first[key] = u.Name
			l.append(sectionEntryPoint, l.completeInterface(l.renumber(u, in), uses))
			if l.room < 0 {
				return u.errorf("kernel %s: the kernels use too many functions to list what each uses", name)
			}
		}
		for _, in := range u.Module.sections[sectionExecutionMode] {
			l.append(sectionExecutionMode, l.renumber(u, in))
		}
	}
	return nil
}

// globalUses finds the functions, variables and constants that each new
// function, variable and constant names.
func (l *linker) globalUses() map[ID][]ID {
	nodes := map[ID][]*Instruction{}
	for _, in := range l.out.sections[sectionGlobal] {
		if in.Result() != 0 && !isType(in.Op) {
			nodes[in.Result()] = []*Instruction{in}
		}
	}
	for _, f := range l.out.functions {
		nodes[f.ID()] = f.Body
	}
	uses := map[ID][]ID{}
	for id, list := range nodes {
		uses[id] = namedIn(list, nodes)
	}
	return uses
}

// namedIn lists what instructions name. A literal may look like an
// identifier: one global too many in an interface does no harm.
func namedIn(list []*Instruction, nodes map[ID][]*Instruction) []ID {
	var ids []ID
	seen := map[ID]bool{}
	for _, in := range list {
		for _, w := range in.Words {
			if id := ID(w); nodes[id] != nil && !seen[id] {
				seen[id] = true
				ids = append(ids, id)
			}
		}
	}
	return ids
}

const storageOutput StorageClass = 3

func (l *linker) inInterface(s StorageClass) bool {
	return s == StorageInput || s == storageOutput || l.out.Version >= Version1_4
}

// completeInterface adds to an entry point's interface what its functions
// use, and drops what became equal.
func (l *linker) completeInterface(in *Instruction, uses map[ID][]ID) *Instruction {
	_, list := getString(in.Words[2:])
	words := slices.Clip(in.Words[:len(in.Words)-len(list)])
	seen := map[ID]bool{}
	add := func(id ID) {
		if !seen[id] {
			seen[id] = true
			words = append(words, uint32(id))
		}
	}
	for _, w := range list {
		add(ID(w))
	}
	used := reachable(ID(in.Words[1]), uses)
	l.room -= len(used)
	for _, id := range used {
		if l.interfaces[id] {
			add(id)
		}
	}
	return &Instruction{Op: in.Op, Words: words}
}

// reachable lists what a function uses, directly or not, itself first.
func reachable(id ID, uses map[ID][]ID) []ID {
	seen := map[ID]bool{id: true}
	list := []ID{id}
	for at := 0; at < len(list); at++ {
		for _, use := range uses[list[at]] {
			if !seen[use] {
				seen[use] = true
				list = append(list, use)
			}
		}
	}
	return list
}

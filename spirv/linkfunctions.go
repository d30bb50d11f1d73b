package spirv

import "slices"

// numberFunctions numbers the functions that will be copied. It does so before globals are
// copied, because constants may be addresses of functions.
func (l *linker) numberFunctions() error {
	for _, u := range l.units {
		for _, f := range u.Module.functions {
			if !u.dropped[f.ID()] {
				l.newNumber(target{u, f.ID()})
			}
		}
	}
	return nil
}

// copyFunctions copies declarations, then definitions, as the logical layout
// of a module requires.
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
		Def:    l.renumberInstruction(u, f.Def),
		Params: l.renumberAll(u, f.Params),
		Body:   l.adaptCalls(u, f.Body, l.renumberAll(u, f.Body)),
	}
}

func (l *linker) renumberAll(u *unit, list []*Instruction) []*Instruction {
	out := make([]*Instruction, len(list))
	for i, in := range list {
		out[i] = l.renumberInstruction(u, in)
	}
	return out
}

// copyDebug copies sources, then names, then OpModuleProcessed. The strings
// were copied earlier, because sources and lines refer to them.
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

// debugRank is the position of an instruction in the order of the layout
// (SPIR-V Specification, 2.4, item 7).
func debugRank(op Opcode) int {
	switch op {
	case OpName, OpMemberName:
		return 1
	case OpModuleProcessed:
		return 2
	}
	return 0
}

// copyDebugInstruction copies one instruction of the section, except strings. Names go with the
// copy of their identifier.
func (l *linker) copyDebugInstruction(u *unit, in *Instruction) {
	switch in.Op {
	case OpString:
	case OpModuleProcessed:
		l.addOnce(sectionDebug, in)
	case OpName, OpMemberName:
		if u.ownsCopy(ID(in.Words[0])) {
			l.appendTo(sectionDebug, l.renumberInstruction(u, in))
		}
	default:
		l.appendTo(sectionDebug, l.renumberInstruction(u, in))
	}
}

func (l *linker) appendTo(s section, in *Instruction) {
	l.out.sections[s] = append(l.out.sections[s], in)
}

// ownsCopy reports whether the copy of an identifier came from this unit. Only the names and
// decorations of that unit are copied with it.
func (u *unit) ownsCopy(id ID) bool {
	return !u.dropped[id] && !u.shared[id] && u.ids.get(id) != 0
}

// copyAnnotations copies the decorations of the copied identifiers. Those of groups are written
// as decorations of each target, so the result has no groups.
func (l *linker) copyAnnotations() error {
	for _, u := range l.units {
		seen := map[ID]bool{}
		for _, in := range u.Module.sections[sectionAnnotation] {
			if isAliasScope(in.Op) {
				l.appendTo(sectionAnnotation, l.renumberInstruction(u, in))
				continue
			}
			for _, id := range annotationTargets(in) {
				if !seen[id] && u.ownsCopy(id) && u.Module.Def(id).Op != OpDecorationGroup {
					seen[id] = true
					l.copyDecorations(u, id)
				}
			}
		}
	}
	return nil
}

// isAliasScope reports whether an instruction is one of the declarations that are among the
// decorations (SPV_INTEL_memory_access_aliasing).
func isAliasScope(op Opcode) bool {
	return op == OpAliasDomainDeclINTEL || op == OpAliasScopeDeclINTEL || op == OpAliasScopeListDeclINTEL
}

// annotationTargets returns the identifiers that an annotation decorates; those of
// OpGroupMemberDecorate alternate with the numbers of members.
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

// copyDecorations writes the decorations of one identifier. Built-in variables lose their linkage,
// which only some producers give them, since equal ones of several inputs become one.
func (l *linker) copyDecorations(u *unit, id ID) {
	_, builtin := u.Module.IsBuiltIn(id)
	for _, d := range u.Module.Decorations(id) {
		if d.Kind == DecorationLinkageAttributes && (builtin || !l.keepsLinkage(d)) {
			continue
		}
		l.appendTo(sectionAnnotation, l.renumberInstruction(u, d.asInstruction(id)))
	}
}

// keepsLinkage reports whether a symbol keeps its linkage. Imports that have not been dropped by
// now were not resolved and keep it; exports do only if the options say so.
func (l *linker) keepsLinkage(d Decoration) bool {
	_, linkage, ok := linkageAttributes(d.Words)
	return ok && (linkage == LinkageImport || l.opts.KeepExports)
}

// asInstruction returns the instruction that applies the decoration to id.
func (d Decoration) asInstruction(id ID) *Instruction {
	words := []uint32{uint32(id)}
	if d.Member >= 0 {
		words = append(words, uint32(d.Member))
	}
	words = append(words, uint32(d.Kind))
	return &Instruction{Op: d.op, Words: append(words, d.Words...)}
}

// copyEntryPoints copies entry points and their modes. Up to version 1.3 an entry point lists the
// Input and Output variables that its functions use, from 1.4 on all global variables. Functions
// of other modules that it reaches now add theirs.
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
			l.appendTo(sectionEntryPoint, l.completeInterface(l.renumberInstruction(u, in), uses))
			if l.room < 0 {
				return u.errorf("kernel %s: the kernels use too many functions to list those of each", name)
			}
		}
		for _, in := range u.Module.sections[sectionExecutionMode] {
			l.appendTo(sectionExecutionMode, l.renumberInstruction(u, in))
		}
	}
	return nil
}

// globalUses finds the functions, variables and constants that each new
// function, variable and constant refers to.
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

// namedIn lists the nodes to which instructions refer. It takes every word for an identifier,
// even literals, which is fast and safe: an additional global in an interface is valid.
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

// completeInterface adds the variables that an entry point's functions use to its interface, and
// drops duplicates, as equal variables of several modules have become one.
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
	used := reachableFrom(ID(in.Words[1]), uses)
	l.room -= len(used)
	for _, id := range used {
		if l.interfaces[id] {
			add(id)
		}
	}
	return &Instruction{Op: in.Op, Words: words}
}

// reachableFrom lists the function and everything that it uses, directly or indirectly.
func reachableFrom(id ID, uses map[ID][]ID) []ID {
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

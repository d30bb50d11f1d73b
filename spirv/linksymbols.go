package spirv

// export is a symbol that a unit defines.
type export struct {
	unit *unit
	Symbol
}

// binding is an import, or a superseded export, with the symbol that replaces
// it.
type binding struct {
	unit *unit
	Symbol
	to export
}

// resolveSymbols finds the replacement of every import, and of every export that is superseded by
// one of the same name. Replaced symbols are not copied.
func (l *linker) resolveSymbols() error {
	l.exports = map[string]*export{}
	for _, u := range l.units {
		exports := u.Module.Exports()
		if err := u.checkNames(append(u.Module.Imports(), exports...)); err != nil {
			return err
		}
		for _, s := range exports {
			if err := l.addExport(&export{u, s}); err != nil {
				return err
			}
		}
	}
	unresolved := l.bindImports()
	for _, b := range l.bindings {
		b.unit.alias[b.ID] = target{b.to.unit, b.to.ID}
		b.unit.dropSymbol(b.Symbol)
	}
	if len(unresolved) > 0 && !l.opts.AllowUnresolved {
		return &UnresolvedError{unresolved}
	}
	return nil
}

// checkNames refuses a function or variable with two linkage names.
func (u *unit) checkNames(symbols []Symbol) error {
	names := map[ID]string{}
	for _, s := range symbols {
		if have, ok := names[s.ID]; ok {
			return u.errorf("%%%d has two linkage names, %s and %s", s.ID, have, s.Name)
		}
		names[s.ID] = s.Name
	}
	return nil
}

// addExport adds one export: an Export wins, or the first of those that give way if no input has
// an Export. Two Exports are an error.
func (l *linker) addExport(e *export) error {
	have := l.exports[e.Name]
	switch {
	case have == nil:
		l.exports[e.Name] = e
	case have.Linkage.GivesWay() && !e.Linkage.GivesWay():
		l.rebindExport(have, e)
	case e.Linkage.GivesWay():
		l.bindSymbol(e.unit, e.Symbol, *have)
	default:
		return &DuplicateError{"symbol", e.Name, have.unit.Name, e.unit.Name}
	}
	return nil
}

// rebindExport replaces an export that gives way, and every symbol bound to it, by a
// later Export.
func (l *linker) rebindExport(from, to *export) {
	for i := range l.bindings {
		if l.bindings[i].Name == to.Name {
			l.bindings[i].to = *to
		}
	}
	l.bindSymbol(from.unit, from.Symbol, *to)
	l.exports[to.Name] = to
}

func (l *linker) bindSymbol(u *unit, s Symbol, to export) {
	l.bindings = append(l.bindings, binding{u, s, to})
}

// bindImports binds imports to exports. Imports that no input exports are
// bound to the first import of their name.
func (l *linker) bindImports() []Unresolved {
	var unresolved []Unresolved
	first := map[string]*export{}
	for _, u := range l.units {
		for _, s := range u.Module.Imports() {
			to := l.exports[s.Name]
			if to == nil {
				to = first[s.Name]
			}
			if to != nil {
				l.bindSymbol(u, s, *to)
				continue
			}
			first[s.Name] = &export{u, s}
			if l.opts.Provided != nil && l.opts.Provided(s.Name) {
				continue
			}
			unresolved = append(unresolved, Unresolved{s, u.Name})
		}
	}
	return unresolved
}

// dropSymbol excludes a symbol from the copy and, if it is a function,
// everything that is defined in it.
func (u *unit) dropSymbol(s Symbol) {
	u.dropped[s.ID] = true
	if !s.Function {
		return
	}
	u.bodies[s.ID].eachInstruction(func(in *Instruction) bool {
		if id := in.Result(); id != 0 {
			u.dropped[id] = true
		}
		return true
	})
}

// checkTypes compares the types of each binding. The types have been renumbered by now, so equal
// ones have the same number. Functions whose types differ only in the targets of pointers are
// adapted.
func (l *linker) checkTypes() error {
	for _, b := range l.bindings {
		from, to := b.unit.newType(b.Symbol), b.to.unit.newType(b.to.Symbol)
		if b.Function == b.to.Function && from == to || l.adaptPointers(b, from, to) {
			continue
		}
		return &MismatchError{
			Name: b.Name, Importer: b.unit.Name, Exporter: b.to.unit.Name,
			Imported: b.Type, Exported: b.to.Type,
		}
	}
	return nil
}

// newType returns the new number of the type of a function or variable.
func (u *unit) newType(s Symbol) ID {
	in := u.Module.Def(s.ID)
	if s.Function {
		return u.ids.get(ID(in.Words[3]))
	}
	return u.ids.get(in.Type())
}

package spirv

// export is a symbol that a unit defines.
type export struct {
	unit *unit
	Symbol
}

// binding is an import, or an export that gave way, and the symbol that
// stands for it.
type binding struct {
	unit *unit
	Symbol
	to export
}

// resolve finds what every import and every further export becomes.
func (l *linker) resolve() error {
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
		b.unit.drop(b.Symbol)
	}
	if len(unresolved) > 0 && !l.opts.AllowUnresolved {
		return &UnresolvedError{unresolved}
	}
	return nil
}

// checkNames refuses two linkage names of one function or variable.
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

// addExport takes one export: the first Export of a name wins, else the first
// LinkOnceODR.
func (l *linker) addExport(e *export) error {
	have := l.exports[e.Name]
	switch {
	case have == nil:
		l.exports[e.Name] = e
	case have.Linkage == LinkageLinkOnceODR && e.Linkage == LinkageExport:
		l.rebind(have, e)
	case e.Linkage == LinkageLinkOnceODR:
		l.bind(e.unit, e.Symbol, *have)
	default:
		return &DuplicateError{"symbol", e.Name, have.unit.Name, e.unit.Name}
	}
	return nil
}

// rebind lets a later Export stand for a LinkOnceODR and for all that it
// stood for.
func (l *linker) rebind(from, to *export) {
	for i := range l.bindings {
		if l.bindings[i].Name == to.Name {
			l.bindings[i].to = *to
		}
	}
	l.bind(from.unit, from.Symbol, *to)
	l.exports[to.Name] = to
}

func (l *linker) bind(u *unit, s Symbol, to export) {
	l.bindings = append(l.bindings, binding{u, s, to})
}

// bindImports binds imports to exports, and imports that nobody exports to
// the first import of their name.
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
				l.bind(u, s, *to)
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

// drop marks a symbol and, of a function, everything in it.
func (u *unit) drop(s Symbol) {
	u.dropped[s.ID] = true
	if !s.Function {
		return
	}
	u.bodies[s.ID].each(func(in *Instruction) bool {
		if id := in.Result(); id != 0 {
			u.dropped[id] = true
		}
		return true
	})
}

// checkTypes compares what was bound: the types are renumbered by now, and
// equal ones have one number.
func (l *linker) checkTypes() error {
	for _, b := range l.bindings {
		from, to := b.unit.newType(b.Symbol), b.to.unit.newType(b.to.Symbol)
		if b.Function == b.to.Function && from == to {
			continue
		}
		return &MismatchError{
			Name: b.Name, Importer: b.unit.Name, Exporter: b.to.unit.Name,
			Imported: b.Type, Exported: b.to.Type,
		}
	}
	return nil
}

// newType is the new number of a function's type or a variable's.
func (u *unit) newType(s Symbol) ID {
	in := u.Module.Def(s.ID)
	if s.Function {
		return u.ids.get(ID(in.Words[3]))
	}
	return u.ids.get(in.Type())
}

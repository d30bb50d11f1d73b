package split

import "offlink/ir"

// comdatMembers are the definitions in each comdat. A comdat is kept or
// dropped as a whole by linkers, so its members hang together.
type comdatMembers map[ir.ComdatID][]ir.ValueID

func newComdatMembers(m *ir.Module) comdatMembers {
	members := make(comdatMembers)
	for i := range m.Values {
		if c := m.Values[i].Comdat; c != ir.NoComdat && !m.Values[i].Declaration {
			members[c] = append(members[c], ir.ValueID(i))
		}
	}
	return members
}

// comdatUse says what a slice has of a comdat.
type comdatUse struct {
	members int
	visible bool // one of them stays visible, so all do
}

// comdatUses counts the members of the comdats of a slice. stays tells which
// values stay visible whatever their comdat.
func comdatUses(m *ir.Module, definitions []ir.ValueID, stays func(ir.ValueID) bool) map[ir.ComdatID]comdatUse {
	var uses map[ir.ComdatID]comdatUse
	for _, id := range definitions {
		c := m.Values[id].Comdat
		if c == ir.NoComdat {
			continue
		}
		if uses == nil {
			uses = make(map[ir.ComdatID]comdatUse)
		}
		use := uses[c]
		use.members++
		use.visible = use.visible || stays(id)
		uses[c] = use
	}
	return uses
}

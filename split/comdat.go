package split

import "offlink/ir"

// comdatMembers are the definitions in each comdat. Linkers keep or drop a
// comdat as a whole.
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

// comdatUse counts the members of a comdat in a partition.
type comdatUse struct {
	members int
	visible bool // one member stays visible, so all do
}

// comdatUses counts the members of the comdats of a partition. keeps reports
// whether a value keeps its linkage even without its comdat.
func comdatUses(m *ir.Module, definitions []ir.ValueID, keeps func(ir.ValueID) bool) map[ir.ComdatID]comdatUse {
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
		use.visible = use.visible || keeps(id)
		uses[c] = use
	}
	return uses
}

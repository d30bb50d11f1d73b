package split

import (
	"strconv"

	"offlink/ir"
)

// spirvNames names the functions that an image calls to make specialization
// constants. A name must mean one type in an image, because the translator
// takes the type from the declaration.
type spirvNames struct {
	source     *specConstants
	exact      map[string]bool // names of scalars of the types that are read
	borrowed   map[string]ir.TypeID
	composites map[string]ir.TypeID
}

func newSpirvNames(source *specConstants) spirvNames {
	return spirvNames{
		source:     source,
		exact:      make(map[string]bool),
		borrowed:   make(map[string]ir.TypeID),
		composites: make(map[string]ir.TypeID),
	}
}

// reserveNames keeps the names of the scalars that a constant is made of for these.
func (n *spirvNames) reserveNames(value *flatDefault, offset uint64, typ ir.TypeID) {
	members, composite := n.source.memberTypes(typ)
	if !composite {
		n.exact[n.exactName(typ)] = true
		return
	}
	offsets := n.source.memberOffsets(typ, len(members))
	for i, t := range members {
		if at := offset + offsets[i]; n.source.isSettable(value, typ, at, t) {
			n.reserveNames(value, at, t)
		}
	}
}

func (n *spirvNames) exactName(typ ir.TypeID) string {
	return spirvScalar + "i" + n.source.mangleType(typ)
}

// scalarName names the function that makes a scalar. sycl-post-link names it
// after the type of the number in the default value, which in a bit-field or
// union differs from the constant's.
func (n *spirvNames) scalarName(typ, from ir.TypeID) string {
	own, name := n.exactName(typ), n.exactName(from)
	t := &n.source.layout.module.Types[from]
	if name == own || n.exact[name] || t.Kind == ir.TypePointer || t.Bits == 1 {
		return own
	}
	if user, taken := n.borrowed[name]; taken && user != typ {
		return own
	}
	n.borrowed[name] = typ
	return name
}

// compositeName names the function that makes a composite: by its members and,
// if it has one, its name. Structures without a name can have equal members and
// differ in packing, so that a suffix tells them apart.
func (n *spirvNames) compositeName(name string, typ ir.TypeID) string {
	for unique, i := name, 1; ; unique, i = name+"."+strconv.Itoa(i), i+1 {
		user, taken := n.composites[unique]
		if taken && user != typ {
			continue
		}
		n.composites[unique] = typ
		return unique
	}
}

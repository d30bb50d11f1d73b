package irtext

import (
	"slices"

	"offlink/ir"
)

// newGroup is an attribute group of the module without some of its string attributes. A group is
// shared by many functions, and an edit is of one: the group is kept, and a copy without the
// attributes is added, once for each set of keys.
type newGroup struct {
	of     ir.AttributeGroupID
	remove []string
}

// groupWithout returns the number of the group without those keys, which is the group's own if it
// has none of them. Only keys that the group has count, so that functions with different edits
// share the copy.
func (w *writer) groupWithout(id ir.AttributeGroupID, remove []string) uint32 {
	var drop []string
	for _, a := range w.text.module.AttributeGroups[id].Strings {
		if slices.Contains(remove, a.Key) {
			drop = append(drop, a.Key)
		}
	}
	if drop == nil {
		return w.text.groupNumber[id]
	}
	for _, i := range w.groupsOf[id] {
		if slices.Equal(w.groups[i].remove, drop) {
			return w.text.lastGroup + 1 + uint32(i)
		}
	}
	w.groupsOf[id] = append(w.groupsOf[id], len(w.groups))
	w.groups = append(w.groups, newGroup{id, drop})
	return w.text.lastGroup + uint32(len(w.groups))
}

// writeGroups writes the attribute groups of the partition under their numbers
// in the module: nothing asks for numbers without gaps.
func (w *writer) writeGroups() {
	for i, id := range w.reach.AttributeGroups {
		if i == 0 {
			w.appendString("\n")
		}
		w.copyLine(w.text.groups[id])
		for _, at := range w.text.moreGroups[id] {
			w.copyLine(at)
		}
	}
	for i := range w.groups {
		w.appendString("attributes #")
		w.addNumber(w.text.lastGroup + 1 + uint32(i))
		w.appendString(" = {")
		g := &w.groups[i]
		w.writeNewGroup(g, w.text.groups[g.of])
		for _, at := range w.text.moreGroups[g.of] {
			w.writeNewGroup(g, at)
		}
		w.appendString(" }\n")
	}
}

// writeNewGroup writes the attributes in a definition of a group except those that are removed.
func (w *writer) writeNewGroup(g *newGroup, definition span) {
	p := w.parser
	p.pos = int(definition.start)
	for !p.acceptByte('{') {
		p.pos++
	}
	for !p.acceptByte('}') {
		start := p.pos
		if p.data[start] == '"' {
			if slices.Contains(g.remove, p.stringAttribute().Key) {
				continue
			}
		} else if word := p.readWord(); p.acceptByte('=') {
			p.readNumber()
		} else {
			p.withoutNodes(func() { p.wordAttribute(word) })
		}
		w.appendString(" ")
		w.buf = append(w.buf, w.text.data[start:p.endOfToken()]...)
	}
}

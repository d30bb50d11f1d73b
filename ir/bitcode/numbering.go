package bitcode

import (
	"math"
	"slices"

	"offlink/ir"
)

// numbering maps the numbers that one kind of entries has in the module to those in a partition.
// Entries that the partition lacks have no number.
type numbering struct {
	to   []uint32 // number in the partition plus one, or keptUnnumbered; 0 for an entry that it lacks
	kept []uint32 // in the order of adding, then ascending
	lack bool     // whether something without a number was asked for
}

// keptUnnumbered stands for the number of an entry that has none yet.
const keptUnnumbered = math.MaxUint32

func newNumbering(n int) numbering { return numbering{to: make([]uint32, n)} }

// resetNumbering forgets the entries. Its cost depends on the entries that were kept, not on the
// size of the module.
func (n *numbering) resetNumbering() {
	for _, i := range n.kept {
		n.to[i] = 0
	}
	n.kept, n.lack = n.kept[:0], false
}

// keepEntry adds i, and reports whether it is new.
func (n *numbering) keepEntry(i uint32) bool {
	if !n.markEntry(i) {
		return false
	}
	n.kept = append(n.kept, i)
	return true
}

// markEntry is keepEntry for entries of which the caller has a list of its own; the caller forgets
// them with forgetEntry.
func (n *numbering) markEntry(i uint32) bool {
	if n.to[i] != 0 {
		return false
	}
	n.to[i] = keptUnnumbered
	return true
}

func (n *numbering) forgetEntry(i uint32) { n.to[i] = 0 }

func (n *numbering) keeps(i uint32) bool { return n.to[i] != 0 }

// setNumber numbers an entry that is kept.
func (n *numbering) setNumber(i, number uint32) { n.to[i] = number + 1 }

// assignNumbers numbers the kept entries from first, in ascending order.
func (n *numbering) assignNumbers(first uint32) (next uint32) {
	slices.Sort(n.kept)
	for i, k := range n.kept {
		n.setNumber(k, first+uint32(i))
	}
	return first + uint32(len(n.kept))
}

// newNumber returns the number in the partition. A missing entry is noted, so that the writer can
// fail once at the end instead of checking each number.
func (n *numbering) newNumber(i uint32) uint64 {
	if n.to[i] == 0 {
		n.lack = true
		return 0
	}
	return uint64(n.to[i] - 1)
}

// partitionNumbers are the numberings of the module's entries that a partition keeps.
type partitionNumbers struct {
	source    *source
	values    numbering // global values
	constants numbering
	types     numbering
	groups    numbering
	lists     numbering
	nodes     numbering // metadata of the module: strings first, as in the module
	comdats   numbering
	sections  numbering
	gcs       numbering

	reach  *ir.Reach
	looked numbering // constants, while walking
	work   []uint64
}

// newPartitionNumbers makes tables as large as those of the module, once for each writer.
func newPartitionNumbers(s *source) *partitionNumbers {
	return &partitionNumbers{
		source:    s,
		values:    newNumbering(s.values.count()),
		constants: newNumbering(s.constants.count()),
		types:     newNumbering(len(s.types)),
		groups:    newNumbering(len(s.groups)),
		lists:     newNumbering(len(s.lists)),
		nodes:     newNumbering(len(s.metadata.entries)),
		comdats:   newNumbering(len(s.module.Comdats)),
		sections:  newNumbering(len(s.sections)),
		gcs:       newNumbering(len(s.gcs)),
		looked:    newNumbering(s.constants.count()),
	}
}

func (n *partitionNumbers) allTables() []*numbering {
	return []*numbering{&n.values, &n.constants, &n.types, &n.groups, &n.lists, &n.nodes, &n.comdats, &n.sections, &n.gcs}
}

// resetNumbers begins a partition that reaches those entries of the module.
func (n *partitionNumbers) resetNumbers(reach *ir.Reach) {
	n.reach = reach
	for _, one := range n.allTables() {
		one.resetNumbering()
	}
}

// lackingTable names the kind of an entry that was asked for and that the partition lacks, or
// returns "".
func (n *partitionNumbers) lackingTable() string {
	names := []string{"a global value", "a constant", "a type", "an attribute group", "an attribute list", "metadata", "a comdat", "a section", "a garbage collector"}
	for i, one := range n.allTables() {
		if one.lack {
			return names[i]
		}
	}
	return ""
}

// keepType adds a type. [ir.Reach] knows which types and groups follow from it; the codec only adds
// those that nothing but its own records has.
func (n *partitionNumbers) keepType(id uint32) { n.reach.KeepType(ir.TypeID(id)) }

// takeReached numbers the types of the partition. Types of the model beyond the module's records
// were added by steps; additions has them.
func (n *partitionNumbers) takeReached() {
	for _, id := range n.reach.AllTypes {
		if int(id) < len(n.source.types) {
			n.types.keepEntry(uint32(id))
		}
	}
}

// keepGroup numbers an attribute group of a list that is written; [ir.Reach] adds the types that it
// names. Not all groups of Reach are taken: text still writes the group of a function whose
// attributes change, while here a new list replaces it.
func (n *partitionNumbers) keepGroup(id ir.AttributeGroupID) {
	if n.groups.keepEntry(uint32(id)) {
		n.reach.KeepAttributes(id)
	}
}

// keepList adds an attribute list, by its number, with its groups.
func (n *partitionNumbers) keepList(id uint32) {
	if n.lists.keepEntry(id) {
		for _, g := range n.source.lists[id] {
			n.keepGroup(g)
		}
	}
}

// keepValue adds the entries that a value of the module's numbering needs. Global values are in the
// partition, or newNumber will notice that the reference is wrong. Values that the partition adds
// have higher numbers.
func (n *partitionNumbers) keepValue(id uint32) {
	globals := uint32(n.source.values.count())
	if id < globals || id >= globals+uint32(n.source.constants.count()) || !n.constants.keepEntry(id-globals) {
		return
	}
	work := []uint32{id - globals}
	for len(work) > 0 {
		i := work[len(work)-1]
		work = work[:len(work)-1]
		n.keepType(n.source.constants.types[i])
		d := n.source.constants.openRecord(int(i))
		rec := d.takeHead()
		for range rec.count {
			switch o := d.takeOperand(); o.kind {
			case opBytes:
				d.takeBytes(o.value)
			case opType:
				n.keepType(uint32(o.value))
			case opGlobal:
				if c := uint32(o.value) - globals; uint32(o.value) >= globals && n.constants.keepEntry(c) {
					work = append(work, c)
				}
			}
		}
	}
}

// keepNode adds metadata of the module's own, with the strings and values that it names. The nodes
// that it names are in the partition already.
func (n *partitionNumbers) keepNode(id uint32) {
	if n.nodes.keepEntry(id) {
		n.keepNodeParts(&n.source.metadata, int(id))
	}
}

// keepNodeParts adds the module's entries that a record of metadata names, except
// nodes.
func (n *partitionNumbers) keepNodeParts(t *metadataTable, i int) {
	if t.entries[i].size != isRecord {
		return
	}
	d := t.openRecord(i)
	rec := d.takeHead()
	for range rec.count {
		switch o := d.takeOperand(); o.kind {
		case opBytes:
			d.takeBytes(o.value)
		case opType:
			n.keepType(uint32(o.value))
		case opGlobal:
			n.keepValue(uint32(o.value))
		case opNode, opNodePlus1:
			n.keepLeaf(uint32(o.value))
		}
	}
}

// keepLeaf adds metadata of the module that is a string or value. A value that the partition lacks
// is left out: nodes name null in its place.
func (n *partitionNumbers) keepLeaf(id uint32) {
	t := &n.source.metadata
	if n.nodes.keeps(id) || t.isNode(int(id)) || !n.hasValue(t, int(id)) {
		return
	}
	n.nodes.keepEntry(id)
	n.keepNodeParts(t, int(id))
}

// hasValue reports whether the partition has the global values that metadata names. The metadata
// must be a string or a value.
func (n *partitionNumbers) hasValue(t *metadataTable, i int) bool {
	if t.entries[i].size != isRecord {
		return true
	}
	d := t.openRecord(i)
	d.takeHead()
	d.takeOperand() // type
	o := d.takeOperand()
	return o.kind != opGlobal || n.hasGlobals(o.value)
}

// hasGlobals reports whether the partition has all global values that a value of the module's
// numbering is made of.
func (n *partitionNumbers) hasGlobals(value uint64) bool {
	globals, end := uint64(n.source.values.count()), uint64(n.source.values.count()+n.source.constants.count())
	n.looked.resetNumbering()
	n.work = append(n.work[:0], value)
	for len(n.work) > 0 {
		v := n.work[len(n.work)-1]
		n.work = n.work[:len(n.work)-1]
		switch {
		case v < globals && !n.values.keeps(uint32(v)):
			return false
		case v < globals || v >= end || n.constants.keeps(uint32(v-globals)) || !n.looked.keepEntry(uint32(v-globals)):
			continue // in the partition, added by it, or looked at already
		}
		d := n.source.constants.openRecord(int(v - globals))
		rec := d.takeHead()
		for range rec.count {
			switch o := d.takeOperand(); o.kind {
			case opBytes:
				d.takeBytes(o.value)
			case opGlobal:
				n.work = append(n.work, o.value)
			}
		}
	}
	return true
}

// keepUses adds the uses of a body.
func (n *partitionNumbers) keepUses(uses []use) {
	for _, u := range uses {
		switch u.useKind() {
		case useConstant:
			n.keepValue(u.useIndex() + uint32(n.source.values.count()))
		case useList:
			n.keepList(u.useIndex())
		case useMetadata:
			n.keepLeaf(u.useIndex())
		}
	}
}

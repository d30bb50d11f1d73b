package split

import (
	"slices"

	"offlink/ir"
)

// Partition is the part of a module that one image holds: the values and edits
// that a codec writes ([ir.Partition]), with the group that they come from.
type Partition struct {
	ir.Partition
	Graph *Graph
	Group *Group
	// Defaults is true for the copy of an image in which the default values
	// replace the specialization constants.
	Defaults bool
	// SpecConstants are the specialization constants that the code reads, in
	// the order of their numbers; see [SpecConstantMode].
	SpecConstants []SpecConstant
}

// Extractor makes partitions of one graph. It keeps scratch memory as large as
// the module's list of values between partitions; each goroutine needs its own.
type Extractor struct {
	graph *Graph
	// marks hold the number of the partition that last had the value, and the role
	// of the value in it: numbers need no clearing between partitions, so that a partition
	// does not cost time in proportion to the module.
	marks    []uint32
	current  uint32 // a multiple of markStep
	stack    []ir.ValueID
	group    *Group
	lowers   bool     // specialization constants are lowered
	virtuals bool     // the group keeps the bodies of virtual functions
	ids      []string // source files of the group's entry points
	// types and comdats whose values the partition has already
	types   map[ir.TypeID]bool
	comdats map[ir.ComdatID]bool
}

// NewExtractor returns an extractor of partitions of g.
func (g *Graph) NewExtractor() *Extractor {
	return &Extractor{graph: g, marks: make([]uint32, len(g.Module.Values))}
}

// A mark is the number of a partition and these bits.
const (
	markEntry = 1 << iota // an entry point of the partition's group
	markSeen              // a value of the partition
	markStep
)

// Extract returns the content of a group's image: everything that the group's
// entry points refer to, directly or not, and the values that every image has.
// The partition is the caller's. Errors are about specialization constants and
// decorations that the module spells wrongly.
func (x *Extractor) Extract(group *Group) (*Partition, error) {
	x.lowers = x.graph.options.SpecConstants != SpecConstantsKept
	s := x.extractPartition(group)
	if err := x.decoratePartition(s); err != nil {
		return nil, err
	}
	if err := x.publishSanitizerList(s); err != nil {
		return nil, err
	}
	return s, x.lowerSpecConstants(s, x.graph.options.SpecConstants)
}

// ExtractDefaults is Extract for the copy of an image with the default values
// of the specialization constants.
func (x *Extractor) ExtractDefaults(group *Group) (*Partition, error) {
	x.lowers = true
	s := x.extractPartition(group)
	s.Defaults = true
	if err := x.decoratePartition(s); err != nil {
		return nil, err
	}
	if err := x.publishSanitizerList(s); err != nil {
		return nil, err
	}
	return s, x.lowerSpecConstants(s, SpecConstantsDefault)
}

// extractPartition collects the values of a partition and the edits that do not depend on
// specialization constants. The lists are sorted at the end, so that the partition has the order of
// the module.
func (x *Extractor) extractPartition(group *Group) *Partition {
	x.beginPartition(group)
	s := &Partition{Graph: x.graph, Group: group}
	s.Module = x.graph.Module
	s.Definitions = make([]ir.ValueID, 0, len(group.Entries)+len(x.graph.roots))
	for _, roots := range x.groupRoots(group) {
		x.addReachable(s, roots)
	}
	x.keepAnnotations(s)
	slices.Sort(s.Definitions)
	slices.Sort(s.Declarations)
	x.internalizeSymbols(s)
	x.markEntries(s)
	x.filterNamed(s)
	return s
}

// beginPartition makes group the current one. Nothing has been seen of it yet.
func (x *Extractor) beginPartition(group *Group) {
	x.group = group
	x.current += markStep
	if x.current == 0 { // all numbers have been used
		clear(x.marks)
		x.current = markStep
	}
	for _, id := range group.Entries {
		x.marks[id] = x.current | markEntry
	}
	x.virtuals = x.graph.options.Dependencies == DependenciesNone && slices.ContainsFunc(group.Entries, x.graph.isVirtual)
	x.types, x.comdats = nil, nil
	x.ids = x.ids[:0]
	if x.graph.options.Dependencies != DependenciesExternals || group.Whole {
		return
	}
	for _, id := range group.Entries {
		if name, ok := x.graph.ModuleID(id); ok && !slices.Contains(x.ids, name) {
			x.ids = append(x.ids, name)
		}
	}
}

// isEntry reports whether the value is an entry point of the current group.
func (x *Extractor) isEntry(id ir.ValueID) bool { return x.marks[id]&^markSeen == x.current|markEntry }

// seeOnce marks a value as part of the current partition, and reports whether it was not part of it
// before.
func (x *Extractor) seeOnce(id ir.ValueID) bool {
	if x.marks[id] < x.current {
		x.marks[id] = x.current
	}
	if x.marks[id]&markSeen != 0 {
		return false
	}
	x.marks[id] |= markSeen
	return true
}

// groupRoots returns lists of the values that an image has even if nothing refers to them.
func (x *Extractor) groupRoots(group *Group) [][]ir.ValueID {
	shared := x.graph.roots
	if len(group.elsewhere) > 0 {
		shared = slices.DeleteFunc(slices.Clone(shared), func(id ir.ValueID) bool { return slices.Contains(group.elsewhere, id) })
	}
	roots := [][]ir.ValueID{group.Entries, shared}
	if group.Whole {
		roots = append(roots, x.graph.wholeRoots)
	}
	if group.bothParts != nil && group.Part == PartESIMD {
		roots = append(roots, x.esimdFunctions(group))
	}
	return roots
}

// esimdFunctions returns the ESIMD functions that the entry points of both parts of a group reach.
// It begins the partition again, since the search has marked values.
func (x *Extractor) esimdFunctions(group *Group) []ir.ValueID {
	var all Partition
	x.addReachable(&all, group.bothParts)
	esimd := slices.DeleteFunc(all.Definitions, func(id ir.ValueID) bool { return x.graph.flags[id]&flagESIMD == 0 })
	x.beginPartition(group)
	return esimd
}

// addReachable adds the roots and all values that they refer to. The stack holds the values of one
// root at a time: a module may have a million.
func (x *Extractor) addReachable(s *Partition, roots []ir.ValueID) {
	for _, id := range roots {
		x.visitValue(s, id)
		x.emptyStack(s)
	}
}

// emptyStack follows the references of the values that were found, until nothing new is found.
func (x *Extractor) emptyStack(s *Partition) {
	for len(x.stack) > 0 {
		id := x.stack[len(x.stack)-1]
		x.stack = x.stack[:len(x.stack)-1]
		for _, ref := range x.referencesOf(id) {
			x.visitRef(s, ref)
		}
		if c := x.graph.Module.Values[id].Comdat; c != ir.NoComdat && x.group.Whole && addOnce(&x.comdats, c) {
			x.comdatNeighbours(id, func(member ir.ValueID) { x.visitValue(s, member) })
		}
	}
}

// referencesOf returns the references of a definition of the current image. A function that reads
// specialization constants has fewer if these are lowered: the constants' names and the functions
// that read them are left out.
func (x *Extractor) referencesOf(id ir.ValueID) []ir.Ref {
	if c := x.graph.specConstants; c != nil && !x.lowers && c.reads[id] != nil {
		return x.graph.Module.Refs(&x.graph.Module.Values[id])
	}
	return x.graph.referencesOf(id)
}

// visitRef visits the values that a reference brings into the image.
func (x *Extractor) visitRef(s *Partition, ref ir.Ref) {
	switch ref.Kind() {
	case ir.RefCallee, ir.RefAddress:
		x.visitValue(s, ir.ValueID(ref.Index()))
	case ir.RefIndirectCall:
		if addOnce(&x.types, ir.TypeID(ref.Index())) {
			x.indirectTargets(ref, func(id ir.ValueID) { x.visitValue(s, id) })
		}
	}
}

// addOnce adds the key to a set, and reports whether it is new.
func addOnce[K comparable](set *map[K]bool, key K) bool {
	if (*set)[key] {
		return false
	}
	if *set == nil {
		*set = make(map[K]bool)
	}
	(*set)[key] = true
	return true
}

// indirectTargets visits the functions that an indirect call can reach in the
// current image. It has no reference to those of other images, so it brings in
// no declarations.
func (x *Extractor) indirectTargets(ref ir.Ref, visit func(ir.ValueID)) {
	for _, id := range x.graph.indirect[ir.TypeID(ref.Index())] {
		if x.isDefined(id) {
			visit(id)
		}
	}
}

// visitValue adds a value to the partition, once: as a definition, whose references are followed,
// or as a declaration if the image lacks the definition.
func (x *Extractor) visitValue(s *Partition, id ir.ValueID) {
	if x.graph.flags[id]&flagDropped != 0 || !x.seeOnce(id) {
		return
	}
	if !x.isDefined(id) {
		s.Declarations = append(s.Declarations, id)
		if x.graph.Module.Values[id].Declaration { // it keeps its prefix data
			x.stack = append(x.stack, id)
		}
		return
	}
	s.Definitions = append(s.Definitions, id)
	x.stack = append(x.stack, id)
}

// comdatNeighbours visits the other members of the comdat of a definition in
// an image of the whole module: a linker keeps or drops a comdat as one. In
// other images functions that become local have left their comdats.
func (x *Extractor) comdatNeighbours(id ir.ValueID, visit func(ir.ValueID)) {
	c := x.graph.Module.Values[id].Comdat
	if !x.group.Whole || c == ir.NoComdat || !slices.ContainsFunc(x.graph.comdats[c], x.keepsLinkage) {
		return
	}
	for _, member := range x.graph.comdats[c] {
		visit(member)
	}
}

// isDefined reports whether the current image has the definition of a value
// that it refers to.
func (x *Extractor) isDefined(id ir.ValueID) bool {
	v := &x.graph.Module.Values[id]
	switch {
	case v.Declaration:
		return false
	case v.Kind != ir.Function || x.isEntry(id) || x.graph.flags[id]&flagAliasee != 0 || v.Details().LabelTaken:
		return true
	case x.graph.isVirtual(id):
		return x.virtuals
	case x.group.bothParts != nil && x.group.Part == PartSYCL && x.graph.flags[id]&flagESIMD != 0:
		return false
	}
	return !x.isImported(id)
}

// isImported reports whether the current image imports the function: from the
// image whose entry point it is.
func (x *Extractor) isImported(id ir.ValueID) bool {
	const exported = flagImportable | flagEntry
	f := x.graph.flags[id]
	if f&exported != exported || f&flagKernel != 0 || x.graph.Module.Values[id].IsLocal() {
		return false
	}
	switch x.graph.options.Dependencies {
	case DependenciesExternals:
		file, _ := x.graph.ModuleID(id)
		return !x.group.Whole && !slices.Contains(x.ids, file)
	case DependenciesAll:
		return true
	}
	return false
}

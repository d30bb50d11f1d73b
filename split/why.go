package split

import (
	"slices"

	"offlink/ir"
	"offlink/ir/sycl"
)

// Reason tells how a value came into an image.
type Reason string

// The reasons. All but the first two are about the value before it in the
// chain.
const (
	ReasonEntryPoint Reason = "entry point"
	ReasonVisible    Reason = "visible from outside, so that every image has it"
	ReasonCalled     Reason = "called by"
	ReasonAddress    Reason = "address taken by" // of a function
	ReasonUsed       Reason = "used by"          // of a variable
	ReasonNamed      Reason = "named by the initialiser of"
	ReasonIndirect   Reason = "of the type of an indirect call in"
	ReasonComdat     Reason = "in one comdat with"
)

// Step is a value of a chain, and the reason why it is there.
type Step struct {
	Value  ir.ValueID
	Reason Reason
}

// Status tells whether an image has the definition of a value, its declaration,
// or neither.
type Status string

// The states of a value in an image.
const (
	StatusAbsent   Status = "absent"
	StatusDeclared Status = "declared"
	StatusDefined  Status = "defined"
)

// Answer explains why an image has a value, or lacks it.
type Answer struct {
	Status Status
	// Rule is the rule that decided about the value's linkage, or about its
	// absence, in words.
	Rule string
	// Chain is the shortest one from an entry point, or a value that every
	// image has, to the value.
	Chain []Step
}

// Why explains whether and why the image of the group has a value.
func (x *Extractor) Why(group *Group, id ir.ValueID) Answer {
	x.beginPartition(group)
	chain, found := x.traceReason(group, id)
	if !found {
		return Answer{Status: StatusAbsent, Rule: x.absenceRule(id)}
	}
	if !x.isDefined(id) {
		return Answer{StatusDeclared, x.declarationRule(id), chain}
	}
	return Answer{StatusDefined, x.definitionRule(group, id), chain}
}

// traceReason walks through the image breadth first, so that it finds a shortest chain.
func (x *Extractor) traceReason(group *Group, target ir.ValueID) ([]Step, bool) {
	before := make(map[ir.ValueID]Step) // Value is the one before, itself at the start
	var queue []ir.ValueID
	reach := func(id, from ir.ValueID, reason Reason) {
		if _, known := before[id]; known || x.graph.flags[id]&flagDropped != 0 {
			return
		}
		before[id] = Step{from, reason}
		if x.isDefined(id) {
			queue = append(queue, id)
		}
	}
	for _, id := range slices.Concat(x.groupRoots(group)...) {
		reason := ReasonVisible
		if x.isEntry(id) {
			reason = ReasonEntryPoint
		}
		reach(id, id, reason)
	}
	for len(queue) > 0 {
		if _, found := before[target]; found {
			break
		}
		id := queue[0]
		queue = queue[1:]
		x.visitNeighbours(id, func(to ir.ValueID, reason Reason) { reach(to, id, reason) })
	}
	return chainTo(target, before)
}

// chainTo follows the steps back from a value to one that is its own predecessor.
func chainTo(id ir.ValueID, before map[ir.ValueID]Step) ([]Step, bool) {
	var chain []Step
	for {
		step, ok := before[id]
		if !ok {
			return nil, false
		}
		chain = append([]Step{{id, step.Reason}}, chain...)
		if step.Value == id {
			return chain, true
		}
		id = step.Value
	}
}

// visitNeighbours calls reach for each value that id brings in.
func (x *Extractor) visitNeighbours(id ir.ValueID, reach func(ir.ValueID, Reason)) {
	for _, ref := range x.graph.referencesOf(id) {
		switch ref.Kind() {
		case ir.RefCallee:
			reach(ir.ValueID(ref.Index()), ReasonCalled)
		case ir.RefAddress:
			reach(ir.ValueID(ref.Index()), x.addressReason(id, ir.ValueID(ref.Index())))
		case ir.RefIndirectCall:
			x.indirectTargets(ref, func(to ir.ValueID) { reach(to, ReasonIndirect) })
		}
	}
	x.comdatNeighbours(id, func(to ir.ValueID) { reach(to, ReasonComdat) })
}

// addressReason returns the reason of a reference other than a call.
func (x *Extractor) addressReason(from, to ir.ValueID) Reason {
	switch {
	case x.graph.Module.Values[from].Kind != ir.Function:
		return ReasonNamed
	case x.graph.Module.Values[to].Kind == ir.Variable:
		return ReasonUsed
	}
	return ReasonAddress
}

// definitionRule returns the rule that decided about the linkage of a definition.
func (x *Extractor) definitionRule(group *Group, id ir.ValueID) string {
	v := &x.graph.Module.Values[id]
	f := x.graph.flags[id]
	switch {
	case v.Kind != ir.Function:
		return "variables and aliases keep their linkage"
	case x.isEntry(id) && f&flagKernel != 0:
		return "a kernel of this image"
	case x.isEntry(id) && f&flagVirtual != 0:
		return "a virtual function, whose set this image provides"
	case x.isEntry(id):
		return "exported: an entry point of this image other than a kernel"
	case v.IsLocal():
		return "local in the input"
	case v.Linkage == ir.AvailableExternally:
		return "only for inlining: its linkage is available_externally"
	case f&flagPreserved != 0:
		return "stays visible: it may be called indirectly (" + sycl.AttributeReferencedIndirectly + ")"
	}
	s := x.extractPartition(group)
	if e := s.Edits[id]; e == nil || !e.SetLinkage {
		return "stays visible: another member of its comdat does"
	}
	return "made internal: it is not an entry point of this image"
}

// declarationRule returns the rule by which an image has only the declaration of a value.
func (x *Extractor) declarationRule(id ir.ValueID) string {
	v := &x.graph.Module.Values[id]
	switch {
	case v.Kind != ir.Function && v.Declaration:
		return "declared in the input"
	case x.graph.flags[id]&flagVirtual != 0 && !v.Declaration:
		return "a virtual function: the images that provide its set have it"
	case !v.Declaration && x.graph.flags[id]&flagESIMD != 0 && !x.isImported(id):
		return "ESIMD code: it is in the other part of this image"
	case !v.Declaration:
		return "imported: an entry point of another image, which exports it"
	case x.graph.flags[id]&flagImportable != 0:
		return "imported: the input only declares it"
	case sycl.IsReservedName(v.Name):
		return "declared in the input; the name is reserved for compilers, so it is not an import"
	}
	return "declared in the input"
}

// absenceRule returns the rule by which an image lacks a value.
func (x *Extractor) absenceRule(id ir.ValueID) string {
	switch {
	case x.graph.flags[id]&flagDropped != 0:
		return "a list that has served its purpose before the split"
	case x.graph.IsEntryPoint(id):
		return "an entry point of another image, and nothing in this image refers to it"
	}
	return "nothing in this image refers to it"
}

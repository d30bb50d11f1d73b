package ir

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// BodyRewrite is the change of a function's body that takes calls out of it, or
// puts other instructions in their place. It is made of the decoded body, once
// for all formats. A codec encodes the new instructions, and copies those that
// the rewrite does not name.
type BodyRewrite struct {
	// Changes are the instructions that go, in order.
	Changes []InstructionChange
}

// InstructionChange is an instruction that is removed or replaced.
type InstructionChange struct {
	// Number counts the instructions of the body from 0 in order, debug records
	// left out.
	Number int
	// Replacement takes the place of a call. It is nil for a store that served
	// replaced calls alone.
	Replacement *Replacement
}

// ChangeOf returns the change of the instruction of that number, or nil.
func (w *BodyRewrite) ChangeOf(number int) *InstructionChange {
	i, found := slices.BinarySearchFunc(w.Changes, number, func(c InstructionChange, number int) int { return cmp.Compare(c.Number, number) })
	if !found {
		return nil
	}
	return &w.Changes[i]
}

// Numbers returns the numbers of the instructions that are removed, ascending.
func (w *BodyRewrite) Numbers() []int {
	numbers := make([]int, len(w.Changes))
	for i := range w.Changes {
		numbers[i] = w.Changes[i].Number
	}
	return numbers
}

// NewBodyRewrite returns the rewrite of a function's body that replaces calls.
// The stores that only they need go too.
func NewBodyRewrite(m *Module, function ValueID, edits []CallEdit) (*BodyRewrite, error) {
	f, places, err := findEdited(m, function, edits)
	if err != nil {
		return nil, err
	}
	w, names := new(BodyRewrite), &newNames{prefix: f.unusedPrefix()}
	for i := range edits {
		call, err := f.describeCall(places[i])
		if err != nil {
			return nil, err
		}
		x, err := newReplacement(m, &call, &edits[i].Value, names)
		if err != nil {
			return nil, f.errorOf(err)
		}
		w.Changes = append(w.Changes, InstructionChange{call.Number, x})
	}
	f.dropStores(w, places)
	return w, nil
}

// RefsWithoutCalls returns the references of a function as they are when the
// calls of those numbers are taken out, and the stores that only they need.
func RefsWithoutCalls(m *Module, function ValueID, calls []int) ([]Ref, error) {
	edits, w := make([]CallEdit, len(calls)), new(BodyRewrite)
	for i, number := range calls {
		edits[i].Call = number
		w.Changes = append(w.Changes, InstructionChange{Number: number})
	}
	f, places, err := findEdited(m, function, edits)
	if err != nil {
		return nil, err
	}
	f.dropStores(w, places)
	return m.Source.RefsWithout(function, w.Numbers())
}

// findEdited decodes a body and returns the places of the edited calls among
// its instructions.
func findEdited(m *Module, function ValueID, edits []CallEdit) (f *bodyFinder, places []int, err error) {
	f, err = newBodyFinder(m, function)
	if err == nil && f == nil {
		err = fmt.Errorf("%s: @%s has no body of which calls could be replaced", m.Path, m.Values[function].Name)
	}
	if err != nil {
		return nil, nil, err
	}
	for i := range edits {
		place, found := slices.BinarySearch(f.number, edits[i].Call)
		// A debug record has the number of the instruction after it.
		for found && place < len(f.direct)-1 && f.body.Instructions[place].Op == OpDebugRecord {
			place++
		}
		if !found || !f.direct[place] || f.number[place] != edits[i].Call {
			return nil, nil, f.errorOf(fmt.Errorf("instruction %d is not a direct call", edits[i].Call))
		}
		places = append(places, place)
	}
	return f, places, nil
}

// dropStores adds the stores that only the calls at those places need, and
// puts the changes in order.
func (f *bodyFinder) dropStores(w *BodyRewrite, places []int) {
	gone := make(map[int]bool, len(places))
	for _, place := range places {
		gone[place] = true
	}
	for _, store := range f.servingStores(gone) {
		w.Changes = append(w.Changes, InstructionChange{Number: f.number[store]})
	}
	slices.SortFunc(w.Changes, func(a, b InstructionChange) int { return cmp.Compare(a.Number, b.Number) })
}

// unusedPrefix returns a prefix that no name of the function begins with. New
// values need names that cannot clash, and names that do not depend on
// anything but the function, for equal bytes in each run.
func (f *bodyFinder) unusedPrefix() string {
	prefix := "spec."
	for f.usesPrefix(prefix) {
		prefix += "."
	}
	return prefix
}

func (f *bodyFinder) usesPrefix(prefix string) bool {
	b := &f.body
	begins := func(name string) bool { return strings.HasPrefix(name, prefix) }
	return slices.ContainsFunc(b.ArgumentNames, begins) ||
		slices.ContainsFunc(b.Blocks, func(block Block) bool { return begins(block.Name) }) ||
		slices.ContainsFunc(b.Instructions, func(in Instruction) bool { return begins(in.Name) })
}

package hostdev

import (
	"fmt"
	"strings"
)

// FindingKind is a kind of fault that the checked mode finds.
type FindingKind string

// The kinds of findings.
const (
	OutOfBounds       FindingKind = "out-of-bounds"      // an access leaves the allocation that its pointer was made for
	UseAfterFree      FindingKind = "use-after-free"     // an access to memory that was freed
	InvalidPointer    FindingKind = "invalid-pointer"    // a pointer that is none: null, a wild number
	ReadOnlyMemory    FindingKind = "read-only"          // a store to constant memory
	Misaligned        FindingKind = "misaligned"         // an address that is not a multiple of the access's alignment
	Uninitialized     FindingKind = "uninitialized"      // a result depends on memory that nothing has written
	DataRace          FindingKind = "data-race"          // two accesses that nothing orders, one of which writes
	DivisionByZero    FindingKind = "division-by-zero"   // of integers
	BarrierDivergence FindingKind = "barrier-divergence" // not all work-items of a group come to a barrier
	AssertionFailed   FindingKind = "assertion"          // an assert of the kernel failed
	OtherFault        FindingKind = "fault"              // whatever else stops a kernel
)

// Place is a work-item at an instruction.
type Place struct {
	Function string `json:"function,omitempty"`
	Op       string `json:"op,omitempty"`   // the instruction
	File     string `json:"file,omitempty"` // of the source, if the module says
	Line     int    `json:"line,omitempty"`
	Global   [3]int `json:"globalId"`
	Local    [3]int `json:"localId"`
	Group    [3]int `json:"groupId"`
}

// Finding is one fault of a kernel. The kernel goes on after most of them: a
// load that is not allowed gives zeros, a store is left out.
type Finding struct {
	Kind    FindingKind `json:"kind"`
	Kernel  string      `json:"kernel"`
	Message string      `json:"message"`
	Place
	// Memory names the allocation with its size and origin; "" if there is none.
	Memory string `json:"memory,omitempty"`
	// Earlier is the other access of a race, or the load of an undefined value.
	Earlier *Place `json:"earlier,omitempty"`
	// Count is how often it was found at this instruction.
	Count int `json:"count"`
}

// String is the finding in several lines, without a line end.
func (f *Finding) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "kernel %s: %s: %s\n  %v", f.Kernel, f.Kind, f.Message, f.Place.words())
	if f.Earlier != nil {
		fmt.Fprintf(&b, "\n  %s: %v", f.earlierLabel(), f.Earlier.words())
	}
	if f.Memory != "" {
		fmt.Fprintf(&b, "\n  memory: %s", f.Memory)
	}
	if f.Count > 1 {
		fmt.Fprintf(&b, "\n  found %d times here", f.Count)
	}
	return b.String()
}

func (f *Finding) earlierLabel() string {
	if f.Kind == DataRace {
		return "the other access"
	}
	return "loaded"
}

// words is the place in one line: the source line first, which editors read.
func (p *Place) words() string {
	var b strings.Builder
	if p.File != "" {
		fmt.Fprintf(&b, "%s:%d: ", p.File, p.Line)
	}
	fmt.Fprintf(&b, "%s in function %s, work-item (%d,%d,%d), local id (%d,%d,%d) of work-group (%d,%d,%d)", p.Op, p.Function,
		p.Global[0], p.Global[1], p.Global[2], p.Local[0], p.Local[1], p.Local[2], p.Group[0], p.Group[1], p.Group[2])
	return b.String()
}

// CheckError is the error of a launch in checked mode that found something.
type CheckError struct {
	Kernel   string
	Findings []*Finding // in the order in which they were found
	// Dropped is how many findings at further instructions were not kept.
	Dropped int
	// Unwatched tells that races were not looked for in all memory: there was
	// too much of it.
	Unwatched bool
	// Err is the fault that stopped the kernel, for errors.As; nil if it ran to
	// its end.
	Err error
}

// Error has all findings, each in several lines.
func (e *CheckError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "kernel %s: %d findings", e.Kernel, len(e.Findings))
	if len(e.Findings) == 1 {
		b.Reset()
		fmt.Fprintf(&b, "kernel %s: 1 finding", e.Kernel)
	}
	for _, f := range e.Findings {
		fmt.Fprintf(&b, "\n%v", f)
	}
	if e.Dropped > 0 {
		fmt.Fprintf(&b, "\nfindings at %d further instructions are not shown", e.Dropped)
	}
	if e.Unwatched {
		b.WriteString("\nraces were not looked for in all memory: the kernel uses too much of it")
	}
	return b.String()
}

// Unwrap returns Err.
func (e *CheckError) Unwrap() error { return e.Err }

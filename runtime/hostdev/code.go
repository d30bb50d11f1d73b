package hostdev

import (
	"fmt"

	"offlink/spirv"
)

// Slot code. A function's frame is a run of 64-bit words: first its
// constants, then its parameters, then the results of its instructions, each
// in words of its own: without register allocation a value that is out of
// date cannot be read. An instruction of slot code names words of the frame
// and a Go function that does the work.

// status is the state in which a work-item returns to its group.
type status int

const (
	running status = iota
	waiting        // at a rendezvous of the work-group: inst.meet
	finished
	faulted // item.fault says how
)

// inst is one instruction of slot code. Its step decides which of the fields
// it uses.
type inst struct {
	step func(it *item, in *inst) status

	dst, a, b, c int32 // words of the frame
	n            int32 // how many components
	target       int32 // an instruction of the function
	other        int32

	f1    func(a uint64) uint64
	f2    func(a, b uint64) uint64
	f3    func(a, b, c uint64) uint64
	imm   uint64
	scale int64

	list []int32 // words, in and out
	ext  any     // further data of a single kind of step

	// meet does the work of a rendezvous once every work-item of the group
	// waits at it.
	meet func(g *group, in *inst) *Fault
	// subgroup tells that the sub-group meets, not the work-group; partial
	// tells that only those of its work-items meet that come here.
	subgroup, partial bool
}

// function is a compiled function.
type function struct {
	id     spirv.ID
	name   string
	code   []inst
	where  []where // of each instruction
	consts []uint64
	params []int32 // first words of the parameters
	words  int     // of the frame
	result int     // words of the result

	private      []int64 // sizes of the variables, in bytes
	privateTypes []*typ
	variables    []spirv.ID
	privateBase  int32 // the words of their pointers

	// Of functions of programs in which parts of sub-groups meet, else nil:
	starts []int32      // the first instruction of each block, in the order of the code
	places []blockPlace // of these blocks
	loops  []*loop

	arguments  int // words, of a function that the compiler of work-groups calls
	calls      []*function
	indirect   bool              // calls through a pointer
	rendezvous bool              // waits for the work-group itself
	subgroup   bool              // works together with its sub-group
	inputs     map[spirv.ID]bool // built-in variables that it refers to
	locals     map[int]bool      // local variables that it refers to
}

// where is the origin of an instruction, for messages.
type where struct {
	op   string // "OpLoad", "OpExtInst fmax"
	file string // "" if the module does not say
	line uint32
}

// Fault reports a kernel that was stopped, because of an invalid operation or
// by the device (Options.Steps, Abort).
type Fault struct {
	Kernel   string
	Function string // that was running
	Op       string // the instruction
	Global   [3]int // the work-item's global id
	Group    [3]int // its work-group's id
	File     string // of the source, "" if the module does not say
	Line     int
	Message  string
	Err      error // the cause, for errors.Is; may be nil

	local [3]int
	kind  FindingKind // in checked mode; "" for OtherFault
}

// Error returns all fields in one line.
func (f *Fault) Error() string {
	place := ""
	if f.Function != "" {
		place = fmt.Sprintf(" in function %s", f.Function)
	}
	if f.File != "" {
		place += fmt.Sprintf(" (%s:%d)", f.File, f.Line)
	}
	op := ""
	if f.Op != "" {
		op = ": " + f.Op
	}
	return fmt.Sprintf("kernel %s, work-item (%d,%d,%d) of work-group (%d,%d,%d)%s%s: %s",
		f.Kernel, f.Global[0], f.Global[1], f.Global[2], f.Group[0], f.Group[1], f.Group[2], place, op, f.Message)
}

// Unwrap returns Err.
func (f *Fault) Unwrap() error { return f.Err }

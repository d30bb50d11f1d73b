// Package lanes compiles kernels for work-groups: the middle between SPIR-V
// and the emitters of WebAssembly and C.
//
// The form (form.go, made by build.go) is a kernel after everything is inlined and cut to
// scalars: blocks of values that are defined once, and registers that may be
// set anywhere, which phis and promoted variables become. A scalar is a
// boolean, an integer of 32 or 64 bits (narrower ones are zero-extended) or a
// float; an address is an offset into the memory of the device, 32 bits.
//
// Work-items run W at a time, side by side in dimension 0. How many lanes a
// value has is a property of the value: the analysis (classes.go) finds those
// that are the same for the whole work-group, the same for the W work-items
// of a step, those that grow by a constant from lane to lane, and those that
// vary. Only the last take vectors; a strided address takes one scalar, so
// that a load at stride 1 is one vector load with one check of its bounds.
//
// Control flow that does not depend on the lane stays control flow (flow.go,
// by the dominator tree); a loop that is entered in several places first gets one entry
// (irreducible.go). The blocks that a varying branch decides become a masked
// region: its blocks run one after the other, each under the mask of the
// lanes that came there, and a block is left out when there are none; its loops go on
// while a lane does. A loop in a masked region all of whose branches are the
// same for all lanes keeps its control flow, under one mask.
//
// A masked region that starts with a branch has a form for each successor as well
// (converge.go), which is taken where the lanes agree. For a number that grows from lane
// to lane, the first and the last lane tell that; where the rest of a row of work-items
// then does nothing up to the next barrier, it is left out.
//
// Lanes that left a loop wait after it for the rest. A loop in which a lane may wait for
// an act of another one is thus made longer, up to that act (waiting.go).
//
// A kernel with barriers is split at them (group.go): from each place where
// work-items resume, a region of blocks leads to the next barriers, and the
// loop over the work-items is around the region. A value that lives across a barrier
// is in a register if it is the same for the group, is computed again if it
// is cheap, and has a slot for each work-item otherwise (slots.go).
//
// The result (code.go) is structured code for one function, which runs some
// work-groups: typed registers of one or W lanes, instructions, blocks and
// loops. The emitters write it out, and decide nothing.
//
// A construct that is not expressed here is refused with ErrUnsupported, and the caller
// interprets the kernel instead.
package lanes

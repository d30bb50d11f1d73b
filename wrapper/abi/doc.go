// Package abi is the binary interface between a wrapped object and the
// runtime it registers with: the C structs of the descriptor tree (pi.h,
// PI 15.48, and its successors), as field tables, and what reads and writes
// them.
//
//	descriptor ── images ──┬─ code, target, options
//	                       ├─ entries ── names
//	                       └─ property sets ── properties ── values
//
// The tree is the same in an object file, in a linked program and in a live
// process; only what a pointer points into differs, and that is a [Memory].
package abi

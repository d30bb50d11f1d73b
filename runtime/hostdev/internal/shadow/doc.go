// Package shadow keeps the shadows of memory for the checked mode of the embedded
// device, a record for each byte: which bits were never written (Undefined), and which
// accesses came last (Accesses), so that two accesses that nothing orders are
// found.
//
// The rules are those of Valgrind's memcheck for undefined bits (N. Nethercote
// and J. Seward, "How to shadow every byte of memory used by a program", 2007)
// and of FastTrack for races (C. Flanagan and S. Freund, 2009), with one clock
// for the launch instead of one for each work-item: work-groups run one after
// the other there.
//
// The types are not safe for concurrent use.
package shadow

const (
	pageBits = 12
	pageSize = 1 << pageBits
)

// Package split cuts an [ir.Module] of device code into the parts that become
// device images.
//
// The steps, in order:
//
//   - [ApplyAnnotations] turns annotations of stock compilers into attributes.
//   - [NewGraph] finds the entry points and the references of each value.
//   - [Graph.Plan] groups the entry points: a group becomes an image.
//   - [Extractor.Extract] follows the references of one group's entry points.
//     The [Partition] that it returns lists the values of the image and the edits
//     that they need.
//
// [Extractor.Why] explains how a value came into an image.
//
// # Design
//
// The module is shared and never copied. A graph is read-only once NewGraph
// returns, so any number of goroutines may extract partitions from it, each with an
// [Extractor] of its own; an extractor keeps its scratch memory, so that the
// cost of a partition follows the size of the partition and not that of the module. An
// image that differs from the module does so by an [ir.Edit] in its partition, and
// the codec that read the module writes both.
//
// The rules are those of sycl-post-link (intel/llvm, ModuleSplitter.cpp, logic
// of 2025): drivers and runtimes depend on the order of the images and on the
// names that they export. docs/postlink.md lists the deliberate differences.
package split

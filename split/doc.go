// Package split cuts an [ir.Module] of device code into the parts that become
// device images.
//
// The steps, in order:
//
//   - [ApplyAnnotations] turns annotations of stock compilers into attributes.
//   - [NewGraph] finds the entry points, and what each value refers to.
//   - [Graph.Plan] groups the entry points: a group becomes an image.
//   - [Extractor.Extract] follows the references of one group's entry points
//     and says as a [Slice] what its image holds.
//
// [Graph.Why] answers what brings a value into an image.
//
// The rules are those of sycl-post-link (intel/llvm, ModuleSplitter.cpp, logic
// of 2025). The cost of a slice follows its own size, whatever the module's.
package split

// Package fromir translates LLVM IR of device code to SPIR-V: the modules that
// SYCL, OpenCL C, C++ for OpenCL and the C and C++ of device.h compile to, from
// LLVM 14 on, text or bitcode. Nothing has to be installed for it.
//
// # How it works
//
// A [Translation] translates the functions and variables of one module, each once
// and each to a unit (unit.go): words whose identifiers belong to no module yet. An
// image (image.go) puts the units of a partition together: equal types, constants
// and the like become one (shared.go, imageentries.go), everything gets its number, and
// the sections are written (imagewrite.go).
//
// A unit is made in two walks over its body (ir.Body). The first finds the pointees
// of pointers: each pointer value has a term that starts unknown, and the loads,
// stores, address computations and calls that use it unify terms (pointee.go). A
// pointee that stays unknown is a byte. The pointees of a function's parameters
// (shape.go) are passed to its callers, never the other way round, so that a unit
// does not depend on the images that hold it. Where a use wants another pointee than
// the value has, the second walk writes an OpBitcast, so that no driver needs untyped
// pointers. A module with typed pointers states all pointees itself.
//
// The second walk writes types and constants (types.go, opaquetypes.go, constant.go), a variable
// (global.go), or a function, blocks after their dominators (function.go,
// block.go), instruction by instruction (instruction.go, memory.go, atomic.go). A
// call is, in this order,
//
//   - inline assembly or a call of a pointer (call.go),
//   - an llvm.* intrinsic, mapped to an instruction or expanded to several
//     (intrinsic*.go),
//   - an OpenCL C built-in by its mangled name, which becomes the __spirv_
//     function that means the same (opencl*.go),
//   - a __spirv_ function, which is an instruction, an instruction of a set,
//     a built-in variable, or a constant (spirvcall.go, builtinvariable.go),
//   - a plain call.
//
// Metadata become entry points, execution modes, names and decorations
// (metadata.go, kernel.go); debug information becomes instructions of its sets
// (debug*.go).
//
// An extension is used only if [Options] allow it; where the code needs one
// that they do not allow, the error names the extension, the function and the
// instruction.
//
// # Spelling
//
// Where several encodings mean the same, the one that the Khronos translator writes
// is chosen, since drivers have seen it most: for the order of annotations, the name
// of an identifier, the choice of an instruction.
//
// # Errors
//
// A construct that cannot be translated is an [*Error] with its function and instruction.
// Bodies may be hostile: the translation is bounded by their size.
package fromir

//go:generate go test -run TestDocumentation -count=1 . -update

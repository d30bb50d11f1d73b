// Package fromir translates LLVM IR of device code to SPIR-V: the output of SYCL,
// OpenCL C, C++ for OpenCL and the C and C++ of device.h compile to, from LLVM
// 14 on, text or bitcode. Nothing has to be installed for it.
//
// # How it works
//
// [Translate] walks the module twice. The first walk decodes each body
// (ir.Body) and finds the pointees of pointers: each pointer value is a term
// that starts unknown, and the loads, stores, address computations and calls
// that use it unify terms (pointee.go). A pointee that stays unknown is a byte. Where a
// use wants another pointee than the value has, the second walk writes an
// OpBitcast, so that no driver needs untyped pointers. A module with typed
// pointers says it all itself.
//
// The second walk writes: types and constants once each (types.go,
// constant.go), global variables (global.go), then functions, declarations
// first, blocks after their dominators (function.go, block.go), instruction
// by instruction (instruction.go, memory.go, atomic.go). A call is, in this
// order,
//
//   - inline assembly or a call of a pointer (call.go),
//   - an llvm.* intrinsic, mapped to an instruction or expanded to several
//     (intrinsic*.go),
//   - an OpenCL C built-in by its mangled name, which becomes the __spirv_
//     function that means the same (opencl*.go),
//   - a __spirv_ function, which is an instruction, an instruction of a set,
//     a built-in variable, or a constant (spirvcall.go),
//   - a plain call.
//
// Metadata become entry points, execution modes, names and decorations
// (metadata.go).
//
// A [builder] collects the instructions by section of the layout, counts the
// capabilities and extensions that they need, and puts types, constants and
// variables into an order in which each comes after those that it is made of.
// An extension is used only if [Options] allow it; where the code needs one
// that they do not allow, the error names the extension, the function and the
// instruction.
//
// # Spelling
//
// Where several encodings mean the same, the one of the Khronos translator is
// written, which drivers have seen most: the order of sections and of
// annotations, which name an identifier gets, which instruction.
//
// # Errors
//
// A construct that cannot be translated is an [*Error] with its function and instruction.
// Bodies may be hostile: the translation is bounded by their size.
package fromir

// Package toolchain finds LLVM's tools on this machine and runs them: llvm-as,
// llvm-dis, opt, llc, llvm-spirv and spirv-val.
//
// A [Finder] looks for a tool by name and version: in a path that the user
// gave, in PATH (also under Debian's versioned names, llvm-as-19), and in
// Python environments, where PyPI's dpcpp-llvm-spirv brings an llvm-spirv. A
// [Runner] runs tools; a [Jobserver] makes a program that runs many of them a
// member of GNU make's jobserver. [Finder.ToSPIRV] chooses the tools that take
// a module to SPIR-V.
package toolchain

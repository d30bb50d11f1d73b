// Package sycl is the vocabulary in which SYCL front ends annotate LLVM IR: the
// names of attributes and metadata, the accessors that read them, and the rules
// by which names of functions tell user code from that of compilers.
//
// The spellings are those of intel/llvm: clang writes them (CodeGenFunction.cpp,
// SemaSYCL.cpp), the passes of llvm/lib/SYCLLowerIR add more, and
// sycl-post-link reads them. The package only reads modules; its functions may
// be called from several goroutines.
package sycl

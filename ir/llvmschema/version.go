// Package llvmschema holds the facts of LLVM's formats in one place: the codes
// of blocks and records, the operands of records, the fields of metadata nodes,
// attributes, keywords, flags and calling conventions, each with the LLVM version that brought
// it and, where it went, the last that wrote it. Versions before [Oldest] are
// not told apart: Since is 0 for everything that Oldest has.
//
// The sources are LLVM's own: llvm/Bitcode/LLVMBitCodes.h, BitcodeReader.cpp,
// MetadataLoader.cpp, IR/CallingConv.h, and the Language Reference Manual.
//
// To support a new version of LLVM, raise [Newest] and add the rows that the
// version brought; the readers, writers, messages and the rewriting for older
// readers follow. CONTRIBUTING.md has the list.
package llvmschema

import "strconv"

// The LLVM versions whose bitcode and text are read.
const (
	Oldest = 14
	Newest = 23
)

// Newer is the part of a message about input that came after the schema.
func Newer() string { return "newer than LLVM " + strconv.Itoa(Newest) }

// Older is the part of a message about input that the schema no longer has.
func Older() string { return "older than LLVM " + strconv.Itoa(Oldest) }

// NewerOrOlder is the part of a message about input that is one of both.
func NewerOrOlder() string { return Newer() + " or " + Older() }

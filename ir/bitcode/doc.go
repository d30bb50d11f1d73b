// Package bitcode reads and writes LLVM bitcode without LLVM. The versions are
// those of package llvmschema.
//
// [Read] fills an [ir.Module]. It reads every function body once, for the
// references that it makes, and keeps it in a compact form in which each
// operand that names a value, type, attribute list or metadata is marked.
// [ir.Source.NewWriter] gives a writer of partitions: it numbers the parts of a partition
// from 0 again, and copies the records with the marked operands
// replaced, with the abbreviations that the input used. Records that would go
// stale are left out: use-list orders, summaries, hashes, offset and symbol indices.
//
// The file format is that of LLVM's BitCodeFormat document; record layouts
// follow LLVM's own reader.
package bitcode

// Package irtext reads and writes LLVM modules as text.
//
// [Parse] makes an [ir.Module] in two passes over the input. The first finds
// the definitions at top level and parses signatures, types, comdats and
// attribute groups; it steps over function bodies and metadata nodes by their
// brackets. The second pass knows every name, so it parses bodies,
// initialisers and nodes in parallel, resolves and records their references,
// and checks that the names they use are defined. Nothing of a body is kept but
// its references: a body is a span of the input.
//
// Instructions are parsed by their grammar, but only as far as that needs.
// Attributes, flags and fields that are newer than this package are kept as
// they are written where the grammar leaves no doubt about where they end:
// after a header or a call, on the same line. Text that is not
// understood is an error with its place.
//
// The grammar is that of the LLVM Language Reference Manual for the versions
// of [offlink/ir/llvmschema].
package irtext

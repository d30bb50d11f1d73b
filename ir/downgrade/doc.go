// Package downgrade rewrites IR of newer LLVM versions so that older ones
// read it: the reverse of LLVM's AutoUpgrade. Translators to SPIR-V are often
// years older than the compilers.
//
// A rewrite is sound where the older reader's module has the same meaning, or
// promises less: an attribute or flag that only tells the optimiser something
// may go, a set of effects may grow, debug information may thin out. The table
// [Constructs] has for each construct the LLVM that brought it, its replacement,
// and the reason why that is sound. A newer construct that cannot be rewritten
// is refused with its place; one that the table lacks is left for the older
// reader to judge.
//
// [Text] works on the tokens of a text and keeps its lines: line N of the
// result is line N of the input. [Bitcode] works on the records of a bitcode
// file.
package downgrade

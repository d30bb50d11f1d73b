// Package emitc spells the code of work-groups as C with the vector extensions
// of gcc and clang. The lanes of a value are one vector; how many registers of
// the processor it takes is the C compiler's business. The result has the bits
// that the WebAssembly of emitwasm gives: no operation is fused or reordered,
// and the operations that C leaves open are spelled out.
package emitc

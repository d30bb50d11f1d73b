// Package bitstream reads and writes LLVM's bitstream container: a stream of
// bits that holds blocks, records and the abbreviations that shorten records.
// It knows nothing of the LLVM IR in it. The format is that of LLVM's
// BitCodeFormat document ("Bitstream Format").
//
// Positions are bit offsets from the start of the bytes that the reader was
// given. Whatever the input claims, a reader reads only those bytes, allocates
// in proportion to them, and fails with an [Error] that names the bit.
package bitstream

// Package objfile reads and writes the object files of host systems: ELF,
// COFF and PE, and Mach-O.
//
// An [Object] is a relocatable object to be written: sections of bytes and of
// contents that are copied from elsewhere, symbols, and the places that need
// addresses. A [File] is an object, a program or a library seen through its
// addresses. Readers take any input: they are bounded by the size of the file
// and return errors with offsets.
package objfile

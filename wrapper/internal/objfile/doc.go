// Package objfile reads, writes and edits the object files of host systems:
// ELF, COFF and PE, and Mach-O. A format is a row of the table in format.go and
// the files read_*, write_* and edit_*.
//
// An [Object] is a relocatable object to be written: sections of bytes and of
// contents that are copied from elsewhere, symbols, and fixups. A [File] is an
// object, a program or a library as memory: pointers have the values that the
// loader would store, so that one reader of descriptor trees serves them all.
// An [Editor] plans changes as patches of the file, as a finished program
// cannot be linked again.
//
// debug/elf, debug/pe and debug/macho name the constants here; their readers
// are not used, as they are not made for hostile files. Readers of this package
// take any input: the size of the file bounds them, and they return errors with
// offsets.
package objfile

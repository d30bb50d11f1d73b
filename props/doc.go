// Package props holds property sets: the named, typed facts that travel with
// a device image from the splitter through the wrapper to the runtime.
//
// Two forms exist outside this package and both are read and written
// elsewhere from the one value [Sets]: the .prop text (text.go here, the
// dialect of LLVM's PropertySetIO) and the in-memory tables of a wrapped
// object (wrapper/abi).
package props

// Package props holds property sets: the named, typed facts that travel with
// a device image from the splitter through the wrapper to the runtime.
//
// The value [Sets] has two outside forms: the .prop text, which [Parse] and
// [Sets.Text] read and write in the dialect of LLVM's PropertySetIO, and the
// tables in memory of a wrapped object, which package wrapper/abi reads and
// writes.
//
// # Design
//
// Sets and properties keep their order, so that equal inputs give
// equal bytes and a file that is read and written again does not change. Values are immutable and may share memory with the file that they
// were read from. The package knows names and types of values and nothing of
// their meaning: props/derive has the table of the sets, which derives them from IR
// and describes them.
package props

// MaxText is the size in bytes up to which programs read .prop text. The largest
// sets, of specialization constants, hold kilobytes for an image.
const MaxText = 256 << 20

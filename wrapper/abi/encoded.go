package abi

// Encoded is a descriptor tree: C objects whose bytes are known and
// whose pointers are not yet addresses. The code that lays the blocks out, into
// the sections of an object file or into LLVM IR, turns targets into addresses.
type Encoded struct {
	Layout *Layout
	Blocks []Block
	// Externals are the symbols outside the tree that targets refer to.
	Externals []string
	// Descriptor and Images are the numbers of the blocks of the root and of
	// the array of image records.
	Descriptor, Images int
	// Infos is the number of the block with the bounds, or -1.
	Infos int
}

// Block is one C object: an array of structs, or bytes.
type Block struct {
	// Name is the symbol of the object, as the reference tool calls it
	// (ClangOffloadWrapper.cpp); repeated names end in ".1", ".2" and so on.
	Name string
	Type Type
	// Data is the object, little-endian, with zeros for the pointers.
	Data []byte
	// Pointers are the pointers in Data that are not null, by their offset.
	Pointers []Pointer
}

// Type is the C type of a block.
type Type uint8

// The types. Text is a string with its NUL, Blob is bytes; the others are
// arrays of the structs of the package comment.
const (
	Text Type = iota
	Blob
	EntryArray
	NewEntryArray
	PropertyArray
	PropertySetArray
	ImageArray
	DescriptorStruct
	TargetImageArray
	TargetDescriptorStruct
	InfoArray
	NativeKernelArray
)

// Pointer is a pointer in a block.
type Pointer struct {
	Offset int // in the block
	To     Target
}

// Target is the target of a pointer.
type Target struct {
	In     Space
	Index  int32
	Offset int64 // bytes after the start
}

// Space is the list that Target.Index counts in.
type Space uint8

// The spaces. A target in InImage lies in the code of an image, which is not
// a block: it is copied from its file.
const (
	InBlock    Space = iota + 1 // Encoded.Blocks
	InImage                     // the images given to Encode
	InExternal                  // Encoded.Externals
)

// Size returns the length in bytes of the struct of the type, or 1 for bytes.
func (l *Layout) Size(t Type) int {
	switch t {
	case EntryArray:
		return l.Entry.Len
	case NewEntryArray:
		return l.NewEntry.Len
	case PropertyArray:
		return l.Property.Len
	case PropertySetArray:
		return l.Set.Len
	case ImageArray:
		return l.Image.Len
	case DescriptorStruct, TargetImageArray, TargetDescriptorStruct:
		return 4 * l.Pointer
	case InfoArray, NativeKernelArray:
		return 2 * l.Pointer
	}
	return 1
}

// Align returns the alignment of a block of the type. A blob may start with a 64-bit length that
// consumers load at once.
func (l *Layout) Align(t Type) int {
	switch t {
	case Text:
		return 1
	case Blob:
		return 8
	case InfoArray:
		return 2 * l.Pointer
	}
	return l.Pointer
}

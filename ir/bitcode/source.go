package bitcode

import (
	"sync"
	"sync/atomic"

	"offlink/ir"
	"offlink/ir/bitcode/bitstream"
)

// source is the payload of a module: the parts that the model leaves with the codec. It
// does not change once the module is read.
type source struct {
	module *ir.Module
	// strings is the part of the bitstream that has the strings of metadata, and
	// stringsAt where it begins: the whole bitstream while it is read.
	strings   []byte
	stringsAt uint32
	strtab    string
	producer  string

	info       bitstream.Info // abbreviations of the input, which the output uses again
	infoBlocks []uint32       // the blocks of info, in ascending order

	types []typeRecord
	// typedPointers says that pointers have a pointee type.
	typedPointers bool
	groups        []groupRecord
	lists         [][]ir.AttributeGroupID // attribute lists: a group for each index that has attributes
	asm           []moduleText            // module asm and its properties
	sections      []string
	gcs           []string
	guids         []uint64          // a number for each global value in two halves, high and low; as long as the record was
	kinds         []kind            // metadata kinds
	kindNames     map[uint64]string // of kinds
	tags          []string          // of operand bundles
	scopes        []string          // of synchronisation

	values    entryList   // by ir.ValueID
	records   recordStore // of values
	constants constantTable
	metadata  metadataTable // of the module; the first nodes of the model
	bodies    []body        // in the order of the module

	typesOnce sync.Once
	typeOf    map[string]uint32 // types without a name by their record

	collectors sync.Pool // of *bodyReader, for RefsWithout
	decoders   sync.Pool // of *bodyDecoder, for constants that metadata name

	budget atomic.Int64 // of steps that walks over constants may take together
}

// moduleText is a record of the module that is a string.
type moduleText struct {
	code uint32
	text string
}

// kind is a metadata kind: the number that attachments use, and its name.
type kind struct {
	id   uint64
	name string
}

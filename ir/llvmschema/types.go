package llvmschema

import "offlink/lazy"

// Type is a record of the type block.
type Type struct {
	Least int // number of operands that there are at least
	// Since is the LLVM version that brought the record, 0 if [Oldest] has it.
	Since int
}

// Types holds the records that are types, by their codes.
var Types = lazy.Map[uint32, Type]{New: func() map[uint32]Type {
	return map[uint32]Type{
		TypeVoid: {}, TypeFloat: {}, TypeDouble: {}, TypeLabel: {}, TypeOpaque: {}, TypeInteger: {Least: 1},
		TypePointer: {Least: 1}, TypeHalf: {}, TypeArray: {Least: 2}, TypeVector: {Least: 2}, TypeX86FP80: {},
		TypeFP128: {}, TypePPCFP128: {}, TypeMetadata: {}, TypeX86MMX: {}, TypeStructAnon: {Least: 1},
		TypeStructNamed: {Least: 1}, TypeFunction: {Least: 2}, TypeToken: {}, TypeBFloat: {}, TypeX86AMX: {},
		TypeOpaquePointer: {Least: 1},
		TypeTarget:        {Least: 1, Since: 16},
		TypeByte:          {Least: 1, Since: 23},
	}
}}

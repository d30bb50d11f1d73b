package emitwasm

// The instructions that the emitter writes by themselves, with their names in the
// WebAssembly specification (core 2.0, with threads). Those that stand for an
// operation of the form are in the tables of scalar.go, vector.go and memory.go.
const (
	opUnreachable = 0x00 // unreachable
	opBlock       = 0x02 // block
	opLoop        = 0x03 // loop
	opIf          = 0x04 // if
	opElse        = 0x05 // else
	opEnd         = 0x0b // end
	opBr          = 0x0c // br
	opBrIf        = 0x0d // br_if
	opReturn      = 0x0f // return
	opCall        = 0x10 // call
	opSelect      = 0x1b // select
	opLocalGet    = 0x20 // local.get
	opLocalSet    = 0x21 // local.set
	opI32Const    = 0x41 // i32.const
	opI64Const    = 0x42 // i64.const
	opF32Const    = 0x43 // f32.const
	opF64Const    = 0x44 // f64.const
	opI32Eqz      = 0x45 // i32.eqz
	opI64Eqz      = 0x50 // i64.eqz
	opI32Eq       = 0x46 // i32.eq
	opI32Add      = 0x6a // i32.add
	opI32Sub      = 0x6b // i32.sub
	opI32And      = 0x71 // i32.and
	opI32Or       = 0x72 // i32.or
	opI32Shl      = 0x74 // i32.shl
	opI64Mul      = 0x7e // i64.mul
	opI64Or       = 0x84 // i64.or
	opI64Shl      = 0x86 // i64.shl
	opI64ShrU     = 0x88 // i64.shr_u
	opI32WrapI64  = 0xa7 // i32.wrap_i64
	opI64ExtendU  = 0xad // i64.extend_i32_u
	prefixMore    = 0xfc // saturating conversions, operations on memory
	prefixSIMD    = 0xfd // vectors
	prefixAtomic  = 0xfe // atomic operations

	blockEmpty = 0x40 // the type of a block without a result
)

// The instructions of vectors, after prefixSIMD.
const (
	simdLoad          = 0x00 // v128.load
	simdLoad16x4U     = 0x04 // v128.load16x4_u
	simdStore         = 0x0b // v128.store
	simdConst         = 0x0c // v128.const
	simdShuffle       = 0x0d // i8x16.shuffle
	simdI32Ne         = 0x38 // i32x4.ne
	simdAnd           = 0x4e // v128.and
	simdAndNot        = 0x4f // v128.andnot: the first without the bits of the second
	simdOr            = 0x50 // v128.or
	simdXor           = 0x51 // v128.xor
	simdAnyTrue       = 0x53 // v128.any_true
	simdStore8Lane    = 0x58 // v128.store8_lane
	simdStore16Lane   = 0x59 // v128.store16_lane
	simdLoad32Zero    = 0x5c // v128.load32_zero
	simdExtendLow8U   = 0x89 // i16x8.extend_low_i8x16_u
	simdI32AllTrue    = 0xa3 // i32x4.all_true
	simdI32Bitmask    = 0xa4 // i32x4.bitmask
	simdExtendLow16U  = 0xa9 // i32x4.extend_low_i16x8_u
	simdI32Shl        = 0xab // i32x4.shl
	simdI32ShrS       = 0xac // i32x4.shr_s
	simdI64Extract    = 0x1d // i64x2.extract_lane
	simdI64ExtendLowS = 0xc7 // i64x2.extend_low_i32x4_s; the next is that of the high half
	simdI64ExtendLowU = 0xc9 // i64x2.extend_low_i32x4_u; the next is that of the high half
	simdI64Shl        = 0xcb // i64x2.shl
	simdI64ShrS       = 0xcc // i64x2.shr_s
	simdI64LeS        = 0xda // i64x2.le_s
	simdF32PMin       = 0xea // f32x4.pmin: y < x ? y : x
	simdF64PMin       = 0xf6 // f64x2.pmin
)

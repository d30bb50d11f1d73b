package llvmschema

import "offlink/lazy"

// Constant is the record of a constant. Its operands are spelt a letter each:
// 'v' a value, 't' a type, '.' a plain number. Operands after the fixed ones
// repeat Rest, or are plain numbers if that is "".
type Constant struct {
	Name  string
	Fixed string
	Rest  string
	Some  bool // something must follow the fixed operands
	// Since is the LLVM version that brought the record, 0 if [Oldest] has it.
	Since int
	// head gives the fixed part of records of varying form.
	head func(operands []uint64) (fixed string, ok bool)
}

// Head returns the fixed part of a record with those operands, of which there
// are as many as Fixed has letters. It returns false if the record is cut
// short.
func (c *Constant) Head(operands []uint64) (fixed string, ok bool) {
	if c.head == nil {
		return c.Fixed, true
	}
	return c.head(operands)
}

// Constants holds the records of constants blocks by their codes.
var Constants = lazy.Map[uint32, *Constant]{New: func() map[uint32]*Constant {
	return map[uint32]*Constant{
		ConstantNull:              {Name: "NULL"},
		ConstantUndef:             {Name: "UNDEF"},
		ConstantPoison:            {Name: "POISON"},
		ConstantInteger:           {Name: "INTEGER", Fixed: "."},
		ConstantWideInteger:       {Name: "WIDE_INTEGER", Fixed: "."},
		ConstantByte:              {Name: "BYTE", Fixed: ".", Since: 23},
		ConstantWideByte:          {Name: "WIDE_BYTE", Fixed: ".", Since: 23},
		ConstantFloat:             {Name: "FLOAT", Fixed: "."},
		ConstantString:            {Name: "STRING", Some: true},
		ConstantCString:           {Name: "CSTRING", Some: true},
		ConstantData:              {Name: "DATA", Some: true},
		ConstantAggregate:         {Name: "AGGREGATE", Rest: "v", Some: true},
		ConstantUnop:              {Name: "CE_UNOP", Fixed: ".v"},
		ConstantBinop:             {Name: "CE_BINOP", Fixed: ".vv"},
		ConstantCast:              {Name: "CE_CAST", Fixed: ".tv"},
		ConstantSelect:            {Name: "CE_SELECT", Fixed: "vvv"},
		ConstantExtractElement:    {Name: "CE_EXTRACTELT", Fixed: "tvtv"},
		ConstantInsertElement:     {Name: "CE_INSERTELT", Fixed: "vvtv"},
		ConstantShuffle:           {Name: "CE_SHUFFLEVEC", Fixed: "vvv"},
		ConstantShuffleEx:         {Name: "CE_SHUFVEC_EX", Fixed: "tvvv"},
		ConstantCompare:           {Name: "CE_CMP", Fixed: "tvv."},
		ConstantGEPOld:            {Name: "CE_GEP", Rest: "tv", Some: true, head: oldGEP},
		ConstantInboundsGEP:       {Name: "CE_INBOUNDS_GEP", Rest: "tv", Some: true, head: oldGEP},
		ConstantGEPInrangeOld:     {Name: "CE_GEP_WITH_INRANGE_INDEX", Fixed: "t.", Rest: "tv", Some: true},
		ConstantGEPInrange:        {Name: "CE_GEP_WITH_INRANGE", Fixed: "t..", Rest: "tv", Some: true, head: rangeGEP, Since: 19},
		ConstantGEP:               {Name: "CE_GEP", Fixed: "t.", Rest: "tv", Some: true, Since: 19},
		ConstantInlineAsmOld:      {Name: "INLINEASM_OLD", Fixed: ".."},
		ConstantInlineAsmOld2:     {Name: "INLINEASM_OLD2", Fixed: ".."},
		ConstantInlineAsmOld3:     {Name: "INLINEASM_OLD3", Fixed: ".."},
		ConstantInlineAsm:         {Name: "INLINEASM", Fixed: "t.."},
		ConstantBlockAddress:      {Name: "BLOCKADDRESS", Fixed: "tv."},
		ConstantDSOLocal:          {Name: "DSO_LOCAL_EQUIVALENT", Fixed: "tv"},
		ConstantNoCFI:             {Name: "NO_CFI", Fixed: "tv"},
		ConstantPtrAuth:           {Name: "PTRAUTH", Fixed: "vvvv", Since: 19},
		ConstantPtrAuthDeactivate: {Name: "PTRAUTH2", Fixed: "vvvvv", Since: 22},
	}
}}

// oldGEP returns the fixed part of older geps: the type that the indices walk through, which is
// there if the number of operands is odd.
func oldGEP(operands []uint64) (string, bool) {
	if len(operands)%2 == 1 {
		return "t", true
	}
	return "", len(operands) > 0
}

// rangeGEP returns the fixed part of geps with a range: type, flags and width, then the range. That
// is two numbers, or, if it has more than 64 bits, a number that tells how many words follow.
func rangeGEP(operands []uint64) (string, bool) {
	words := uint64(2)
	if operands[2] > 64 {
		if len(operands) < 4 {
			return "", false
		}
		words = 1 + operands[3]&(1<<32-1) + operands[3]>>32
	}
	if words > uint64(len(operands)-3) {
		return "", false
	}
	fixed := []byte("t..")
	for range words {
		fixed = append(fixed, '.')
	}
	return string(fixed), true
}

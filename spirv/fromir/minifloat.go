package fromir

import (
	"strings"

	"offlink/ir"
	"offlink/lazy"
	"offlink/spirv"
)

// LLVM IR has no types for floating-point numbers of 8 and 4 bits. Functions whose names begin
// with __builtin_spirv_ convert to and from them; integers hold the numbers. Those of 8 bits
// are i8. Those of 4 bits, and integers of 4 bits, are packed: an i32 has eight of them.

const conversionPrefix = "__builtin_spirv_"

// numberFormat is the format of a number in a conversion.
type numberFormat uint8

const (
	formatFloat   numberFormat = iota // half, or an encoding of 16 bits: LLVM IR has a type for it
	formatE4M3                        // 8 bits
	formatE5M2                        // 8 bits
	formatE2M1                        // 4 bits, SPV_EXT_ocp_microscaling_types
	formatE2M1Old                     // 4 bits, SPV_INTEL_float4
	formatInteger                     // 4 bits, or 8 as the result
)

// isPacked reports whether integers hold several numbers of a format.
func (f numberFormat) isPacked() bool { return f >= formatE2M1 }

// encoding returns the FP Encoding (SPIR-V) of a format of 8 or 4 bits.
func (f numberFormat) encoding() uint32 {
	return map[numberFormat]uint32{formatE4M3: 4214, formatE5M2: 4215, formatE2M1: 4225, formatE2M1Old: 6214}[f]
}

// floatEncodings are the needs of the types of an FP Encoding, and the capability of a matrix of
// such elements.
var floatEncodings = lazy.Map[uint32, floatEncodingRow]{New: func() map[uint32]floatEncodingRow {
	return map[uint32]floatEncodingRow{
		bfloatEncoding: {need{"SPV_KHR_bfloat16", 5116}, 5118},
		4214:           {need{"SPV_EXT_float8", 4212}, 4213},
		4215:           {need{"SPV_EXT_float8", 4212}, 4213},
		4225:           {need{"SPV_EXT_ocp_microscaling_types", 4229}, 6213},
		6214:           {need{"SPV_INTEL_float4", 6212}, 6213},
	}
}}

// floatEncodingRow is a row of floatEncodings.
type floatEncodingRow struct {
	need
	matrix uint32
}

// conversionRows are the conversions that there are: the start and the end of their functions'
// names, and the pairs of formats between.
var conversionRows = []struct{ kind, suffix, pairs string }{
	{"Convert", "EXT", "E2M1ToE4M3 E2M1ToE5M2 E2M1ToFP16 E2M1ToBF16 FP16ToE2M1 BF16ToE2M1 E4M3ToFP16 E5M2ToFP16 E4M3ToBF16 E5M2ToBF16 FP16ToE4M3 FP16ToE5M2 BF16ToE4M3 BF16ToE5M2"},
	{"Convert", "INTEL", "E2M1ToE4M3 E2M1ToE5M2 E2M1ToFP16 E2M1ToBF16 Int4ToE4M3 Int4ToE5M2 Int4ToFP16 Int4ToBF16 Int4ToInt8 FP16ToE2M1 BF16ToE2M1 FP16ToInt4 BF16ToInt4"},
	{"ClampConvert", "INTEL", "FP16ToE4M3 BF16ToE4M3 FP16ToE5M2 BF16ToE5M2 FP16ToInt4 BF16ToInt4"},
	{"StochasticRound", "INTEL", "FP16ToE5M2 FP16ToE4M3 BF16ToE5M2 BF16ToE4M3 FP16ToE2M1 BF16ToE2M1"},
	{"ClampStochasticRound", "INTEL", "FP16ToInt4 BF16ToInt4 FP16ToE5M2 FP16ToE4M3 BF16ToE5M2 BF16ToE4M3"},
}

// numberConversion is a conversion between two formats.
type numberConversion struct {
	from, to numberFormat
	op       spirv.Opcode
	saturate bool // numbers too large become the largest
}

// numberConversions are the conversions by name.
var numberConversions = lazy.Map[string, numberConversion]{New: func() map[string]numberConversion {
	table := map[string]numberConversion{}
	for _, row := range conversionRows {
		formats := map[string]numberFormat{"E4M3": formatE4M3, "E5M2": formatE5M2, "E2M1": formatE2M1, "Int4": formatInteger, "Int8": formatInteger}
		if row.kind == "Convert" && row.suffix == "INTEL" {
			formats["E2M1"] = formatE2M1Old
		}
		for pair := range strings.FieldsSeq(row.pairs) {
			from, to, _ := strings.Cut(pair, "To")
			n := numberConversion{from: formats[from], to: formats[to]}
			n.op = conversionOpcode(row.kind, n.from, n.to)
			n.saturate = strings.HasPrefix(row.kind, "Clamp") && n.to != formatInteger
			table[row.kind+pair+row.suffix] = n
		}
	}
	return table
}}

// conversionOpcode returns the instruction of a conversion. Those to floating-point numbers
// that clamp have a decoration for it, those to integers an instruction.
func conversionOpcode(kind string, from, to numberFormat) spirv.Opcode {
	switch {
	case kind == "Convert" && from == formatInteger && to == formatInteger:
		return spirv.OpSConvert
	case kind == "Convert" && from == formatInteger:
		return spirv.OpConvertSToF
	case kind == "Convert" && to == formatInteger:
		return spirv.OpConvertFToS
	case kind == "ClampConvert" && to == formatInteger:
		return spirv.OpClampConvertFToSINTEL
	case kind == "ClampStochasticRound" && to == formatInteger:
		return spirv.OpClampStochasticRoundFToSINTEL
	case strings.HasSuffix(kind, "Round"):
		return spirv.OpStochasticRoundFToFINTEL
	}
	return spirv.OpFConvert
}

// floatConversion returns the replacement of calls of a conversion, or nil for other names.
func floatConversion(name string) *builtin {
	n, ok := numberConversions.Get()[name]
	if !ok {
		return nil
	}
	return &builtin{result: -1, write: func(c *callSite) { c.convertFormat(n) }}
}

// convertFormat writes a conversion: the argument's bits as a number of the first format, the
// conversion, and the bits of its result. Further arguments of a conversion that rounds
// stochastically are its seeds.
func (c *callSite) convertFormat(n numberConversion) {
	value := c.operand(0).Type
	c.checkCount(len(c.operands), n.op.OperandCount)
	c.checkFormat(n.from, value)
	c.checkFormat(n.to, c.in.Type)
	from, to := c.formatType(n.from, value), c.typ
	if n.to != formatInteger || n.from != formatInteger {
		to = c.formatType(n.to, c.in.Type)
	}
	words := []uint32{c.castBits(c.valueID(c.operand(0)), c.typeID(value), from)}
	words = append(words, c.argumentIDs(1)...)
	c.instructionNeeds(n.op)
	made := c.emitResult(n.op, to, words...)
	if n.saturate {
		c.b.decorateID(made, decSaturatedFloat8)
	}
	c.finishCall(c.castBits(made, to, c.typ))
}

// castBits returns a value as one of another type with the same bits.
func (c *callSite) castBits(n, from, to id) id {
	if from == to {
		return n
	}
	return c.emitResult(spirv.OpBitcast, to, n)
}

// checkFormat refuses a type that cannot hold numbers of a format.
func (c *callSite) checkFormat(format numberFormat, n ir.TypeID) {
	typ := c.formatElement(n)
	switch {
	case format == formatFloat && typ.Kind == ir.TypeFloat && typ.Bits == 16:
	case (format == formatE4M3 || format == formatE5M2) && typ.Kind == ir.TypeInteger && typ.Bits == 8:
	case format.isPacked() && typ.Kind == ir.TypeInteger && (typ.Bits == 4 || typ.Bits >= 8 && typ.Bits <= 64 && typ.Bits&(typ.Bits-1) == 0):
	default:
		c.failf("the types are not those of the conversion in the function's name")
	}
	if typ.Bits == 4 && c.heldBits(4) != 4 {
		c.needAllowed(int4)
	}
}

// formatElement returns the type of a number, or of the elements of a vector or matrix.
func (c *callSite) formatElement(n ir.TypeID) *ir.Type {
	typ := c.function.moduleType(n)
	if (typ.Kind == ir.TypeVector || c.isMatrix(n)) && len(typ.Elements) > 0 {
		typ = c.function.moduleType(typ.Elements[0])
	}
	return typ
}

// isMatrix reports whether a type is a cooperative matrix.
func (c *callSite) isMatrix(n ir.TypeID) bool {
	typ := c.function.moduleType(n)
	return typ.Kind == ir.TypeTarget && typ.Target == "spirv.CooperativeMatrixKHR"
}

// formatType returns the type of the numbers of a format that a type holds.
func (c *callSite) formatType(format numberFormat, n ir.TypeID) id {
	if format == formatFloat {
		return c.typeID(n)
	}
	typ, bits := c.function.moduleType(n), c.formatElement(n).Bits
	if c.isMatrix(n) {
		return c.cooperativeMatrix(c.formatScalar(format, bits), typ.Numbers)
	}
	count := uint64(1)
	if typ.Kind == ir.TypeVector {
		count = typ.Length
	}
	if format.isPacked() && bits >= 8 {
		count *= uint64(bits / 4)
		bits = 4
	}
	if count == 1 {
		return c.formatScalar(format, bits)
	}
	return c.vectorType(c.formatScalar(format, bits), uint32(count))
}

// formatScalar returns the type of one number of a format.
func (t *translator) formatScalar(format numberFormat, bits uint32) id {
	if format == formatInteger {
		if !t.hasOddIntegers(bits) {
			t.needAllowed(int4)
		}
		t.oddInteger(bits)
		return t.b.typeEntry(spirv.OpTypeInt, []uint32{bits, 0})
	}
	n := floatEncodings.Get()[format.encoding()]
	t.useExtension(n.extension)
	t.useCapabilities(n.capability)
	return t.b.typeEntry(spirv.OpTypeFloat, []uint32{bits, format.encoding()})
}

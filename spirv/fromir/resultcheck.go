package fromir

import (
	"strings"

	"offlink/ir"
	"offlink/lazy"
	"offlink/spirv"
)

// A declaration may give a built-in function any result type. The instructions that its
// calls become have results of certain types only, which the specification of SPIR-V states
// for each.

// resultKind is a set of types that an instruction's result may have.
type resultKind uint8

const (
	resultAny resultKind = iota
	resultInteger
	resultFloat
	resultBool
	resultScalarInteger
	resultScalarFloat
	resultScalar // integer or floating-point number
	resultVoid
	resultNumbers // a number, or a vector of numbers
	resultVector  // of numbers
)

var resultKindNames = [...]string{
	"", "an integer or a vector of integers", "a floating-point number or a vector of such", "a truth value or a vector of such",
	"an integer", "a floating-point number", "a number", "void", "a number or a vector of numbers", "a vector of numbers",
}

// opcodeResults are the instructions whose result is of a kind other than resultAny.
var opcodeResults = lazy.Map[spirv.Opcode, resultKind]{New: newOpcodeResults}

func newOpcodeResults() map[spirv.Opcode]resultKind {
	table := map[spirv.Opcode]resultKind{}
	for op := range boolResults.Get() {
		table[op] = resultBool
	}
	for kind, names := range map[resultKind]string{
		resultInteger: "BitCount BitReverse ImageQuerySize ImageQuerySizeLod ImageQueryFormat ImageQueryOrder ImageQueryLevels ImageQuerySamples " +
			"IAdd ISub IMul UDiv SDiv UMod SRem SMod SNegate ShiftRightLogical ShiftRightArithmetic ShiftLeftLogical BitwiseOr BitwiseXor BitwiseAnd Not " +
			"ConvertFToU ConvertFToS UConvert SConvert SatConvertSToU SatConvertUToS BitFieldInsert BitFieldSExtract BitFieldUExtract",
		resultFloat:         "FmaKHR FAdd FSub FMul FDiv FRem FMod FNegate ConvertSToF ConvertUToF FConvert QuantizeToF16 VectorTimesScalar AtomicFAddEXT AtomicFMinEXT AtomicFMaxEXT",
		resultScalarInteger: "AtomicCompareExchange AtomicCompareExchangeWeak AtomicIIncrement AtomicIDecrement AtomicIAdd AtomicISub AtomicSMin AtomicUMin AtomicSMax AtomicUMax AtomicAnd AtomicOr AtomicXor GroupNonUniformBallotBitCount GroupNonUniformBallotFindLSB GroupNonUniformBallotFindMSB GenericPtrMemSemantics",
		resultScalarFloat:   "Dot",
		resultScalar:        "AtomicLoad AtomicExchange",
	} {
		for name := range strings.FieldsSeq(names) {
			table[spirv.OpcodeByName("Op"+name)] = kind
		}
	}
	for _, group := range []string{"Group", "GroupNonUniform"} {
		for kind, names := range map[resultKind]string{
			resultInteger: "IAdd IMul UMin SMin UMax SMax BitwiseAnd BitwiseOr BitwiseXor", resultFloat: "FAdd FMul FMin FMax",
		} {
			for name := range strings.FieldsSeq(names) {
				table[spirv.OpcodeByName("Op"+group+name)] = kind
				table[spirv.OpcodeByName("Op"+group+name+"KHR")] = kind
			}
		}
	}
	delete(table, spirv.OpNop) // combinations above that are not instructions
	return table
}

// OpenCL.std (OpenCL Extended Instruction Set) numbers the functions of floating-point numbers
// first, and those of integers together.
const (
	lastFloatFunction    = 110 // fast_normalize
	firstIntegerFunction = 141 // s_abs
	lastIntegerFunction  = 170 // u_mul24; more whose names begin with u_ came at the end
)

// extendedResult returns the kind of the result of an instruction of OpenCL.std.
func extendedResult(number uint32) resultKind {
	name := spirv.ExtInstName("OpenCL.std", number)
	switch {
	case name == "ilogb" || number >= firstIntegerFunction && number <= lastIntegerFunction || strings.HasPrefix(name, "u_"):
		return resultInteger
	case number <= lastFloatFunction || strings.HasPrefix(name, "vload") && strings.Contains(name, "_half"):
		return resultFloat
	case strings.HasPrefix(name, "vstore") || name == "prefetch":
		return resultVoid
	case name == "select" || name == "bitselect":
		return resultNumbers
	case strings.HasPrefix(name, "shuffle"):
		return resultVector
	}
	return resultAny
}

// checkResults refuses a call if an instruction that it became has a result of a type that
// the instruction cannot have. Those instructions are the words of code from start on.
func (c *callSite) checkResults(start int) {
	for at := start; at < len(c.code); at += int(c.code[at] >> 16) {
		op := spirv.Opcode(c.code[at] & 0xffff)
		want := opcodeResults.Get()[op]
		if op == spirv.OpExtInst && c.code[at+3] == c.opencl {
			want = extendedResult(c.code[at+4])
		}
		if op == spirv.OpGroupNonUniformBallot {
			if number, length := c.numberShape(c.in.Type); number == nil || number.Kind != ir.TypeInteger || number.Bits != 32 || length != 4 {
				c.failf("the result of a ballot is a vector of four integers of 32 bits")
			}
		}
		if want != resultAny && !c.isResultOf(c.code[at+1], want) {
			c.failf("the result is not %s", resultKindNames[want])
		}
	}
}

// isResultOf reports whether a type is one of a kind.
func (c *callSite) isResultOf(typ id, want resultKind) bool {
	e := c.b.entryOf(typ)
	if e != nil && e.op == spirv.OpTypeVector && (want < resultScalarInteger || want >= resultNumbers) {
		e = c.b.entryOf(e.words[1])
	} else if want == resultVector {
		return false
	}
	if e == nil {
		return false
	}
	if e.op == opTypeCooperativeMatrixKHR || e.op == opTypeJointMatrixINTEL {
		return want < resultScalarInteger
	}
	integer, float := e.op == spirv.OpTypeInt, e.op == spirv.OpTypeFloat
	switch want {
	case resultInteger, resultScalarInteger:
		return integer
	case resultFloat, resultScalarFloat:
		return float
	case resultBool:
		return e.op == spirv.OpTypeBool
	case resultVoid:
		return e.op == spirv.OpTypeVoid
	}
	return integer || float
}

// isElementwise reports whether an instruction works on each element separately, so that its
// result and its operands have the same number of elements.
func isElementwise(op spirv.Opcode) bool {
	return op >= spirv.OpConvertFToU && op <= spirv.OpSatConvertUToS && op != spirv.OpConvertPtrToU ||
		op >= spirv.OpSNegate && op <= spirv.OpFMod || op >= spirv.OpIsNan && op <= spirv.OpFUnordGreaterThanEqual && op != spirv.OpSelect ||
		op >= spirv.OpShiftRightLogical && op <= spirv.OpBitCount
}

// checkElements refuses a call of an elementwise instruction whose arguments and result do
// not all have the same number of elements.
func (c *callSite) checkElements(op spirv.Opcode) {
	if !isElementwise(op) || c.isVoid(c.in.Type) {
		return
	}
	result, length := c.numberShape(c.in.Type)
	if e := c.b.entryOf(c.typ); e != nil && (e.op == opTypeCooperativeMatrixKHR || e.op == opTypeJointMatrixINTEL) {
		return
	}
	operands := len(c.operands)
	switch op { // the offset and the count of bits are single numbers
	case spirv.OpBitFieldInsert:
		operands = min(operands, 2)
	case spirv.OpBitFieldSExtract, spirv.OpBitFieldUExtract:
		operands = min(operands, 1)
	}
	for i := range operands {
		typ, count := c.numberShape(c.operand(i).Type)
		if result == nil || typ == nil || count != length {
			c.failf("argument %d and the result are not numbers, or vectors of as many", i+1)
		}
	}
}

// checkTruth refuses a call whose result cannot stand for a truth value.
func (c *callSite) checkTruth() {
	if c.function.moduleType(c.in.Type).Kind != ir.TypeInteger {
		c.failf("the result is not an integer, which stands for a truth value")
	}
}

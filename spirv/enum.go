package spirv

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"
)

// hasParameters reports whether operands of an instruction follow some values of an enumeration.
func (kind operandKind) hasParameters() bool {
	info := coreEnums[kind]
	return info != nil && slices.ContainsFunc(info.values, func(e enumerant) bool { return len(e.params) > 0 })
}

// enumName spells a value of an enumeration, "Kernel", or of a mask,
// "Aligned|Volatile", with "None" for the empty mask.
func enumName(kind operandKind, value uint32) string {
	info := coreEnums[kind]
	if e := findEnumerant(kind, value); e != nil {
		return e.name
	}
	if !info.bits {
		return fmt.Sprint(value)
	}
	var parts []string
	for rest := value; rest != 0; rest &= rest - 1 {
		bit := uint32(1) << bits.TrailingZeros32(rest)
		if e := findEnumerant(kind, bit); e != nil {
			parts = append(parts, e.name)
		} else {
			parts = append(parts, fmt.Sprintf("%#x", bit))
		}
	}
	return strings.Join(parts, "|")
}

// BuiltInNumber returns the number of the built-in variable with a name such
// as "GlobalInvocationId"; ok is false if the grammar has no such variable.
func BuiltInNumber(name string) (uint32, bool) {
	for _, e := range coreEnums[kindBuiltIn].values {
		if e.name == name {
			return e.value, true
		}
	}
	return 0, false
}

// DecorationTakes reports whether a decoration takes operands of these kinds: text[i] tells
// that the operand i is a string, others are numbers. A decoration that the grammar does not
// have takes any numbers.
func DecorationTakes(number uint32, text []bool) bool {
	e := findEnumerant(kindDecoration, number)
	if e == nil {
		return !slices.Contains(text, true)
	}
	for i, isText := range text {
		last := len(e.params) - 1
		if i > last && (last < 0 || e.params[last].quant != many) || isText != (e.params[min(i, last)].kind == kindLiteralString) {
			return false
		}
	}
	return len(text) >= len(e.params) || e.params[len(text)].quant != one
}

// DecorationIsPlain reports whether a decoration has no operands.
func DecorationIsPlain(number uint32) bool {
	e := findEnumerant(kindDecoration, number)
	return e != nil && len(e.params) == 0
}

// IsLiteral reports whether an operand of an instruction is a literal and not an identifier.
// Operands are counted from 0, starting after the result.
func (op Opcode) IsLiteral(operand int) bool {
	o, _ := op.operandAt(operand)
	return o != nil && !o.kind.isID()
}

// IsMemoryAccess reports whether an operand of an instruction is a mask of Memory Operands. Those
// that its bits ask for follow it.
func (op Opcode) IsMemoryAccess(operand int) bool {
	o, first := op.operandAt(operand)
	return o != nil && first && o.kind == kindMemoryAccess
}

// operandAt returns the grammar of an operand, counted from 0 after the result, or nil. first is
// false for the later ones of an operand that may be repeated.
func (op Opcode) operandAt(number int) (o *operand, first bool) {
	info := op.grammarInfo()
	if info == nil {
		return nil, false
	}
	for i := range info.operands {
		o := &info.operands[i]
		if o.kind == kindIdResultType || o.kind == kindIdResult {
			continue
		}
		if number == 0 || o.quant == many {
			return o, number == 0
		}
		number--
	}
	return nil, false
}

// ExtInstIsLiteral is IsLiteral for an instruction of an extended set.
func ExtInstIsLiteral(set string, number uint32, operand int) bool {
	info := findInstruction(extendedInstructions(set), number)
	if info == nil {
		return false
	}
	for _, o := range info.operands {
		if operand == 0 || o.quant == many {
			return !o.kind.isID()
		}
		operand--
	}
	return false
}

// OperandCount returns the least and the greatest number of operands of an instruction, not
// counting its result and type. most is -1 if there is no bound, which also holds where
// parameters of a literal follow: those of the bits of Image Operands, for example.
func (op Opcode) OperandCount() (least, most int) {
	info := op.grammarInfo()
	if info == nil {
		return 0, -1
	}
	return operandCount(info.operands)
}

// ExtInstOperandCount is OperandCount for an instruction of an extended set.
func ExtInstOperandCount(set string, number uint32) (least, most int) {
	info := findInstruction(extendedInstructions(set), number)
	if info == nil {
		return 0, -1
	}
	return operandCount(info.operands)
}

// operandCount counts the operands of a row of the grammar, without result and type.
func operandCount(list []operand) (least, most int) {
	open := false
	for _, o := range list {
		if o.kind == kindIdResultType || o.kind == kindIdResult {
			continue
		}
		if o.quant == one {
			least++
		}
		most++
		open = open || o.quant == many || o.kind.hasParameters()
	}
	if open {
		most = -1
	}
	return least, most
}

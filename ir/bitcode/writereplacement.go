package bitcode

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"offlink/ir"
	"offlink/ir/llvmschema"
)

var errConstantType = errors.New("a constant that takes the place of a call does not fit its type")

// typed is an operand and the type of its value.
type typed struct {
	operand
	typ uint32
}

// replacementEncoder makes the records of the instructions that replace one call.
type replacementEncoder struct {
	*lowering
	call        *instruction
	replacement *ir.Replacement
	constants   []typed
	values      []typed // of the instructions
}

// encodeReplacement makes the records. If the result is a constant, the call is replaced by it and
// no record is made. Otherwise constants come first, so that their order follows the expression.
func (e *replacementEncoder) encodeReplacement() error {
	x := e.replacement
	if x.Result != ir.NoValue {
		v, err := e.addConstant(&x.Constants[x.Result.Index], x.Result.Type)
		e.replaced[e.call.symbol] = uint32(v.value)
		return err
	}
	for i := range x.Constants {
		v, err := e.addConstant(&x.Constants[i], x.Constants[i].Type)
		if err != nil {
			return err
		}
		e.constants = append(e.constants, v)
	}
	for i := range x.Instructions {
		if err := e.encodeInstruction(&x.Instructions[i]); err != nil {
			return err
		}
	}
	return nil
}

// addType returns the number of a type for the record of an added entry.
func (e *replacementEncoder) addType(id ir.TypeID) (uint32, error) {
	if int(id) < len(e.source.module.Types) {
		return e.added.modelType(id)
	}
	t := e.replacement.Type(id)
	if t.Kind == ir.TypeInteger {
		return e.added.addType(llvmschema.TypeInteger, uint64(t.Bits)), nil
	}
	element, err := e.addType(t.Elements[0])
	return e.added.pointerType(element, t.AddressSpace), err
}

// operandOf returns the operand of a value of the replacement: a constant, the result of one of its
// instructions, or an argument of the call.
func (e *replacementEncoder) operandOf(v ir.Value) typed {
	switch v.Kind {
	case ir.ValueConstant:
		return e.constants[v.Index]
	case ir.ValueInstruction:
		return e.values[v.Index]
	}
	return typed{e.call.operands[e.call.calleeIndex()+1+int(v.Index)], uint32(v.Type)}
}

// encodeInstruction adds the record of an instruction. One without a name, unless it is a store,
// defines the result of the call, whose users stay as they are.
func (e *replacementEncoder) encodeInstruction(in *ir.NewInstruction) error {
	var operands []typed
	for _, v := range in.Operands {
		operands = append(operands, e.operandOf(v))
	}
	symbol, result := e.call.symbol, uint32(0)
	if in.Name != "" {
		symbol = e.symbols
		e.names = append(e.names, newName{symbol, in.Name})
		e.symbols++
	}
	if in.Op != ir.OpStore {
		t, err := e.addType(in.Type)
		if err != nil {
			return err
		}
		result = t
	}
	e.values = append(e.values, typed{operand{opLocalRel, uint64(symbol)}, result})
	code, list, err := e.encodeOperands(in, operands, result)
	e.fresh = append(e.fresh, instruction{code: code, abbrev: -1, defines: in.Op != ir.OpStore, symbol: symbol, operands: list})
	return err
}

// encodeOperands returns the code and the operands of the record, in the order of LLVM's
// BitcodeWriter.
func (e *replacementEncoder) encodeOperands(in *ir.NewInstruction, operands []typed, result uint32) (code uint32, list []operand, err error) {
	align := operand{opLiteral, encodeAlignment(in.Align)}
	none := operand{opLiteral, 0}
	switch in.Op {
	case ir.OpStore: // pointer, value, alignment, volatile
		return llvmschema.FunctionStore, slices.Concat(typedPair(operands[1]), typedPair(operands[0]), []operand{align, none}), nil
	case ir.OpTrunc: // value, type, the cast's code, which is 0
		return llvmschema.FunctionCast, append(typedPair(operands[0]), operand{opType, uint64(result)}, none), nil
	case ir.OpBitCast:
		return llvmschema.FunctionCast, append(typedPair(operands[0]), operand{opType, uint64(result)}, operand{opLiteral, llvmschema.CastBitCast}), nil
	case ir.OpGEP: // flags, type of the element, then values
		element, err := e.addType(in.Element)
		return llvmschema.FunctionGEP, slices.Concat([]operand{none, {opType, uint64(element)}}, typedPair(operands[0]), typedPair(operands[1])), err
	case ir.OpLoad: // pointer, type, alignment, volatile
		return llvmschema.FunctionLoad, append(typedPair(operands[0]), operand{opType, uint64(result)}, align, none), nil
	case ir.OpAlloca:
		list, err = e.encodeAlloca(in, operands[0])
		return llvmschema.FunctionAlloca, list, err
	}
	list, err = e.encodeCall(in, operands, result)
	return llvmschema.FunctionCall, list, err
}

// encodeCall returns attributes, calling convention, function type, callee and
// arguments.
func (e *replacementEncoder) encodeCall(in *ir.NewInstruction, operands []typed, result uint32) ([]operand, error) {
	convention, known := callingConvNumber(in.CallingConv)
	if !known {
		return nil, fmt.Errorf("a call of the calling convention %q cannot be written", in.CallingConv)
	}
	signature := []uint64{0, uint64(result)}
	for _, v := range operands {
		signature = append(signature, uint64(v.typ))
	}
	typ := e.added.addType(llvmschema.TypeFunction, signature...)
	list := []operand{
		{opLiteral, 0},
		{opLiteral, llvmschema.CallExplicitType | convention<<1},
		{opType, uint64(typ)},
		{opGlobalRel, uint64(e.calleeOf(in.Callee, typ, convention))},
	}
	for _, v := range operands {
		list = append(list, v.operand)
	}
	return list, nil
}

// calleeOf returns a function by its name, declaring it if the partition lacks it.
func (e *replacementEncoder) calleeOf(name string, typ uint32, convention uint64) uint32 {
	if id, ok := e.w.reach.FunctionNamed(name); ok {
		return uint32(id)
	}
	return e.added.addFunction(name, typ, convention)
}

// encodeAlloca returns the type of the elements, the type of the count, the count, alignment and
// flags, and the address space unless it is 0. The count is not relative in this record.
func (e *replacementEncoder) encodeAlloca(in *ir.NewInstruction, count typed) ([]operand, error) {
	element, err := e.addType(in.Element)
	if err != nil {
		return nil, err
	}
	absolute := operand{opLocal, count.value}
	if count.kind == opGlobalRel {
		absolute.kind = opGlobal
	}
	align := encodeAlignment(in.Align)
	flags := align&llvmschema.AllocaAlignLow | align>>llvmschema.AllocaAlignLowBits<<llvmschema.AllocaAlignHighShift | llvmschema.AllocaExplicitType
	operands := []operand{{opType, uint64(element)}, {opType, uint64(count.typ)}, absolute, {opLiteral, flags}}
	if space := e.replacement.Type(in.Type).AddressSpace; space != 0 {
		operands = append(operands, operand{opLiteral, uint64(space)})
	}
	return operands, nil
}

// typedPair returns an operand and its type. The type is left out of the record unless the value is
// defined later.
func typedPair(v typed) []operand {
	return []operand{v.operand, {opForwardType, uint64(v.typ)}}
}

// encodeAlignment encodes an alignment: its logarithm plus one, or 0 for none.
func encodeAlignment(n uint64) uint64 { return uint64(bits.Len64(n)) }

// addConstant adds a constant of a type of the model.
func (e *replacementEncoder) addConstant(c *ir.Constant, typ ir.TypeID) (typed, error) {
	t, err := e.addType(typ)
	if err != nil {
		return typed{}, err
	}
	m := e.replacement.Type(typ)
	v := addedValue{typ: t}
	switch c.Kind {
	case ir.ConstantInt:
		if m.Kind != ir.TypeInteger {
			return typed{}, errConstantType
		}
		return typed{operand{opGlobalRel, uint64(e.added.integerConstant(t, c.Int))}, t}, nil
	case ir.ConstantFloat:
		v.code, v.operands = llvmschema.ConstantFloat, []operand{{opLiteral, c.Int}}
	case ir.ConstantWide:
		v.code, v.operands = encodeWide(m, c.Words)
	case ir.ConstantZero:
		v.code = llvmschema.ConstantNull
	case ir.ConstantUndef:
		v.code = llvmschema.ConstantUndef
	case ir.ConstantBytes:
		v.code = llvmschema.ConstantData
		for _, b := range c.Bytes {
			v.operands = append(v.operands, operand{opLiteral, uint64(b)})
		}
	case ir.ConstantAggregate:
		v.code = llvmschema.ConstantAggregate
		if v.operands, err = e.addElements(c.Elements, m.Elements); err != nil {
			return typed{}, err
		}
	default:
		return typed{}, errConstantType
	}
	return typed{operand{opGlobalRel, uint64(e.added.addValue(v))}, t}, nil
}

// addElements adds the elements of an aggregate. The last of the types is that of all the
// elements that follow, as arrays and vectors have one.
func (e *replacementEncoder) addElements(elements []ir.Constant, types []ir.TypeID) (list []operand, err error) {
	if len(types) == 0 && len(elements) > 0 {
		return nil, errConstantType
	}
	for i := range elements {
		part, err := e.addConstant(&elements[i], types[min(i, len(types)-1)])
		if err != nil {
			return nil, err
		}
		list = append(list, operand{opGlobal, part.value})
	}
	return list, nil
}

// encodeWide returns the record of a number of more than 64 bits, the inverse of integerWords and
// floatWords.
func encodeWide(t *ir.Type, words []uint64) (code uint32, list []operand) {
	if t.Kind == ir.TypeFloat {
		if t.Bits == 80 {
			words = []uint64{words[1]<<48 | words[0]>>16, words[0] & 0xffff}
		}
		for _, w := range words {
			list = append(list, operand{opLiteral, w})
		}
		return llvmschema.ConstantFloat, list
	}
	for len(words) > 1 && words[len(words)-1] == 0 {
		words = words[:len(words)-1]
	}
	for _, w := range words {
		list = append(list, operand{opLiteral, encodeSigned(int64(w))})
	}
	return llvmschema.ConstantWideInteger, list
}

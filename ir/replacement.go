package ir

import (
	"fmt"
	"strconv"
)

// Replacement is the piece of a body that takes the place of a call (see
// [CallEdit]). It is made here, once for all formats; codecs only encode it.
type Replacement struct {
	// Instructions take the place of the call, in order. Each has the debug
	// location of the call, which codecs copy, and no other attachment.
	Instructions []NewInstruction
	// Constants are those that values of kind ValueConstant count, in the
	// order in which the expression names them. Their Type is set.
	Constants []Constant
	// Types are types that the module need not record; their TypeIDs follow
	// those of the module.
	Types []Type
	// Result is the constant that takes the place of the call's result. It is
	// NoValue when an instruction defines the result, and when the call has
	// none because it stores its value.
	Result Value

	module *Module
	call   *Call
	names  *newNames
}

// NewInstruction is an instruction that a replacement adds: a store, trunc,
// bitcast, getelementptr, load, alloca or call. Its operands are arguments of
// the replaced call (ValueArgument), earlier instructions of the replacement
// (ValueInstruction) and its constants (ValueConstant). Name is not empty if it
// defines a value that is new; no other value of the function has that name.
type NewInstruction struct {
	Instruction
	// Callee is the name of the function that a call calls, of the calling
	// convention CallingConv; Operands are then the arguments alone.
	Callee      string
	CallingConv string
	// IsResult is true if the instruction defines the result of the call, by
	// the name or number that this has.
	IsResult bool
}

// newNames names the values that replacements add to a function.
type newNames struct {
	prefix string
	count  int
}

// nextName returns a new name. A load takes its name before the instructions that compute its
// address take theirs.
func (n *newNames) nextName() string {
	n.count++
	return n.prefix + strconv.Itoa(n.count-1)
}

// newReplacement expands the expression that takes the place of a call. A call that returns through
// an argument (sret) becomes a store to that argument.
func newReplacement(m *Module, call *Call, e *Expression, names *newNames) (*Replacement, error) {
	x := &Replacement{module: m, call: call, names: names, Result: NoValue}
	if len(call.Arguments) > 0 && call.Arguments[0].SRet {
		value, err := x.expandValue(e)
		if err != nil {
			return nil, err
		}
		x.addInstruction(Instruction{Op: OpStore, Type: NoType, Align: e.Align, Operands: []Value{value, x.argumentValue(0)}})
		return x, nil
	}
	return x, x.defineResult(e)
}

// Type returns a type of the module or of the replacement.
func (x *Replacement) Type(id TypeID) *Type {
	if n := len(x.module.Types); int(id) >= n {
		return &x.Types[int(id)-n]
	}
	return &x.module.Types[id]
}

// defineResult makes the value that replaces the result of the call. SYCL's bool is an i8 in memory
// and an i1 as a result.
func (x *Replacement) defineResult(e *Expression) error {
	switch {
	case x.call.Result != e.Type && x.isInteger(x.call.Result, 1):
		wide, err := x.expandValue(e)
		if err != nil {
			return err
		}
		x.addInstruction(Instruction{Op: OpTrunc, Type: x.call.Result, Operands: []Value{wide}})
	case e.Kind == ExpressionConstant:
		x.Result = x.addConstant(e.Type, e.Constant)
		return nil
	default:
		operands, err := x.expandOperands(e)
		if err != nil {
			return err
		}
		if err := x.expandInstruction(e, operands, ""); err != nil {
			return err
		}
	}
	x.Instructions[len(x.Instructions)-1].IsResult = true
	return nil
}

// expandValue returns a constant, or the value of new instructions.
func (x *Replacement) expandValue(e *Expression) (Value, error) {
	if e.Kind == ExpressionConstant {
		return x.addConstant(e.Type, e.Constant), nil
	}
	operands, err := x.expandOperands(e)
	if err != nil {
		return NoValue, err
	}
	if err := x.expandInstruction(e, operands, x.names.nextName()); err != nil {
		return NoValue, err
	}
	return x.lastValue(), nil
}

// expandOperands adds the instructions that the operands need, and returns the operands.
func (x *Replacement) expandOperands(e *Expression) (list []Value, err error) {
	for i := range e.Operands {
		v, err := x.expandValue(&e.Operands[i])
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	return list, nil
}

// expandInstruction adds the instruction of an expression, after those of its operands. It has a
// name unless it defines the result of the call.
func (x *Replacement) expandInstruction(e *Expression, operands []Value, name string) error {
	switch e.Kind {
	case ExpressionLoad:
		return x.expandLoad(e, name)
	case ExpressionAlloca:
		x.addInstruction(Instruction{Op: OpAlloca, Type: e.Type, Element: e.Element, Align: e.Align, Operands: operands[:1], Name: name})
		return nil
	}
	x.addInstruction(Instruction{Op: OpCall, Type: e.Type, Operands: operands, Name: name})
	added := &x.Instructions[len(x.Instructions)-1]
	added.Callee, added.CallingConv = e.Callee, "spir_func"
	return nil
}

// expandLoad adds the load from an argument of the call, which is treated as a pointer to bytes:
// the offset of a specialization constant in the runtime's buffer is in bytes.
func (x *Replacement) expandLoad(e *Expression, name string) error {
	if e.Argument >= len(x.call.Arguments) {
		return fmt.Errorf("load from argument %d of a call with %d", e.Argument, len(x.call.Arguments))
	}
	if x.call.Arguments[e.Argument].Type == NoType {
		return fmt.Errorf("load from argument %d, whose type the module does not record", e.Argument)
	}
	i8 := x.integerType(8)
	base := x.argumentValue(e.Argument)
	if t := x.Type(base.Type); len(t.Elements) == 1 && !x.isInteger(t.Elements[0], 8) {
		base = x.bitCast(base, x.pointerLike(base.Type, i8))
	}
	offset := x.addConstant(x.integerType(64), Constant{Kind: ConstantInt, Int: e.Offset, Bits: 64})
	x.addInstruction(Instruction{Op: OpGEP, Type: base.Type, Element: i8, Operands: []Value{base, offset}, Name: x.names.nextName()})
	from := x.lastValue()
	if !x.isInteger(e.Type, 8) {
		from = x.bitCast(from, x.pointerLike(base.Type, e.Type))
	}
	x.addInstruction(Instruction{Op: OpLoad, Type: e.Type, Element: e.Type, Align: e.Align, Operands: []Value{from}, Name: name})
	return nil
}

func (x *Replacement) bitCast(v Value, to TypeID) Value {
	x.addInstruction(Instruction{Op: OpBitCast, Type: to, Operands: []Value{v}, Name: x.names.nextName()})
	return x.lastValue()
}

// pointerLike returns the type of pointers to an element in the address space of another pointer
// type. For opaque pointers, that is the same type.
func (x *Replacement) pointerLike(pointer, element TypeID) TypeID {
	t := x.Type(pointer)
	if len(t.Elements) == 0 {
		return pointer
	}
	return x.addType(Type{Kind: TypePointer, AddressSpace: t.AddressSpace, Elements: []TypeID{element}})
}

// integerType returns an integer type of the replacement. The module's own types are not searched:
// codecs find them when they encode.
func (x *Replacement) integerType(bits uint32) TypeID {
	for i := range x.Types {
		if x.Types[i].Kind == TypeInteger && x.Types[i].Bits == bits {
			return TypeID(len(x.module.Types) + i)
		}
	}
	return x.addType(Type{Kind: TypeInteger, Bits: bits})
}

func (x *Replacement) addType(t Type) TypeID {
	x.Types = append(x.Types, t)
	return TypeID(len(x.module.Types) + len(x.Types) - 1)
}

func (x *Replacement) isInteger(id TypeID, bits uint32) bool {
	if id == NoType {
		return false
	}
	t := x.Type(id)
	return t.Kind == TypeInteger && t.Bits == bits
}

func (x *Replacement) argumentValue(i int) Value {
	return Value{Kind: ValueArgument, Index: uint32(i), Type: x.call.Arguments[i].Type}
}

func (x *Replacement) addConstant(typ TypeID, c Constant) Value {
	c.Type = typ
	x.Constants = append(x.Constants, c)
	return Value{Kind: ValueConstant, Index: uint32(len(x.Constants) - 1), Type: typ}
}

func (x *Replacement) addInstruction(in Instruction) {
	x.Instructions = append(x.Instructions, NewInstruction{Instruction: in})
}

// lastValue returns the value of the instruction that was added last.
func (x *Replacement) lastValue() Value {
	last := len(x.Instructions) - 1
	return Value{Kind: ValueInstruction, Index: uint32(last), Type: x.Instructions[last].Type}
}

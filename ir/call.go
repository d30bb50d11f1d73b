package ir

// Call is a direct call in a function's body.
type Call struct {
	// Number is that of the instruction: the instructions of a body count from
	// 0 in order, debug records left out.
	Number int
	Callee ValueID
	// Result is the type of the result; TypeOther "void" when there is none.
	Result    TypeID
	Arguments []Argument
}

// Argument is an argument of a call.
type Argument struct {
	Type TypeID
	// SRet says that the callee writes its result through the argument;
	// Pointee is then the result's type.
	SRet    bool
	Pointee TypeID
	// Constant is the argument's value: ConstantValue for an address of a
	// global value, casts looked through, and geps that lead nowhere else;
	// ConstantOther for a value that the function computes.
	Constant Constant
	// FromSlot is true when the function stores the constant, the address of a
	// global value, into a variable on its stack, or a member of one, and
	// nothing else there, and loads the argument from that. Code without
	// optimisation does.
	FromSlot bool
}

// CallEdit replaces a call. The value of the call, its result or the value in its sret
// argument, is then that of Value.
type CallEdit struct {
	Call  int // Call.Number
	Value Expression
}

// ExpressionKind tells expressions apart.
type ExpressionKind uint8

// The kinds of expressions.
const (
	ExpressionConstant ExpressionKind = iota // Constant
	ExpressionCall                           // call of Callee with Operands
	ExpressionLoad                           // load from Argument of the replaced call, Offset bytes on
	ExpressionAlloca                         // address of Operands[0] elements of type Element on the stack, aligned to Align
)

// Expression is the value that a CallEdit puts in the place of a call. When the call
// gave an i1 and the expression gives another integer type, the writer
// truncates it. A constant is put wherever the result was used.
type Expression struct {
	Kind ExpressionKind
	// Type is the type of the value.
	Type TypeID
	// Constant has the value; only ConstantInt, ConstantFloat, ConstantWide,
	// ConstantAggregate, ConstantBytes, ConstantZero and ConstantUndef.
	Constant Constant
	// Callee is the name of a spir_func; the writer declares it, with the
	// types of Operands and Type, when the module does not.
	Callee   string
	Operands []Expression
	// Argument is the index of the pointer that is loaded from, cast to
	// bytes, moved on by Offset bytes, and cast to a pointer to Type.
	Argument int
	Offset   uint64
	Align    uint64
	// Element is the type that memory is allocated for.
	Element TypeID
}

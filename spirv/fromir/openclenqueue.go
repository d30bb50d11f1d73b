package fromir

import (
	"strconv"
	"strings"

	"offlink/ir"
	"offlink/lazy"
	"offlink/lazyregexp"
	"offlink/spirv"
)

// blockFunctions are the functions that clang makes of enqueue_kernel and of the queries
// about blocks.
var blockFunctions lazy.Map[string, func(*callSite)]

// The functions refer to the table themselves.
func init() { blockFunctions.New = newBlockFunctions }

func newBlockFunctions() map[string]func(*callSite) {
	table := map[string]func(*callSite){
		"__enqueue_kernel_basic":          func(c *callSite) { c.enqueueKernel(false, false) },
		"__enqueue_kernel_basic_events":   func(c *callSite) { c.enqueueKernel(true, false) },
		"__enqueue_kernel_varargs":        func(c *callSite) { c.enqueueKernel(false, true) },
		"__enqueue_kernel_events_varargs": func(c *callSite) { c.enqueueKernel(true, true) },
	}
	for name, op := range map[string]spirv.Opcode{
		"work_group_size": spirv.OpGetKernelWorkGroupSize, "preferred_work_group_size_multiple": spirv.OpGetKernelPreferredWorkGroupSizeMultiple,
		"max_sub_group_size_for_ndrange": spirv.OpGetKernelNDrangeMaxSubGroupSize, "sub_group_count_for_ndrange": spirv.OpGetKernelNDrangeSubGroupCount,
	} {
		table["__get_kernel_"+name+"_impl"] = func(c *callSite) { c.queryBlock(op) }
	}
	return table
}

// enqueueKernel writes the launch of a block. The arguments are the queue, flags, the range,
// with events their number, the list to wait for and the event to return, then the kernel
// that runs the block and the literal with its variables, and with sizes the number and the
// array of sizes of local memory. Without events the instruction gets null pointers.
func (c *callSite) enqueueKernel(events, sizes bool) {
	at := 3
	if events {
		at = 6
	}
	c.needOperands(at + 2)
	var words []uint32
	for i := range at {
		words = append(words, c.enqueueOperand(i))
	}
	if !events {
		none := c.constNull(c.pointerType(c.simpleType("DeviceEvent"), 4))
		words = append(words, c.constWord(0), none, none)
	}
	literal := c.operand(at + 1)
	words = append(words, c.blockKernel(c.operand(at)), c.argAs(at+1, c.intType(8)))
	size, align := c.literalLayout(literal)
	words = append(words, c.constWord(size), c.constWord(align))
	if sizes {
		c.needOperands(at + 4)
		words = append(words, c.localSizes(at+2)...)
	}
	c.instructionNeeds(spirv.OpEnqueueKernel)
	c.finishCall(c.emitResult(spirv.OpEnqueueKernel, c.typ, words...))
}

// needOperands refuses a call with fewer than n arguments.
func (c *callSite) needOperands(n int) {
	if len(c.operands) < n {
		c.failf("%d arguments, want %d", len(c.operands), n)
	}
}

// enqueueOperand returns an argument that comes before the block. Those from the fifth on
// are pointers to events.
func (c *callSite) enqueueOperand(i int) id {
	if i >= 4 && c.isPointer(c.operand(i).Type) {
		return c.argAs(i, c.simpleType("DeviceEvent"))
	}
	return c.valueID(c.operand(i))
}

// queryBlock writes a query about a block. The arguments are the range, if it asks for
// sub-groups, the kernel, and the literal.
func (c *callSite) queryBlock(op spirv.Opcode) {
	at := len(c.operands) - 2
	c.needOperands(2)
	var words []uint32
	for i := range at {
		words = append(words, c.valueID(c.operand(i)))
	}
	words = append(words, c.blockKernel(c.operand(at)), c.argAs(at+1, c.intType(8)))
	size, align := c.literalLayout(c.operand(at + 1))
	words = append(words, c.constWord(size), c.constWord(align))
	c.instructionNeeds(op)
	c.finishCall(c.emitResult(op, c.typ, words...))
}

// blockKernel returns the kernel whose address an argument is.
func (c *callSite) blockKernel(v ir.Value) id {
	object := c.underlyingObject(v)
	if object.Kind != ir.ValueGlobal || c.module.Values[object.Index].Kind != ir.Function {
		c.failf("the block is not known here: blocks cannot be chosen while a kernel runs")
	}
	return c.functionID(ir.ValueID(object.Index))
}

// underlyingObject returns the value from which an address is computed by casts and
// getelementptr: a variable, a function, an argument or an instruction. The bound ends
// circles in code that is not reached.
func (f *function) underlyingObject(v ir.Value) ir.Value {
	for range 100 {
		switch v.Kind {
		case ir.ValueConstant:
			k := f.ir.Constants.At(v)
			if k.Kind != ir.ConstantExpression || !passesAddress(k.Expression.Op) {
				return v
			}
			v = k.Operands[0]
		case ir.ValueInstruction:
			in := &f.ir.Instructions[v.Index]
			if !passesAddress(in.Op) {
				return v
			}
			v = in.Operands[0]
		default:
			return v
		}
	}
	return v
}

// passesAddress reports whether the result of an instruction is an address within the object
// to which its first operand points.
func passesAddress(op ir.Opcode) bool {
	return op == ir.OpGEP || op == ir.OpBitCast || op == ir.OpAddrSpaceCast
}

// literalLayout returns the size and alignment of a block's literal, in bytes. They are
// its first two members: constants of a variable's initialiser, or stored in the
// function. Where neither is seen, they are those of its type.
func (c *callSite) literalLayout(literal ir.Value) (size, align uint32) {
	object := c.underlyingObject(literal)
	var members [2]uint64
	var known [2]bool
	typ := ir.NoType
	switch {
	case object.Kind == ir.ValueGlobal && c.module.Values[object.Index].Kind == ir.Variable:
		typ = c.module.Values[object.Index].Type
		members, known = c.initialMembers(ir.ValueID(object.Index))
	case object.Kind == ir.ValueInstruction && c.ir.Instructions[object.Index].Op == ir.OpAlloca:
		typ = c.ir.Instructions[object.Index].Element
		members, known = c.storedMembers(object)
	default:
		c.failf("the literal of the block is not known here")
	}
	bytes, natural := c.memoryLayout(typ)
	if !known[0] {
		members[0] = bytes
	}
	if !known[1] {
		members[1] = max(natural, 8) // how LLVM prefers to align structs
	}
	return uint32(members[0]), uint32(members[1])
}

// initialMembers returns the first two members of a variable's initialiser.
func (t *translator) initialMembers(n ir.ValueID) (members [2]uint64, known [2]bool) {
	init, err := t.module.Initializer(n)
	if err != nil || t.module.Values[n].Declaration {
		return members, known
	}
	for i := range members {
		if i < len(init.Elements) && init.Elements[i].Kind == ir.ConstantInt {
			members[i], known[i] = uint64(init.Elements[i].Int), true
		}
	}
	return members, known
}

// storedMembers returns the constants that the function stores in the first two members
// of a variable of its own.
func (f *function) storedMembers(object ir.Value) (members [2]uint64, known [2]bool) {
	for i := range f.ir.Instructions {
		in := &f.ir.Instructions[i]
		if in.Op != ir.OpStore || !f.isConstantInt(in.Operands[0]) {
			continue
		}
		if k := f.memberOf(in.Operands[1], object); k >= 0 && k < 2 && !known[k] {
			members[k], known[k] = constantNumber(&f.ir.Constants, in.Operands[0]), true
		}
	}
	return members, known
}

// isConstantInt reports whether a value is an integer constant.
func (f *function) isConstantInt(v ir.Value) bool {
	return v.Kind == ir.ValueConstant && f.ir.Constants.At(v).Kind == ir.ConstantInt
}

// memberOf returns the number of the member of an object that an address is that of, -1
// for another address.
func (f *function) memberOf(v, object ir.Value) int {
	if v == object {
		return 0
	}
	if v.Kind != ir.ValueInstruction {
		return -1
	}
	in := &f.ir.Instructions[v.Index]
	switch {
	case in.Op == ir.OpBitCast && in.Operands[0] == object:
		return 0
	case in.Op != ir.OpGEP || in.Operands[0] != object:
		return -1
	case len(in.Operands) == 3 && f.moduleType(in.Element).Kind == ir.TypeStruct:
		return int(constantNumber(&f.ir.Constants, in.Operands[2]) & 0xff)
	case len(in.Operands) == 2 && f.isConstantInt(in.Operands[1]):
		if size, _ := f.memoryLayout(in.Element); size*constantNumber(&f.ir.Constants, in.Operands[1]) == 4 {
			return 1
		}
	}
	return -1
}

// localSizes returns the addresses of the sizes of local memory, of which the argument
// before the array is the number: readers of SPIR-V find the array by them.
func (c *callSite) localSizes(at int) (words []uint32) {
	array := c.underlyingObject(c.operand(at + 1))
	if array.Kind != ir.ValueInstruction || c.ir.Instructions[array.Index].Op != ir.OpAlloca {
		c.failf("the sizes of local memory are not in a variable of the function")
	}
	count := c.constantArgument(at)
	in := &c.ir.Instructions[array.Index]
	if typ := c.function.moduleType(in.Element); typ.Kind != ir.TypeArray || count > typ.Length {
		c.failf("%d sizes of local memory in a variable that does not have so many", count)
	}
	if count > maxWords {
		c.failf("%d sizes of local memory do not fit into an instruction", count)
	}
	element := c.function.moduleType(in.Element).Elements[0]
	base := c.operandID(array, c.pointerType(c.typeID(in.Element), 0))
	for i := range count {
		words = append(words, c.emitResult(spirv.OpPtrAccessChain, c.pointerType(c.typeID(element), 0), base, c.constWord(0), c.constWord(uint32(i))))
	}
	return words
}

// makeRange writes ndrange_1D to ndrange_3D, whose result is stored through the first
// argument. The others are the global size, or global and local size, or the offset and
// these; OpBuildNDRange takes the offset last. Sizes of several dimensions are arrays.
func (c *callSite) makeRange() {
	if !c.structResult() || len(c.operands) < 2 || len(c.operands) > 4 {
		c.failf("ndrange functions have a result and one to three sizes")
	}
	dimensions, _ := strconv.Atoi(strings.Trim(c.builtin.name, "ndrage_D"))
	number := c.intType(c.pointerBits)
	whole := number
	if dimensions > 1 {
		whole = c.arrayType(number, uint64(dimensions))
	}
	var sizes []id
	for i := 1; i < len(c.operands); i++ {
		if dimensions == 1 {
			sizes = append(sizes, c.valueID(c.operand(i)))
			continue
		}
		sizes = append(sizes, c.emitResult(spirv.OpLoad, whole, c.argAs(i, whole), accessAligned, c.pointerBits/8))
	}
	zero := c.sizeConstant(0)
	if dimensions > 1 {
		zero = c.constNull(whole)
	}
	if len(sizes) == 3 {
		sizes = []id{sizes[1], sizes[2], sizes[0]}
	}
	for len(sizes) < 3 {
		sizes = append(sizes, zero)
	}
	c.instructionNeeds(spirv.OpBuildNDRange)
	typ := c.typeID(ir.FindAttribute(c.callee.header.Attributes.Parameter(0), "sret").Type)
	n := c.emitResult(spirv.OpBuildNDRange, typ, sizes...)
	c.emitPlain(spirv.OpStore, c.argAs(0, typ), n)
}

// blockInvoke matches the functions that clang makes of the bodies of blocks.
var blockInvoke = lazyregexp.New(`_block_invoke_?[0-9]*$`)

// blockArguments makes the parameters of a kernel that runs a block pointers to bytes,
// as the specification of OpEnqueueKernel wants them.
func (t *translator) blockArguments(info *functionFacts) {
	if !info.kernel || !t.language.opencl || !blockKernelName().MatchString(info.value.Name) {
		return
	}
	for i, s := range info.shapes {
		if s == unknownShape {
			info.shapes[i] = byteShape
		}
	}
}

// blockKernelName matches the kernels that clang makes of blocks that are enqueued.
var blockKernelName = lazyregexp.New(`_block_invoke(_[0-9]+)?_kernel$`)

// isBlockBody reports whether a constant is a cast of the address of a block's body. Clang
// stores this address in the block's literal but calls the body by its name. Without
// SPV_INTEL_function_pointers there are no such addresses; the literal gets a null pointer.
func (t *translator) isBlockBody(pool *ir.ConstantPool, v ir.Value) bool {
	if v.Kind != ir.ValueConstant {
		return false
	}
	for v.Kind == ir.ValueConstant {
		c := pool.At(v)
		if c.Kind != ir.ConstantExpression || c.Expression.Op != ir.OpBitCast && c.Expression.Op != ir.OpAddrSpaceCast {
			return false
		}
		v = c.Operands[0]
	}
	if v.Kind != ir.ValueGlobal || t.options.allowsExtension("SPV_INTEL_function_pointers") {
		return false
	}
	g := &t.module.Values[v.Index]
	return g.Kind == ir.Function && blockInvoke().MatchString(g.Name)
}

// blockBodyType returns the type of the null pointer that stands for a block's body: the
// type that is wanted, or a pointer to bytes if want is 0.
func (t *translator) blockBodyType(v ir.Value, want id) id {
	if want != 0 {
		return want
	}
	return t.pointerType(t.intType(8), t.moduleType(v.Type).AddressSpace)
}

package bitcode

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"offlink/ir"
	"offlink/ir/llvmschema"
)

// spirFunc is the calling convention of the functions that edits call.
const spirFunc = 75

var errConstantType = errors.New("a constant that takes the place of a call does not fit its type")

// lowering replaces calls of a body by the values of edits.
type lowering struct {
	rewriter
	w     *partitionWriter
	added *additions

	prefix  string // of the names of new values
	symbols uint32 // so far
	call    *instruction
	fresh   []instruction // in the place of the call

	out     []instruction
	pending []instruction // debug records of calls that went without successor
	kept    []int         // by the number of an instruction: its new number, or -1
	bundles int           // operand bundles that wait for their call
	counted int           // instructions so far
}

// typed is an operand and the type of its value.
type typed struct {
	operand
	typ uint32
}

// replace returns the body with the calls replaced.
func (l *lowering) replace(edits []ir.CallEdit) (*body, error) {
	list := l.source.decodeInstructions(l.old)
	l.symbols = uint32(l.old.localCount())
	l.choosePrefix()
	stores := newSlotFinder(l.source, l.old, list).serving(func(call int) bool { return editOf(edits, call) != nil })
	for i := 0; i < len(list); {
		end, err := i+1, error(nil)
		if edit := editOf(edits, list[i].call); edit != nil {
			end, err = l.replaceCall(list, i, edit)
		} else if stores[i] {
			l.kept = append(l.kept, -1)
			_, end = l.leave(list, i)
		} else if list[i].recordLayout().Counts {
			end = l.keepInstruction(list, i)
		} else {
			l.out = append(l.out, list[i])
			if list[i].code == llvmschema.FunctionOperandBundle {
				l.bundles++
			}
		}
		if err != nil {
			return nil, err
		}
		i = end
	}
	return l.rebuild(l.out, int(l.symbols), l.kept), nil
}

// keepInstruction takes instruction i over, with its debug location, and in
// front of it the debug records of calls that went before it. It returns the
// index after the last instruction that it took.
func (l *lowering) keepInstruction(list []instruction, i int) int {
	l.kept = append(l.kept, l.counted)
	l.counted++
	l.bundles = 0
	end := i + 1
	if end < len(list) && list[end].code == llvmschema.FunctionDebugLoc {
		end++
	}
	l.out = append(l.out, list[i:end]...)
	l.takePending()
	return end
}

func (l *lowering) takePending() { l.out, l.pending = append(l.out, l.pending...), nil }

// replaceCall puts new instructions in the place of call i and of its parts:
// operand bundles before it, its debug location, which all of them get,
// and debug records.
func (l *lowering) replaceCall(list []instruction, i int, edit *ir.Expression) (end int, err error) {
	l.out = l.out[:len(l.out)-l.bundles]
	l.bundles = 0
	l.kept = append(l.kept, -1)
	if err := l.lower(&list[i], edit); err != nil {
		return 0, err
	}
	location, end := l.leave(list, i)
	for _, n := range l.fresh {
		l.out = append(append(l.out, n), location...)
		l.takePending()
		l.counted++
	}
	return end, nil
}

// leave steps over instruction i, which is dropped. It returns its debug
// location, and the index after the records that belong to it; debug records
// wait for the next instruction.
func (l *lowering) leave(list []instruction, i int) (location []instruction, end int) {
	end = i + 1
	if end < len(list) && list[end].code == llvmschema.FunctionDebugLoc {
		location = list[end : end+1]
		end++
	}
	for ; end < len(list) && list[end].isDebugRecord(); end++ {
		l.pending = append(l.pending, list[end])
	}
	return location, end
}

func editOf(edits []ir.CallEdit, call int) *ir.Expression {
	for i := range edits {
		if call >= 0 && edits[i].Call == call {
			return &edits[i].Value
		}
	}
	return nil
}

// choosePrefix chooses a prefix that no name of the function begins with.
func (l *lowering) choosePrefix() {
	l.prefix = "spec."
	for l.taken() {
		l.prefix += "."
	}
}

func (l *lowering) taken() bool {
	for d := (decoder{data: l.old.symbols}); !d.atEnd(); {
		var b strings.Builder
		for _, o := range d.takeOperands(d.takeHead(), nil)[1:] {
			b.WriteByte(byte(o.value))
		}
		if strings.HasPrefix(b.String(), l.prefix) {
			return true
		}
	}
	return false
}

// newValue makes a value with a name of its own.
func (l *lowering) newValue() uint32 {
	l.names = append(l.names, newName{l.symbols, l.prefix + strconv.Itoa(len(l.names))})
	l.symbols++
	return l.symbols - 1
}

// lower makes the instructions that take the place of a call.
func (l *lowering) lower(call *instruction, e *ir.Expression) error {
	l.call, l.fresh = call, l.fresh[:0]
	t := l.source.functionType(call)
	callee := ir.ValueID(call.operands[call.calleeIndex()].value)
	if len(t.Elements) > 1 {
		if sret, _ := l.source.findSRet(call, callee, 0, t.Elements[1]); sret {
			return l.store(e)
		}
	}
	return l.define(t.Elements[0], e)
}

// emit adds an instruction.
func (l *lowering) emit(code uint32, symbol uint32, defines bool, operands ...operand) {
	l.fresh = append(l.fresh, instruction{code: code, abbrev: -1, defines: defines, symbol: symbol, call: -1, operands: operands})
}

// pair spells an operand with its type, which goes when it does not follow.
func pair(v typed) []operand {
	return []operand{v.operand, {opForwardType, uint64(v.typ)}}
}

// argument returns an argument of the call.
func (l *lowering) argument(i int) (typed, ir.Type) {
	t := l.source.functionType(l.call).Elements[i+1]
	return typed{l.call.operands[l.call.calleeIndex()+1+i], uint32(t)}, l.source.module.Types[t]
}

// store writes the value through the first argument.
func (l *lowering) store(e *ir.Expression) error {
	value, err := l.value(e)
	if err != nil {
		return err
	}
	to, _ := l.argument(0)
	operands := slices.Concat(pair(to), pair(value))
	l.emit(llvmschema.FunctionStore, 0, false, append(operands, operand{opLiteral, alignment(e.Align)}, operand{opLiteral, 0})...)
	return nil
}

// alignment encodes an alignment: its logarithm plus one, 0 for none.
func alignment(n uint64) uint64 { return uint64(bits.Len64(n)) }

// define makes the value that the result of the call was.
func (l *lowering) define(result ir.TypeID, e *ir.Expression) error {
	truncates := result != e.Type && l.isBool(result)
	switch {
	case truncates:
	case e.Kind == ir.ExpressionConstant:
		v, err := l.constant(&e.Constant, e.Type)
		l.replaced[l.call.symbol] = uint32(v.value)
		return err
	default:
		return l.compute(e, l.call.symbol)
	}
	wide, err := l.value(e)
	l.emit(llvmschema.FunctionCast, l.call.symbol, true, append(pair(wide), operand{opType, uint64(result)}, operand{opLiteral, 0})...)
	return err
}

func (l *lowering) isBool(t ir.TypeID) bool {
	m := &l.source.module.Types[t]
	return m.Kind == ir.TypeInteger && m.Bits == 1
}

// value returns a value: a constant, or the result of new instructions.
func (l *lowering) value(e *ir.Expression) (typed, error) {
	if e.Kind == ir.ExpressionConstant {
		return l.constant(&e.Constant, e.Type)
	}
	t, err := l.added.modelType(e.Type)
	if err != nil {
		return typed{}, err
	}
	operands, err := l.operands(e)
	if err != nil {
		return typed{}, err
	}
	v := typed{operand{opLocalRel, uint64(l.newValue())}, t}
	return v, l.instructions(e, t, operands, uint32(v.value))
}

func (l *lowering) operands(e *ir.Expression) (list []typed, err error) {
	for i := range e.Operands {
		v, err := l.value(&e.Operands[i])
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	return list, nil
}

// compute makes an instruction whose result is that symbol.
func (l *lowering) compute(e *ir.Expression, symbol uint32) error {
	t, err := l.added.modelType(e.Type)
	if err != nil {
		return err
	}
	operands, err := l.operands(e)
	if err != nil {
		return err
	}
	return l.instructions(e, t, operands, symbol)
}

func (l *lowering) instructions(e *ir.Expression, t uint32, operands []typed, symbol uint32) error {
	switch e.Kind {
	case ir.ExpressionLoad:
		return l.load(e, t, symbol)
	case ir.ExpressionAlloca:
		return l.allocate(e, operands[0], symbol)
	}
	signature := []uint64{0, uint64(t)}
	for _, v := range operands {
		signature = append(signature, uint64(v.typ))
	}
	typ := l.added.addType(llvmschema.TypeFunction, signature...)
	list := []operand{
		{opLiteral, 0},
		{opLiteral, llvmschema.CallExplicitType | spirFunc<<1},
		{opType, uint64(typ)},
		{opGlobalRel, uint64(l.callee(e.Callee, typ))},
	}
	for _, v := range operands {
		list = append(list, v.operand)
	}
	l.emit(llvmschema.FunctionCall, symbol, true, list...)
	return nil
}

// allocate makes the allocation of count elements: [type of the elements, type
// of count, count, alignment and flags, address space].
func (l *lowering) allocate(e *ir.Expression, count typed, symbol uint32) error {
	element, err := l.added.modelType(e.Element)
	if err != nil {
		return err
	}
	absolute := operand{opLocal, count.value}
	if count.kind == opGlobalRel {
		absolute.kind = opGlobal
	}
	align := alignment(e.Align)
	flags := align&llvmschema.AllocaAlignLow | align>>llvmschema.AllocaAlignLowBits<<llvmschema.AllocaAlignHighShift | llvmschema.AllocaExplicitType
	operands := []operand{{opType, uint64(element)}, {opType, uint64(count.typ)}, absolute, {opLiteral, flags}}
	if space := l.source.module.Types[e.Type].AddressSpace; space != 0 {
		operands = append(operands, operand{opLiteral, uint64(space)})
	}
	l.emit(llvmschema.FunctionAlloca, symbol, true, operands...)
	return nil
}

// callee returns a function by its name, declaring it if the partition lacks it.
func (l *lowering) callee(name string, typ uint32) uint32 {
	if id, ok := l.source.module.Lookup(name); ok && l.w.reach.Keeps(id) {
		return uint32(id)
	}
	return l.added.addFunction(name, typ, spirFunc)
}

// load makes the load from an argument of the call, which is taken for a
// pointer to bytes.
func (l *lowering) load(e *ir.Expression, t uint32, symbol uint32) error {
	if n := len(l.source.functionType(l.call).Elements) - 1; e.Argument >= n {
		return fmt.Errorf("load from argument %d of a call with %d", e.Argument, n)
	}
	base, pointer := l.argument(e.Argument)
	i8, i64 := l.added.addType(llvmschema.TypeInteger, 8), l.added.addType(llvmschema.TypeInteger, 64)
	if len(pointer.Elements) == 1 && uint32(pointer.Elements[0]) != i8 {
		base = l.bitcast(base, l.added.pointerType(i8, pointer.AddressSpace))
	}
	address := typed{operand{opLocalRel, uint64(l.newValue())}, base.typ}
	offset := typed{operand{opGlobalRel, uint64(l.added.integerConstant(i64, e.Offset))}, i64}
	head := []operand{{opLiteral, 0}, {opType, uint64(i8)}}
	l.emit(llvmschema.FunctionGEP, uint32(address.value), true, slices.Concat(head, pair(base), pair(offset))...)
	from := address
	if t != i8 {
		from = l.bitcast(address, l.added.pointerType(t, pointer.AddressSpace))
	}
	l.emit(llvmschema.FunctionLoad, symbol, true, append(pair(from), operand{opType, uint64(t)},
		operand{opLiteral, alignment(e.Align)}, operand{opLiteral, 0})...)
	return nil
}

func (l *lowering) bitcast(v typed, to uint32) typed {
	cast := typed{operand{opLocalRel, uint64(l.newValue())}, to}
	l.emit(llvmschema.FunctionCast, uint32(cast.value), true, append(pair(v), operand{opType, uint64(to)}, operand{opLiteral, llvmschema.CastBitCast})...)
	return cast
}

// constant adds a constant of a type of the model.
func (l *lowering) constant(c *ir.Constant, typ ir.TypeID) (typed, error) {
	t, err := l.added.modelType(typ)
	if err != nil {
		return typed{}, err
	}
	m := &l.source.module.Types[typ]
	v := addedValue{typ: t}
	switch c.Kind {
	case ir.ConstantInt:
		if m.Kind != ir.TypeInteger {
			return typed{}, errConstantType
		}
		return typed{operand{opGlobalRel, uint64(l.added.integerConstant(t, c.Int))}, t}, nil
	case ir.ConstantFloat:
		v.code, v.operands = llvmschema.ConstantFloat, []operand{{opLiteral, c.Int}}
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
		if len(m.Elements) == 0 && len(c.Elements) > 0 {
			return typed{}, errConstantType
		}
		for i := range c.Elements {
			element := m.Elements[min(i, len(m.Elements)-1)]
			part, err := l.constant(&c.Elements[i], element)
			if err != nil {
				return typed{}, err
			}
			v.operands = append(v.operands, operand{opGlobal, part.value})
		}
	default:
		return typed{}, errConstantType
	}
	return typed{operand{opGlobalRel, uint64(l.added.addValue(v))}, t}, nil
}

package ir

import (
	"errors"
	"fmt"
	"slices"
)

// FindCalls decodes the direct calls of the functions in callees that a function's body makes, in
// order.
func FindCalls(m *Module, function ValueID, callees map[ValueID]bool) ([]Call, error) {
	finder, err := newBodyFinder(m, function)
	if finder == nil || err != nil {
		return nil, err
	}
	var calls []Call
	for i := range finder.body.Instructions {
		if !finder.direct[i] || !callees[ValueID(finder.body.Instructions[i].Operands[0].Index)] {
			continue
		}
		call, err := finder.describeCall(i)
		if err != nil {
			return nil, err
		}
		calls = append(calls, call)
	}
	return calls, nil
}

// bodyFinder is a decoded body with the numbers of its instructions and the uses of their values.
type bodyFinder struct {
	module *Module
	reader BodyReader
	body   Body
	direct []bool // by instruction: whether it is a direct call
	number []int  // by instruction: its number without debug records
	users  map[uint32][]int
	slots  map[uint32]map[string]*stackSlot // by alloca, then path
}

var errNoBodies = errors.New("the source of the module does not decode bodies")

// newBodyFinder decodes the body of a function; it returns nil if there is none.
func newBodyFinder(m *Module, function ValueID) (*bodyFinder, error) {
	if v := &m.Values[function]; v.Kind != Function || v.Declaration {
		return nil, nil
	}
	source, ok := m.Source.(BodySource)
	if !ok {
		return nil, errNoBodies
	}
	f := &bodyFinder{module: m, reader: source.NewBodyReader(), users: make(map[uint32][]int), slots: make(map[uint32]map[string]*stackSlot)}
	if err := f.reader.ReadBody(function, &f.body); err != nil {
		return nil, err
	}
	f.numberInstructions()
	return f, nil
}

// numberInstructions numbers the instructions as codecs count them, without debug records, and
// notes the users of each value.
func (f *bodyFinder) numberInstructions() {
	number := 0
	for i := range f.body.Instructions {
		in := &f.body.Instructions[i]
		f.direct = append(f.direct, in.Op == OpCall && in.Operands[0].Kind == ValueGlobal)
		f.number = append(f.number, number)
		if in.Op != OpDebugRecord {
			number++
		}
		f.addUsers(in, i)
	}
}

// addUsers notes the values that an instruction uses, including those in the operand bundles of a
// call.
func (f *bodyFinder) addUsers(in *Instruction, user int) {
	for _, v := range in.Operands {
		f.addUser(v, user)
	}
	if in.Call < 0 {
		return
	}
	for _, bundle := range f.body.Calls[in.Call].Bundles {
		for _, v := range bundle.Operands {
			f.addUser(v, user)
		}
	}
}

// addUser notes that an instruction uses a value, directly or as metadata.
func (f *bodyFinder) addUser(v Value, user int) {
	switch v.Kind {
	case ValueInstruction:
		f.users[v.Index] = append(f.users[v.Index], user)
	case ValueMetadata:
		for _, wrapped := range f.body.Metadata[v.Index].Values {
			if wrapped.Kind == ValueInstruction {
				f.users[wrapped.Index] = append(f.users[wrapped.Index], user)
			}
		}
	}
}

// describeCall describes a direct call with the constants among its arguments.
func (f *bodyFinder) describeCall(instruction int) (Call, error) {
	in := &f.body.Instructions[instruction]
	call := Call{Number: f.number[instruction], Callee: ValueID(in.Operands[0].Index), Result: in.Type}
	header, err := f.reader.ReadHeader(call.Callee)
	if err != nil {
		return call, err
	}
	known := f.isRecorded(in.Type)
	for i, v := range in.Operands[1:] {
		a := Argument{Type: v.Type, Constant: f.constantOf(v)}
		if v.Kind == ValueMetadata {
			call.Arguments = append(call.Arguments, a)
			continue
		}
		attributes := [2][]AttributeDetail{f.body.Calls[in.Call].Attributes.Parameter(i), header.Attributes.Parameter(i)}
		for _, list := range attributes {
			if sret := FindAttribute(list, "sret"); sret != nil && !a.SRet {
				a.SRet, a.Pointee = true, f.pointeeOf(sret, v.Type)
			}
		}
		if s := f.slotOf(v); s != nil && s.constant {
			a.Constant.Kind, a.Constant.Value, a.FromSlot = ConstantValue, s.address, true
		}
		known = known && f.isRecorded(v.Type) && (!a.SRet || f.isRecorded(a.Pointee))
		call.Arguments = append(call.Arguments, a)
	}
	if !known {
		return call, f.errorOf(errors.New("a call's type is not that of its callee"))
	}
	return call, nil
}

// errorOf adds to an error the function that it is in.
func (f *bodyFinder) errorOf(err error) error {
	return fmt.Errorf("%s: in @%s: %w", f.module.Path, f.module.Values[f.body.Function].Name, err)
}

// isRecorded reports whether the module has the type. Types that only the reader has mean nothing
// to others.
func (f *bodyFinder) isRecorded(id TypeID) bool { return int(id) < len(f.module.Types) }

// pointeeOf returns the type that sret names. If it names none, it is the pointee of a typed
// pointer.
func (f *bodyFinder) pointeeOf(sret *AttributeDetail, pointer TypeID) TypeID {
	if sret.Type != NoType {
		return sret.Type
	}
	if types := f.reader.Types(); int(pointer) < len(types) && len(types[pointer].Elements) == 1 {
		return types[pointer].Elements[0]
	}
	return NoType
}

// constantOf returns a scalar constant, or the address of a global value, looking through casts and
// through getelementptrs without an offset. Another value is ConstantOther.
func (f *bodyFinder) constantOf(v Value) Constant {
	typ := v.Type
	for v.Kind == ValueConstant {
		c := f.body.Constants.At(v)
		if c.Kind != ConstantExpression {
			return f.scalarOf(c)
		}
		if !isAddressOperation(c.Expression.Op) || len(c.Operands) == 0 || !f.isZero(c.Operands[1:]) {
			break
		}
		v = c.Operands[0] // a constant that comes before this one
	}
	if v.Kind == ValueGlobal {
		return Constant{Kind: ConstantValue, Type: typ, Value: ValueID(v.Index)}
	}
	return Constant{Type: typ}
}

// isZero reports whether all indices are 0.
func (f *bodyFinder) isZero(indices []Value) bool {
	return !slices.ContainsFunc(indices, func(v Value) bool {
		index, ok := f.indexOf(v)
		return !ok || index != 0
	})
}

func isAddressOperation(op Opcode) bool {
	switch op {
	case OpBitCast, OpAddrSpaceCast, OpPtrToInt, OpIntToPtr, OpPtrToAddr, OpGEP:
		return true
	}
	return false
}

// scalarOf returns a constant of at most 64 bits, or ConstantOther.
func (f *bodyFinder) scalarOf(c *ConstantNode) Constant {
	switch c.Kind {
	case ConstantInt, ConstantFloat:
		if number := scalarConstant(f.reader.Types(), c); number.Kind != ConstantWide {
			return number
		}
	case ConstantZero:
		return Constant{Kind: ConstantZero, Type: c.Type}
	case ConstantUndef, ConstantPoison:
		return Constant{Kind: ConstantUndef, Type: c.Type}
	}
	return Constant{Type: c.Type}
}

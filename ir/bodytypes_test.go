package ir

import (
	"slices"
	"strings"
	"testing"
)

// typeList is a TypeInterner that compares types one by one.
type typeList struct {
	types []Type
	typed bool
}

func (l *typeList) Types() []Type { return l.types }

func (l *typeList) InternType(want Type) TypeID {
	same := func(t Type) bool {
		return t.Kind == want.Kind && t.Bits == want.Bits && t.AddressSpace == want.AddressSpace &&
			t.Length == want.Length && t.Scalable == want.Scalable && slices.Equal(t.Elements, want.Elements)
	}
	if i := slices.IndexFunc(l.types, same); i >= 0 {
		return TypeID(i)
	}
	l.types = append(l.types, want)
	return TypeID(len(l.types) - 1)
}

func (l *typeList) IntegerType(bits uint32) TypeID {
	return l.InternType(Type{Kind: TypeInteger, Bits: bits})
}

func (l *typeList) PointerTo(pointee TypeID, space uint32) TypeID {
	want := Type{Kind: TypePointer, AddressSpace: space}
	if l.typed {
		want.Elements = []TypeID{pointee}
	}
	return l.InternType(want)
}

// spell writes a type as text does.
func (l *typeList) spell(id TypeID) string {
	t := l.types[id]
	switch {
	case t.Kind == TypePointer && l.typed:
		return l.spell(t.Elements[0]) + strings.Repeat("'", int(t.AddressSpace)) + "*"
	case t.Kind == TypePointer:
		return "ptr" + strings.Repeat("'", int(t.AddressSpace))
	case t.Kind == TypeVector && t.Scalable:
		return "<vscale x " + l.spell(t.Elements[0]) + ">"
	case t.Kind == TypeVector:
		return "<" + strings.Repeat("x", int(t.Length)) + " " + l.spell(t.Elements[0]) + ">"
	}
	return NumberTypeText(l.types, id)
}

func TestAddressType(t *testing.T) {
	for _, typed := range []bool{false, true} {
		l := &typeList{typed: typed}
		i32, i8 := l.IntegerType(32), l.IntegerType(8)
		array := l.InternType(Type{Kind: TypeArray, Length: 4, Elements: []TypeID{i8}})
		pair := l.InternType(Type{Kind: TypeStruct, Elements: []TypeID{i32, array}})
		pointer := l.PointerTo(pair, 1)
		pointers := l.InternType(Type{Kind: TypeVector, Length: 2, Elements: []TypeID{pointer}})
		numbers := l.InternType(Type{Kind: TypeVector, Length: 3, Scalable: true, Elements: []TypeID{i32}})
		var pool ConstantPool
		zero := pool.Add(ConstantNode{Kind: ConstantInt, Type: i32, Words: []uint64{0}})
		one := pool.Add(ConstantNode{Kind: ConstantInt, Type: i32, Words: []uint64{1}})
		two := pool.Add(ConstantNode{Kind: ConstantInt, Type: i32, Words: []uint64{2}})
		ones := pool.Add(ConstantNode{Kind: ConstantAggregate, Type: numbers, Operands: []Value{one, one}})
		computed := Value{Kind: ValueInstruction, Type: i32}
		base := Value{Kind: ValueArgument, Type: pointer}
		for _, c := range []struct {
			name           string
			operands       []Value
			opaque, fields string
		}{
			{"no index", []Value{base}, "ptr'", ""},
			{"of the struct", []Value{base, computed}, "ptr'", ""},
			{"first member", []Value{base, zero, zero}, "ptr'", "i32'*"},
			{"element of the array", []Value{base, zero, one, computed}, "ptr'", "i8'*"},
			{"vector of bases", []Value{{Kind: ValueArgument, Type: pointers}, zero, zero}, "<xx ptr'>", "<xx i32'*>"},
			{"vector of indices", []Value{base, {Kind: ValueArgument, Type: numbers}, zero}, "<vscale x ptr'>", "<vscale x i32'*>"},
			{"vector of a constant", []Value{base, zero, ones, zero}, "<vscale x ptr'>", "<vscale x i8'*>"},
			{"no such member", []Value{base, zero, two}, "ptr'", "index 2 into a type that has no such element"},
			{"label", []Value{{Kind: ValueBlock, Type: NoType}}, "the type of an address is not known", "the type of an address is not known"},
			{"nothing", nil, "the type of an address is not known", "the type of an address is not known"},
			{"number", []Value{computed}, "getelementptr on a value that is not a pointer", "getelementptr on a value that is not a pointer"},
		} {
			want := c.opaque
			if typed {
				want = c.fields
			}
			id, err := AddressType(l, &pool, pair, c.operands)
			switch {
			case err != nil:
				if err.Error() != want {
					t.Errorf("typed %v, %s: %v, want %s", typed, c.name, err, want)
				}
			case want == "":
				if id != pointer {
					t.Errorf("typed %v, %s: %s", typed, c.name, l.spell(id))
				}
			case l.spell(id) != want:
				t.Errorf("typed %v, %s: %s, want %s", typed, c.name, l.spell(id), want)
			}
		}
	}
}

func TestComparisonAndShuffleTypes(t *testing.T) {
	l := new(typeList)
	f32 := l.InternType(Type{Kind: TypeFloat, Bits: 32, Name: "float"})
	four := l.InternType(Type{Kind: TypeVector, Length: 4, Elements: []TypeID{f32}})
	mask := l.InternType(Type{Kind: TypeVector, Length: 2, Elements: []TypeID{l.IntegerType(32)}})
	for _, c := range []struct {
		operand TypeID
		want    string
	}{{f32, "i1"}, {four, "<xxxx i1>"}, {NoType, "i1"}} {
		if got := l.spell(ComparisonType(l, c.operand)); got != c.want {
			t.Errorf("comparison of %d: %s, want %s", c.operand, got, c.want)
		}
	}
	if id, err := ShuffleType(l, four, mask); err != nil || l.spell(id) != "<xx float>" {
		t.Errorf("shuffle: %s, %v", l.spell(id), err)
	}
	for _, bad := range [][2]TypeID{{f32, mask}, {four, f32}, {NoType, mask}} {
		if _, err := ShuffleType(l, bad[0], bad[1]); err == nil {
			t.Errorf("shuffle of %v: no error", bad)
		}
	}
}

func TestShuffleMask(t *testing.T) {
	l := new(typeList)
	i32 := l.IntegerType(32)
	three := l.InternType(Type{Kind: TypeVector, Length: 3, Elements: []TypeID{i32}})
	long := l.InternType(Type{Kind: TypeVector, Length: longestMask + 1, Elements: []TypeID{i32}})
	pointers := l.InternType(Type{Kind: TypeVector, Length: 3, Elements: []TypeID{l.PointerTo(NoType, 0)}})
	var pool ConstantPool
	add := func(c ConstantNode) Value { return pool.Add(c) }
	number := add(ConstantNode{Kind: ConstantInt, Type: i32, Words: []uint64{5}})
	undefined := add(ConstantNode{Kind: ConstantUndef, Type: i32})
	global := Value{Kind: ValueGlobal, Index: 1 << 20, Type: i32}
	const u = UndefIndex
	for _, c := range []struct {
		mask Value
		want []uint32
	}{
		{add(ConstantNode{Kind: ConstantPoison, Type: three}), []uint32{u, u, u}},
		{add(ConstantNode{Kind: ConstantUndef, Type: three}), []uint32{u, u, u}},
		{add(ConstantNode{Kind: ConstantZero, Type: three}), []uint32{0, 0, 0}},
		{add(ConstantNode{Kind: ConstantData, Type: three, Words: []uint64{2, 1, 0}}), []uint32{2, 1, 0}},
		{add(ConstantNode{Kind: ConstantData, Type: three, Words: []uint64{2}}), []uint32{2, 0, 0}},
		{add(ConstantNode{Kind: ConstantAggregate, Type: three, Operands: []Value{number, undefined, global}}), []uint32{5, u, u}},
		{add(ConstantNode{Kind: ConstantZero, Type: long}), nil},
		{add(ConstantNode{Kind: ConstantZero, Type: pointers}), nil},
		{number, nil},
		{Value{Kind: ValueArgument, Type: three}, nil},
		{Value{Kind: ValueConstant, Type: NoType}, nil},
	} {
		got, err := pool.ShuffleMask(l.types, c.mask)
		if !slices.Equal(got, c.want) || (err == nil) != (c.want != nil) {
			t.Errorf("mask %v: %v, %v; want %v", c.mask, got, err, c.want)
		}
	}
}

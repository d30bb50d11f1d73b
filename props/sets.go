package props

import (
	"bytes"
	"encoding/binary"
	"strings"
)

// Type is the type code of a property value, as both the .prop text and the
// wrapped tables write it (PropertySetIO.h; pi.h, pi_property_type).
type Type uint32

// The types that tools write. Codes 0 (none) and 3 (string) exist in the
// headers but no tool writes them.
const (
	TypeUint32    Type = 1
	TypeByteArray Type = 2
)

// String returns the spelling of the headers.
func (t Type) String() string {
	switch t {
	case TypeUint32:
		return "UINT32"
	case TypeByteArray:
		return "BYTE_ARRAY"
	}
	return "unknown"
}

// Value is one property value. It is immutable: the accessors that return bytes return them shared,
// and callers must not write to them. The zero Value has no type and cannot be written.
type Value struct {
	typ  Type
	u32  uint32
	bits uint64 // length of data in bits
	data []byte
}

// Uint32 returns a UINT32 value. Booleans are stored as 1.
func Uint32(v uint32) Value { return Value{typ: TypeUint32, u32: v} }

// Bytes returns a BYTE_ARRAY value that holds data. It keeps the slice.
func Bytes(data []byte) Value { return Bits(data, uint64(len(data))*8) }

// String returns a BYTE_ARRAY value with the bytes of s, without a NUL.
func String(s string) Value { return Bytes([]byte(s)) }

// Bits returns a BYTE_ARRAY value of n bits; data must have ceil(n/8) bytes.
func Bits(data []byte, n uint64) Value {
	return Value{typ: TypeByteArray, bits: n, data: data}
}

// Uint32s returns a BYTE_ARRAY value of little-endian 32-bit integers.
func Uint32s(vs ...uint32) Value {
	b := make([]byte, 0, 4*len(vs))
	for _, v := range vs {
		b = binary.LittleEndian.AppendUint32(b, v)
	}
	return Bytes(b)
}

// Uint64s returns a BYTE_ARRAY value of little-endian 64-bit integers.
func Uint64s(vs ...uint64) Value {
	b := make([]byte, 0, 8*len(vs))
	for _, v := range vs {
		b = binary.LittleEndian.AppendUint64(b, v)
	}
	return Bytes(b)
}

// Type returns the type code.
func (v Value) Type() Type { return v.typ }

// Uint32 returns the number of a UINT32 value, or 0 for others.
func (v Value) Uint32() uint32 { return v.u32 }

// Data returns the data bytes of a BYTE_ARRAY value, without the length prefix.
func (v Value) Data() []byte { return v.data }

// BitLen returns the length of the data in bits.
func (v Value) BitLen() uint64 { return v.bits }

// Raw returns the bytes as tools store them: a little-endian 64-bit length in
// bits, then the data.
func (v Value) Raw() []byte {
	b := make([]byte, 0, 8+len(v.data))
	b = binary.LittleEndian.AppendUint64(b, v.bits)
	return append(b, v.data...)
}

// Equal reports whether v and w are of one type and hold the same value.
func (v Value) Equal(w Value) bool {
	return v.typ == w.typ && v.u32 == w.u32 && v.bits == w.bits && string(v.data) == string(w.data)
}

// Property is a named value.
type Property struct {
	Name  string
	Value Value
}

// Set is a named list of properties in insertion order.
type Set struct {
	Name       string
	Properties []Property

	index map[string]int // made by Put once a set is large
}

// indexFrom is the number of properties from which on a linear search costs more than a map.
const indexFrom = 16

// find returns the place of a property, or -1.
func (s *Set) find(name string) int {
	if s.index != nil {
		if i, ok := s.index[name]; ok {
			return i
		}
		return -1
	}
	for i := range s.Properties {
		if s.Properties[i].Name == name {
			return i
		}
	}
	return -1
}

// Get returns the value of the property, and whether the set has it.
// A nil set has none.
func (s *Set) Get(name string) (Value, bool) {
	if s == nil {
		return Value{}, false
	}
	if i := s.find(name); i >= 0 {
		return s.Properties[i].Value, true
	}
	return Value{}, false
}

// Put adds a property, or replaces the value of one that is there, which keeps its place.
func (s *Set) Put(name string, v Value) {
	if i := s.find(name); i >= 0 {
		s.Properties[i].Value = v
		return
	}
	s.Properties = append(s.Properties, Property{name, v})
	if s.index != nil {
		s.index[name] = len(s.Properties) - 1
	} else if len(s.Properties) == indexFrom {
		s.index = make(map[string]int, 2*indexFrom)
		for i := range s.Properties {
			s.index[s.Properties[i].Name] = i
		}
	}
}

// Names returns the property names in order. A nil set has none.
func (s *Set) Names() []string {
	if s == nil {
		return nil
	}
	names := make([]string, len(s.Properties))
	for i, p := range s.Properties {
		names[i] = p.Name
	}
	return names
}

// Sets is the list of the property sets of one image, in insertion order.
// The zero Sets is empty and ready to use. It is not safe for concurrent
// writes.
type Sets struct {
	All []*Set
}

// Clone returns a copy that shares no memory with s, or nil for nil.
func (s *Sets) Clone() *Sets {
	if s == nil {
		return nil
	}
	copied := new(Sets)
	for _, set := range s.All {
		to := copied.Open(strings.Clone(set.Name))
		for _, p := range set.Properties {
			v := p.Value
			if v.Type() == TypeByteArray {
				v = Bits(bytes.Clone(v.Data()), v.BitLen())
			}
			to.Put(strings.Clone(p.Name), v)
		}
	}
	return copied
}

// Get returns the set of that name, or nil. A nil Sets has none.
func (s *Sets) Get(name string) *Set {
	if s == nil {
		return nil
	}
	for _, set := range s.All {
		if set.Name == name {
			return set
		}
	}
	return nil
}

// Open returns the set of that name, adding an empty one if there is none.
func (s *Sets) Open(name string) *Set {
	if set := s.Get(name); set != nil {
		return set
	}
	set := &Set{Name: name}
	s.All = append(s.All, set)
	return set
}

// Put sets one property in the set of that name.
func (s *Sets) Put(set, name string, v Value) { s.Open(set).Put(name, v) }

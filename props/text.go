package props

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"
)

// The .prop text (LLVM, PropertySetIO.cpp), a line for each item:
//
//	[set name]
//	property name=type|value
//
// The type is a decimal [Type]. A UINT32 is a decimal number; a BYTE_ARRAY is
// the encoding (base64.go) of its length in bits, 8 bytes little-endian, and
// of its data. Empty lines are skipped. Comments and escapes do not
// exist. On reading "\r\n" ends a line too.

// Error is a fault of .prop text, at a line counted from 1.
type Error struct {
	Line int
	Msg  string
}

func (e *Error) Error() string { return fmt.Sprintf("%d: %s", e.Line, e.Msg) }

// Parse reads .prop text. Sets and properties keep the order of the text; a
// set that comes again is opened again, and a property that comes again gets
// the new value in its old place. Errors are of type *[Error].
func Parse(text []byte) (*Sets, error) {
	p := parser{sets: &Sets{}, byName: map[string]*Set{}}
	for line := range bytes.Lines(text) {
		p.line++
		if err := p.addLine(trimLineEnd(line)); err != nil {
			return nil, &Error{p.line, err.Error()}
		}
	}
	if len(p.sets.All) == 0 {
		return nil, &Error{max(p.line, 1), "invalid property set registry: there is no set in it"}
	}
	return p.sets, nil
}

// trimLineEnd removes the line end. A "\r" belongs to it only in front of a "\n": at the end of the
// file it is part of the value.
func trimLineEnd(line []byte) []byte {
	line, ended := bytes.CutSuffix(line, []byte("\n"))
	if ended {
		line = bytes.TrimSuffix(line, []byte("\r"))
	}
	return line
}

// parser holds the sets that were read, and the open one, to which properties are added.
type parser struct {
	sets   *Sets
	byName map[string]*Set // because a file can have thousands of sets
	open   *Set
	line   int
}

func (p *parser) addLine(line []byte) error {
	switch {
	case len(line) == 0:
		return nil
	case line[0] == '[':
		return p.openSet(line)
	case p.open == nil:
		return fmt.Errorf("property category missing: %q comes before the first [set]", line)
	}
	name, value, err := parseProperty(line)
	if err != nil {
		return err
	}
	p.open.Put(name, value)
	return nil
}

// openSet reads the header of a set. The name ends at the last ']', as names may contain some.
func (p *parser) openSet(line []byte) error {
	end := bytes.LastIndexByte(line, ']')
	if end < 0 {
		return fmt.Errorf("invalid line: %q has no closing ']'", line)
	}
	name := string(line[1:end])
	p.open = p.byName[name]
	if p.open == nil {
		p.open = &Set{Name: name}
		p.byName[name] = p.open
		p.sets.All = append(p.sets.All, p.open)
	}
	return nil
}

// parseProperty reads one property. The name ends at the first '='. Tools write names as they are,
// so that a name may contain an '='. If the line cannot be read that way, the last '=' is taken,
// since no value contains one.
func parseProperty(line []byte) (name string, v Value, err error) {
	first := bytes.IndexByte(line, '=')
	name, v, err = parsePropertyAt(line, first)
	if last := bytes.LastIndexByte(line, '='); err != nil && last > first {
		if name, v, err := parsePropertyAt(line, last); err == nil {
			return name, v, nil
		}
	}
	return name, v, err
}

// parsePropertyAt reads a property whose name ends at an index.
func parsePropertyAt(line []byte, end int) (name string, v Value, err error) {
	var key, typed []byte
	if end >= 0 {
		key, typed = line[:end], line[end+1:]
	}
	if len(key) == 0 || len(typed) == 0 {
		return "", Value{}, fmt.Errorf("invalid property line: %q, want name=type|value", line)
	}
	code, text, _ := bytes.Cut(typed, []byte("|"))
	if len(code) == 0 || len(text) == 0 {
		return "", Value{}, fmt.Errorf("invalid property value: %q, want type|value", typed)
	}
	typ, err := parseType(code)
	if err != nil {
		return "", Value{}, err
	}
	v, err = parseValue(typ, text)
	return string(key), v, err
}

func parseType(code []byte) (Type, error) {
	n, err := strconv.ParseInt(string(code), 10, 64)
	switch {
	case err != nil:
		return 0, fmt.Errorf("invalid property type: %q", code)
	case n < 0 || n > int64(TypeByteArray):
		return 0, fmt.Errorf("bad property type %d: 1 (UINT32) and 2 (BYTE_ARRAY) are known", n)
	case n == 0:
		return 0, fmt.Errorf("unsupported property type: %d", n)
	}
	return Type(n), nil
}

func parseValue(typ Type, text []byte) (Value, error) {
	if typ == TypeUint32 {
		n, err := strconv.ParseUint(string(text), 10, 32)
		if err != nil {
			return Value{}, fmt.Errorf("invalid property value: %q is not a 32-bit decimal number", text)
		}
		return Uint32(uint32(n)), nil
	}
	raw, err := decodeBase64(text)
	if err != nil {
		return Value{}, err
	}
	v, err := FromRaw(raw)
	if err != nil {
		return Value{}, fmt.Errorf("invalid property value: %w", err)
	}
	return v, nil
}

// prefixSize is the size of the length in bits before the data.
const prefixSize = 8

// FromRaw returns the BYTE_ARRAY value that is stored as raw; it is the inverse of [Value.Raw]. The
// value shares raw. The length in bits must need just the bytes that are there.
func FromRaw(raw []byte) (Value, error) {
	if len(raw) < prefixSize {
		return Value{}, fmt.Errorf("a byte array of %d bytes lacks its 8-byte length", len(raw))
	}
	bits, data := binary.LittleEndian.Uint64(raw), raw[prefixSize:]
	if need := bits/8 + (bits%8+7)/8; need != uint64(len(data)) {
		return Value{}, fmt.Errorf("a byte array says that it has %d bits, and has %d bytes", bits, len(data))
	}
	return Bits(data, bits), nil
}

// Text returns the .prop text of the sets, in their order. It fails on names that the text cannot
// hold, because they would start a set or a line, and on a value without a type. Nil and empty Sets
// give no text.
func (s *Sets) Text() ([]byte, error) {
	if s == nil {
		return nil, nil
	}
	var text []byte
	for _, set := range s.All {
		if strings.Contains(set.Name, "\n") {
			return nil, fmt.Errorf("property set %q: a property file cannot hold a line end in a name", set.Name)
		}
		text = append(append(append(text, '['), set.Name...), "]\n"...)
		for _, p := range set.Properties {
			var err error
			if text, err = p.appendText(text); err != nil {
				return nil, fmt.Errorf("property set %q: %w", set.Name, err)
			}
		}
	}
	return text, nil
}

func (p Property) appendText(text []byte) ([]byte, error) {
	if p.Name == "" || p.Name[0] == '[' || strings.Contains(p.Name, "\n") {
		return nil, fmt.Errorf("property %q: a property file cannot hold this name (it is empty, starts with '[', or has a line end in it)", p.Name)
	}
	text = append(append(text, p.Name...), '=')
	text = append(strconv.AppendUint(text, uint64(p.Value.typ), 10), '|')
	switch p.Value.typ {
	case TypeUint32:
		text = strconv.AppendUint(text, uint64(p.Value.u32), 10)
	case TypeByteArray:
		text = appendBase64(text, p.Value.Raw())
	default:
		return nil, fmt.Errorf("property %q: its value has no type", p.Name)
	}
	return append(text, '\n'), nil
}

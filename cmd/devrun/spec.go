package main

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"offlink/cmd/internal/cli"
	"offlink/runtime/driver"
)

// specKind is the kind of an argument.
type specKind int

const (
	specValue specKind = iota
	specBuffer
	specLocal
)

// spec is one --arg, as given:
//
//	i32:42  f32:1.5       a value
//	buf:i32:8             a buffer of 8 zeros
//	buf:f32:1,2,3         a buffer with these values; "buf:f32:1," has one
//	buf:f32:@data.bin     a buffer with the bytes of a file
//	local:256             256 bytes of local memory
//	bytes:0aff            a value in bytes; bytes:@FILE takes them from a file
//	struct:ptr:2+8,i64:5  a struct of fields
type spec struct {
	text      string
	kind      specKind
	elem      *element // nil for bytes, structs and local memory
	data      []byte   // of a value or a buffer, little-endian; nil for a zeroed buffer
	size      int64    // bytes of a buffer or of local memory
	addresses []address
	memory    driver.Memory // of a buffer, while the kernel runs
}

// parseSpec reads an --arg.
func parseSpec(text string) (*spec, error) {
	kind, rest, ok := strings.Cut(text, ":")
	if !ok || rest == "" {
		return nil, specErrorf(text, "write TYPE:VALUE, buf:TYPE:VALUES, local:BYTES, bytes:HEX or struct:FIELD,FIELD,...")
	}
	switch kind {
	case "buf":
		return parseBuffer(text, rest)
	case "local":
		n, err := strconv.ParseInt(rest, 10, 64)
		if err != nil || n < 1 {
			return nil, specErrorf(text, "%q is not a number of bytes", rest)
		}
		return &spec{text: text, kind: specLocal, size: n}, nil
	case "bytes":
		data, err := parseBytes(text, rest)
		if err != nil {
			return nil, err
		}
		return &spec{text: text, kind: specValue, data: data}, nil
	case "struct":
		return parseStruct(text, rest)
	}
	elem, err := elementNamed(text, kind)
	if err != nil {
		return nil, err
	}
	data, err := elem.encodeValue(nil, rest)
	if err != nil {
		return nil, specErrorf(text, "%v", err)
	}
	return &spec{text: text, kind: specValue, elem: elem, data: data}, nil
}

// parseBuffer reads TYPE:COUNT, TYPE:V,V,... or TYPE:@FILE. A comma distinguishes values
// from a count: "8" is eight zeros and "8," the number 8.
func parseBuffer(text, rest string) (*spec, error) {
	name, values, ok := strings.Cut(rest, ":")
	if !ok || values == "" {
		return nil, specErrorf(text, "write buf:TYPE:COUNT, buf:TYPE:V,V,... or buf:TYPE:@FILE")
	}
	elem, err := elementNamed(text, name)
	if err != nil {
		return nil, err
	}
	s := &spec{text: text, kind: specBuffer, elem: elem}
	switch file, isFile := strings.CutPrefix(values, "@"); {
	case isFile:
		s.data, err = readBuffer(elem, file)
	case strings.ContainsRune(values, ','):
		s.data, err = parseValues(text, elem, values)
	default:
		s.size, err = zeroedSize(text, elem, values)
	}
	if err != nil {
		return nil, err
	}
	if s.data != nil {
		s.size = int64(len(s.data))
	}
	return s, nil
}

// parseValues reads the values of a buffer; the comma at the end adds none.
func parseValues(text string, elem *element, values string) (data []byte, err error) {
	for value := range strings.SplitSeq(strings.TrimSuffix(values, ","), ",") {
		if data, err = elem.encodeValue(data, value); err != nil {
			return nil, specErrorf(text, "%v", err)
		}
	}
	return data, nil
}

// zeroedSize returns the bytes of a buffer of that many elements. The device decides
// whether it has so much memory.
func zeroedSize(text string, elem *element, count string) (int64, error) {
	n, err := strconv.ParseInt(count, 10, 64)
	if err != nil || n < 1 {
		return 0, specErrorf(text, "%q is not a number of elements; a list of one value ends in a comma", count)
	}
	if n > math.MaxInt64/int64(elem.size) {
		return 0, specErrorf(text, "%d elements are more than a buffer can have", n)
	}
	return n * int64(elem.size), nil
}

// The files that fill buffers are bounded: a device or a FIFO may have no end.
const (
	maxBufferFile   = 4 << 30
	maxBufferStream = 64 << 20 // of a file that is not regular
)

// readBuffer reads a file of values as the device has them, little-endian.
func readBuffer(elem *element, file string) ([]byte, error) {
	limit := int64(maxBufferStream)
	if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() {
		limit = maxBufferFile
	}
	data, err := readFile(file, limit)
	if err != nil {
		return nil, err
	}
	if len(data) == 0 || len(data)%elem.size != 0 {
		return nil, fmt.Errorf("%s: %d bytes are not a whole number of %s", file, len(data), elem.name)
	}
	return data, nil
}

// specErrorf is bad usage with the whole SPEC, as a command line has many.
func specErrorf(text, format string, args ...any) error {
	return cli.Usagef("--arg %s: %w", text, fmt.Errorf(format, args...))
}

// element is a type of values.
type element struct {
	name  string
	size  int  // bytes
	float bool // else an integer
	sign  bool // of an integer
}

var elements = []element{
	{"i8", 1, false, true},
	{"i16", 2, false, true},
	{"i32", 4, false, true},
	{"i64", 8, false, true},
	{"u8", 1, false, false},
	{"u16", 2, false, false},
	{"u32", 4, false, false},
	{"u64", 8, false, false},
	{"f32", 4, true, true},
	{"f64", 8, true, true},
}

// elementNamed finds a type by its name. The names are Rust's and WebAssembly's,
// as C's have no fixed sizes.
func elementNamed(text, name string) (*element, error) {
	i := slices.IndexFunc(elements, func(e element) bool { return e.name == name })
	if i < 0 {
		return nil, specErrorf(text, "%q is not a type; the types are i8 to i64, u8 to u64, f32, f64", name)
	}
	return &elements[i], nil
}

// encodeValue appends a value, little-endian.
func (e *element) encodeValue(data []byte, value string) ([]byte, error) {
	bits, err := e.parseValue(value)
	if err != nil {
		return nil, fmt.Errorf("%q is not of type %s", value, e.name)
	}
	var word [8]byte
	binary.LittleEndian.PutUint64(word[:], bits)
	return append(data, word[:e.size]...), nil
}

// parseValue reads a number into the low bits of a word. Integers take the
// prefixes 0x, 0o and 0b; one that does not fit the type is an error, not cut.
func (e *element) parseValue(value string) (uint64, error) {
	switch {
	case e.float && e.size == 4:
		f, err := strconv.ParseFloat(value, 32)
		return uint64(math.Float32bits(float32(f))), err
	case e.float:
		f, err := strconv.ParseFloat(value, 64)
		return math.Float64bits(f), err
	case e.sign:
		n, err := strconv.ParseInt(value, 0, 8*e.size)
		return uint64(n), err
	}
	return strconv.ParseUint(value, 0, 8*e.size)
}

// decodeValue returns the first value of data: an int64, uint64, float32 or
// float64.
func (e *element) decodeValue(data []byte) any {
	var word [8]byte
	copy(word[:], data[:e.size])
	bits := binary.LittleEndian.Uint64(word[:])
	switch unused := 64 - 8*e.size; {
	case e.float && e.size == 4:
		return math.Float32frombits(uint32(bits))
	case e.float:
		return math.Float64frombits(bits)
	case e.sign:
		return int64(bits) << unused >> unused
	}
	return bits
}

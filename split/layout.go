package split

import (
	"fmt"
	"strconv"
	"strings"

	"offlink/ir"
)

// layout computes the sizes and alignments of types in bytes, by the module's
// data layout string (LLVM's language reference, "Data Layout").
type layout struct {
	module                 *ir.Module
	integer, float, vector map[uint32]uint64   // ABI alignment by width in bits
	pointer                map[uint32]typeSize // by address space; that of 0 serves the spaces without one
	aggregate              uint64
	known                  map[ir.TypeID]typeSize
}

// typeSize is the size and alignment of a type. Parts counts the type and all types that it is made
// of, each as often as it occurs.
type typeSize struct{ size, align, parts uint64 }

// newLayout reads the data layout of a module. Widths without a specification
// have LLVM's defaults.
func newLayout(m *ir.Module) layout {
	l := layout{
		module:    m,
		integer:   map[uint32]uint64{1: 1, 8: 1, 16: 2, 32: 4, 64: 4},
		float:     map[uint32]uint64{16: 2, 32: 4, 64: 8, 128: 16},
		vector:    map[uint32]uint64{64: 8, 128: 16},
		pointer:   map[uint32]typeSize{0: {size: 8, align: 8, parts: 1}},
		aggregate: 1,
		known:     make(map[ir.TypeID]typeSize),
	}
	for spec := range strings.SplitSeq(m.DataLayout, "-") {
		l.readSpecification(spec)
	}
	return l
}

// readSpecification takes in one specification: a letter, a width, the ABI alignment. That of a
// pointer has the address space before the width. Letters that do not concern memory are ignored,
// and so is a malformed width.
func (l *layout) readSpecification(spec string) {
	if len(spec) < 2 {
		return
	}
	fields := strings.Split(spec[1:], ":")
	if len(fields) < 2 {
		return
	}
	if spec[0] == 'p' {
		l.readPointer(fields)
		return
	}
	width, _ := strconv.ParseUint(fields[0], 10, 24)
	align, err := strconv.ParseUint(fields[1], 10, 24)
	if err != nil {
		return
	}
	align = max(align/8, 1)
	switch spec[0] {
	case 'i':
		l.integer[uint32(width)] = align
	case 'f':
		l.float[uint32(width)] = align
	case 'v':
		l.vector[uint32(width)] = align
	case 'a':
		l.aggregate = align
	}
}

// readPointer takes in the fields of a pointer specification.
func (l *layout) readPointer(fields []string) {
	if len(fields) < 3 {
		return
	}
	space, _ := strconv.ParseUint(fields[0], 10, 24)
	width, err := strconv.ParseUint(fields[1], 10, 24)
	align, alignErr := strconv.ParseUint(fields[2], 10, 24)
	if err != nil || alignErr != nil {
		return
	}
	l.pointer[uint32(space)] = typeSize{size: width / 8, align: max(align/8, 1), parts: 1}
}

// maxConstant bounds the size of specialization constants in bytes and the
// number of their parts, and so the work that a type can ask for.
const maxConstant = 1 << 20

// typeSize returns the distance between two elements of the type in an array, and the type's
// alignment. It remembers the answer; once a type is known, several goroutines may ask for it.
func (l *layout) typeSize(id ir.TypeID) (size, align uint64, err error) {
	s, err := l.sizeWithin(id, 64)
	return s.size, s.align, err
}

// sizeWithin is typeSize for types that are nested at most depth deep. The bounds keep a few
// hostile lines from describing a huge type.
func (l *layout) sizeWithin(id ir.TypeID, depth int) (s typeSize, err error) {
	if id == ir.NoType {
		return s, errNotNumbers
	}
	if s, ok := l.known[id]; ok {
		return s, nil
	}
	if depth == 0 {
		return s, fmt.Errorf("a type is nested too deeply")
	}
	if s, err = l.computeSize(&l.module.Types[id], depth); err != nil {
		return s, err
	}
	if s.size > maxConstant || s.parts > maxConstant {
		return s, errTooLarge
	}
	l.known[id] = s
	return s, nil
}

func (l *layout) computeSize(t *ir.Type, depth int) (s typeSize, err error) {
	switch t.Kind {
	case ir.TypeInteger:
		align := l.integerAlign(t.Bits)
		return typeSize{size: roundUp(uint64(t.Bits+7)/8, align), align: align, parts: 1}, nil
	case ir.TypeFloat:
		return l.floatSize(t), nil
	case ir.TypePointer:
		if s, ok := l.pointer[t.AddressSpace]; ok {
			return s, nil
		}
		return l.pointer[0], nil
	case ir.TypeArray:
		if s, err = l.sizeWithin(t.Elements[0], depth-1); err != nil {
			return s, err
		}
		return s.times(t.Length)
	case ir.TypeVector:
		return l.vectorSize(t, depth)
	case ir.TypeStruct:
		if !t.Opaque {
			_, s, err = l.structLayout(t, depth)
			return s, err
		}
	}
	return s, errNotNumbers
}

// integerAlign returns the alignment of the width; if there is none, that of the next larger width,
// else that of the largest.
func (l *layout) integerAlign(bits uint32) uint64 {
	best, largest := uint32(0), uint32(0)
	for width := range l.integer {
		largest = max(largest, width)
		if width >= bits && (best == 0 || width < best) {
			best = width
		}
	}
	if best == 0 {
		best = largest
	}
	return l.integer[best]
}

// floatSize returns the size of a floating-point type. If the data layout does not mention it, the
// alignment is its size rounded up to a power of two.
func (l *layout) floatSize(t *ir.Type) typeSize {
	size := uint64(t.Bits) / 8
	align := l.float[t.Bits]
	if align == 0 {
		align = powerOfTwo(size)
	}
	return typeSize{size: roundUp(size, align), align: align, parts: 1}
}

// powerOfTwo returns the smallest power of two that is not below n.
func powerOfTwo(n uint64) uint64 {
	p := uint64(1)
	for p < n {
		p *= 2
	}
	return p
}

// vectorSize returns the size of a vector. Elements that are not whole bytes are packed without
// regard to bytes, and are refused.
func (l *layout) vectorSize(t *ir.Type, depth int) (typeSize, error) {
	element, err := l.sizeWithin(t.Elements[0], depth-1)
	if err != nil {
		return element, err
	}
	if e := &l.module.Types[t.Elements[0]]; t.Scalable || e.Bits%8 != 0 {
		return element, fmt.Errorf("a specialization constant cannot have a vector whose elements are not whole bytes or that has no fixed size")
	}
	s, err := element.times(t.Length)
	if err != nil {
		return s, err
	}
	s.align = l.vector[uint32(s.size*8)]
	if s.align == 0 {
		s.align = powerOfTwo(s.size)
	}
	s.size = roundUp(s.size, s.align)
	return s, nil
}

// structLayout returns the offsets of a structure's members, and its size.
func (l *layout) structLayout(t *ir.Type, depth int) (offsets []uint64, s typeSize, err error) {
	s = typeSize{align: 1, parts: 1}
	if !t.Packed {
		s.align = l.aggregate
	}
	for _, e := range t.Elements {
		m, err := l.sizeWithin(e, depth-1)
		if err != nil {
			return nil, s, err
		}
		if t.Packed {
			m.align = 1
		}
		s.size, s.align = roundUp(s.size, m.align), max(s.align, m.align)
		offsets = append(offsets, s.size)
		s.size, s.parts = s.size+m.size, s.parts+m.parts
		if s.size > maxConstant || s.parts > maxConstant {
			return nil, s, errTooLarge
		}
	}
	s.size = roundUp(s.size, s.align)
	return offsets, s, nil
}

var (
	errTooLarge   = fmt.Errorf("a specialization constant has more than %d bytes or parts", maxConstant)
	errNotNumbers = fmt.Errorf("a specialization constant cannot have a type that is not made of numbers")
)

// times returns the size of n elements. Elements without a size add no parts, so that any number of
// them is allowed.
func (s typeSize) times(n uint64) (typeSize, error) {
	if s.size == 0 {
		return typeSize{align: s.align, parts: 1}, nil
	}
	if n > maxConstant/max(s.size, s.parts) {
		return s, errTooLarge
	}
	return typeSize{size: s.size * n, align: s.align, parts: s.parts*n + 1}, nil
}

func roundUp(n, align uint64) uint64 { return (n + align - 1) / align * align }

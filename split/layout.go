package split

import (
	"fmt"
	"strconv"
	"strings"

	"offlink/ir"
)

// layout gives the sizes and alignments in bytes that a data layout string
// says types have in memory.
type layout struct {
	module                 *ir.Module
	integer, float, vector map[uint32]uint64 // ABI alignment by width in bits
	aggregate              uint64
	known                  map[ir.TypeID]typeSize
}

type typeSize struct{ size, align uint64 }

// newLayout reads the data layout of a module; what that does not say is as
// in LLVM.
func newLayout(m *ir.Module) layout {
	l := layout{
		module:    m,
		integer:   map[uint32]uint64{1: 1, 8: 1, 16: 2, 32: 4, 64: 4},
		float:     map[uint32]uint64{16: 2, 32: 4, 64: 8, 128: 16},
		vector:    map[uint32]uint64{64: 8, 128: 16},
		aggregate: 1,
		known:     make(map[ir.TypeID]typeSize),
	}
	for spec := range strings.SplitSeq(m.DataLayout, "-") {
		l.read(spec)
	}
	return l
}

// read takes in one specification: a letter, a width, the ABI alignment.
func (l *layout) read(spec string) {
	if len(spec) < 2 {
		return
	}
	fields := strings.Split(spec[1:], ":")
	if len(fields) < 2 {
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

// maxConstant bounds the size of specialization constants, and so the work
// that a type can ask for.
const maxConstant = 1 << 20

// size returns the distance of two elements of the type in an array, and its
// alignment. Types without size are refused, so that the size bounds the
// number of members. Once a type has been asked about, it can be by several
// goroutines.
func (l *layout) size(id ir.TypeID) (size, align uint64, err error) {
	return l.sizeWithin(id, 64)
}

func (l *layout) sizeWithin(id ir.TypeID, depth int) (size, align uint64, err error) {
	if s, ok := l.known[id]; ok {
		return s.size, s.align, nil
	}
	if depth == 0 {
		return 0, 0, fmt.Errorf("a type is nested too deeply")
	}
	size, align, err = l.compute(&l.module.Types[id], depth)
	if err == nil && (align == 0 || size == 0) {
		err = fmt.Errorf("a specialization constant cannot have a part without size")
	}
	if err == nil {
		l.known[id] = typeSize{size, align}
	}
	return size, align, err
}

func (l *layout) compute(t *ir.Type, depth int) (size, align uint64, err error) {
	switch t.Kind {
	case ir.TypeInteger:
		align = l.integerAlign(t.Bits)
		size = roundUp(uint64(t.Bits+7)/8, align)
	case ir.TypeFloat:
		size, align = uint64(t.Bits)/8, l.float[t.Bits]
	case ir.TypeArray:
		size, align, err = l.sizeWithin(t.Elements[0], depth-1)
		size, err = times(size, t.Length, err)
	case ir.TypeVector:
		size, align, err = l.vectorSize(t, depth)
	case ir.TypeStruct:
		_, size, align, err = l.structure(t, depth)
	default:
		err = fmt.Errorf("a specialization constant cannot have a type that is neither a number nor made of numbers")
	}
	return size, align, err
}

// integerAlign is the alignment of the width, else of the next larger one,
// else of the largest.
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

func (l *layout) vectorSize(t *ir.Type, depth int) (size, align uint64, err error) {
	element, _, err := l.sizeWithin(t.Elements[0], depth-1)
	size, err = times(element, t.Length, err)
	if err != nil || t.Scalable {
		return 0, 0, fmt.Errorf("a vector type has no fixed size that a specialization constant can have")
	}
	align = l.vector[uint32(size*8)]
	if align == 0 {
		for align = 1; align < size; align *= 2 {
		}
	}
	return roundUp(size, align), align, nil
}

// structure returns the offsets of a structure's members.
func (l *layout) structure(t *ir.Type, depth int) (offsets []uint64, size, align uint64, err error) {
	align = 1
	if !t.Packed {
		align = l.aggregate
	}
	for _, e := range t.Elements {
		s, a, err := l.sizeWithin(e, depth-1)
		if err != nil {
			return nil, 0, 0, err
		}
		if t.Packed {
			a = 1
		}
		size, align = roundUp(size, a), max(align, a)
		offsets = append(offsets, size)
		if size += s; size > maxConstant {
			return nil, 0, 0, errTooLarge
		}
	}
	return offsets, roundUp(size, align), align, nil
}

var errTooLarge = fmt.Errorf("a specialization constant has more than %d bytes", maxConstant)

func times(size, n uint64, err error) (uint64, error) {
	if err == nil && n > maxConstant/max(size, 1) {
		err = errTooLarge
	}
	return size * n, err
}

func roundUp(n, align uint64) uint64 { return (n + align - 1) / align * align }

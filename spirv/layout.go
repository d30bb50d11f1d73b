package spirv

import "math"

// maxLayoutDepth bounds the nesting of types: in a hostile module a type may contain itself.
const maxLayoutDepth = 64

// ByteSize returns the size in bytes that OpenCL gives a type of data in memory, with pointers of
// 64 bits. ok is false for types without a size, and for those of more than 2 GiB.
func (m *Module) ByteSize(id ID) (size int, ok bool) {
	size, _, ok = m.byteLayout(id, maxLayoutDepth)
	return size, ok
}

// byteLayout returns the size and the alignment of a type. depth is how many levels of nesting are
// still allowed.
func (m *Module) byteLayout(id ID, depth int) (size, align int, ok bool) {
	in := m.Def(id)
	if in == nil || depth == 0 {
		return 0, 0, false
	}
	switch in.Op {
	case OpTypeBool:
		return 1, 1, true
	case OpTypeInt, OpTypeFloat:
		size = max(1, int(in.Words[1])/8)
		return size, size, true
	case OpTypePointer:
		return 8, 8, true
	case OpTypeVector:
		return m.vectorLayout(in, depth)
	case OpTypeArray:
		return m.arrayLayout(in, depth)
	case OpTypeStruct:
		return m.structLayout(in, depth)
	}
	return 0, 0, false
}

// vectorLayout returns the layout of a vector, which is aligned to its size. A vector of three has
// the size of one of four.
func (m *Module) vectorLayout(in *Instruction, depth int) (size, align int, ok bool) {
	size, _, ok = m.byteLayout(ID(in.Words[1]), depth-1)
	n := int(in.Words[2])
	if n == 3 {
		n = 4
	}
	if !ok || n > 1<<16 || size > 1<<16 {
		return 0, 0, false
	}
	return size * n, size * n, true
}

// arrayLayout returns the layout of an array. Its length must be a known constant; that of a
// specialization constant is its default.
func (m *Module) arrayLayout(in *Instruction, depth int) (size, align int, ok bool) {
	size, align, ok = m.byteLayout(ID(in.Words[1]), depth-1)
	n, constant := m.ConstantInt(ID(in.Words[2]))
	if !ok || !constant || size > 0 && n > uint64(math.MaxInt32/size) {
		return 0, 0, false
	}
	return size * int(n), align, true
}

// structLayout pads members to their alignment, unless the struct is CPacked. Sizes are compared
// with MaxInt32 after each member, so that they cannot overflow.
func (m *Module) structLayout(in *Instruction, depth int) (size, align int, ok bool) {
	_, packed := m.Decoration(in.Result(), DecorationCPacked)
	align = 1
	for _, member := range in.Words[1:] {
		bytes, own, ok := m.byteLayout(ID(member), depth-1)
		if !ok {
			return 0, 0, false
		}
		if packed {
			own = 1
		}
		align = max(align, own)
		size = roundUp(size, own) + bytes
		if size > math.MaxInt32 {
			return 0, 0, false
		}
	}
	return roundUp(size, align), align, true
}

func roundUp(n, align int) int { return (n + align - 1) / align * align }

package hostdev

import (
	"math"
	"math/bits"

	"offlink/runtime/hostdev/internal/lanes"
)

// Addresses far away: compiled code computes addresses in 32 bits, in which an index that is
// 4 GiB away leads to the allocation again. Here is found out for each access whether that
// can happen, and which number tells (lanes.Index, Bounds.High).

// steps is how a pointer was computed from the one whose allocation is known: that is from
// until an index is added.
type steps struct {
	from    *lanes.Value // its low half; nil for the pointer itself
	indexes []scaled
	offset  int64
	unknown bool // it came another way
}

// isStart reports whether no step was made.
func (s steps) isStart() bool { return !s.unknown && len(s.indexes) == 0 && s.offset == 0 }

// stepsTo is the steps to a place further on.
func (v lowered) stepsTo(at place) steps {
	s := v.steps
	if v.root == nil {
		s = steps{} // the allocation of the pointer itself is looked up
	}
	if s.from == nil {
		s.from = v.words[0].Low()
	}
	s.offset += at.offset
	s.indexes = append(s.indexes[:len(s.indexes):len(s.indexes)], at.indexes...)
	return s
}

// exactBounds is the bounds of an access, with the number that tells whether its address
// fits into 32 bits.
func (l *lowering) exactBounds(root *lanes.Bounds, s steps, address *lanes.Value) *lanes.Bounds {
	if !s.unknown && l.isNear(s, root) {
		return root
	}
	b := *root
	if len(s.indexes) == 1 && !s.unknown && s.indexes[0].scale <= math.MaxInt32 && s.offset > -maxShift && s.offset < maxShift {
		if x, signed := narrowIndex(s.indexes[0].v); x != nil {
			b.Index = lanes.Index{V: x, From: s.from, Scale: uint32(s.indexes[0].scale), Signed: signed, Shift: s.offset}
			return &b
		}
	}
	b.High = l.b.Add(lanes.OpHigh, lanes.I32, address)
	b.Region = l.f.Arg(lanes.I32, lanes.RecordBase+4)
	if root.Base.Op == lanes.OpConst && root.Base.Imm == 0 {
		b.Region = l.i32(0) // an array of a work-item counts from 0 on
	}
	return &b
}

// nowhere is an address that is of no memory, and stays so with an offset added.
const nowhere = 0xa << 60

// productWraps tells whether 62 bits and a sign do not hold an index in bytes, from its high half;
// nil if they always do, and for one that a loop counts from nearby in small steps.
func (l *lowering) productWraps(x scaled) *lanes.Value {
	const whole = 30 // bits of the high half of an index of bytes
	scale := bits.Len64(uint64(max(x.scale, 1) - 1))
	if _, _, ok := l.indexRange(x.v); ok && scale <= whole || scale == 0 || l.staysNear(x.v, 0) {
		return nil
	}
	most := max(whole-scale, 0)
	high := l.b.Add(lanes.OpHigh, lanes.I32, x.v)
	shifted := l.b.Add(lanes.OpAdd, lanes.I32, high, l.i32(1<<most))
	return l.b.Add(lanes.OpULe, lanes.Bool, l.i32(2<<most), shifted)
}

// maxShift bounds the distance of an index from its pointer, so that sums stay numbers of 64
// bits.
const maxShift = 1 << 40

// narrowIndex is the number of 32 bits that an index was widened from.
func narrowIndex(v *lanes.Value) (x *lanes.Value, signed bool) {
	if v.Op == lanes.OpSExt || v.Op == lanes.OpZExt {
		return v.Args[0], v.Op == lanes.OpSExt
	}
	return nil, false
}

// isNear reports whether 32 bits hold every distance that the steps can lead to: a wrong
// one is beyond the allocation, whose size is known for variables.
func (l *lowering) isNear(s steps, root *lanes.Bounds) bool {
	const most = maxAllocation // of an allocation, and from its start to the pointer
	least, last := int64(-most), int64(most-1)
	if root.Len.Op == lanes.OpConst && (s.from == nil || s.from == root.Base) {
		least, last = int64(root.Len.Imm)-(1<<32), math.MaxUint32
	}
	low, high := s.offset, s.offset
	for _, x := range s.indexes {
		from, to, ok := l.indexRange(x.v)
		if !ok || x.scale > 1<<28 || low < -maxShift<<20 || high > maxShift<<20 {
			return false
		}
		low, high = low+from*x.scale, high+to*x.scale
	}
	return low >= least && high <= last
}

// indexRange is the least and the largest number that a value of 64 bits can be, if they
// are known to be small.
func (l *lowering) indexRange(v *lanes.Value) (least, most int64, ok bool) {
	switch v.Op {
	case lanes.OpConst:
		n := int64(v.Imm)
		return n, n, n == int64(int32(n))
	case lanes.OpZExt:
		return 0, l.largest(v.Args[0], 0), true
	case lanes.OpSExt:
		if most := l.largest(v.Args[0], 0); most <= math.MaxInt32 {
			return 0, most, true
		}
		switch v.Args[0].Op {
		case lanes.OpSExt8:
			return math.MinInt8, math.MaxInt8, true
		case lanes.OpSExt16:
			return math.MinInt16, math.MaxInt16, true
		}
		return math.MinInt32, math.MaxInt32, true
	case lanes.OpAnd:
		if n := int64(v.Args[1].Imm); v.Args[1].Op == lanes.OpConst && n >= 0 && n <= math.MaxUint32 {
			return 0, n, true
		}
	}
	return 0, 0, false
}

const maxRangeDepth = 8 // operations that largest looks through

// largest is the most that a number of 32 bits without sign can be.
func (l *lowering) largest(v *lanes.Value, depth int) int64 {
	switch {
	case l.ids[v]:
		return math.MaxInt32
	case depth > maxRangeDepth:
		return math.MaxUint32
	}
	of := func(i int) int64 { return l.largest(v.Args[i], depth+1) }
	n := int64(math.MaxUint32)
	switch v.Op {
	case lanes.OpConst:
		n = int64(uint32(v.Imm))
	case lanes.OpLocalID:
		n = maxGroup - 1
	case lanes.OpInt:
		n = 1
	case lanes.OpLoad:
		if v.Imm < 4 {
			n = 1<<(8*v.Imm) - 1
		}
	case lanes.OpAnd:
		n = min(of(0), of(1))
	case lanes.OpSelect:
		n = max(of(1), of(2))
	case lanes.OpURem:
		if v.Args[1].Op == lanes.OpConst && v.Args[1].Imm != 0 {
			n = min(of(0), int64(uint32(v.Args[1].Imm))-1)
		}
	case lanes.OpLShr:
		if v.Args[1].Op == lanes.OpConst && v.Args[1].Imm < 32 {
			n = of(0) >> v.Args[1].Imm
		}
	case lanes.OpShl:
		if v.Args[1].Op == lanes.OpConst && v.Args[1].Imm < 32 {
			n = of(0) << v.Args[1].Imm
		}
	case lanes.OpAdd:
		n = of(0) + of(1)
	case lanes.OpMul:
		n = of(0) * min(of(1), 1<<30)
	}
	return cut32(n)
}

// cut32 is the most of numbers that are cut to 32 bits.
func cut32(n int64) int64 {
	if n < 0 || n > math.MaxUint32 {
		return math.MaxUint32
	}
	return n
}

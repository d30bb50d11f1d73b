package lanes

import "math"

// Checks of addresses that 32 bits may not hold. An address is computed in 32 bits, so that
// an index 4 GiB away leads to the allocation again. Where the allocation is the same for a
// work-group, the index is compared with the number of elements in place of the address with
// the number of bytes, which costs the same. Elsewhere a second comparison tells whether the
// distance fits into 32 bits.

const (
	maxAllocated  = 1 << 31 // bytes of an allocation, and of a pointer into one from its start
	maxIndexShift = 1 << 29 // so that neither an index nor a number of elements wraps
)

// wholeIndex is the index of an access with its whole distance.
func (v *Value) wholeIndex() Index {
	x := v.Bounds.Index
	x.Shift += int64(v.Off)
	return x
}

// testsIndex reports whether the index of an access is compared, and not its address.
func (e *emitter) testsIndex(v *Value) bool {
	x := v.wholeIndex()
	if x.V == nil || x.Scale < 2 || x.Shift < -maxIndexShift || x.Shift > maxIndexShift {
		return false
	}
	for _, part := range []*Value{x.From, v.Bounds.Base, v.limitValue()} {
		if e.shared.hoist[part.id] > inGroup || !e.a.classOf(part).isUniform() {
			return false
		}
	}
	return true
}

// testedValue is the number that is compared.
func (e *emitter) testedValue(v *Value) *Value {
	if e.testsIndex(v) {
		return v.Bounds.Index.V
	}
	return v.Args[0]
}

// rowValue is the number that tells whether lanes lie side by side, and its step from lane
// to lane: the index where that is compared.
func (e *emitter) rowValue(v *Value) (*Value, uint64) {
	if v.Bounds != nil && e.testsIndex(v) && e.a.classOf(v.Bounds.Index.V).Level == Varying && v.accessSize()%uint64(v.Bounds.Index.Scale) == 0 {
		return v.Bounds.Index.V, v.accessSize() / uint64(v.Bounds.Index.Scale)
	}
	return v.Args[0], v.accessSize()
}

// testClass is the class of the address of an access, Varying if that of the numbers which
// are tested is another one.
func (e *emitter) testClass(v *Value) Class {
	c := e.a.classOf(v.Args[0])
	if v.Bounds == nil {
		return c
	}
	if x := v.Bounds.Index; x.V != nil && !e.a.classOf(x.V).isUniform() {
		own := e.a.classOf(x.V)
		if own.Level != Strided || c.Level != Strided || int64(own.Stride)*int64(x.Scale) != int64(c.Stride) {
			return Class{Level: Varying}
		}
	}
	if v.Bounds.High != nil && !e.a.classOf(v.Bounds.High).isUniform() {
		return Class{Level: Varying}
	}
	return c
}

// addressKey is the number to take off the address of an access for its distance.
func (e *emitter) addressKey(v *Value) boundKey {
	return boundKey{v: v.Bounds.Base, less: uint64(v.Off)}
}

// startKey is the number to take off the number that is tested.
func (e *emitter) startKey(v *Value) boundKey {
	if !e.testsIndex(v) {
		return e.addressKey(v)
	}
	key := boundKey{v: v.Bounds.Base, base: v.Bounds.Base, Index: v.wholeIndex()}
	key.V = nil // the numbers are the same for all indexes
	return key
}

// startsAtZero reports whether the number that is tested needs nothing taken off: an index
// without sign is not below 0.
func (e *emitter) startsAtZero(v *Value) bool {
	x := v.wholeIndex()
	return e.testsIndex(v) && !x.Signed && x.Shift >= 0
}

// limitKey is how large the rest may be for an access of so many bytes.
func (e *emitter) limitKey(v *Value, size uint64) boundKey {
	key := boundKey{v: v.limitValue(), less: size, len: true}
	if e.testsIndex(v) {
		key.base, key.Index = v.Bounds.Base, v.wholeIndex()
		key.V = nil
	}
	return key
}

// indexBound computes a number of a key with an index. The first index that is in bounds is
// -q, where q is the distance of From from the base, with Shift, in elements; for indexes
// without sign it is 0 at least.
func (e *emitter) indexBound(key boundKey) Reg {
	t := scalarType(I64)
	constant := func(n int64) Reg { return e.constantReg(I64, uint64(n)) }
	delta := e.emitNew(scalarType(I32), OpSub, 0, e.scalarOf(key.From), e.scalarOf(key.base))
	from := e.emitNew(t, OpAdd, 0, e.emitNew(t, OpZExt, 0, delta), constant(key.Shift))
	q := e.elementsOf(from, key.Scale)
	if !key.Signed {
		q = e.emitNew(t, OpSelect, 0, e.emitNew(scalarType(Bool), OpSLt, 0, q, constant(0)), q, constant(0))
	}
	if !key.len {
		return e.emitNew(scalarType(I32), OpSub, 0, e.constantReg(I32, 0), e.emitNew(scalarType(I32), OpWrap, 0, q))
	}
	room := e.emitNew(t, OpSub, 0, e.emitNew(t, OpZExt, 0, e.scalarOf(key.v)), constant(int64(key.less)))
	last := e.elementsOf(e.emitNew(t, OpSub, 0, room, from), key.Scale)
	count := e.emitNew(t, OpAdd, 0, e.emitNew(t, OpAdd, 0, last, q), constant(1))
	none := e.emitNew(scalarType(Bool), OpSLt, 0, count, constant(0))
	return e.emitNew(scalarType(I32), OpWrap, 0, e.emitNew(t, OpSelect, 0, none, constant(0), count))
}

// elementsOf divides a signed number of bytes, towards lower numbers.
func (e *emitter) elementsOf(bytes Reg, scale uint32) Reg {
	t := scalarType(I64)
	if shift := uint64(math.Ilogb(float64(scale))); scale == 1<<shift {
		return e.emitNew(t, OpAShr, 0, bytes, e.constantReg(I64, shift))
	}
	positive := e.emitNew(t, OpAdd, 0, bytes, e.constantReg(I64, uint64(scale)<<32))
	quotient := e.emitNew(t, OpUDiv, 0, positive, e.constantReg(I64, uint64(scale)))
	return e.emitNew(t, OpSub, 0, quotient, e.constantReg(I64, 1<<32))
}

// nearIndexes is the first index for which a distance fits into 32 bits, the number of
// these indexes, and whether that is all of them.
func (x Index) nearIndexes() (first, count int64, all bool) {
	low, high := int64(0), int64(math.MaxUint32)
	if x.Signed {
		low, high = math.MinInt32, math.MaxInt32
	}
	scale := int64(x.Scale)
	first = max(low, -floorDiv(maxAllocated+x.Shift, scale))
	last := min(high, floorDiv(maxAllocated-1-x.Shift, scale))
	return first, max(last-first+1, 0), first == low && last == high
}

func floorDiv(x, y int64) int64 {
	q := x / y
	if x%y < 0 {
		q--
	}
	return q
}

// farValue is the value that tells whether the low half of an address says nothing; nil if
// it always tells.
func (v *Value) farValue() *Value {
	if v.Bounds.Index.V != nil {
		return v.Bounds.Index.V
	}
	return v.Bounds.High
}

// orFar adds the second comparison to the first one; of gives values in so many lanes.
func (e *emitter) orFar(v *Value, bad Reg, of func(*Value) Reg, lanes int) Reg {
	var far Reg
	switch x := v.wholeIndex(); {
	case x.V != nil && !e.testsIndex(v):
		first, count, all := x.nearIndexes()
		if all {
			return bad
		}
		t := Type{I32, lanes}
		number := func(n int64) Reg { return e.emitNew(t, OpConst, uint64(uint32(n))) }
		far = e.emitNew(Type{Bool, lanes}, OpULe, 0, number(count), e.emitNew(t, OpSub, 0, of(x.V), number(first)))
	case v.Bounds.High != nil:
		far = e.emitNew(Type{Bool, lanes}, OpNe, 0, of(v.Bounds.High), of(v.Bounds.Region))
	default:
		return bad
	}
	return e.emitNew(Type{Bool, lanes}, OpOr, 0, bad, far)
}

// offsetOf is the distance of an address from the pointer that an index of one lane was
// added to.
func (e *emitter) offsetOf(x Index, index Reg) Reg {
	t, widen := scalarType(I64), OpZExt
	if x.Signed {
		widen = OpSExt
	}
	product := e.emitNew(t, OpMul, 0, e.emitNew(t, widen, 0, index), e.constantReg(I64, uint64(x.Scale)))
	return e.emitNew(t, OpAdd, 0, product, e.constantReg(I64, uint64(x.Shift)))
}

// fromLow is a number whose distance from low is known in 32 and in 64 bits, in 64 bits.
func (e *emitter) fromLow(low, offset Reg) Reg {
	from := e.emitNew(scalarType(I32), OpSub, 0, low, e.emitNew(scalarType(I32), OpWrap, 0, offset))
	return e.emitNew(scalarType(I64), OpAdd, 0, e.emitNew(scalarType(I64), OpZExt, 0, from), offset)
}

func (e *emitter) highHalf(r Reg) Reg {
	return e.emitNew(scalarType(I32), OpWrap, 0, e.emitNew(scalarType(I64), OpLShr, 0, r, e.constantReg(I64, 32)))
}

func (e *emitter) paired(low, high Reg) Reg {
	t := scalarType(I64)
	up := e.emitNew(t, OpShl, 0, e.emitNew(t, OpZExt, 0, high), e.constantReg(I64, 32))
	return e.emitNew(t, OpOr, 0, up, e.emitNew(t, OpZExt, 0, low))
}

// noteFar notes the number that the distance of an access is to be computed from: see Far.
func (e *emitter) noteFar(v *Value, distance, far Reg) {
	switch {
	case v.Bounds.Index.V != nil:
		e.setRecord(RecordFar, far)
	case v.Bounds.High != nil:
		base := e.firstOf(v.Bounds.Base)
		address := e.paired(e.emitNew(scalarType(I32), OpAdd, 0, distance, base), far)
		start := e.paired(base, e.scalarOf(v.Bounds.Region))
		e.setRecord(RecordFar, e.highHalf(e.emitNew(scalarType(I64), OpSub, 0, address, start)))
	}
}

// FarKind is the meaning of RecordFar where an access is out of bounds.
type FarKind uint8

// The kinds: nothing, an index with and without sign, the high half of the distance.
const (
	FarNothing FarKind = iota
	FarSigned
	FarUnsigned
	FarHigh
)

// Far is how the distance of an access is computed from the record: the scale and the shift
// are those of an index.
func (v *Value) Far() (kind FarKind, scale uint32, shift int64) {
	x := v.Bounds.Index
	switch {
	case x.V != nil && x.Signed:
		return FarSigned, x.Scale, x.Shift + int64(v.Off)
	case x.V != nil:
		return FarUnsigned, x.Scale, x.Shift + int64(v.Off)
	case v.Bounds.High != nil:
		return FarHigh, 0, 0
	}
	return FarNothing, 0, 0
}

// SetFar makes an access of a note, which has no operands, have a distance like that of
// the one that Far described.
func (v *Value) SetFar(kind FarKind, scale uint32, shift int64) {
	some := &Value{Op: OpConst, Kind: I32}
	switch kind {
	case FarSigned, FarUnsigned:
		v.Bounds.Index = Index{V: some, Scale: scale, Signed: kind == FarSigned, Shift: shift - int64(v.Off)}
	case FarHigh:
		v.Bounds.High = some
	}
}

// outside is not 0 for an address outside of all memory of the device.
func (e *emitter) outside(v *Value, at, far Reg) Reg {
	if v.Bounds.Index.V != nil {
		return e.highHalf(e.fromLow(at, e.offsetOf(v.wholeIndex(), far)))
	}
	return e.emitNew(scalarType(I32), OpXor, 0, far, e.scalarOf(v.Bounds.Region))
}

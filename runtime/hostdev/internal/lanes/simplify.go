package lanes

import (
	"math"

	"offlink/lazy"
)

// Simplification: as far as addresses and widened ids need it, no more.

// simplifyValue returns a value that equals the operation and is simpler, or nil.
func (b *Block) simplifyValue(op Op, k Kind, args []*Value) *Value {
	if commutative.Get()[op] && args[0].Op == OpConst && args[1].Op != OpConst {
		args[0], args[1] = args[1], args[0]
	}
	if len(args) == 2 && args[0].Op == OpConst && args[1].Op == OpConst && args[0].Kind != F32 && args[0].Kind != F64 {
		if bits, ok := foldConstants(op, args[0].Kind, args[0].Imm, args[1].Imm); ok {
			return b.f.Const(k, bits)
		}
	}
	switch op {
	case OpWrap:
		return args[0].low
	case OpZExt, OpSExt:
		if args[0].Op == OpConst {
			v := args[0].Imm
			if op == OpSExt {
				v = uint64(int64(int32(v)))
			}
			return b.f.Const(I64, v)
		}
	case OpAdd, OpSub, OpShl, OpLShr, OpAShr, OpOr, OpXor:
		if args[1].isConst(0) {
			return args[0]
		}
		if x := args[0]; op == OpAShr && k == I64 && args[1].isConst(32) && x.Op == OpShl && x.Args[1].isConst(32) {
			return b.Add(OpSExt, I64, x.Args[0].Low()) // how optimizers spell it
		}
		if v := b.foldShifts(op, k, args); v != nil {
			return v
		}
		if op == OpAdd && args[1].Op == OpConst && args[0].Op == OpAdd && args[0].Args[1].Op == OpConst {
			return b.Add(OpAdd, k, args[0].Args[0], b.f.Const(k, args[0].Args[1].Imm+args[1].Imm))
		}
	case OpMul:
		return b.simplifyMul(k, args)
	case OpEq, OpNe, OpULt, OpULe, OpSLt, OpSLe:
		return b.narrowCompare(op, args)
	case OpSelect:
		if k == Bool {
			return b.simplifyChoice(args)
		}
	case OpBool:
		if args[0].Op == OpInt {
			return args[0].Args[0]
		}
	}
	return nil
}

// simplifyChoice makes and and or of choices between a flag and a constant, which
// is how compilers spell conditions that are evaluated in order.
func (b *Block) simplifyChoice(args []*Value) *Value {
	cond, yes, no := args[0], args[1], args[2]
	switch {
	case yes.isConst(1):
		return b.Add(OpOr, Bool, cond, no)
	case no.isConst(0):
		return b.Add(OpAnd, Bool, cond, yes)
	}
	return nil
}

var commutative = lazy.Map[Op, bool]{New: func() map[Op]bool {
	return map[Op]bool{OpAdd: true, OpMul: true, OpAnd: true, OpOr: true, OpXor: true}
}}

func (v *Value) isConst(bits uint64) bool {
	return v.Op == OpConst && v.Imm == bits && v.Kind != F32 && v.Kind != F64
}

// simplifyMul makes a shift of a product by a power of two, which keeps a stride too.
func (b *Block) simplifyMul(k Kind, args []*Value) *Value {
	if args[1].Op != OpConst {
		return nil
	}
	n := args[1].Imm
	switch {
	case n == 0:
		return args[1]
	case n == 1:
		return args[0]
	case n&(n-1) == 0:
		shift := uint64(0)
		for n>>shift != 1 {
			shift++
		}
		return b.Add(OpShl, k, args[0], b.f.Const(k, shift))
	}
	return nil
}

// narrowCompare compares widened numbers in their first width. Both extensions keep the
// order of unsigned comparisons, and sign extension that of signed ones; after zero
// extension no number is negative, so a signed comparison becomes an unsigned one.
func (b *Block) narrowCompare(op Op, args []*Value) *Value {
	x, y := args[0], args[1]
	if x.Kind != I64 {
		return nil
	}
	for _, widen := range []Op{OpZExt, OpSExt} {
		nx, ok1 := narrowedOperand(x, widen)
		ny, ok2 := narrowedOperand(y, widen)
		if !ok1 || !ok2 || x.Op == OpConst && y.Op == OpConst {
			continue
		}
		switch {
		case widen == OpZExt && op == OpSLt:
			op = OpULt
		case widen == OpZExt && op == OpSLe:
			op = OpULe
		}
		return b.Add(op, Bool, nx, ny)
	}
	return nil
}

// narrowedOperand is the value that widen started from.
func narrowedOperand(v *Value, widen Op) (*Value, bool) {
	switch {
	case v.Op == widen:
		return v.Args[0], true
	case v.Op != OpConst:
		return nil, false
	case widen == OpZExt:
		return v.low, v.Imm <= math.MaxUint32
	}
	return v.low, int64(v.Imm) == int64(int32(v.Imm))
}

// foldShifts makes one shift of two to the same side by constants. An arithmetic shift
// is not among them: by the width or more it does not give 0.
func (b *Block) foldShifts(op Op, k Kind, args []*Value) *Value {
	x, n := args[0], args[1]
	if op != OpShl && op != OpLShr || x.Op != op || n.Op != OpConst || x.Args[1].Op != OpConst {
		return nil
	}
	width := uint64(32)
	if k == I64 {
		width = 64
	}
	sum := n.Imm%width + x.Args[1].Imm%width
	if sum >= width {
		return b.f.Const(k, 0)
	}
	return b.Add(op, k, x.Args[0], b.f.Const(k, sum))
}

// foldConstants computes in 64 bits: all these operations are right in the low bits, and
// Const cuts the rest off.
func foldConstants(op Op, k Kind, x, y uint64) (uint64, bool) {
	width := uint64(32)
	if k == I64 {
		width = 64
	}
	switch op {
	case OpAdd:
		return x + y, true
	case OpSub:
		return x - y, true
	case OpMul:
		return x * y, true
	case OpAnd:
		return x & y, true
	case OpOr:
		return x | y, true
	case OpXor:
		return x ^ y, true
	case OpShl:
		return x << (y % width), true
	}
	return 0, false
}

package hostdev

import (
	"offlink/runtime/hostdev/internal/lanes"
	"offlink/spirv"
)

// Indexes that loops count. One that starts near and grows by small steps comes to
// addresses that are out of bounds long before it leaves 64 bits, so that it needs no check
// of that in the innermost loops. Others do: the step may be a number that the host
// chooses, and double.

const (
	nearStart = 1 << 40 // of a constant to which steps are added
	nearStep  = 1 << 20 // of a constant that is multiplied
)

// staysNear reports whether a number of a loop is computed from counts of loops in a way that keeps
// it near.
func (l *lowering) staysNear(v *lanes.Value, depth int) bool {
	if depth > maxRangeDepth {
		return false
	}
	near := func(i int) bool { return l.staysNear(v.Args[i], depth+1) }
	switch v.Op {
	case lanes.OpGet:
		return l.counts[v.Reg]
	case lanes.OpConst:
		return isNearNumber(int64(v.Imm), nearStart)
	case lanes.OpZExt, lanes.OpSExt:
		return true
	case lanes.OpAdd, lanes.OpSub, lanes.OpAnd, lanes.OpOr, lanes.OpXor:
		return near(0) && near(1)
	case lanes.OpSelect:
		return near(1) && near(2)
	case lanes.OpMul:
		return near(0) && near(1) && (isNarrow(v.Args[0]) || isNarrow(v.Args[1]))
	case lanes.OpShl:
		return near(0) && v.Args[1].Op == lanes.OpConst && v.Args[1].Imm <= 20
	case lanes.OpLShr, lanes.OpAShr, lanes.OpUDiv, lanes.OpSDiv, lanes.OpURem, lanes.OpSRem:
		return near(0)
	}
	return false
}

// isNarrow reports whether a number is a small constant or one of 32 bits.
func isNarrow(v *lanes.Value) bool {
	return v.Op == lanes.OpZExt || v.Op == lanes.OpSExt || v.Op == lanes.OpConst && isNearNumber(int64(v.Imm), nearStep)
}

func isNearNumber(n, most int64) bool { return n >= -most && n <= most }

// counting finds phis that count in small steps.
type counting struct {
	l    *lowering
	open map[spirv.ID]bool // phis that are looked at
	left int               // instructions to look at
}

// maxCounting bounds the instructions that are looked at for a phi.
const maxCounting = 64

// countsNear reports whether a phi counts in small steps from a near start.
func (l *lowering) countsNear(phi *spirv.Instruction) bool {
	c := &counting{l, map[spirv.ID]bool{}, maxCounting}
	near, _ := c.near(phi.Result())
	return near
}

// near reports whether a number is near as far as the phis are that are open, and whether it depends
// on one of these: a sum of two such may double in each iteration.
func (c *counting) near(id spirv.ID) (near, depends bool) {
	if c.left--; c.left < 0 {
		return false, false
	}
	if c.open[id] {
		return true, true
	}
	def := c.l.p.module.Def(id)
	if def == nil {
		return false, false
	}
	ops := def.Operands()
	switch def.Op {
	case spirv.OpConstant, spirv.OpConstantNull, spirv.OpSpecConstant:
		n, ok := c.l.p.constantInt(id)
		return ok && isNearNumber(int64(n), nearStart), false
	case spirv.OpUConvert, spirv.OpSConvert:
		return c.l.typeOf(c.l.p.module.TypeOf(spirv.ID(ops[0]))).scalar().width <= 32, false
	case spirv.OpCompositeExtract, spirv.OpLoad:
		return c.isBuiltin(spirv.ID(ops[0])), false
	case spirv.OpPhi:
		return c.nearPhi(id, ops)
	case spirv.OpIAdd, spirv.OpISub, spirv.OpBitwiseAnd, spirv.OpBitwiseOr, spirv.OpBitwiseXor:
		x, first := c.near(spirv.ID(ops[0]))
		y, second := c.near(spirv.ID(ops[1]))
		return x && y && !(first && second), first || second
	case spirv.OpSelect:
		x, first := c.near(spirv.ID(ops[1]))
		y, second := c.near(spirv.ID(ops[2]))
		return x && y, first || second
	case spirv.OpUDiv, spirv.OpSDiv, spirv.OpUMod, spirv.OpSRem, spirv.OpShiftRightLogical, spirv.OpShiftRightArithmetic:
		return c.near(spirv.ID(ops[0]))
	}
	return false, false
}

func (c *counting) nearPhi(id spirv.ID, ops []uint32) (near, depends bool) {
	c.open[id] = true
	defer delete(c.open, id)
	near = true
	for ; len(ops) > 1; ops = ops[2:] {
		one, inner := c.near(spirv.ID(ops[0]))
		near, depends = near && one, depends || inner
	}
	return near, depends && len(c.open) > 1
}

// isBuiltin reports whether a number is a part of a built-in variable: an id or a size.
func (c *counting) isBuiltin(id spirv.ID) bool {
	if v := c.l.p.variables[id]; v != nil {
		return v.isBuiltin
	}
	def := c.l.p.module.Def(id)
	if def == nil {
		return false
	}
	switch def.Op {
	case spirv.OpLoad, spirv.OpAccessChain, spirv.OpInBoundsAccessChain, spirv.OpPtrAccessChain, spirv.OpInBoundsPtrAccessChain, spirv.OpBitcast, spirv.OpPtrCastToGeneric, spirv.OpGenericCastToPtr:
		return c.isBuiltin(spirv.ID(def.Operands()[0]))
	}
	return false
}

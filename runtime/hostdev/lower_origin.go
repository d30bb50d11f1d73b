package hostdev

import (
	"offlink/runtime/hostdev/internal/lanes"
	"offlink/spirv"
)

// The allocations of pointers that come from memory or out of numbers: where
// such a pointer is made, the table of allocations tells where it leads.

// rootIn is the allocation of a pointer that is used in a block.
func (l *lowering) rootIn(b *lanes.Block, p lowered) *lanes.Bounds {
	if p.root != nil {
		return p.root
	}
	own := l.b
	l.b = b
	root := l.origin(p.words[0])
	l.b = own
	return root
}

// origin looks a pointer up. One that is not of the device's memory has an allocation of
// no bytes. An access beyond the bounds that are found looks at the table again
// (Bounds.Table): arithmetic may have moved the pointer to another allocation, which the
// interpreter allows.
func (l *lowering) origin(p *lanes.Value) *lanes.Bounds {
	b := l.b
	if p.Op == lanes.OpConst && p.Imm == 0 {
		return &lanes.Bounds{Base: l.i32(lanes.Foreign), Len: l.i32(0), Table: true}
	}
	granule := b.Add(lanes.OpLShr, lanes.I32, p.Low(), l.i32(lanes.TableShift))
	entry := b.Add(lanes.OpAdd, lanes.I32, b.Add(lanes.OpShl, lanes.I32, granule, l.i32(3)), l.i32(lanes.TableAddress))
	size := b.LoadFixed(lanes.I32, 4, entry)
	start := b.LoadFixed(lanes.I32, 4, b.Add(lanes.OpAdd, lanes.I32, entry, l.i32(4)))
	high := b.Add(lanes.OpLShr, lanes.I64, p, l.f.Const(lanes.I64, 32)).Low()
	ours := b.Add(lanes.OpEq, lanes.Bool, high, l.f.Arg(lanes.I32, lanes.RecordBase+4))
	choose := func(yes bool, cond, v *lanes.Value, other int64) *lanes.Value {
		if yes {
			return b.Add(lanes.OpSelect, lanes.I32, cond, v, l.i32(other))
		}
		return b.Add(lanes.OpSelect, lanes.I32, cond, l.i32(other), v)
	}
	length := choose(true, ours, size, 0)
	constant := b.Add(lanes.OpBool, lanes.Bool, b.Add(lanes.OpAnd, lanes.I32, start, l.i32(lanes.TableReadOnly)))
	return &lanes.Bounds{
		Base:     choose(true, ours, b.Add(lanes.OpAnd, lanes.I32, start, l.i32(lanes.TableStarts)), lanes.Foreign),
		Len:      length,
		Writable: choose(false, constant, length, 0),
		Table:    true,
	}
}

// chosenRoot is the allocation of one of two pointers.
func (l *lowering) chosenRoot(cond *lanes.Value, x, y lowered) *lanes.Bounds {
	p, q := l.rootIn(l.b, x), l.rootIn(l.b, y)
	if *p == *q {
		return p
	}
	choose := func(x, y *lanes.Value) *lanes.Value { return l.b.Add(lanes.OpSelect, lanes.I32, cond, x, y) }
	writable := func(b *lanes.Bounds) *lanes.Value {
		if b.Writable == nil {
			return b.Len
		}
		return b.Writable
	}
	return &lanes.Bounds{
		Base: choose(p.Base, q.Base), Len: choose(p.Len, q.Len), Writable: choose(writable(p), writable(q)), Table: true,
	}
}

// lowerExplicitCast gives null for a pointer into another kind of memory. In compiled code
// local and private memory are parts of the one region, told apart by their ranges.
func (l *lowering) lowerExplicitCast(in *spirv.Instruction) {
	p := l.spell(l.arg(in, 0))
	is := l.isLocal(p)
	switch spirv.StorageClass(in.Operands()[1]) {
	case spirv.StorageWorkgroup:
	case spirv.StorageFunction:
		is = l.isPrivate(p)
	default:
		either := l.b.Add(lanes.OpOr, lanes.Bool, is, l.isPrivate(p))
		is = l.b.Add(lanes.OpXor, lanes.Bool, either, l.f.Const(lanes.Bool, 1))
	}
	null := l.f.Const(lanes.I64, 0)
	l.define(in, []*lanes.Value{l.b.Add(lanes.OpSelect, lanes.I64, is, p.words[0], null)})
}

// lowerMemSemantics gives the bit of the memory that a generic pointer leads to, and none for
// null. The pointer itself does not tell, as it does in the interpreter.
func (l *lowering) lowerMemSemantics(in *spirv.Instruction) {
	p := l.spell(l.arg(in, 0))
	choose := func(is *lanes.Value, s space, other *lanes.Value) *lanes.Value {
		return l.b.Add(lanes.OpSelect, lanes.I32, is, l.f.Const(lanes.I32, memorySemantics[s]), other)
	}
	bits := choose(l.isPrivate(p), spacePrivate, l.f.Const(lanes.I32, memorySemantics[spaceGlobal]))
	bits = choose(l.isLocal(p), spaceLocal, bits)
	isNull := l.b.Add(lanes.OpEq, lanes.Bool, p.words[0], l.f.Const(lanes.I64, 0))
	l.define(in, []*lanes.Value{l.b.Add(lanes.OpSelect, lanes.I32, isNull, l.f.Const(lanes.I32, 0), bits)})
}

func (l *lowering) isLocal(p lowered) *lanes.Value {
	return l.isWithin(p, lanes.RecordMemory, lanes.RecordRoom)
}

func (l *lowering) isPrivate(p lowered) *lanes.Value {
	return l.isWithin(p, lanes.RecordFrame, lanes.RecordFrames)
}

// isWithin reports whether a pointer leads to the memory that the record of the work-group
// describes with a base and a size.
func (l *lowering) isWithin(p lowered, base, size uint32) *lanes.Value {
	from := l.b.Add(lanes.OpSub, lanes.I32, p.words[0].Low(), l.f.Arg(lanes.I32, base))
	return l.b.Add(lanes.OpULt, lanes.Bool, from, l.f.Arg(lanes.I32, size))
}

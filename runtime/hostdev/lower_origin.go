package hostdev

import (
	"math/bits"

	"offlink/runtime/driver"
	"offlink/runtime/hostdev/internal/lanes"
	"offlink/spirv"
)

// The allocations of pointers that are chosen among several, read from memory or made of numbers.
// A chosen one keeps its allocation; that of the others is looked up in the table of allocations.

// rootKey is a pointer in a variable that has registers.
type rootKey struct {
	variable int
	offset   int64
}

// loadRoot gives a pointer that comes from a register its allocation, where that was stored too.
func (l *lowering) loadRoot(from lowered, v *lowered) bool {
	leaf := l.pointerLeaf(from)
	if leaf == nil || leaf.root == nil {
		return false
	}
	v.root = l.readRoot(leaf.root, v.t.storage)
	v.steps.unknown = l.roots[rootKey{from.place.v.number, leaf.offset}]
	return true
}

// rootToStore is the allocation of a pointer that is stored, where it is known and has registers
// beside the pointer's; the round after this one has them, if need be.
func (l *lowering) rootToStore(to, v lowered) *lanes.Bounds {
	p := to.place
	if p == nil || p.v == nil || p.v.mode != modeRegisters || len(p.indexes) > 0 || v.root == nil {
		return nil
	}
	key := rootKey{p.v.number, p.offset}
	moved, known := l.roots[key]
	if !known && v.root.Looked {
		return nil // it can be looked up again
	}
	if !known || !v.steps.isStart() && !moved {
		l.roots[key] = !v.steps.isStart()
		l.failed = true
	}
	return v.root
}

// pointerLeaf is the register that a pointer to a pointer leads to, nil if it leads elsewhere.
func (l *lowering) pointerLeaf(p lowered) *variableLeaf {
	if p.place == nil || p.place.v == nil || p.place.v.mode != modeRegisters || len(p.place.indexes) > 0 {
		return nil
	}
	for _, leaf := range p.place.v.leaves {
		if leaf.offset == p.place.offset && leaf.reg.Kind == lanes.I64 {
			return leaf
		}
	}
	return nil
}

// newRootRegs makes registers for an allocation.
func (l *lowering) newRootRegs() []*lanes.Register {
	return []*lanes.Register{l.f.NewRegister(lanes.I32), l.f.NewRegister(lanes.I32), l.f.NewRegister(lanes.I32)}
}

// readRoot reads an allocation, which may be one of several.
func (l *lowering) readRoot(regs []*lanes.Register, storage spirv.StorageClass) *lanes.Bounds {
	return &lanes.Bounds{
		Base: l.b.Get(regs[0]), Len: l.b.Get(regs[1]), Writable: l.b.Get(regs[2]), Table: !l.kept.keep(regs[0]),
		Memory: memoryOf(storage),
	}
}

// memoryOf is the kind of memory of a pointer for messages.
func memoryOf(storage spirv.StorageClass) string {
	switch storage {
	case spirv.StorageWorkgroup:
		return spaceNames[spaceLocal]
	case spirv.StorageFunction:
		return spaceNames[spacePrivate]
	case spirv.StorageUniformConstant:
		return constantMemory
	case spirv.StorageGeneric:
		return "memory" // of any kind
	}
	return spaceNames[spaceGlobal]
}

// setRoot sets the registers of an allocation at the end of a block.
func (l *lowering) setRoot(b *lanes.Block, regs []*lanes.Register, root *lanes.Bounds) {
	l.kept.set(regs[0], root)
	b.Set(regs[0], root.Base)
	b.Set(regs[1], root.Len)
	writable := root.Writable
	if writable == nil {
		writable = root.Len
	}
	b.Set(regs[2], writable)
}

// rootIn is the allocation of a pointer that is used in a block.
func (l *lowering) rootIn(b *lanes.Block, p lowered) *lanes.Bounds {
	if p.root != nil {
		return p.root
	}
	own := l.b
	l.b = b
	root := l.origin(p.words[0], p.t.storage)
	l.b = own
	return root
}

// origin looks a pointer up. One that is not of the device's memory has an allocation of
// no bytes. An access beyond the bounds that are found looks at the table again
// (Bounds.Table): arithmetic may have moved the pointer to another allocation, which the
// interpreter allows.
func (l *lowering) origin(p *lanes.Value, storage spirv.StorageClass) *lanes.Bounds {
	b := l.b
	if p.Op == lanes.OpConst && p.Imm == 0 {
		return &lanes.Bounds{Base: l.i32(lanes.Foreign), Len: l.i32(0), Memory: memoryOf(storage), Looked: true}
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
	root := &lanes.Bounds{
		Base:     choose(true, ours, b.Add(lanes.OpAnd, lanes.I32, start, l.i32(lanes.TableStarts)), lanes.Foreign),
		Len:      length,
		Writable: choose(false, constant, length, 0),
		Table:    true,
		Looked:   true,
	}
	l.lookInRooms(root, p.Low(), ours, storage)
	return root
}

// maxSearched bounds the variables of a kind among which the one that a pointer leads to is
// looked for: each takes three operations.
const maxSearched = 16

// lookInRooms finds the variable of private or local memory that a pointer of the region leads
// to, or of whose end it is. Of more than maxSearched variables the allocation is all of them.
func (l *lowering) lookInRooms(root *lanes.Bounds, p, ours *lanes.Value, storage spirv.StorageClass) {
	b := l.b
	either := storage == spirv.StorageGeneric
	within := func(base, size uint32) *lanes.Value {
		from := b.Add(lanes.OpSub, lanes.I32, p, l.f.Arg(lanes.I32, base))
		return b.Add(lanes.OpAnd, lanes.Bool, ours, b.Add(lanes.OpULe, lanes.Bool, from, l.f.Arg(lanes.I32, size)))
	}
	if l.asked = l.asked || either || storage == spirv.StorageFunction; len(l.before) > 0 && (either || storage == spirv.StorageFunction) {
		base, size := l.searchFrame(p)
		l.replaceRoot(root, within(lanes.RecordFrame, lanes.RecordFrames), base, size)
	}
	if either || storage == spirv.StorageWorkgroup {
		if base, size := l.searchLocal(p); base != nil {
			l.replaceRoot(root, within(lanes.RecordMemory, lanes.RecordRoom), base, size)
		}
	}
}

// replaceRoot is another allocation if a condition holds.
func (l *lowering) replaceRoot(root *lanes.Bounds, is, base, size *lanes.Value) {
	choose := func(x, y *lanes.Value) *lanes.Value { return l.b.Add(lanes.OpSelect, lanes.I32, is, x, y) }
	root.Base, root.Len, root.Writable = choose(base, root.Base), choose(size, root.Len), choose(size, root.Writable)
}

// searchFrame is the variable of a work-item of the group that an address of private memory lies
// in. It need not be the work-item's own: hierarchical parallelism of SYCL has the first
// work-item leave a pointer to its variable for the others, which have a copy of the same value
// in theirs.
func (l *lowering) searchFrame(p *lanes.Value) (base, size *lanes.Value) {
	b, list := l.b, l.before
	frame := l.frameWith(p)
	if len(list) > maxSearched {
		last := list[len(list)-1]
		return frame, l.i32(last.at + last.size)
	}
	at := l.i32(list[0].at)
	size = l.i32(list[0].size)
	from := b.Add(lanes.OpSub, lanes.I32, p, frame)
	for _, v := range list[1:] {
		is := b.Add(lanes.OpULe, lanes.Bool, l.i32(v.at), from)
		at = b.Add(lanes.OpSelect, lanes.I32, is, l.i32(v.at), at)
		size = b.Add(lanes.OpSelect, lanes.I32, is, l.i32(v.size), size)
	}
	return b.Add(lanes.OpAdd, lanes.I32, frame, at), size
}

// frameWith is the start of the frame that an address of private memory lies in. Frames have one
// size and follow each other, so that a division by it tells which one it is; the multiplication
// that stands for it is exact up to maxGroupPrivate bytes.
func (l *lowering) frameWith(p *lanes.Value) *lanes.Value {
	b, last := l.b, l.before[len(l.before)-1]
	size := uint64(frameEnd(last.at, last.size))
	shift := 32 + uint64(bits.Len64(size-1))
	inverse := (1<<shift + size - 1) / size
	all := l.f.Arg(lanes.I32, lanes.RecordFrame)
	from := b.Add(lanes.OpZExt, lanes.I64, b.Add(lanes.OpSub, lanes.I32, p, all))
	number := b.Add(lanes.OpLShr, lanes.I64, b.Add(lanes.OpMul, lanes.I64, from, l.f.Const(lanes.I64, inverse)), l.f.Const(lanes.I64, shift)).Low()
	return b.Add(lanes.OpAdd, lanes.I32, all, b.Add(lanes.OpMul, lanes.I32, number, l.i32(int64(size))))
}

// searchLocal is the variable or argument that an address of local memory lies in; nil if there
// are too many.
func (l *lowering) searchLocal(p *lanes.Value) (base, size *lanes.Value) {
	b := l.b
	if len(l.k.locals)+len(l.k.params) > maxSearched {
		return nil, nil
	}
	consider := func(start, n *lanes.Value) {
		if base == nil {
			base, size = start, n
			return
		}
		is := b.Add(lanes.OpULe, lanes.Bool, b.Add(lanes.OpSub, lanes.I32, p, start), n)
		if n.Op != lanes.OpConst {
			is = b.Add(lanes.OpAnd, lanes.Bool, is, b.Add(lanes.OpBool, lanes.Bool, n))
		}
		base = b.Add(lanes.OpSelect, lanes.I32, is, start, base)
		size = b.Add(lanes.OpSelect, lanes.I32, is, n, size)
	}
	for _, v := range l.k.locals {
		consider(b.Add(lanes.OpAdd, lanes.I32, l.f.Arg(lanes.I32, lanes.RecordMemory), l.i32(l.locals[v.index])), l.i32(v.t.size))
	}
	for i := range l.k.params {
		if p := &l.k.params[i]; p.Kind == driver.ParamLocal {
			root := l.rootOf(p)
			consider(root.Base, root.Len)
		}
	}
	return base, size
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
		Base: choose(p.Base, q.Base), Len: choose(p.Len, q.Len), Writable: choose(writable(p), writable(q)),
		Table: p.Table || q.Table, Memory: memoryOf(x.t.storage),
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

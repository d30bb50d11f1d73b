package hostdev

import (
	"offlink/runtime/hostdev/internal/lanes"
	"offlink/spirv"
)

// word is a word of a type: how the form has it.
type word struct {
	kind  kind // kindBool, kindInt, kindFloat, kindPointer or kindEvent
	width int
	lane  lanes.Kind
}

// wordsOf lists the words of a type.
func wordsOf(t *typ) []word { return appendWords(nil, t) }

func appendWords(list []word, t *typ) []word {
	switch t.kind {
	case kindVector, kindArray:
		for range t.count {
			list = appendWords(list, t.elem)
		}
		return list
	case kindStruct:
		for _, m := range t.members {
			list = appendWords(list, m)
		}
		return list
	case kindVoid:
		return list
	}
	return append(list, scalarWord(t))
}

// scalarWord says how the form has a scalar. Integers up to 32 bits share a
// kind, with zeros above their width, as the interpreter's words have them:
// values pass between the two as they are.
func scalarWord(t *typ) word {
	w := word{kind: t.kind, width: t.width, lane: lanes.I32}
	switch {
	case t.kind == kindBool:
		w.lane = lanes.Bool
	case t.kind == kindFloat && t.width == 32:
		w.lane = lanes.F32
	case t.kind == kindFloat && t.width == 64:
		w.lane = lanes.F64
	case t.kind == kindInt && t.width > 32, t.kind == kindEvent, t.kind == kindPointer:
		w.lane = lanes.I64
	case t.kind == kindImage, t.kind == kindSampler:
		w = word{kind: kindInt, width: handleWidth, lane: lanes.I64}
	}
	return w
}

// maxLoweredWords is the most words of one value: each becomes a value of the form.
const maxLoweredWords = 1024

func (l *lowering) typeOf(id spirv.ID) *typ {
	t, err := l.p.types.get(id)
	if err != nil {
		l.unsupported("%v", err)
	}
	if t.words > maxLoweredWords {
		l.unsupported("values of %d words", t.words)
	}
	return t
}

// define gives the instruction's result its words.
func (l *lowering) define(in *spirv.Instruction, words []*lanes.Value) {
	v := lowered{t: l.typeOf(in.Type()), words: words}
	if v.t.kind == kindPointer {
		v.root = l.origin(words[0], v.t.storage)
	}
	l.call().values[in.Result()] = v
}

func (l *lowering) arg(in *spirv.Instruction, i int) lowered {
	return l.value(spirv.ID(in.Operands()[i]))
}

// value is the value that an identifier names.
func (l *lowering) value(id spirv.ID) lowered {
	if v, ok := l.call().values[id]; ok {
		return v
	}
	if v := l.p.variables[id]; v != nil {
		return l.variable(v)
	}
	c, err := l.p.constant(id)
	if err != nil {
		l.unsupported("%v", err)
	}
	return l.constant(c)
}

func (l *lowering) constant(c *constant) lowered {
	v := lowered{t: c.t}
	// Ahead of time an address is not known. Otherwise it is, as variables have
	// their memory before a kernel is compiled.
	addresses := 0 // a pointer to a function is its number
	for _, id := range c.uses {
		switch {
		case l.p.bodies[id] != nil:
			continue
		case l.p.variables[id].memory == nil:
			l.unsupported("a constant with the address of something that is not in memory")
		}
		addresses++
	}
	if addresses > 0 && l.p.device.aot {
		return l.constantAhead(c)
	}
	for i, w := range wordsOf(c.t) {
		v.words = append(v.words, l.f.Const(w.lane, c.words[i]))
	}
	return v
}

func (l *lowering) zero(t *typ) lowered {
	v := lowered{t: t}
	for _, w := range wordsOf(t) {
		v.words = append(v.words, l.f.Const(w.lane, 0))
	}
	return v
}

// variable is the address of a program-scope variable.
func (l *lowering) variable(v *variable) lowered {
	t := l.p.constants[v.id].t
	switch {
	case v.isBuiltin:
		return lowered{t: t, place: &place{builtin: v}}
	case v.storage == spirv.StorageWorkgroup:
		base := l.f.Arg(lanes.I32, lanes.RecordMemory)
		at := l.b.Add(lanes.OpAdd, lanes.I32, base, l.i32(l.locals[v.index]))
		return lowered{t: t, words: []*lanes.Value{l.flat(at)}, root: &lanes.Bounds{Base: at, Len: l.i32(v.t.size), Memory: spaceNames[spaceLocal], Own: true}}
	}
	c := l.constant(l.p.constants[v.id])
	size := l.i32(v.memory.Size())
	c.root = &lanes.Bounds{Base: c.words[0].Low(), Len: size, Memory: memoryOf(v.storage)}
	if v.storage == spirv.StorageUniformConstant {
		c.root.Writable = l.i32(0)
	}
	return c
}

func (l *lowering) i32(n int64) *lanes.Value { return l.f.Const(lanes.I32, uint64(n)) }

// fromWord makes a word's value of the 64 bits that the interpreter has.
func (l *lowering) fromWord(v *lanes.Value, w word) *lanes.Value {
	switch w.lane {
	case lanes.I64:
		return v
	case lanes.F64:
		return l.b.Add(lanes.OpCast, lanes.F64, v)
	case lanes.F32:
		return l.b.Add(lanes.OpCast, lanes.F32, v.Low())
	case lanes.Bool:
		return l.b.Add(lanes.OpBool, lanes.Bool, v.Low())
	}
	return v.Low()
}

// toWord makes the 64 bits that the interpreter has of a word's value.
func (l *lowering) toWord(v *lanes.Value) *lanes.Value {
	b := l.b
	switch v.Kind {
	case lanes.I64:
		return v
	case lanes.F64:
		return b.Add(lanes.OpCast, lanes.I64, v)
	case lanes.F32:
		return b.Add(lanes.OpZExt, lanes.I64, b.Add(lanes.OpCast, lanes.I32, v))
	case lanes.Bool:
		return b.Add(lanes.OpZExt, lanes.I64, b.Add(lanes.OpInt, lanes.I32, v))
	}
	return b.Add(lanes.OpZExt, lanes.I64, v)
}

// spell makes a value of a place: the address of the variable, which then is
// in memory.
func (l *lowering) spell(v lowered) lowered {
	if v.place == nil {
		return v
	}
	at := v.place
	to := lowered{t: v.t, words: []*lanes.Value{l.addressOf(v)}}
	start := l.b.ID(lanes.OpFrame, at.v.at)
	to.root = &lanes.Bounds{Base: start, Len: l.i32(at.v.t.size), Memory: spaceNames[spacePrivate]}
	to.steps = steps{from: start, indexes: at.indexes, offset: at.offset}
	return to
}

// flat is the pointer to a place in the region, whose addresses have one high
// half.
func (l *lowering) flat(at *lanes.Value) *lanes.Value {
	return l.b.AddLow(l.f.Arg(lanes.I64, lanes.RecordBase), at)
}

const constantMemory = "constant memory"

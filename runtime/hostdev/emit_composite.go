package hostdev

import "offlink/spirv"

// Composites: a part is a run of the composite's words, so that extracting
// one needs no code.

func registerCompositeEmitters() {
	emitters.register(func() map[spirv.Opcode]func(*builder, *spirv.Instruction) {
		return map[spirv.Opcode]func(*builder, *spirv.Instruction){
			spirv.OpCompositeConstruct:   (*builder).emitConstruct,
			spirv.OpCompositeExtract:     (*builder).emitExtract,
			spirv.OpCompositeInsert:      (*builder).emitInsert,
			spirv.OpVectorExtractDynamic: (*builder).emitExtractDynamic,
			spirv.OpVectorInsertDynamic:  (*builder).emitInsertDynamic,
			spirv.OpVectorShuffle:        (*builder).emitShuffle,
			spirv.OpCopyObject:           (*builder).emitCopyObject,
			spirv.OpCopyLogical:          (*builder).emitCopyObject,
			spirv.OpExpectKHR:            (*builder).emitExpect,
		}
	})
}

// emitConstruct concatenates parts; those of a vector may be scalars and
// smaller vectors.
func (b *builder) emitConstruct(in *spirv.Instruction) {
	t := b.result(in)
	var from []int32
	for i, id := range in.Operands() {
		v := b.value(spirv.ID(id))
		if t.kind == kindVector {
			b.requireSameWords(v.t.scalar(), t.elem)
		} else {
			part, _, _, ok := t.part(uint64(i))
			b.require(ok, "it has more parts than its type")
			b.requireSameWords(v.t, part)
		}
		for w := range int32(v.t.words) {
			from = append(from, v.at+w)
		}
	}
	b.require(int64(len(from)) == t.words, "its parts are not those of its type")
	b.gatherWords(b.defineResult(in), from)
}

// gatherWords copies words into a value.
func (b *builder) gatherWords(to value, from []int32) {
	var into []int32
	for i := range from {
		into = append(into, to.at+int32(i))
	}
	if len(into) > 0 {
		b.moveWords(into, from)
	}
}

// partOf follows literal indexes into a composite.
func (b *builder) partOf(v value, indexes []uint32) value {
	for _, i := range indexes {
		part, _, word, ok := v.t.part(uint64(i))
		b.require(ok, "%s has no part %d", b.typeName(v.t), i)
		v = value{v.at + int32(word), part}
	}
	return v
}

func (b *builder) emitExtract(in *spirv.Instruction) {
	part := b.partOf(b.arg(in, 0), in.Operands()[1:])
	b.requireSameWords(part.t, b.result(in))
	b.aliasResult(in, part)
}

// emitInsert copies the composite and then overwrites the part: the operand keeps its
// value, which other instructions may use.
func (b *builder) emitInsert(in *spirv.Instruction) {
	object, composite, to := b.arg(in, 0), b.arg(in, 1), b.defineResult(in)
	b.requireSameWords(composite.t, to.t)
	b.copyWords(to.at, composite)
	part := b.partOf(to, in.Operands()[2:])
	b.requireSameWords(part.t, object.t)
	b.copyWords(part.at, object)
}

// copyWords copies a run of words. In checked mode the shadows go with them, and the copy
// does not count as a computation, whose result would get a shadow of its own.
func (b *builder) copyWords(to int32, from value) {
	computes := b.computes
	b.emit(inst{step: stepCopyWords, dst: to, a: from.at, n: int32(from.t.words)})
	if b.checked {
		var into []int32
		for i := range int32(from.t.words) {
			into = append(into, to+i)
		}
		b.moveShadows(into, listWords(from), computes)
	}
}

func stepCopyWords(it *item, in *inst) status {
	copy(it.s[in.dst:in.dst+in.n], it.s[in.a:in.a+in.n])
	return running
}

// emitExtractDynamic gives 0 for an index out of range, which SPIR-V leaves
// undefined.
func (b *builder) emitExtractDynamic(in *spirv.Instruction) {
	v, i, to := b.arg(in, 0), b.integerOperand(b.arg(in, 1)), b.defineResult(in)
	b.require(v.t.kind == kindVector, "the operand is not a vector")
	b.requireSameWords(v.t.elem, to.t)
	b.emit(inst{step: stepExtract, dst: to.at, a: v.at, b: i.at, n: int32(v.t.words)})
}

func stepExtract(it *item, in *inst) status {
	v := uint64(0)
	if i := it.s[in.b]; i < uint64(in.n) {
		v = it.s[in.a+int32(i)]
	}
	it.s[in.dst] = v
	return running
}

// emitInsertDynamic gives the vector as it was for an index out of range, which SPIR-V
// leaves undefined.
func (b *builder) emitInsertDynamic(in *spirv.Instruction) {
	v, part, i, to := b.arg(in, 0), b.arg(in, 1), b.integerOperand(b.arg(in, 2)), b.defineResult(in)
	b.require(v.t.kind == kindVector, "the operand is not a vector")
	b.requireSameWords(v.t, to.t)
	b.requireSameWords(v.t.elem, part.t)
	b.copyWords(to.at, v)
	b.emit(inst{step: stepInsert, dst: to.at, a: part.at, b: i.at, n: int32(v.t.words)})
}

func stepInsert(it *item, in *inst) status {
	if i := it.s[in.b]; i < uint64(in.n) {
		it.s[in.dst+int32(i)] = it.s[in.a]
	}
	return running
}

// emitShuffle gives the first component for the literal 0xFFFFFFFF, which
// selects an undefined one.
func (b *builder) emitShuffle(in *spirv.Instruction) {
	x, y, to := b.arg(in, 0), b.arg(in, 1), b.defineResult(in)
	picks := in.Operands()[2:]
	b.require(x.t.kind == kindVector && y.t.kind == kindVector && to.t.kind == kindVector, "an operand is not a vector")
	b.requireSameWords(x.t.elem, to.t.elem)
	b.requireSameWords(y.t.elem, to.t.elem)
	b.require(int64(len(picks)) == to.t.words, "%d components for a vector of %d", len(picks), to.t.words)
	var from []int32
	for _, pick := range picks {
		switch n := uint32(x.t.words); {
		case pick < n:
			from = append(from, x.at+int32(pick))
		case pick-n < uint32(y.t.words):
			from = append(from, y.at+int32(pick-n))
		default:
			b.require(pick == ^uint32(0), "there is no component %d", pick)
			from = append(from, x.at)
		}
	}
	b.gatherWords(to, from)
}

func (b *builder) emitCopyObject(in *spirv.Instruction) {
	v, t := b.arg(in, 0), b.result(in)
	b.requireSameWords(v.t, t)
	b.aliasResult(in, value{v.at, t})
}

// emitExpect gives the first operand; the second one is its likely value.
func (b *builder) emitExpect(in *spirv.Instruction) { b.emitCopyObject(in) }

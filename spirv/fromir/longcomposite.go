package fromir

import (
	"slices"

	"offlink/lazy"
	"offlink/spirv"
)

// longComposites is the extension for structs and constants with more parts than fit into
// one instruction.
const longComposites = "SPV_INTEL_long_composites"

// longComposite notes the extension that a struct or constant of many parts needs.
func (t *translator) longComposite(things string, n int) {
	if !t.options.allowsExtension(longComposites) {
		t.failKind(ErrorExtension, longComposites, "%s of %d elements do not fit into an instruction; allow the extension %s with --spirv-ext=+%[3]s", things, n, longComposites)
	}
	t.useExtension(longComposites)
	t.useCapabilities(6089)
}

// continuations are the instructions that continue others, and how many words of the first
// come before its parts.
var continuations = lazy.Map[spirv.Opcode, continuationRow]{New: func() map[spirv.Opcode]continuationRow {
	return map[spirv.Opcode]continuationRow{
		spirv.OpTypeStruct:            {spirv.OpTypeStructContinuedINTEL, 1},
		spirv.OpConstantComposite:     {spirv.OpConstantCompositeContinuedINTEL, 2},
		spirv.OpSpecConstantComposite: {spirv.OpSpecConstantCompositeContinuedINTEL, 2},
	}
}}

// continuationRow is a row of continuations.
type continuationRow struct {
	op    spirv.Opcode
	fixed int
}

// appendLongEntry appends an instruction with more words than one may have, as its first part
// and the instructions that continue it. Each but the last has as many parts as the first, as
// in the modules of the Khronos translator.
func (m *image) appendLongEntry(words []uint32, e *shared) []uint32 {
	next, ok := continuations.Get()[e.op]
	if !ok {
		headWord(len(e.words)+1, e.op) // refuses it
	}
	all := slices.Clone(e.words)
	for _, r := range e.relocs {
		all[r.at] = m.numbers[r.entry.index]
	}
	each := maxWords - 1 - next.fixed
	op, first := e.op, each+next.fixed
	for at := 0; at < len(all); op = next.op {
		part := all[at:min(at+first, len(all))]
		words = append(append(words, headWord(len(part)+1, op)), part...)
		at += len(part)
		first = each
	}
	return words
}

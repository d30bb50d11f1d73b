package fromir

import (
	"math"

	"offlink/ir"
	"offlink/lazy"
	"offlink/spirv"
)

// need is the extension and the capability of a decoration or an execution mode.
type need struct {
	extension  string
	capability uint32
}

// decorationNeeds are the decorations of extensions.
var decorationNeeds = lazy.Map[uint32, need]{New: newDecorationNeeds}

// newDecorationNeeds names most decorations by their numbers: those come only from metadata, which has
// numbers too.
func newDecorationNeeds() map[uint32]need {
	table := map[uint32]need{
		decArgumentAttribute: {"SPV_INTEL_function_pointers", capFunctionPointers},
		decMediaBlockIO:      {"SPV_INTEL_vector_compute", capVectorCompute},
		decBufferLocation:    {"SPV_INTEL_fpga_buffer_location", 5920},
		decRuntimeAligned:    {"SPV_INTEL_runtime_aligned", 5939},
		decMaxError:          {"SPV_INTEL_fp_max_error", 6169},
		decIOPipeStorage:     {"SPV_INTEL_io_pipes", 5943},
	}
	for _, row := range []struct {
		need
		decorations []uint32
	}{
		{need{"SPV_INTEL_vector_compute", capVectorCompute}, []uint32{5599, 5624, 5625, 5626, 5627, 5628, 6085, 6087}},
		{need{"SPV_INTEL_float_controls2", 5821}, []uint32{5822, 5823, 6080}},
		{need{"SPV_INTEL_fpga_memory_attributes", 5824}, []uint32{5825, 5826, 5827, 5828, 5829, 5830, 5831, 5832, 5833, 5834, 5835, 5836, 5883, 5884, 5885}},
		{need{"SPV_INTEL_fpga_memory_accesses", 5898}, []uint32{5899, 5900, 5901, 5902}},
		{need{"SPV_INTEL_fpga_cluster_attributes", 5904}, []uint32{5905}},
		{need{"SPV_INTEL_fpga_cluster_attributes", 6150}, []uint32{6151}},
		{need{"SPV_INTEL_loop_fuse", 5906}, []uint32{5907}},
		{need{"SPV_INTEL_fpga_dsp_control", 5908}, []uint32{5909}},
		{need{"SPV_INTEL_memory_access_aliasing", capMemoryAliasing}, []uint32{decAliasScope, decNoAlias}},
		{need{"SPV_INTEL_fpga_invocation_pipelining_attributes", 5916}, []uint32{5917, 5918, 5919}},
		{need{"SPV_INTEL_global_variable_decorations", 6146}, []uint32{6147, 6148, 6149}},
		{need{"SPV_INTEL_fpga_latency_control", 6171}, []uint32{6172, 6173}},
		{need{"SPV_INTEL_fpga_argument_interfaces", 6174}, []uint32{6175, 6176, 6177, 6178, 6179, 6180, 6181, 6182, 6183}},
		{need{"SPV_INTEL_global_variable_host_access", 6187}, []uint32{6188}},
		{need{"SPV_INTEL_global_variable_fpga_decorations", 6189}, []uint32{6190, 6191}},
		{need{"SPV_INTEL_cache_controls", 6441}, []uint32{6442, 6443}},
	} {
		for _, d := range row.decorations {
			table[d] = row.need
		}
	}
	return table
}

// allowsDecoration reports whether the extension of a decoration may be used.
func (t *translator) allowsDecoration(number uint32) bool {
	d, ok := decorationNeeds.Get()[number]
	return !ok || t.options.allowsExtension(d.extension)
}

// decorateNeeded adds a decoration and notes the extension and the capability that it needs.
func (t *translator) decorateNeeded(n id, number uint32, operands ...uint32) {
	if d, ok := decorationNeeds.Get()[number]; ok {
		t.useExtension(d.extension)
		t.useCapabilities(d.capability)
	}
	t.b.decorateID(n, number, operands...)
}

// metadataDecorations writes the decorations of a !spirv.Decorations node: tuples of
// a number and its operands.
func (t *translator) metadataDecorations(n id, rows []ir.Operand) {
	for _, o := range rows {
		row := t.resolveNode(o)
		if len(row) > 0 && row[0].Kind == ir.OperandInt {
			t.metadataDecoration(n, uint32(row[0].Int), row[1:])
		}
	}
}

// metadataDecoration writes one decoration of metadata, unless its extension is not allowed.
// Fast-math flags come only from the instruction itself: optimisers do not keep metadata
// up to date with it.
func (t *translator) metadataDecoration(n id, number uint32, operands []ir.Operand) {
	if number == decFPFastMathMode || !t.allowsDecoration(number) {
		return
	}
	if spirv.DecorationIsPlain(number) {
		operands = nil // llvm-spirv ignores them
	}
	t.checkDecoration(number, operands)
	switch number {
	case decLinkageAttributes:
		t.useCapabilities(capLinkage)
	case decUserSemantic:
		t.annotateID(n, operands[0].String)
		return
	case decUniformID:
		t.needVersion(spirv.Version1_4)
		t.b.addDecoration(spirv.OpDecorateId, n, []uint32{number, t.constInt(32, uint64(uint32(operands[0].Int)))})
		return
	}
	t.decorateNeeded(n, number, operandWords(operands)...)
}

// checkDecoration refuses operands that the decoration does not take.
func (t *translator) checkDecoration(number uint32, operands []ir.Operand) {
	text := make([]bool, len(operands))
	for i, o := range operands {
		text[i] = o.Kind == ir.OperandString
		if !text[i] && o.Kind != ir.OperandInt {
			t.failKind(ErrorInput, decorationName(number), "an operand of %s in metadata is neither a number nor a string", decorationName(number))
		}
	}
	if !spirv.DecorationTakes(number, text) {
		t.failKind(ErrorInput, decorationName(number), "the operands of %s in metadata are not those of the decoration", decorationName(number))
	}
}

func decorationName(number uint32) string {
	return "the decoration " + spirv.DecorationKind(number).String()
}

// operandWords returns the words of operands that are numbers and strings. A number of 64
// bits that does not fit into one word has two.
func operandWords(operands []ir.Operand) (words []uint32) {
	for _, o := range operands {
		switch {
		case o.Kind == ir.OperandString:
			words = appendText(words, o.String)
		case o.Bits == 64 && o.Int > math.MaxUint32:
			words = append(words, uint32(o.Int), uint32(o.Int>>32))
		case o.Bits == 1:
			words = append(words, uint32(o.Int)&1)
		default:
			words = append(words, uint32(o.Int))
		}
	}
	return words
}

// decorateInstruction adds the decorations of the metadata that are attached to an
// instruction: !spirv.Decorations, and alias scopes of instructions other than loads
// and stores, which have them among their operands.
func (f *function) decorateInstruction(i int, in *ir.Instruction) {
	n := f.ids[i]
	if len(in.Attachments) == 0 || n == 0 || f.b.entryOf(n) != nil {
		return
	}
	for _, a := range in.Attachments {
		if a.Kind == "spirv.Decorations" {
			f.metadataDecorations(n, f.resolveNode(a.Operand))
		}
	}
	switch in.Op {
	case ir.OpCmpXchg, ir.OpAtomicRMW:
	case ir.OpCall:
		if info := f.calledFunction(in); info != nil && info.builtin != nil && f.isVoid(in.Type) {
			return
		}
	default:
		return
	}
	if f.options.Version < spirv.Version1_2 { // which has OpDecorateId
		return
	}
	for _, list := range []struct {
		kind       string
		decoration uint32
	}{{"alias.scope", decAliasScope}, {"noalias", decNoAlias}} {
		if scopes := f.aliasList(in, list.kind); scopes != 0 {
			f.needVersion(spirv.Version1_2)
			f.b.addDecoration(spirv.OpDecorateId, n, []uint32{list.decoration, scopes})
		}
	}
}

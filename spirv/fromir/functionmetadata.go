package fromir

import (
	"offlink/ir"
)

// functionNumbers are the metadata of functions whose numbers become the operands of a
// decoration. Those for FPGAs come from Intel's and Altera's compilers.
var functionNumbers = []struct {
	kind       string
	decoration uint32
	operands   int  // of the decoration
	ifSet      bool // a first number of 0 means no decoration
}{
	{"stall_enable", 5905, 0, true},
	{"stall_free", 6151, 0, true},
	{"loop_fuse", 5907, 2, false},
	{"initiation_interval", 5917, 1, true},
	{"max_concurrency", 5918, 1, false},
	{"pipeline_kernel", 5919, 1, false},
}

// functionMetadata decorates a function according to the metadata that are attached to it.
func (t *translator) functionMetadata(self id, v *ir.GlobalValue) {
	for _, m := range functionNumbers {
		list := t.attachedNumbers(v, m.kind)
		if len(list) < max(m.operands, 1) || m.ifSet && list[0] == 0 || !t.allowsDecoration(m.decoration) {
			continue
		}
		t.decorateNeeded(self, m.decoration, list[:m.operands]...)
	}
	const dspMode = 5909
	if list := t.attachedNumbers(v, "prefer_dsp"); len(list) > 0 && t.allowsDecoration(dspMode) {
		propagate := append(t.attachedNumbers(v, "propagate_dsp_preference"), 0)
		t.decorateNeeded(self, dspMode, list[0], propagate[0])
	}
	t.metadataDecorations(self, t.attachedOperands(v, "spirv.Decorations"))
	t.registerAllocation(self, v)
}

// registerAllocation writes the mode of !RegisterAllocMode as Intel's drivers read it:
// an annotation with the number of threads that share an execution unit. Where
// SPV_INTEL_maximum_registers is allowed, registerMode writes it.
func (t *translator) registerAllocation(self id, v *ir.GlobalValue) {
	if t.options.allowsExtension(maximumRegisters) {
		return
	}
	list := t.attachedNumbers(v, "RegisterAllocMode")
	if threads := []string{"0", "8", "4"}; len(list) > 0 && list[0] < uint32(len(threads)) {
		t.annotateID(self, "num-thread-per-eu "+threads[list[0]])
	}
}

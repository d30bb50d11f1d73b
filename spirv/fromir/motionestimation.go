package fromir

import (
	"strings"

	"offlink/lazy"
	"offlink/spirv"
)

// Functions and types of cl_intel_device_side_avc_motion_estimation. The names of the instructions
// of SPV_INTEL_device_side_avc_motion_estimation are those of the functions in other letters, but
// for a few; the three phases ime, ref and sic have functions of mce as well, which convert.

const avcPrefix = "intel_sub_group_avc_"

// avcNames are the functions, without the prefix, whose instructions have names of their own.
var avcNames = lazy.Map[string, string]{New: func() map[string]string {
	return map[string]string{
		"mce_get_best_inter_distortion":      "MceGetBestInterDistortions",
		"mce_get_inter_minor_shapes":         "MceGetInterMinorShape",
		"sic_set_skc_bilinear_filter_enable": "SicSetBilinearFilterEnable",
	}
}}

// avcFunction returns the writer of a motion estimation function, or nil for another name. The
// extension's text calls one of them by a shorter prefix.
func avcFunction(name string) func(*callSite) {
	name, ok := strings.CutPrefix(name, avcPrefix)
	if !ok {
		name = strings.TrimPrefix(name, "intel_sub_group_")
	}
	if phase, _, _ := strings.Cut(name, "_"); !isAvcPhase(phase) {
		return nil
	}
	return func(c *callSite) { c.motionEstimation(name) }
}

func isAvcPhase(phase string) bool {
	switch phase {
	case "mce", "ime", "ref", "sic", "fme", "bme":
		return true
	}
	return false
}

// avcOpcode returns the instruction of a function, or 0.
func avcOpcode(name string) spirv.Opcode {
	own, ok := avcNames.Get()[name]
	if !ok {
		own = upperCamel(name)
	}
	return spirv.OpcodeByName("OpSubgroupAvc" + own + "INTEL")
}

// upperCamel is a_name as AName.
func upperCamel(name string) string {
	var b strings.Builder
	for part := range strings.SplitSeq(name, "_") {
		if part != "" {
			b.WriteString(strings.ToUpper(part[:1]) + part[1:])
		}
	}
	return b.String()
}

// avcType returns the type that an opaque struct of OpenCL C stands for, as in
// intel_sub_group_avc_mce_payload_t, or 0.
func avcType(name string) spirv.Opcode {
	name, ok := strings.CutPrefix(name, avcPrefix)
	if !ok {
		return 0
	}
	return spirv.OpcodeByName("OpTypeAvc" + upperCamel(strings.TrimSuffix(name, "_t")) + "INTEL")
}

// motionEstimation writes a call. name is without the prefix.
func (c *callSite) motionEstimation(name string) {
	if op := avcOpcode(c.avcOverload(name)); op != 0 {
		c.avcInstruction(op)
		return
	}
	phase, rest, _ := strings.Cut(name, "_")
	op := avcOpcode("mce_" + rest)
	if op == 0 || phase == "mce" {
		c.failf("%s%s is not a function of cl_intel_device_side_avc_motion_estimation; it has another name, or other parameters", avcPrefix, name)
	}
	c.avcWrapper(op, phase)
}

// avcOverload is the name of the overload that the number of arguments tells apart.
func (c *callSite) avcOverload(name string) string {
	const (
		shapes       = "ime_get_streamout_major_shape_"
		singleShapes = 2
		lumaOnly     = 8
		interlaced   = 5
	)
	count := len(c.operands)
	if shape, ok := strings.CutPrefix(name, shapes); ok {
		references := "dual"
		if count == singleShapes {
			references = "single"
		}
		return "ime_get_streamout_" + references + "_reference_major_shape_" + shape
	}
	switch name {
	case "sic_configure_ipe":
		if count == lumaOnly {
			return name + "_luma"
		}
		return name + "_luma_chroma"
	case "ref_evaluate_with_multi_reference", "sic_evaluate_with_multi_reference":
		if count == interlaced {
			return name + "_interlaced"
		}
	}
	return name
}

// avcInstruction writes the instruction. A sampler goes into the images before it: the
// instruction takes each as one object with it.
func (c *callSite) avcInstruction(op spirv.Opcode) {
	c.instructionNeeds(op)
	sampler := c.samplerArgument()
	var words []uint32
	for i := range c.operands {
		switch {
		case i == sampler:
		case i < sampler && c.isImage(i):
			words = append(words, c.vmeImage(i, sampler))
		default:
			words = append(words, c.argumentID(i))
		}
	}
	c.checkCount(len(words), op.OperandCount)
	c.finishCall(c.emitResult(op, c.typ, words...))
}

// samplerArgument is the number of the argument that is a sampler, or -1.
func (c *callSite) samplerArgument() int {
	for i := range c.operands {
		if c.isSampler(i) {
			return i
		}
	}
	return -1
}

func (c *callSite) isImage(i int) bool {
	e := c.b.entryOf(c.typeOf(c.operand(i)))
	return e != nil && e.op == spirv.OpTypeImage
}

// vmeImage joins an image and a sampler.
func (c *callSite) vmeImage(image, sampler int) id {
	typ := c.typeOf(c.operand(image))
	joined := c.b.typeEntry(spirv.OpTypeVmeImageINTEL, []uint32{typ}, typ)
	return c.emitResult(spirv.OpVmeImageINTEL, joined, c.argumentID(image), c.argumentID(sampler))
}

// avcWrapper writes a function of a phase that is one of mce: its last argument, a payload or a
// result, becomes one of mce, and a payload that it gives becomes one of the phase again.
func (c *callSite) avcWrapper(op spirv.Opcode, phase string) {
	last := len(c.operands) - 1
	if last < 0 {
		c.failf("it has no argument to convert")
	}
	kind := "result"
	if c.avcTypeOf(last) == avcType(avcPrefix+phase+"_payload_t") {
		kind = "payload"
	} else if c.avcTypeOf(last) != avcType(avcPrefix+phase+"_result_t") {
		c.failf("its last argument is neither a payload nor a result of %s", phase)
	}
	typ := c.b.typeEntry(avcType(avcPrefix+"mce_"+kind+"_t"), nil)
	c.instructionNeeds(op)
	words := append(c.argumentIDs(0)[:last:last], c.emitResult(avcOpcode(phase+"_convert_to_mce_"+kind), typ, c.argumentID(last)))
	c.checkCount(len(words), op.OperandCount)
	if kind == "result" {
		c.finishCall(c.emitResult(op, c.typ, words...))
		return
	}
	n := c.emitResult(op, typ, words...)
	c.finishCall(c.emitResult(avcOpcode("mce_convert_to_"+phase+"_"+kind), c.typ, n))
}

// avcTypeOf is the instruction of an argument's type.
func (c *callSite) avcTypeOf(i int) spirv.Opcode {
	if e := c.b.entryOf(c.typeOf(c.operand(i))); e != nil {
		return e.op
	}
	return 0
}

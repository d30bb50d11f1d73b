package fromir

import (
	"strconv"
	"strings"

	"offlink/ir"
	"offlink/lazy"
	"offlink/spirv"
)

// Opaque types: those of OpenCL C and of SPIR-V's target types.

// simpleTypes are the types without operands.
var simpleTypes = lazy.Map[string, spirv.Opcode]{New: func() map[string]spirv.Opcode {
	return map[string]spirv.Opcode{
		"Sampler": spirv.OpTypeSampler, "Event": spirv.OpTypeEvent, "DeviceEvent": spirv.OpTypeDeviceEvent,
		"ReserveId": spirv.OpTypeReserveId, "Queue": spirv.OpTypeQueue, "PipeStorage": spirv.OpTypePipeStorage,
		"NamedBarrier": spirv.OpTypeNamedBarrier, "TaskSequenceINTEL": opTypeTaskSequenceINTEL,
	}
}}

// simpleType returns a type without operands by its name, or 0 if there is none of that
// name.
func (t *translator) simpleType(name string) id {
	op, ok := simpleTypes.Get()[name]
	if !ok {
		return 0
	}
	switch op {
	case spirv.OpTypeDeviceEvent, spirv.OpTypeQueue:
		t.useCapabilities(capDeviceEnqueue)
	case spirv.OpTypeReserveId:
		t.useCapabilities(capPipes)
	case spirv.OpTypePipeStorage:
		t.useCapabilities(capPipeStorage)
		t.needVersion(spirv.Version1_1)
	case spirv.OpTypeNamedBarrier:
		t.useCapabilities(capNamedBarrier)
		t.needVersion(spirv.Version1_1)
	default:
		t.extensionType(op)
	}
	return t.b.typeEntry(op, nil)
}

// targetType returns the type of target("spirv.X", ...). Names and parameters are those
// of "Target Extension Types" in LLVM's SPIRVUsage.
func (t *translator) targetType(typ *ir.Type) id {
	name, ok := strings.CutPrefix(typ.Target, "spirv.")
	if !ok {
		t.failf("the target type %s has no counterpart in SPIR-V", typ.Target)
	}
	if made := t.simpleType(name); made != 0 {
		return made
	}
	numbers := append([]uint32{}, typ.Numbers...)
	need := func(n int) {
		if len(numbers) < n {
			t.failf("the target type %s lacks parameters", typ.Target)
		}
	}
	switch name {
	case "Image", "SampledImage", "VmeImageINTEL":
		need(7)
		return t.typeOfImage(name, t.imageType(t.typeID(typ.Elements[0]), numbers))
	case "Pipe":
		need(1)
		t.useCapabilities(capPipes)
		return t.b.typeEntry(spirv.OpTypePipe, numbers[:1])
	case "CooperativeMatrixKHR":
		need(4)
		return t.cooperativeMatrix(t.typeID(typ.Elements[0]), numbers)
	case "JointMatrixINTEL":
		t.useExtension("SPV_INTEL_joint_matrix")
		t.useCapabilities(6118)
		return t.matrixType(opTypeJointMatrixINTEL, t.typeID(typ.Elements[0]), numbers)
	case "BufferSurfaceINTEL":
		need(1)
		return t.bufferSurface(numbers[0])
	}
	if op := spirv.OpcodeByName("OpType" + name); op != 0 {
		t.extensionType(op)
		return t.b.typeEntry(op, nil)
	}
	t.failf("the target type %s is not known", typ.Target)
	return 0
}

// typeOfImage returns the type of that name that is made of an image's type.
func (t *translator) typeOfImage(name string, image id) id {
	switch name {
	case "SampledImage":
		return t.b.typeEntry(spirv.OpTypeSampledImage, []uint32{image}, image)
	case "VmeImageINTEL":
		t.useExtension(motionEstimation.extension)
		t.useCapabilities(motionEstimation.capability)
		return t.b.typeEntry(spirv.OpTypeVmeImageINTEL, []uint32{image}, image)
	}
	return image
}

// matrixType returns the type of a matrix. Its scope, rows, columns and use are
// constants in SPIR-V and not literals, since specialization may set them.
func (t *translator) matrixType(op spirv.Opcode, element id, numbers []uint32) id {
	words := []uint32{element}
	for _, n := range numbers {
		words = append(words, t.constInt(32, uint64(n)))
	}
	return t.b.typeEntry(op, words, words...)
}

// extensionType notes the extension and the capability of a type without operands.
func (t *translator) extensionType(op spirv.Opcode) {
	n := motionEstimation.need
	switch {
	case op == opTypeTaskSequenceINTEL:
		n = opcodeNeeds.Get()[spirv.OpTaskSequenceCreateINTEL].need
	case op < spirv.OpTypeAvcImePayloadINTEL || op > spirv.OpTypeAvcSicResultINTEL:
		return
	}
	t.useExtension(n.extension)
	t.useCapabilities(n.capability)
}

// bufferSurface returns the type of a buffer that explicit SIMD kernels access by its number.
func (t *translator) bufferSurface(access uint32) id {
	t.useExtension(vectorCompute)
	t.useCapabilities(capVectorCompute)
	return t.b.typeEntry(opTypeBufferSurfaceINTEL, []uint32{access})
}

// cooperativeMatrix returns the type of a cooperative matrix. Elements of the formats that
// extensions add have capabilities of their own.
func (t *translator) cooperativeMatrix(element id, numbers []uint32) id {
	t.useExtension("SPV_KHR_cooperative_matrix")
	t.useCapabilities(6022)
	switch e := t.b.entryOf(element); {
	case e.op == spirv.OpTypeInt && e.words[1] == 4:
		t.useExtension(int4)
		t.useCapabilities(capInt4, 5114)
	case e.op == spirv.OpTypeFloat && len(e.words) > 2:
		t.useCapabilities(floatEncodings.Get()[e.words[2]].matrix)
	}
	return t.matrixType(opTypeCooperativeMatrixKHR, element, numbers[:4])
}

// imageType returns an image type. n has dimension (0 is 1D, 5 is Buffer), depth,
// arrayed, multisampled, sampled, format and access qualifier (2 is ReadWrite), in the
// order of OpTypeImage.
func (t *translator) imageType(sampled id, n []uint32) id {
	switch n[0] {
	case 0:
		t.useCapabilities(capSampled1D)
	case 5:
		t.useCapabilities(capSampledBuffer)
	}
	t.useCapabilities(capImageBasic)
	if n[6] == 2 {
		t.useCapabilities(capImageReadWrite)
	}
	if n[5] == 40 || n[5] == 41 { // R64ui, R64i
		t.useExtension("SPV_EXT_shader_image_int64")
		t.useCapabilities(5016)
	}
	return t.b.typeEntry(spirv.OpTypeImage, append([]uint32{sampled}, n[:7]...), sampled)
}

// opaqueStruct returns the type that a pointer to a named opaque struct stands for, or 0
// for an ordinary pointer. OpenCL before LLVM 16 and SPIR-V friendly IR have such
// structs: opencl.image2d_ro_t, spirv.Image._void_1_0_0_0_0_0_0, ...
func (t *translator) opaqueStruct(name string) id {
	if rest, ok := strings.CutPrefix(name, "opencl."); ok {
		return t.openclStruct(rest)
	}
	if name == "struct._event_t" {
		return t.simpleType("Event")
	}
	rest, ok := strings.CutPrefix(name, "spirv.")
	if !ok {
		return 0
	}
	if i := strings.LastIndexByte(rest, '.'); i >= 0 && i+1 < len(rest) && rest[i+1] >= '0' && rest[i+1] <= '9' {
		rest = rest[:i] // a number that made the name unique
	}
	base, postfix, _ := strings.Cut(rest, "._")
	if made := t.simpleType(base); made != 0 {
		return made
	}
	parts := strings.Split(postfix, "_")
	switch base {
	case "Image", "SampledImage":
		if len(parts) < 8 {
			return 0
		}
		image := t.imageType(t.sampledType(parts[0]), parseNumbers(parts[1:8]))
		if base == "SampledImage" {
			return t.b.typeEntry(spirv.OpTypeSampledImage, []uint32{image}, image)
		}
		return image
	case "Pipe":
		t.useCapabilities(capPipes)
		return t.b.typeEntry(spirv.OpTypePipe, parseNumbers(parts[:1]))
	case "JointMatrixINTEL":
		return t.jointMatrix(parts)
	}
	return 0
}

// parseNumbers reads decimal numbers; one that is malformed counts as 0.
func parseNumbers(parts []string) []uint32 {
	numbers := make([]uint32, len(parts))
	for i, p := range parts {
		n, _ := strconv.ParseUint(p, 10, 32)
		numbers[i] = uint32(n)
	}
	return numbers
}

// sampledType returns the sampled type of an image by its name; float is the usual one.
func (t *translator) sampledType(name string) id {
	switch name {
	case "void":
		return t.voidType()
	case "half":
		return t.floatType(16)
	case "int", "uint":
		return t.intType(32)
	}
	return t.floatType(32)
}

// jointMatrix returns the type that the parts of a struct's name spell: the element, then
// numbers for the rest. Elements of bfloat16 are integers of 16 bits there.
func (t *translator) jointMatrix(parts []string) id {
	if len(parts) < 5 {
		return 0
	}
	element := id(0)
	switch parts[0] {
	case "char", "uchar":
		element = t.intType(8)
	case "short", "ushort", "bfloat16":
		element = t.intType(16)
	case "int", "uint":
		element = t.intType(32)
	case "half":
		element = t.floatType(16)
	case "double":
		element = t.floatType(64)
	default:
		element = t.floatType(32)
	}
	t.useExtension("SPV_INTEL_joint_matrix")
	t.useCapabilities(6118)
	words := []uint32{element}
	for _, n := range parseNumbers(parts[1:]) {
		words = append(words, t.constInt(32, uint64(n)))
	}
	return t.b.typeEntry(opTypeJointMatrixINTEL, words, words...)
}

// imageShapes are dimension, depth, arrayed and multisampled of the image
// types of OpenCL.
var imageShapes = lazy.Map[string, [4]uint32]{New: func() map[string][4]uint32 {
	return map[string][4]uint32{
		"image1d": {0, 0, 0, 0}, "image1d_array": {0, 0, 1, 0}, "image1d_buffer": {5, 0, 0, 0},
		"image2d": {1, 0, 0, 0}, "image2d_array": {1, 0, 1, 0}, "image2d_depth": {1, 1, 0, 0},
		"image2d_array_depth": {1, 1, 1, 0}, "image2d_msaa": {1, 0, 0, 1}, "image2d_array_msaa": {1, 0, 1, 1},
		"image2d_msaa_depth": {1, 1, 0, 1}, "image2d_array_msaa_depth": {1, 1, 1, 1}, "image3d": {2, 0, 0, 0},
	}
}}

// openclStructs are the opaque types of OpenCL C except images.
var openclStructs = lazy.Map[string, string]{New: func() map[string]string {
	return map[string]string{
		"sampler_t": "Sampler", "event_t": "Event", "clk_event_t": "DeviceEvent", "queue_t": "Queue", "reserve_id_t": "ReserveId",
		"pipe_ro_t": "Pipe", "pipe_wo_t": "Pipe", "pipe_t": "Pipe",
	}
}}

// isOpenCLType reports whether an opaque struct of OpenCL C of that name, without
// its prefix, is a type of SPIR-V.
func isOpenCLType(name string) bool {
	name, _, _ = strings.Cut(name, ".")
	_, _, isImage := openclImage(name)
	return isImage || openclStructs.Get()[name] != "" || avcType(name) != 0
}

// openclImage returns the shape and access of an image type.
func openclImage(name string) (shape [4]uint32, access uint32, ok bool) {
	base, ok := strings.CutSuffix(name, "_t")
	if !ok {
		return shape, 0, false
	}
	for i, suffix := range []string{"_ro", "_wo", "_rw"} {
		if cut, ok := strings.CutSuffix(base, suffix); ok {
			base, access = cut, uint32(i)
		}
	}
	shape, ok = imageShapes.Get()[base]
	return shape, access, ok
}

// openclStruct returns the type of OpenCL C that an opaque struct stands for, by its name
// without the prefix "opencl.", or 0 for a struct that stands for none.
func (t *translator) openclStruct(name string) id {
	name, _, _ = strings.Cut(name, ".")
	if op := avcType(name); op != 0 {
		t.extensionType(op)
		return t.b.typeEntry(op, nil)
	}
	switch simple := openclStructs.Get()[name]; simple {
	case "":
	case "Pipe":
		access := uint32(0)
		if name == "pipe_wo_t" {
			access = 1
		}
		t.useCapabilities(capPipes)
		return t.b.typeEntry(spirv.OpTypePipe, []uint32{access})
	default:
		return t.simpleType(simple)
	}
	shape, access, ok := openclImage(name)
	if !ok {
		return 0
	}
	return t.imageType(t.voidType(), append(append([]uint32{}, shape[:]...), 0, 0, access))
}

package fromir

import (
	"fmt"
	"strconv"
	"strings"

	"offlink/ir"
	"offlink/lazy"
	"offlink/spirv"
)

// typeTable maps the module's types to the identifiers that the unit has for them. Type
// numbers are dense, so a slice is faster than a map; a unit uses few of them, so noted
// lists these and reset does not have to walk the whole slice.
type typeTable struct {
	ids   []id
	noted []ir.TypeID
}

// lookup returns the identifier of a type, or 0 for one that has none yet.
func (t *typeTable) lookup(n ir.TypeID) id {
	if int(n) < len(t.ids) {
		return t.ids[n]
	}
	return 0
}

func (t *typeTable) note(n ir.TypeID, made id) {
	for int(n) >= len(t.ids) {
		t.ids = append(t.ids, 0)
	}
	t.ids[n], t.noted = made, append(t.noted, n)
}

func (t *typeTable) reset() {
	for _, n := range t.noted {
		t.ids[n] = 0
	}
	t.noted = t.noted[:0]
}

// storageClasses maps address spaces to storage classes. Numbers 0 to 4 are those of
// SPIR (SPIR 2.0, "Address spaces"), the others those of the Khronos translator; clang
// and DPC++ use both.
var storageClasses = [...]spirv.StorageClass{
	0: spirv.StorageFunction, 1: spirv.StorageCrossWorkgroup, 2: spirv.StorageUniformConstant, 3: spirv.StorageWorkgroup,
	4: spirv.StorageGeneric, 5: spirv.StorageDeviceOnlyINTEL, 6: spirv.StorageHostOnlyINTEL, 7: spirv.StorageInput,
	9: spirv.StorageCodeSectionINTEL,
}

// storageOf returns the entry of storageClasses; address space 8 has none.
func storageOf(space uint32) (spirv.StorageClass, bool) {
	if space >= uint32(len(storageClasses)) || space == 8 {
		return 0, false
	}
	return storageClasses[space], true
}

// storageClass returns the storage class of an address space.
func (t *translator) storageClass(space uint32) spirv.StorageClass {
	class, known := storageOf(space)
	switch {
	case !known:
		t.failf("address space %d has no storage class", space)
	case class == spirv.StorageCodeSectionINTEL:
		return spirv.StorageFunction
	// They are hints about where global memory lies, so it is plain global memory
	// without the extension.
	case class == spirv.StorageDeviceOnlyINTEL || class == spirv.StorageHostOnlyINTEL:
		if !t.options.allowsExtension("SPV_INTEL_usm_storage_classes") {
			return spirv.StorageCrossWorkgroup
		}
		t.useExtension("SPV_INTEL_usm_storage_classes")
		t.useCapabilities(capUSMStorage)
	case class == spirv.StorageGeneric:
		t.useCapabilities(capGenericPointer)
	}
	return class
}

// moduleType returns a type of the module by its number.
func (t *translator) moduleType(n ir.TypeID) *ir.Type {
	if int(n) >= len(t.types) {
		// Readers add types while they read bodies: this number was added by another
		// goroutine after this translator took its list.
		r := &t.translation.reader
		r.Lock()
		t.types = r.Types()
		r.Unlock()
	}
	return &t.types[n]
}

func (t *translator) voidType() id { return t.b.typeEntry(spirv.OpTypeVoid, nil) }
func (t *translator) boolType() id { return t.b.typeEntry(spirv.OpTypeBool, nil) }

// intType returns the integer type of that width, or the wider one that holds it
// (width.go). Integers of kernels have no sign: the signedness of every OpTypeInt is 0
// (SPIR-V environment of OpenCL, "Kernel").
func (t *translator) intType(bits uint32) id {
	bits = t.heldBits(bits)
	switch bits {
	case 0:
		t.failf("integers of no bits")
	case 1:
		return t.boolType()
	case 8:
		t.useCapabilities(capInt8)
	case 16:
		t.useCapabilities(capInt16)
	case 64:
		t.useCapabilities(capInt64)
	case 32:
	default:
		t.oddInteger(bits)
	}
	return t.b.typeEntry(spirv.OpTypeInt, []uint32{bits, 0})
}

// oddInteger declares the extension for integers of a width that the core of SPIR-V lacks.
func (t *translator) oddInteger(bits uint32) {
	if bits == 4 && t.options.allowsExtension(int4) {
		t.useExtension(int4)
		t.useCapabilities(capInt4)
		return
	}
	for _, extension := range arbitraryIntegers {
		if t.options.allowsExtension(extension) {
			t.useExtension(extension)
			t.useCapabilities(capArbitraryIntegers)
			return
		}
	}
	t.failKind(ErrorBitWidth, fmt.Sprint(bits), "integers of %d bits need the extension %s, which is not allowed", bits, arbitraryIntegers[0])
}

// floatType returns the type of IEEE floating-point numbers of that width.
func (t *translator) floatType(bits uint32) id {
	switch bits {
	case 16:
		// Halves may always be stored and loaded; arithmetic on them is another capability,
		// which the source asks for by cl_khr_fp16.
		t.useCapabilities(capFloat16Buffer)
		if t.language.fp16 {
			t.useCapabilities(capFloat16)
		}
	case 32:
	case 64:
		t.useCapabilities(capFloat64)
	default:
		t.failf("floating-point numbers of %d bits have no type in SPIR-V", bits)
	}
	return t.b.typeEntry(spirv.OpTypeFloat, []uint32{bits})
}

// vectorType returns the type of vectors of n elements. The lengths of OpenCL C are 2, 3,
// 4, 8 and 16; the core of SPIR-V has no others.
func (t *translator) vectorType(element id, n uint32) id {
	switch n {
	case 2, 3, 4:
	case 8, 16:
		t.useCapabilities(capVector16)
	default:
		t.longVector(n)
	}
	return t.b.typeEntry(spirv.OpTypeVector, []uint32{element, n}, element)
}

// longVector declares the extension for vectors of other lengths. Modules of explicit
// SIMD kernels have their own, SPV_INTEL_vector_compute.
func (t *translator) longVector(n uint32) {
	const long = "SPV_EXT_long_vector"
	switch {
	case t.options.allowsExtension(long) && !t.session.vectorCompute:
		t.useExtension(long)
		t.useCapabilities(capLongVector)
	case t.options.allowsExtension(vectorCompute):
		t.useExtension(vectorCompute)
		t.useCapabilities(capVectorAny)
	default:
		t.failKind(ErrorExtension, long+" or "+vectorCompute, "vectors of %d elements need the extension %s or %s, which are not allowed; allow one with --spirv-ext=+%s", n, long, vectorCompute, long)
	}
}

// arrayType returns the type of arrays of n elements. The length is a constant, as wide as a
// pointer.
func (t *translator) arrayType(element id, n uint64) id {
	// An OpTypeArray of length 0 is not valid; nothing can be read from the element that
	// takes its place.
	length := t.constInt(t.pointerBits, max(n, 1))
	return t.b.typeEntry(spirv.OpTypeArray, []uint32{element, length}, element, length)
}

// pointerType returns the type of a pointer into an address space.
func (t *translator) pointerType(pointee id, space uint32) id {
	return t.b.typeEntry(spirv.OpTypePointer, []uint32{uint32(t.storageClass(space)), pointee}, pointee)
}

func (t *translator) functionType(result id, parameters []id) id {
	words := append([]uint32{result}, parameters...)
	return t.b.typeEntry(spirv.OpTypeFunction, words, words...)
}

// typeID returns the SPIR-V type of an LLVM type. Pointers that do not name
// a pointee, alone or within an aggregate, point to bytes.
func (t *translator) typeID(n ir.TypeID) id {
	if n == ir.NoType {
		t.failf("a value whose type is not known")
	}
	if known := t.typeIDs.lookup(n); known != 0 {
		return known
	}
	// The input chooses the depth, and each level is a call here.
	if t.nesting++; t.nesting > 500 {
		t.failf("types nested too deep")
	}
	defer func() { t.nesting-- }()
	typ := *t.moduleType(n)
	if typ.Kind == ir.TypeStruct {
		return t.structType(n, &typ)
	}
	made := t.makeType(&typ)
	t.typeIDs.note(n, made)
	return made
}

// makeType returns the type for an LLVM type other than a struct, whose identifier structType must
// note before its members are made.
func (t *translator) makeType(typ *ir.Type) id {
	switch typ.Kind {
	case ir.TypeInteger:
		return t.intType(typ.Bits)
	case ir.TypeFloat:
		if typ.Name == "bfloat" {
			return t.bfloatType()
		}
		return t.floatType(typ.Bits)
	case ir.TypePointer:
		if len(typ.Elements) == 0 {
			return t.pointerType(t.intType(8), typ.AddressSpace)
		}
		return t.typedPointer(typ.Elements[0], typ.AddressSpace)
	case ir.TypeVector:
		if typ.Scalable {
			t.failf("vectors of unknown length have no type in SPIR-V")
		}
		// SPIR-V's core has no vectors of one element.
		if typ.Length == 1 {
			return t.typeID(typ.Elements[0])
		}
		// Nor has it vectors of other types than numbers and bools.
		if t.moduleType(typ.Elements[0]).Kind == ir.TypePointer {
			t.useExtension("SPV_INTEL_masked_gather_scatter")
			t.useCapabilities(uint32(spirv.CapabilityMaskedGatherScatterINTEL))
		}
		return t.vectorType(t.typeID(typ.Elements[0]), uint32(typ.Length))
	case ir.TypeArray:
		return t.arrayType(t.typeID(typ.Elements[0]), typ.Length)
	case ir.TypeFunction:
		return t.plainFunctionType(typ)
	case ir.TypeTarget:
		return t.targetType(typ)
	case ir.TypeOther:
		if typ.Name == "void" {
			return t.voidType()
		}
		if typ.Name == "token" && t.options.allowsExtension("SPV_INTEL_token_type") {
			t.useExtension("SPV_INTEL_token_type")
			t.useCapabilities(capTokenType)
			return t.b.typeEntry(spirv.OpTypeTokenINTEL, nil)
		}
	}
	t.failKind(ErrorModule, typ.Name, "the type %s has no counterpart in SPIR-V", typ.Name)
	return 0
}

// plainFunctionType returns the type of functions as LLVM spells it, so that opaque pointers point
// to bytes. Functions of the module have types with inferred pointees (functionTypeOf).
func (t *translator) plainFunctionType(typ *ir.Type) id {
	var parameters []id
	for _, p := range typ.Elements[1:] {
		parameters = append(parameters, t.typeID(p))
	}
	return t.functionType(t.typeID(typ.Elements[0]), parameters)
}

// structType makes a struct. An identified struct gets its identifier before its members
// are made, because they may point to it.
func (t *translator) structType(n ir.TypeID, typ *ir.Type) id {
	if typ.Opaque {
		made := t.b.typeEntry(spirv.OpTypeOpaque, appendText(nil, typ.Name))
		t.typeIDs.note(n, made)
		return made
	}
	if len(typ.Elements) > maxWords-2 {
		t.longComposite("structs", len(typ.Elements))
	}
	if !typ.Identified {
		return t.literalStruct(n, typ)
	}
	// The key is the number of the type and not its members: two identified structs are
	// different types even if their members are the same.
	return t.b.keyedEntry(sectionGlobals, "struct "+strconv.Itoa(int(n)), func(self id) entry {
		t.typeIDs.note(n, self)
		t.b.setName(self, typ.Name)
		words := []uint32{self}
		for _, e := range typ.Elements {
			words = append(words, t.typeID(e))
		}
		t.packedStruct(self, typ)
		return entry{op: spirv.OpTypeStruct, words: words, deps: words[1:]}
	})
}

// literalStruct makes a literal struct. LLVM has only one for each list of members, and
// so does a SPIR-V module.
func (t *translator) literalStruct(n ir.TypeID, typ *ir.Type) id {
	var members []id
	for _, e := range typ.Elements {
		members = append(members, t.typeID(e))
	}
	op := spirv.OpTypeStruct
	if typ.Packed {
		op = opTypePackedStruct
	}
	self := t.b.typeEntry(op, members, members...)
	t.typeIDs.note(n, self)
	t.packedStruct(self, typ)
	return self
}

// opTypePackedStruct is the opcode that packed literal structs have within units. It
// keeps them apart from unpacked structs of the same members; in a module they are
// OpTypeStruct (fillShared).
const opTypePackedStruct spirv.Opcode = 0xfe00

// packedStruct decorates a struct whose members lie in memory without gaps. Without
// CPacked a driver would pad them, and the offsets would not be those that the source
// and the host use.
func (t *translator) packedStruct(self id, typ *ir.Type) {
	if typ.Packed {
		t.b.decorateID(self, decCPacked)
	}
}

// typedPointer returns the type of a typed pointer. A pointer to an opaque struct of
// OpenCL stands for one of OpenCL's own types: clang spelled these so before LLVM 16
// brought target types.
func (t *translator) typedPointer(pointee ir.TypeID, space uint32) id {
	if p := t.moduleType(pointee); p.Kind == ir.TypeStruct && p.Opaque {
		if made := t.opaqueStruct(p.Name); made != 0 {
			return made
		}
	}
	return t.pointerType(t.typeID(pointee), space)
}

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

package fromir

import (
	"fmt"
	"strconv"

	"offlink/ir"
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

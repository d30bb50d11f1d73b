package fromir

import (
	"strconv"
	"strings"

	"offlink/ir"
	"offlink/spirv"
)

// Built-in variables, which calls of __spirv_BuiltIn... and the names of SYCL's headers read.

// builtinNumber returns the number of a built-in variable by its name.
func builtinNumber(name string) (uint32, bool) {
	rest, ok := strings.CutPrefix(name, "__spirv_BuiltIn")
	if !ok {
		return 0, false
	}
	return spirv.BuiltInNumber(rest)
}

// builtinCapability declares the capability of a built-in variable.
func (t *translator) builtinCapability(number uint32) {
	switch number {
	case 36, 37, 38, 39, 40, 41: // SubgroupSize to SubgroupLocalInvocationId
		t.useCapabilities(capKernel)
	case 6186: // DeviceBarrierValidINTEL
		t.useExtension("SPV_INTEL_device_barrier")
		t.useCapabilities(capDeviceBarrier)
	case 6135, 6136: // SubDeviceIDINTEL, GlobalHWThreadIDINTEL
		t.useExtension("SPV_INTEL_hw_thread_queries")
		t.useCapabilities(capThreadQueries)
	case 4416, 4417, 4418, 4419, 4420: // the masks
		t.useCapabilities(64) // GroupNonUniformBallot
		t.needVersion(spirv.Version1_3)
	}
}

// inputKind is a built-in variable that functions read: as a whole, or one of its three
// dimensions if it is indexed.
type inputKind struct {
	name    string
	number  uint32
	indexed bool
	align   uint64 // of the variable in the IR; 0 for one that a function stands for
}

// numberText spells a type of numbers for keys of entries. Identifiers would not do: they
// differ from unit to unit.
func (t *translator) numberText(typ id) string {
	e := t.b.entryOf(typ)
	if e.op == spirv.OpTypeVector {
		return t.numberText(e.words[1]) + " x " + strconv.Itoa(int(e.words[2]))
	}
	text := strconv.Itoa(int(e.op))
	for _, w := range e.words[1:] {
		text += " " + strconv.Itoa(int(w))
	}
	return text
}

// inputVariable returns a built-in variable of a type and makes it on the first use. It is
// an import, as in the modules of the Khronos translator.
func (t *translator) inputVariable(k *inputKind, typ id) id {
	key := "input " + k.name + " " + t.numberText(typ)
	return t.b.keyedEntry(sectionGlobals, key, func(n id) entry {
		pointer := t.pointerType(typ, 7)
		t.b.setName(n, k.name)
		t.useCapabilities(capLinkage)
		t.b.addDecoration(spirv.OpDecorate, n, append(appendText([]uint32{decLinkageAttributes}, k.name), linkImport))
		t.b.decorateID(n, decConstant)
		t.b.decorateID(n, decBuiltIn, k.number)
		if k.align > 0 {
			t.b.decorateID(n, decAlignment, uint32(k.align))
		}
		t.builtinCapability(k.number)
		return entry{op: spirv.OpVariable, words: []uint32{pointer, n, uint32(spirv.StorageInput)}, deps: []id{pointer}}
	})
}

// inputType returns the type of a built-in variable that a function reads.
func (t *translator) inputType(k *inputKind, result ir.TypeID) id {
	typ := t.typeID(result)
	if k.indexed {
		return t.vectorType(typ, 3)
	}
	return typ
}

// builtinVariable writes a call that reads a built-in variable.
func (c *callSite) builtinVariable(k *inputKind) {
	number, count := c.numberShape(c.in.Type)
	truth := number != nil && number.Bits == 1 && count == 1 && !k.indexed
	if number == nil || number.Kind != ir.TypeInteger || !truth && (number.Bits < 32 || number.Bits > 64) || count > 1 && k.indexed {
		c.failf("the result is not that of a built-in variable")
	}
	typ := c.inputType(k, c.in.Type)
	pointer := c.inputVariable(k, typ)
	c.inputs = append(c.inputs, pointer)
	if k.indexed {
		c.inputDimension(k.name, pointer, typ)
		return
	}
	_, align := c.memoryLayout(c.in.Type)
	c.setResult(c.emitResult(spirv.OpLoad, typ, pointer, accessAligned, uint32(align)), typ)
}

// inputDimension writes a read of one of three dimensions. An index beyond these gives 0,
// or 1 for sizes. The alignment of the load is that of a vector of three, which is that
// of four: bits/8 bytes for each.
func (c *callSite) inputDimension(name string, pointer, vector id) {
	if len(c.operands) != 1 || c.function.moduleType(c.operand(0).Type).Kind != ir.TypeInteger {
		c.failf("the argument is not the number of a dimension")
	}
	bits := c.function.moduleType(c.in.Type).Bits
	missing := uint64(0)
	switch strings.TrimPrefix(name, "__spirv_BuiltIn") {
	case "GlobalSize", "WorkgroupSize", "EnqueuedWorkgroupSize", "NumWorkgroups":
		missing = 1
	}
	if c.isConstant(0) {
		n := c.constantArgument(0)
		if n > 2 {
			c.setResult(c.constInt(bits, missing), c.typ)
			return
		}
		whole := c.emitResult(spirv.OpLoad, vector, pointer, accessAligned, bits/2)
		c.setResult(c.emitResult(spirv.OpCompositeExtract, c.typ, whole, uint32(n)), c.typ)
		return
	}
	whole := c.emitResult(spirv.OpLoad, vector, pointer, accessAligned, bits/2)
	index := c.valueID(c.operand(0))
	indexBits := c.function.moduleType(c.operand(0).Type).Bits
	// An index beyond is allowed and has a value (OpenCL C, "Work-Item
	// Functions"), while OpVectorExtractDynamic leaves it undefined.
	inside := c.emitResult(spirv.OpULessThan, c.boolType(), index, c.constInt(indexBits, 3))
	bounded := c.emitResult(spirv.OpSelect, c.typeID(c.operand(0).Type), inside, index, c.constInt(indexBits, 0))
	element := c.emitResult(spirv.OpVectorExtractDynamic, c.typ, whole, bounded)
	c.setResult(c.emitResult(spirv.OpSelect, c.typ, inside, element, c.constInt(bits, missing)), c.typ)
}

package fromir

import (
	"cmp"
	"strconv"
	"strings"

	"offlink/ir"
	"offlink/lazy"
	"offlink/spirv"
)

// vload, vstore and the block reads and writes of sub-groups, which access memory.

// vectorAccess is the name of a vload or vstore taken apart: vstorea_half4_rte is aligned,
// of halves, of 4 elements, with a rounding.
type vectorAccess struct {
	load, aligned, half bool
	length, rounding    string
}

// vectorAccessFunction returns the writer of a vload or vstore, nil if the name is not one.
func vectorAccessFunction(name string) func(*callSite) {
	access, ok := parseVectorAccess(name)
	if !ok {
		return nil
	}
	return func(c *callSite) { c.vectorMemory(access) }
}

func parseVectorAccess(name string) (access vectorAccess, ok bool) {
	rest, load := strings.CutPrefix(name, "vload")
	if access.load = load; !load {
		rest = strings.TrimPrefix(name, "vstore")
	}
	rest, access.aligned = strings.CutPrefix(rest, "a")
	rest, access.half = strings.CutPrefix(rest, "_half")
	access.length, access.rounding, _ = strings.Cut(rest, "_")
	if !access.half && (access.aligned || access.length == "") || !vectorLengths.Get()[access.length] {
		return access, false
	}
	_, rounds := vectorRoundings.Get()[access.rounding]
	return access, access.rounding == "" || rounds && access.half && !load
}

var (
	vectorLengths = lazy.Map[string, bool]{New: func() map[string]bool {
		return map[string]bool{"": true, "2": true, "3": true, "4": true, "8": true, "16": true}
	}}
	vectorRoundings = lazy.Map[string, uint32]{New: func() map[string]uint32 {
		return map[string]uint32{"rte": 0, "rtz": 1, "rtp": 2, "rtn": 3}
	}}
)

// instructionName returns the name of the instruction, such as vstorea_halfn_r.
func (v vectorAccess) instructionName() string {
	name := "vstore"
	if v.load {
		name = "vload"
	}
	if v.aligned {
		name += "a"
	}
	if v.half {
		name += "_half"
	}
	if v.hasLength() {
		name += "n"
	}
	if v.rounding != "" {
		name += "_r"
	}
	return name
}

// hasLength reports whether the instruction is that of vectors.
func (v vectorAccess) hasLength() bool { return v.length != "" || v.aligned }

// vectorMemory writes vload and vstore in all their forms. The instructions have the
// operands of the functions, the pointer last; the number of elements that a vload reads,
// and the rounding of a vstore, follow it.
func (c *callSite) vectorMemory(access vectorAccess) {
	c.checkVectorMemory(access)
	words := c.argumentIDs(0)
	if !access.load {
		if access.rounding != "" {
			words = append(words, vectorRoundings.Get()[access.rounding])
		}
		c.extInst(access.instructionName(), words...)
		return
	}
	if access.hasLength() {
		words = append(words, max(parseNumbers([]string{access.length})[0], 1))
	}
	c.finishCall(c.extInst(access.instructionName(), words...))
}

// checkVectorMemory refuses a call whose arguments or result are not those of the name.
func (c *callSite) checkVectorMemory(access vectorAccess) {
	arguments := 3
	if access.load {
		arguments = 2
	}
	if len(c.operands) != arguments || !c.isPointer(c.operand(arguments-1).Type) {
		c.failf("want %d arguments, the last one a pointer", arguments)
	}
	if typ := c.function.moduleType(c.operand(arguments - 2).Type); typ.Kind != ir.TypeInteger || typ.Bits != c.pointerBits {
		c.failf("argument %d is not an integer of %d bits, a size_t", arguments-1, c.pointerBits)
	}
	if !access.load {
		return
	}
	want := cmp.Or(access.length, "1")
	if number, length := c.numberShape(c.in.Type); number == nil || access.instructionName() != "vload_half" && strconv.FormatUint(length, 10) != want {
		c.failf("the result is not %s numbers", want)
	}
}

// mediaBlock writes the media block reads and writes of sub-groups. The functions take
// the image last, the instructions take it first.
func (c *callSite) mediaBlock() {
	last := len(c.operands) - 1
	image := c.valueID(c.operand(last))
	c.useExtension("SPV_INTEL_media_block_io")
	c.useCapabilities(5579)
	if strings.HasPrefix(c.builtin.name, "intel_sub_group_media_block_read") {
		c.finishCall(c.emitResult(spirv.OpSubgroupImageMediaBlockReadINTEL, c.typ, image, c.argumentID(0), c.argumentID(1), c.argumentID(2)))
		return
	}
	c.emitPlain(spirv.OpSubgroupImageMediaBlockWriteINTEL, image, c.argumentID(0), c.argumentID(1), c.argumentID(2), c.argumentID(3))
}

// blockAccess writes Intel's block reads and writes of sub-groups. The type of the first
// argument tells whether they access a buffer or an image.
func (c *callSite) blockAccess() {
	image := false
	if e := c.b.entryOf(c.typeOf(c.operand(0))); e != nil {
		image = e.op == spirv.OpTypeImage
	}
	read := strings.HasPrefix(c.builtin.name, "intel_sub_group_block_read")
	value := c.in.Type
	op := map[[2]bool]spirv.Opcode{
		{true, false}: spirv.OpSubgroupBlockReadINTEL, {false, false}: spirv.OpSubgroupBlockWriteINTEL,
		{true, true}: spirv.OpSubgroupImageBlockReadINTEL, {false, true}: spirv.OpSubgroupImageBlockWriteINTEL,
	}[[2]bool{read, image}]
	c.instructionNeeds(op)
	if !read {
		value = c.operand(len(c.operands) - 1).Type
	}
	if !image {
		scalar := value
		if typ := c.function.moduleType(value); typ.Kind == ir.TypeVector {
			scalar = typ.Elements[0]
		}
		words := []uint32{c.argAs(0, c.typeID(scalar))}
		if read {
			c.finishCall(c.emitResult(op, c.typ, words...))
			return
		}
		c.emitPlain(op, append(words, c.valueID(c.operand(1)))...)
		return
	}
	if read {
		c.finishCall(c.emitResult(op, c.typ, c.argumentIDs(0)...))
		return
	}
	c.emitPlain(op, c.argumentIDs(0)...)
}

package downgrade

import (
	"offlink/ir/bitcode/bitstream"
	"offlink/ir/llvmschema"
)

// Numbers of the attributes that are rewritten.
const (
	attributeNoCapture = 11
	attributeMemory    = 86
	attributeCaptures  = 102
)

// newestAttributeSnapshot is the last attribute before range, whose layout
// changed after the snapshot.
const newestAttributeSnapshot = 91

// attributeGroup copies a group [number, where, attributes...] without the
// attributes that the target does not know. A group that loses all of them goes.
func (b *bitcodeRewriter) attributeGroup(c *bitstream.Cursor) error {
	if c.Code != llvmschema.AttributeGroupEntry || len(c.Operands) < 2 {
		return b.copyRecord(c)
	}
	kept := append([]uint64{}, c.Operands[:2]...)
	for rest := c.Operands[2:]; len(rest) > 0; {
		n := attributeLength(rest)
		if n == 0 || n > len(rest) {
			return c.Errorf("an attribute that is cut short or of an unknown form")
		}
		attribute, err := b.rewriteAttribute(c, rest[:n])
		if err != nil {
			return err
		}
		kept = append(kept, attribute...)
		rest = rest[n:]
	}
	if len(kept) > 2 {
		b.writeRecord(c, c.Code, kept)
	}
	return nil
}

// attributeLength returns how many operands the first attribute takes, 0 if
// that cannot be said.
func attributeLength(ops []uint64) int {
	switch ops[0] {
	case llvmschema.AttributeEnum, llvmschema.AttributeNoType:
		return 2
	case llvmschema.AttributeInt, llvmschema.AttributeTyped:
		return 3
	case llvmschema.AttributeString:
		return 1 + textLength(ops[1:])
	case llvmschema.AttributeStringValue:
		key := 1 + textLength(ops[1:])
		return key + textLength(ops[min(key, len(ops)):])
	case llvmschema.AttributeRange:
		if len(ops) < 3 {
			return 0
		}
		return 3 + boundsLength(ops[3:], ops[2])
	case llvmschema.AttributeRanges:
		return rangesLength(ops)
	}
	return 0
}

// textLength returns the length of a text with its 0, more than there is if
// that is missing.
func textLength(ops []uint64) int {
	for i, v := range ops {
		if v == 0 {
			return i + 1
		}
	}
	return len(ops) + 1
}

// boundsLength returns how many operands the two bounds of a range take: two,
// or for numbers of more than 64 bits as many words as the first says.
func boundsLength(ops []uint64, bits uint64) int {
	if bits <= 64 || len(ops) == 0 {
		return 2
	}
	lower, upper := ops[0]&0xffffffff, ops[0]>>32
	return int(1 + min(lower, 1<<20) + min(upper, 1<<20))
}

func rangesLength(ops []uint64) int {
	if len(ops) < 4 {
		return 0
	}
	n := 4
	for range min(ops[2], uint64(len(ops))) {
		n += boundsLength(ops[min(n, len(ops)):], ops[3])
	}
	return n
}

// rewriteAttribute returns the attribute as the target reads it, nil if it does not.
func (b *bitcodeRewriter) rewriteAttribute(c *bitstream.Cursor, ops []uint64) ([]uint64, error) {
	if ops[0] == llvmschema.AttributeString || ops[0] == llvmschema.AttributeStringValue {
		return ops, nil
	}
	newest := llvmschema.NewestAttribute(b.target.LLVM)
	if b.target.Snapshot {
		newest = newestAttributeSnapshot
	}
	switch kind := ops[1]; {
	case kind == attributeMemory && ops[0] == llvmschema.AttributeInt:
		return oldMemory(c, ops)
	case kind == attributeCaptures && ops[0] == llvmschema.AttributeInt && ops[2] == 0:
		return []uint64{llvmschema.AttributeEnum, attributeNoCapture}, nil
	case llvmschema.AttributeName(kind) == "":
		return nil, c.Errorf("attribute %d is newer than the table of attributes: its meaning is not known", kind)
	case kind > newest:
		return nil, nil
	}
	return ops, nil
}

// oldMemory returns the effects in the three parts of LLVM 19, two bits each:
// arguments, inaccessible memory, other. Since LLVM 21 the highest byte counts
// the layouts; errno lies between the last two, and after them two parts of
// a target (see parseMemory).
func oldMemory(c *bitstream.Cursor, ops []uint64) ([]uint64, error) {
	layout, value := ops[2]>>56, ops[2]&(1<<56-1)
	if layout == 0 {
		return ops, nil
	}
	if value>>12 != 0 {
		return nil, c.Errorf("effects %#x on memory: their parts are %s", ops[2], llvmschema.Newer())
	}
	part := func(i uint) uint64 { return value >> (2 * i) & 3 }
	inaccessible, other := part(1)|part(4)|part(5), part(2)|part(3)
	return []uint64{llvmschema.AttributeInt, attributeMemory, part(0) | inaccessible<<2 | other<<4}, nil
}

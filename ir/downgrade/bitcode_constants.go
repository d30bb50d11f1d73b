package downgrade

import "offlink/ir/bitcode/bitstream"

// Records of the constants blocks.
const (
	constantSetType     = 1
	constantInteger     = 4
	constantCast        = 11
	constantGEPOld      = 12
	constantInboundsGEP = 20
	constantGEPInrange  = 31
	constantGEP         = 32
	constantPtrAuth     = 33
)

// Numbers of casts.
const (
	castPtrToInt  = 9
	castPtrToAddr = 13
)

// constant copies a constant, which is the next value. A reader takes records
// that it does not know for undef, so those are refused.
func (b *bitcodeRewriter) constant(c *bitstream.Cursor) error {
	if c.Code == constantSetType {
		return b.copy(c)
	}
	if c.Code == constantInteger && len(c.Operands) == 1 && !b.inBody {
		b.integers[b.values] = c.Operands[0]
	}
	b.values++
	switch {
	case c.Code > constantPtrAuth, c.Code == constantPtrAuth && b.target.Snapshot:
		return c.Errorf("constant record %d has no form in LLVM %d", c.Code, b.target.LLVM)
	case c.Code == constantCast && len(c.Operands) > 0 && c.Operands[0] == castPtrToAddr:
		c.Operands[0] = castPtrToInt
	case (c.Code == constantGEP || c.Code == constantGEPInrange) && b.target.Snapshot:
		return b.oldGEP(c)
	}
	return b.copy(c)
}

// oldGEP writes [type, flags, (range,) operands...] as readers before the last
// months of LLVM 19 know it: [type, operands...], with a record code for
// inbounds. nuw, nusw and the range are promises.
func (b *bitcodeRewriter) oldGEP(c *bitstream.Cursor) error {
	ops := c.Operands
	skip := 2
	if c.Code == constantGEPInrange && len(ops) > 2 {
		skip = 3 + boundsLength(ops[3:], ops[2])
	}
	if len(ops) < skip {
		return c.Errorf("a getelementptr constant that is cut short")
	}
	code := uint32(constantGEPOld)
	if ops[1]&1 != 0 {
		code = constantInboundsGEP
	}
	b.write(c, code, append([]uint64{ops[0]}, ops[skip:]...))
	return nil
}

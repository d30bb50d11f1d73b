package downgrade

import (
	"offlink/ir/bitcode/bitstream"
	"offlink/ir/llvmschema"
)

// rewriteConstant copies a constant, which is the next value. A reader takes records
// that it does not know for undef, so those are refused.
func (b *bitcodeRewriter) rewriteConstant(c *bitstream.Cursor) error {
	if c.Code == llvmschema.ConstantSetType {
		return b.copyRecord(c)
	}
	if c.Code == llvmschema.ConstantInteger && len(c.Operands) == 1 && !b.inBody {
		b.integers[b.values] = c.Operands[0]
	}
	b.values++
	switch {
	case !b.readsConstant(c.Code):
		return c.Errorf("constant record %d has no form in LLVM %d", c.Code, b.target.LLVM)
	case c.Code == llvmschema.ConstantCast && len(c.Operands) > 0 && c.Operands[0] == llvmschema.CastPtrToAddr:
		c.Operands[0] = llvmschema.CastPtrToInt
	case (c.Code == llvmschema.ConstantGEP || c.Code == llvmschema.ConstantGEPInrange) && b.target.Snapshot:
		return b.oldGEP(c)
	}
	return b.copyRecord(c)
}

// oldGEP writes [type, flags, (range,) operands...] as readers before the last
// months of LLVM 19 know it: [type, operands...], with a record code for
// inbounds. nuw, nusw and the range are promises.
func (b *bitcodeRewriter) oldGEP(c *bitstream.Cursor) error {
	ops := c.Operands
	skip := 2
	if c.Code == llvmschema.ConstantGEPInrange && len(ops) > 2 {
		skip = 3 + boundsLength(ops[3:], ops[2])
	}
	if len(ops) < skip {
		return c.Errorf("a getelementptr constant that is cut short")
	}
	code := uint32(llvmschema.ConstantGEPOld)
	if ops[1]&1 != 0 {
		code = llvmschema.ConstantInboundsGEP
	}
	b.writeRecord(c, code, append([]uint64{ops[0]}, ops[skip:]...))
	return nil
}

// readsConstant reports whether the target reads the constant record of that
// code.
func (b *bitcodeRewriter) readsConstant(code uint32) bool {
	constant, known := llvmschema.Constants.Get()[code]
	return known && b.target.readsVersion(constant.Since) && !(code == llvmschema.ConstantPtrAuth && b.target.Snapshot)
}

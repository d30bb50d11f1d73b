package fromir

import (
	"math"
	"strconv"
	"strings"

	"offlink/ir"
	"offlink/spirv"
)

// decorateArithmetic adds the decorations for wrap and fast-math flags. Where the result
// must be defined they are left out, since a broken promise would make it undefined.
func (f *function) decorateArithmetic(n id, in *ir.Instruction) {
	f.maxError(n, in)
	if f.mustBeDefined() {
		return
	}
	switch in.Op {
	case ir.OpAdd, ir.OpSub, ir.OpMul, ir.OpShl:
		if f.isBool(in.Type) || f.hasOddWidth(in.Type) || f.options.Version < spirv.Version1_4 && !f.options.allowsExtension("SPV_KHR_no_integer_wrap_decoration") {
			return
		}
		for _, wrap := range []struct {
			flag       ir.Flags
			decoration uint32
		}{{ir.FlagNSW, decNoSignedWrap}, {ir.FlagNUW, decNoUnsignedWrap}} {
			if in.Flags&wrap.flag != 0 {
				f.noWrap()
				f.b.decorateID(n, wrap.decoration)
			}
		}
	case ir.OpFAdd, ir.OpFSub, ir.OpFMul, ir.OpFDiv, ir.OpFRem:
		f.fastMath(n, in.Flags, 0)
	case ir.OpFNeg, ir.OpFCmp:
		f.fastMath(n, in.Flags, spirv.Version1_6)
	}
}

// decorateCall adds the decorations that a call's flags and attributes ask for to the
// instruction that it became, which is the last one written. SPIR-V allows fast-math flags
// on instructions of sets from 1.6 on, and on calls with SPV_KHR_float_controls2.
func (c *callSite) decorateCall(n id) {
	c.maxError(n, c.in)
	c.builtinError(n)
	if c.mustBeDefined() || c.in.Flags&ir.FlagsFast == 0 || !c.isFloating(c.in.Type) {
		return
	}
	switch spirv.Opcode(c.code[c.lastAt] & 0xffff) {
	case spirv.OpFAdd, spirv.OpFSub, spirv.OpFMul, spirv.OpFDiv, spirv.OpFRem, spirv.OpFmaKHR:
		c.fastMath(n, c.in.Flags, 0)
	case spirv.OpExtInst:
		c.fastMath(n, c.in.Flags, spirv.Version1_6)
	case spirv.OpFunctionCall:
		if c.options.allowsExtension("SPV_KHR_float_controls2") {
			c.floatControls()
			c.fastMath(n, c.in.Flags, spirv.Version1_6)
		}
	}
}

// isFloating reports whether a type is one of floating-point numbers or of vectors
// of them.
func (f *function) isFloating(n ir.TypeID) bool {
	typ := f.moduleType(n)
	if typ.Kind == ir.TypeVector {
		typ = f.moduleType(typ.Elements[0])
	}
	return typ.Kind == ir.TypeFloat
}

// maxError decorates with the error that !fpmath allows, if the extension is allowed.
func (f *function) maxError(n id, in *ir.Instruction) {
	for _, a := range in.Attachments {
		if a.Kind != "fpmath" || !f.options.allowsExtension("SPV_INTEL_fp_max_error") {
			continue
		}
		if list := f.resolveNode(a.Operand); len(list) > 0 && list[0].Bits == 32 && list[0].Kind == ir.OperandOther {
			f.decorateError(n, uint32(list[0].Int))
		}
	}
}

// decorateError decorates with the largest error that is allowed, in units in the last
// place. bits are those of a float of 32 bits.
func (f *function) decorateError(n id, bits uint32) {
	f.useExtension("SPV_INTEL_fp_max_error")
	f.useCapabilities(6169)
	f.b.decorateID(n, decMaxError, bits)
}

// builtinError decorates a call of llvm.fpbuiltin.* with its largest error. Unlike that of
// !fpmath it cannot be left out, since the caller relies on it.
func (c *callSite) builtinError(n id) {
	if c.callee == nil || !strings.HasPrefix(c.callee.value.Name, "llvm.fpbuiltin.") {
		return
	}
	for _, a := range c.detail.Attributes.Function {
		if !a.String || a.Name != "fpbuiltin-max-error" {
			continue
		}
		limit, err := strconv.ParseFloat(a.Value, 32)
		if err != nil {
			c.failf("the attribute fpbuiltin-max-error has %q, which is not a number", a.Value)
		}
		c.decorateError(n, math.Float32bits(float32(limit)))
	}
}

// noWrap declares the extension for the decorations of wrap flags.
func (f *function) noWrap() {
	if f.options.Version >= spirv.Version1_4 {
		f.needVersion(spirv.Version1_4)
		return
	}
	f.useExtension("SPV_KHR_no_integer_wrap_decoration")
}

// floatControls notes that the module uses SPV_KHR_float_controls2.
func (t *translator) floatControls() {
	t.useExtension("SPV_KHR_float_controls2")
	t.useCapabilities(capFloatControls2)
}

// Bits of FPFastMathMode. Reassociation and contraction belong to
// SPV_INTEL_fp_fast_math_mode or, with transformation, to SPV_KHR_float_controls2.
const (
	fastNotNaN    = 1
	fastNotInf    = 2
	fastNSZ       = 4
	fastRecip     = 8
	fastFast      = 16
	fastContract  = 1 << 16
	fastReassoc   = 1 << 17
	fastTransform = 1 << 18
)

// fastMath decorates with fast-math flags. version is the one from which the instruction may
// have them; without it they are left out.
func (f *function) fastMath(n id, flags ir.Flags, version spirv.Version) {
	if f.options.Version < version {
		return
	}
	if mask := f.fastMathMask(flags); mask != 0 {
		f.needVersion(version)
		f.b.decorateID(n, decFPFastMathMode, mask)
	}
}

// fastMathMask returns the bits of fast-math flags. Those whose extensions are not allowed
// are left out: a flag is a permission.
func (f *function) fastMathMask(flags ir.Flags) (mask uint32) {
	controls := f.options.allowsExtension("SPV_KHR_float_controls2")
	if flags&ir.FlagsFast == ir.FlagsFast && !controls {
		return fastFast
	}
	for _, m := range []struct {
		flag ir.Flags
		bit  uint32
	}{{ir.FlagNoNaNs, fastNotNaN}, {ir.FlagNoInfs, fastNotInf}, {ir.FlagNoSignedZeros, fastNSZ}, {ir.FlagReciprocal, fastRecip}} {
		if flags&m.flag != 0 {
			mask |= m.bit
		}
	}
	if flags&(ir.FlagContract|ir.FlagReassoc) == 0 {
		return mask
	}
	switch {
	case controls:
		// AllowTransform wants both others with it.
		f.floatControls()
		mask |= fastContract
		if flags&ir.FlagReassoc != 0 {
			mask |= fastReassoc | fastTransform
		}
	case f.options.allowsExtension("SPV_INTEL_fp_fast_math_mode"):
		f.useExtension("SPV_INTEL_fp_fast_math_mode")
		f.useCapabilities(5837)
		if flags&ir.FlagContract != 0 {
			mask |= fastContract
		}
		if flags&ir.FlagReassoc != 0 {
			mask |= fastReassoc
		}
	}
	return mask
}

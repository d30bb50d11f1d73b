package hostdev

import (
	"math/bits"
	"strings"

	"offlink/lazy"
	"offlink/lazyregexp"
	"offlink/spirv"
)

// LLVM's intrinsics. A translator makes instructions of those that it knows
// and leaves the others as imports with their LLVM names (SPIRV-LLVM-Translator
// with --spirv-allow-unknown-intrinsics). No module exports them: the device
// provides them, as LLVM's language reference defines them.

const intrinsicPrefix = "llvm."

// isIntrinsic tells whether a linkage name is that of an LLVM intrinsic.
func isIntrinsic(name string) bool { return strings.HasPrefix(name, intrinsicPrefix) }

// intrinsicEmitters has the key of intrinsicBase: the name without "llvm." and
// without the types of the overload.
var intrinsicEmitters = table[string, func(*builder, *spirv.Instruction)]{what: "emitters of intrinsics"}

// typeSuffix matches the end of an overloaded intrinsic's name: the mangled
// types, as in ".v4i32" or ".p1i8.p0i8.i64" (LLVM, Intrinsics.cpp,
// getMangledTypeStr).
var typeSuffix = lazyregexp.New(`\.(v[0-9]+|a[0-9]+|p[0-9]+)*(i[0-9]+|f16|bf16|f32|f64|p[0-9]+|s_[\w.]+?s|sl_\w+|isVoid)$`)

// intrinsicBase is the key of an intrinsic's name.
func intrinsicBase(name string) string {
	name = strings.TrimPrefix(name, intrinsicPrefix)
	for {
		at := typeSuffix().FindStringIndex(name)
		if at == nil {
			return name
		}
		name = name[:at[0]]
	}
}

// emulated are functions that SPIRV-LLVM-Translator puts into a module for an
// intrinsic, spelled with underscores. Its umul_with_overflow compares the
// wrong operand, and its fshl and fshr shift by the whole width, which SPIR-V
// leaves undefined. The device follows LLVM's definition.
var emulated = lazyregexp.New(`^spirv\.llvm_(fshl|fshr|umul_with_overflow)_((?:v[0-9]+)?i[0-9]+)$`)

// intrinsic returns the name of the intrinsic that a function implements, or
// "".
func (p *program) intrinsic(id spirv.ID) string {
	name, ok := p.module.LinkageName(id)
	if !ok {
		return ""
	}
	if m := emulated().FindStringSubmatch(name); m != nil {
		return intrinsicPrefix + strings.ReplaceAll(m[1], "_", ".") + "." + m[2]
	}
	if f := p.bodies[id]; f != nil && f.IsDeclaration() && isIntrinsic(name) {
		return name
	}
	return ""
}

// emitIntrinsic compiles a call as an instruction with the arguments for
// operands.
func (b *builder) emitIntrinsic(in *spirv.Instruction, name string) {
	b.op += " " + name
	emit := intrinsicEmitters.row(intrinsicBase(name))
	if strings.HasPrefix(name, "llvm.genx.") {
		b.refuse(explicitSIMD)
	}
	if emit == nil {
		b.refuse("the embedded device does not implement this LLVM intrinsic")
	}
	words := append([]uint32{in.Words[0], in.Words[1]}, in.Words[3:]...)
	emit(b, &spirv.Instruction{Op: spirv.OpExtInst, Words: words})
}

// sameInts are the intrinsics that OpenCL.std or SPIR-V has under another
// name. Further arguments, which make some results undefined, are ignored.
var sameInts = lazy.Map[string, binaryByWidth]{New: func() map[string]binaryByWidth {
	return map[string]binaryByWidth{
		"sadd.sat": stdIntBinary.Get()["s_add_sat"], "uadd.sat": stdIntBinary.Get()["u_add_sat"],
		"ssub.sat": stdIntBinary.Get()["s_sub_sat"], "usub.sat": stdIntBinary.Get()["u_sub_sat"],
		"smin": intMin, "smax": intMax, "umin": uintMin, "umax": uintMax,
		"sshl.sat": signExtended(shiftSigned), "ushl.sat": zeroExtended(shiftUnsigned),
	}
}}

var sameInt = lazy.Map[string, unaryByWidth]{New: func() map[string]unaryByWidth {
	return map[string]unaryByWidth{
		"abs": stdIntUnary.Get()["s_abs"], "ctlz": stdIntUnary.Get()["clz"], "cttz": stdIntUnary.Get()["ctz"],
		"ctpop": stdIntUnary.Get()["popcount"], "bitreverse": intUnary.Get()[spirv.OpBitReverse],
		"bswap": eachWidth(func(a uint64, w int) uint64 { return bits.ReverseBytes64(a) >> (64 - w) }),
	}
}}

// shiftSigned saturates at the ends of the range, also for undefined amounts
// of the width or more.
func shiftSigned(a, b int64, w int) int64 {
	n := uint64(b) & mask(w)
	if a == 0 || n < uint64(w) && signExtend(uint64(a)<<n, w)>>n == a {
		return a << n
	}
	return saturatedInt(a < 0, w)
}

func shiftUnsigned(a, b uint64, w int) uint64 {
	if a == 0 || b < uint64(w) && a<<b&mask(w)>>b == a {
		return a << b
	}
	return mask(w)
}

// funnel are the intrinsics of three integers.
var funnel = lazy.Map[string, func(a, b, c uint64, w int) uint64]{New: func() map[string]func(a, b, c uint64, w int) uint64 {
	return map[string]func(a, b, c uint64, w int) uint64{
		"fshl": func(a, b, c uint64, w int) uint64 { n := c % uint64(w); return a<<n | b>>(uint64(w)-n) },
		"fshr": func(a, b, c uint64, w int) uint64 { n := c % uint64(w); return a<<(uint64(w)-n) | b>>n },
	}
}}

// overflows are the operations whose result is a struct: the low bits, and
// whether the result does not fit in them.
var overflows = lazy.Map[string, func(a, b uint64, w int) (uint64, bool)]{New: func() map[string]func(a, b uint64, w int) (uint64, bool) {
	return map[string]func(a, b uint64, w int) (uint64, bool){
		"uadd.with.overflow": func(a, b uint64, w int) (uint64, bool) { sum := (a + b) & mask(w); return sum, sum < a },
		"usub.with.overflow": func(a, b uint64, _ int) (uint64, bool) { return a - b, a < b },
		"umul.with.overflow": func(a, b uint64, w int) (uint64, bool) {
			high, low := bits.Mul64(a, b)
			return low, high != 0 || low > mask(w)
		},
		"sadd.with.overflow": func(a, b uint64, w int) (uint64, bool) {
			return a + b, subOrAddLoses(a, b, a+b, w)
		},
		"ssub.with.overflow": func(a, b uint64, w int) (uint64, bool) {
			return a - b, subOrAddLoses(a, ^b, a-b, w)
		},
		"smul.with.overflow": func(a, b uint64, w int) (uint64, bool) {
			x, y := uint64(signExtend(a, w)), uint64(signExtend(b, w))
			low := x * y
			fits := mulHighSigned(x, y, 64) == uint64(int64(low)>>63) && signExtend(low, w) == int64(low)
			return low, !fits
		},
	}
}}

// subOrAddLoses tells whether a sum overflows: then both operands have one sign and the
// sum has the other. A difference is the sum of a and ^b in this respect.
func subOrAddLoses(a, b, sum uint64, w int) bool {
	return (a^sum)&(b^sum)>>(w-1)&1 == 1
}

func registerIntegerIntrinsics() {
	intrinsicEmitters.register(func() map[string]func(*builder, *spirv.Instruction) {
		table := map[string]func(*builder, *spirv.Instruction){
			"scmp": compareThree(func(a, b uint64, w int) bool { return signExtend(a, w) < signExtend(b, w) }),
			"ucmp": compareThree(func(a, b uint64, _ int) bool { return a < b }),
		}
		for name, row := range sameInts.Get() {
			table[name] = intBinaryEmitter(row, spirv.OpExtInst)
		}
		for name, row := range sameInt.Get() {
			table[name] = intUnaryEmitter(row, spirv.OpExtInst)
		}
		for name, f := range funnel.Get() {
			table[name] = func(b *builder, in *spirv.Instruction) { b.ints3(in, f) }
		}
		for name, f := range overflows.Get() {
			table[name] = withOverflow(f)
		}
		return table
	})
}

// withOverflow compiles an operation whose result is a struct of a number and a
// boolean, or of vectors of them.
func withOverflow(f func(a, b uint64, w int) (uint64, bool)) func(*builder, *spirv.Instruction) {
	return func(b *builder, in *spirv.Instruction) {
		x, y, to := b.arg(in, 0), b.arg(in, 1), b.defineResult(in)
		b.require(to.t.kind == kindStruct && len(to.t.members) == 2, "its result is not a struct of two")
		result := value{to.at, to.t.members[0]}
		lost := value{to.at + int32(result.t.words), to.t.members[1]}
		b.requireSameWords(x.t, result.t)
		b.require(lost.t.is(kindBool) && lost.t.words == result.t.words, "its result has no boolean")
		w := b.checkLanes(kindInt, result, x, y)
		b.emit2(lost, x, y, func(a, c uint64) uint64 { _, v := f(a, c, w); return boolWord(v) })
		b.emit2(result, x, y, func(a, c uint64) uint64 { v, _ := f(a, c, w); return v & mask(w) })
	}
}

// compareThree gives -1, 0 or 1.
func compareThree(less func(a, b uint64, w int) bool) func(*builder, *spirv.Instruction) {
	return func(b *builder, in *spirv.Instruction) {
		x, y, to := b.arg(in, 0), b.arg(in, 1), b.defineLanes(in, kindInt, 0)
		w, result := b.checkLanes(kindInt, to, x, y), to.t.scalar().width
		b.emit2(to, x, y, func(a, c uint64) uint64 {
			return (boolWord(less(c, a, w)) - boolWord(less(a, c, w))) & mask(result)
		})
	}
}

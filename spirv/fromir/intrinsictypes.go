package fromir

import (
	"strings"

	"offlink/ir"
	"offlink/lazy"
)

// intrinsicTypes are the types of intrinsics as in LLVM's Intrinsics.td: the result, a
// colon, the parameters; alternatives are separated by bars. The writers rely on them, and
// must be protected here: readers accept declarations that LLVM's verifier would refuse.
// The letters:
//
//	v void    p pointer   n integer   b i1   m metadata   x anything
//	I J       integers, or vectors of them     F G  floating-point numbers, likewise
//	B i1, or a vector of it                    A    any type
//	V a vector of pointers                     W Y  vectors of numbers, of integers
//	e the element of W or Y                    [..] a struct    * further parameters
//
// I, J, F, G and A stand for one type wherever they are in a signature, and all vectors
// of a signature have one length.
var intrinsicTypes = lazy.Map[string, string]{New: newIntrinsicTypes}

func newIntrinsicTypes() map[string]string {
	table := map[string]string{
		"memcpy": "v:ppnb", "memcpy.inline": "v:ppnb", "memmove": "v:ppnb", "memset": "v:pnnb", "memset.inline": "v:pnnb",
		"lifetime.start": "v:np|v:p", "lifetime.end": "v:np|v:p", "stacksave": "p:", "stackrestore": "v:p",
		"trap": "v:", "debugtrap": "v:", "ubsantrap": "v:n", "assume": "v:b", "expect": "I:II", "expect.with.probability": "I:IIF",
		"ptr.annotation": "p:pppn|p:pppnp", "annotation": "I:Ippn", "var.annotation": "v:pppn|v:pppnp", "ptrmask": "A:An",
		"is.constant": "b:x", "objectsize": "n:pbbb", "arithmetic.fence": "A:A",
		"masked.load": "A:pnBA|A:pBA", "masked.store": "v:ApnB|v:ApB", "masked.expandload": "A:pBA", "masked.compressstore": "v:ApB",
		"masked.gather": "A:VnBA|A:VBA", "masked.scatter": "v:AVnB|v:AVB",

		"fma": "F:FFF", "fmuladd": "F:FFF", "canonicalize": "F:F", "is.fpclass": "B:Fn", "frexp": "[FI]:F", "sincos": "[FF]:F", "modf": "[FF]:F",
		"copysign": "F:FF", "maxnum": "F:FF", "minnum": "F:FF", "pow": "F:FF", "atan2": "F:FF", "ldexp": "F:FI", "powi": "F:Fn",
		"fptosi.sat": "I:F", "fptoui.sat": "I:F", "lround": "I:F", "llround": "I:F", "lrint": "I:F", "llrint": "I:F", "scmp": "J:II", "ucmp": "J:II",
		"abs": "I:Ib", "ctlz": "I:Ib", "cttz": "I:Ib", "ctpop": "I:I", "bswap": "I:I", "bitreverse": "I:I", "fshl": "I:III", "fshr": "I:III",
		"vector.reduce.fadd": "e:eW", "vector.reduce.fmul": "e:eW",

		"experimental.constrained.fma": "F:FFFmm", "experimental.constrained.fmuladd": "F:FFFmm", "experimental.constrained.sqrt": "F:Fmm",
		"experimental.constrained.fptosi": "I:Fm", "experimental.constrained.fptoui": "I:Fm", "experimental.constrained.sitofp": "F:Imm",
		"experimental.constrained.uitofp": "F:Imm", "experimental.constrained.fpext": "F:Gm", "experimental.constrained.fptrunc": "F:Gmm",
		"experimental.constrained.fcmp": "B:FFmm", "experimental.constrained.fcmps": "B:FFmm",
	}
	families := map[string][]string{
		"I:II":    {"smax", "smin", "umax", "umin", "sadd.sat", "ssub.sat", "uadd.sat", "usub.sat", "sshl.sat", "ushl.sat"},
		"[IB]:II": {"uadd.with.overflow", "usub.with.overflow", "umul.with.overflow", "sadd.with.overflow", "ssub.with.overflow", "smul.with.overflow"},
		"F:FFmm":  {"experimental.constrained.fadd", "experimental.constrained.fsub", "experimental.constrained.fmul", "experimental.constrained.fdiv", "experimental.constrained.frem"},
		"e:Y": {
			"vector.reduce.add", "vector.reduce.mul", "vector.reduce.and", "vector.reduce.or", "vector.reduce.xor",
			"vector.reduce.smax", "vector.reduce.smin", "vector.reduce.umax", "vector.reduce.umin",
		},
		"e:W": {"vector.reduce.fmax", "vector.reduce.fmin"},
	}
	for name := range extrema.Get() {
		families["F:FF"] = append(families["F:FF"], name)
		families["e:W"] = append(families["e:W"], "vector.reduce.f"+name)
	}
	for signature, names := range families {
		for _, name := range names {
			table[name] = signature
		}
	}
	for name := range extendedIntrinsics.Get() {
		if table[name] == "" {
			table[name] = "F:F"
		}
	}
	for name := range passedIntrinsics.Get() {
		table[name] = "A:A*"
	}
	return table
}

// fitsIntrinsic reports whether a function has the types of an intrinsic.
func (t *translator) fitsIntrinsic(name string, function *ir.Type) bool {
	signatures, known := intrinsicTypes.Get()[name]
	if !known {
		return true
	}
	for signature := range strings.SplitSeq(signatures, "|") {
		m := signatureMatch{module: t.module, bound: map[byte]ir.TypeID{}}
		if m.fitsFunction(signature, function.Elements) {
			return true
		}
	}
	return false
}

// signatureMatch compares types with a row of intrinsicTypes.
type signatureMatch struct {
	module *ir.Module
	bound  map[byte]ir.TypeID // the types that letters stand for so far
	lanes  uint64             // of the vectors, 0 for scalars
	some   bool               // lanes is known
}

// fitsFunction compares the parameters first: the result may be an element of one.
func (m *signatureMatch) fitsFunction(signature string, types []ir.TypeID) bool {
	result, parameters, _ := strings.Cut(signature, ":")
	parameters, open := strings.CutSuffix(parameters, "*")
	if len(types) == 0 || len(types)-1 < len(parameters) || len(types)-1 > len(parameters) && !open {
		return false
	}
	for i := range len(parameters) {
		if !m.fits(parameters[i], types[i+1]) {
			return false
		}
	}
	members, isStruct := strings.CutPrefix(result, "[")
	if !isStruct {
		return m.fits(result[0], types[0])
	}
	typ := m.typeOf(types[0])
	members = strings.TrimSuffix(members, "]")
	if typ.Kind != ir.TypeStruct || len(typ.Elements) != len(members) {
		return false
	}
	for i := range len(members) {
		if !m.fits(members[i], typ.Elements[i]) {
			return false
		}
	}
	return true
}

func (m *signatureMatch) typeOf(n ir.TypeID) *ir.Type { return &m.module.Types[n] }

// fits compares a type with a letter.
func (m *signatureMatch) fits(letter byte, n ir.TypeID) bool {
	typ := m.typeOf(n)
	switch letter {
	case 'x':
		return true
	case 'v', 'm':
		return typ.Kind == ir.TypeOther && typ.Name == map[byte]string{'v': "void", 'm': "metadata"}[letter]
	case 'p':
		return typ.Kind == ir.TypePointer
	case 'n':
		return typ.Kind == ir.TypeInteger
	case 'b':
		return typ.Kind == ir.TypeInteger && typ.Bits == 1
	case 'A':
		return typ.Kind != ir.TypeOther && m.bind(letter, n)
	case 'e':
		return m.bind(letter, n)
	case 'W', 'Y':
		if typ.Kind != ir.TypeVector || !m.isNumber(letter, m.typeOf(typ.Elements[0])) {
			return false
		}
		return m.bind('e', typ.Elements[0])
	}
	element, lanes := typ, uint64(0)
	if typ.Kind == ir.TypeVector {
		element, lanes = m.typeOf(typ.Elements[0]), typ.Length
	}
	if m.some && lanes != m.lanes {
		return false
	}
	m.some, m.lanes = true, lanes
	return m.isNumber(letter, element) && (letter == 'B' || letter == 'V' || m.bind(letter, n))
}

// isNumber reports whether a type, or the element of a vector, is of a letter's kind.
func (m *signatureMatch) isNumber(letter byte, typ *ir.Type) bool {
	switch letter {
	case 'F', 'G', 'W':
		return typ.Kind == ir.TypeFloat
	case 'B':
		return typ.Kind == ir.TypeInteger && typ.Bits == 1
	case 'V':
		return typ.Kind == ir.TypePointer
	}
	return typ.Kind == ir.TypeInteger
}

// bind gives a letter its type, or compares with that.
func (m *signatureMatch) bind(letter byte, n ir.TypeID) bool {
	if known, ok := m.bound[letter]; ok {
		return known == n
	}
	m.bound[letter] = n
	return true
}

package derive

import (
	"strings"

	"offlink/ir"
	"offlink/ir/sycl"
	"offlink/lazy"
	"offlink/props"
)

// Device libraries define functions that a device's compiler may lack. The mask
// has a bit for each library that an image calls, in the numbering of the
// extensions cl_intel_devicelib_*; the runtimes of 2023 to 2025 link them in.
const (
	libAssert = iota
	libMath
	libMathFP64
	libComplex
	libComplexFP64
	libCString
	libIMF
	libIMFFP64
	libIMFBF16
	libBFloat16
)

const deviceLibPrefix = "__devicelib_"

// The single-precision names of the mathematical functions end in an f.
const (
	mathInteger = "abs div labs ldiv llabs lldiv"
	mathBoth    = `acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh cospi erf erfc exp exp10
		exp2 expm1 fabs fdim floor fma fmax fmin fmod frexp hypot ilogb ldexp lgamma log log10 log1p log2 logb
		modf nextafter pow remainder remquo rint round rsqrt scalbln scalbn sin sinh sinpi sqrt tan tanh tgamma trunc
		nearbyint lrint lround llrint llround nan`
	complexBoth = `cabs cacos cacosh carg casin casinh catan catanh ccos ccosh cexp cimag clog cpolar cpow
		cproj creal csin csinh csqrt ctan ctanh`
	cstring = "memcpy memset memcmp memmove"
)

// deviceLibs has the number of the library of each function, by its name without the prefix.
var deviceLibs = lazy.Map[string, int]{New: func() map[string]int {
	libs := map[string]int{
		"assert_fail": libAssert,
		"__mulsc3":    libComplex, "__divsc3": libComplex,
		"__muldc3": libComplexFP64, "__divdc3": libComplexFP64,
	}
	for name := range strings.FieldsSeq(mathInteger) {
		libs[name] = libMath
	}
	for name := range strings.FieldsSeq(mathBoth) {
		libs[name+"f"], libs[name] = libMath, libMathFP64
	}
	for name := range strings.FieldsSeq(complexBoth) {
		libs[name+"f"], libs[name] = libComplex, libComplexFP64
	}
	for name := range strings.FieldsSeq(cstring) {
		libs[name] = libCString
	}
	return libs
}}

func splitWords(text string) []string { return strings.Fields(text) }

// deviceLib returns the number of the library that has the function, if one has it.
func deviceLib(name string) (int, bool) {
	if sycl.IsBFloat16Library(name) {
		return libBFloat16, true
	}
	rest, ok := strings.CutPrefix(name, deviceLibPrefix)
	if !ok {
		return 0, false
	}
	if imf, ok := strings.CutPrefix(rest, "imf_"); ok {
		return imfLibrary(imf), true
	}
	lib, ok := deviceLibs.Get()[rest]
	return lib, ok
}

// imfDouble has the functions of the IMF library on doubles whose names do not say so.
var imfDouble = lazy.Map[string, bool]{New: func() map[string]bool {
	names := make(map[string]bool)
	for _, name := range splitWords(`ceil copysign fabs floor fma fmax fmin inv nearbyint rint rsqrt sqrt trunc
		acos acosh asin asinh atan atan2 atanh cbrt cdfnorm cdfnorminv cos cosh cospi cyl_bessel_i0 cyl_bessel_i1
		erf erfc erfcinv erfcx erfinv exp exp10 exp2 expm1 fdim fmod frexp hypot i0 i1 ilogb j0 j1 jn ldexp lgamma
		llrint llround log log10 log1p log2 logb lrint lround modf nan nextafter norm norm3d norm4d normcdf normcdfinv
		pow powi rcbrt remainder remquo rhypot rnorm rnorm3d rnorm4d round scalbln scalbn sin sincos sincospi sinh sinpi
		tan tanh tgamma y0 y1 yn`) {
		names[name] = true
	}
	return names
}}

// imfLibrary returns the number of the IMF library that has the function. The suffixes are rounding
// modes.
func imfLibrary(name string) int {
	base := name
	for _, suffix := range []string{"_rd", "_rn", "_ru", "_rz"} {
		base = strings.TrimSuffix(base, suffix)
	}
	switch {
	case strings.Contains(name, "bf16") || strings.Contains(name, "bfloat16"):
		return libIMFBF16
	case strings.Contains(name, "double") || imfDouble.Get()[base] || base == "dadd" || base == "dsub" || base == "dmul" || base == "ddiv":
		return libIMFFP64
	}
	return libIMF
}

// deviceLibMask writes the mask, even if it is 0, as sycl-post-link does. Only images for SPIR-V
// have bits set.
func (i *image) deviceLibMask() error {
	mask := uint32(0)
	if strings.HasPrefix(i.Module.Triple, "spir") {
		for _, id := range i.Declarations {
			if v := i.valueOf(id); v.Kind == ir.Function {
				if lib, ok := deviceLib(v.Name); ok {
					mask |= 1 << lib
				}
			}
		}
	}
	i.putProperty(props.SetDevicelibReqMask, "DeviceLibReqMask", props.Uint32(mask))
	return nil
}

// nativeBFloat16 has the names of the built-in functions that a device library for devices with
// bfloat16 conversions calls; the functions' names contain them.
var nativeBFloat16 = []string{"__spirv_ConvertFToBF16INTEL", "__spirv_ConvertBF16ToFINTEL"}

// deviceLibMetadata states of an image that is a bfloat16 device library whether it needs a device
// with the conversions (1) or not (0).
func (i *image) deviceLibMetadata() error {
	for _, id := range i.Definitions {
		if v := i.valueOf(id); v.Kind == ir.Function && sycl.IsBFloat16Library(v.Name) {
			i.putProperty(props.SetDevicelibMetadata, "bfloat16", props.Uint32(i.callsNativeBFloat16()))
			return nil
		}
	}
	return nil
}

// BFloat16Library returns the property sets of the image that is a whole bfloat16 device library.
// native says that it is for devices that have the conversions. The functions that it defines are
// exported, in module order, whichever sets other images get.
func BFloat16Library(m *ir.Module, native bool) *props.Sets {
	sets := Library(m, nil)
	value := props.Uint32(0)
	if native {
		value = props.Uint32(1)
	}
	sets.Put(props.SetDevicelibMetadata, "bfloat16", value)
	return sets
}

// Library returns the property sets of the image that is a whole device
// library: the functions that it defines are exported, and those that other
// libraries define are imported, in module order.
func Library(m *ir.Module, libraries map[string]bool) *props.Sets {
	sets := &props.Sets{}
	for id := range m.Values {
		if v := &m.Values[id]; v.Kind == ir.Function && !v.Declaration && !v.IsLocal() {
			sets.Put(props.SetExportedSymbols, v.Name, present)
		}
	}
	for id := range m.Values {
		if v := &m.Values[id]; v.Kind == ir.Function && v.Declaration && libraries[v.Name] {
			sets.Put(props.SetImportedSymbols, v.Name, present)
		}
	}
	return sets
}

func (i *image) callsNativeBFloat16() uint32 {
	for _, id := range i.Declarations {
		for _, name := range nativeBFloat16 {
			if i.valueOf(id).Kind == ir.Function && strings.Contains(i.valueOf(id).Name, name) {
				return 1
			}
		}
	}
	return 0
}

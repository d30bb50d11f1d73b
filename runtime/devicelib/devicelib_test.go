package devicelib

import (
	"slices"
	"testing"

	"offlink/spirv"
	"offlink/wrapper/devimg"
)

// TestImages: each image is valid, exports its function alone, and imports
// nothing but functions of the library.
func TestImages(t *testing.T) {
	symbols := Symbols()
	if len(symbols) < 900 {
		t.Errorf("%d functions", len(symbols))
	}
	ids := make(map[uint64]bool)
	for _, symbol := range symbols {
		img := Image(symbol)
		if ids[img.ID] || img.ID < firstID {
			t.Errorf("%s: identifier %d", symbol, img.ID)
		}
		ids[img.ID] = true
		code, err := devimg.ReadCode(img.Code)
		if err != nil {
			t.Fatal(err)
		}
		m, err := spirv.Parse(code)
		if err != nil {
			t.Fatalf("%s: %v", symbol, err)
		}
		if err := m.Verify(); err != nil {
			t.Errorf("%s: %v", symbol, err)
		}
		if exports := m.Exports(); len(exports) != 1 || exports[0].Name != symbol {
			t.Errorf("%s exports %v", symbol, exports)
		}
		for _, s := range m.Imports() {
			if Image(s.Name) == nil {
				t.Errorf("%s imports %s, which the library lacks", symbol, s.Name)
			}
		}
	}
	first := Image("sinf")
	if again := Image("sinf"); first == nil || again != first || Image("nothing") != nil {
		t.Error("Image does not find its functions")
	}
}

// TestTwins: the functions that DPC++'s libraries have under two names.
func TestTwins(t *testing.T) {
	symbols := Symbols()
	for _, name := range []string{"sinf", "pow", "cexp", "cpowf", "__mulsc3", "__divdc3", "memcpy", "assert_fail", "imf_brev", "frexpf"} {
		if !slices.Contains(symbols, "__devicelib_"+name) {
			t.Errorf("the library lacks __devicelib_%s", name)
		}
	}
}

func TestNative(t *testing.T) {
	for _, c := range []struct {
		symbol, extension string
	}{
		{"__devicelib_assert_fail", "cl_intel_devicelib_assert"},
		{"__devicelib_sinf", "cl_intel_devicelib_math"},
		{"__devicelib_sin", "cl_intel_devicelib_math_fp64"},
		{"__devicelib_erf", "cl_intel_devicelib_math_fp64"},
		{"__devicelib_cexpf", "cl_intel_devicelib_complex"},
		{"__devicelib___muldc3", "cl_intel_devicelib_complex_fp64"},
		{"__devicelib_memcpy", "cl_intel_devicelib_cstring"},
		{"__devicelib_imf_brev", "cl_intel_devicelib_imf"},
		{"__devicelib_imf_double2int_rd", "cl_intel_devicelib_imf_fp64"},
		{"__devicelib_ConvertFToBF16INTEL", "cl_intel_devicelib_bfloat16"},
	} {
		if !Native(c.symbol, []string{"cl_khr_fp64", c.extension}) || Native(c.symbol, []string{"cl_khr_fp64"}) {
			t.Errorf("%s is not that of a device with %s", c.symbol, c.extension)
		}
	}
	if Native("sinf", []string{"cl_intel_devicelib_math"}) {
		t.Error("sinf is native") // the extension is about __devicelib_sinf
	}
}

package split_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"offlink/split"
)

// Functions with reserved names that devices do not have are missing, with the
// first entry point that needs them.
func TestMissing(t *testing.T) {
	const text = `
		define spir_kernel void @plain() "sycl-module-id"="m" { call void @__spirv_thing()
		call void @_Z12__spirv_thingv()
		call void @__devicelib_cosf()
		call void @imported()
		ret void }
		define spir_kernel void @product() "sycl-module-id"="m" { call void @helper()
		ret void }
		define spir_kernel void @again() "sycl-module-id"="m" { call void @helper()
		ret void }
		define internal spir_func void @helper() { %x = call <2 x float> @__mulsc3(float 0.0, float 0.0, float 0.0, float 0.0)
		call void @__powisf2()
		store ptr @__imf_sinf, ptr null
		call void @__my_own()
		ret void }
		declare spir_func <2 x float> @__mulsc3(float, float, float, float)
		declare spir_func <2 x double> @__muldc3()
		declare void @__powisf2()
		declare void @__imf_sinf()
		declare void @__my_own()
		declare void @__spirv_thing()
		declare void @_Z12__spirv_thingv()
		declare void @__devicelib_cosf()
		declare void @imported()`
	for _, tt := range []struct {
		text    string
		options split.Options
		want    []split.MissingFunction
	}{
		{text, split.Options{Mode: split.Source}, []split.MissingFunction{
			{Function: "__mulsc3", User: "product", Library: "libsycl-complex.bc"},
			{Function: "__powisf2", User: "product"},
			{Function: "__imf_sinf", User: "product", Library: "libsycl-imf.bc or libsycl-imf-fp64.bc"},
			{Function: "__my_own", User: "product"},
		}},
		{text, split.Options{Mode: split.None, Dependencies: split.DependenciesAll}, []split.MissingFunction{
			{Function: "__mulsc3", User: "product", Library: "libsycl-complex.bc"},
			{Function: "__powisf2", User: "product"},
			{Function: "__imf_sinf", User: "product", Library: "libsycl-imf.bc or libsycl-imf-fp64.bc"},
		}},
		{text, split.Options{Single: true}, nil},
		{"target triple = \"nvptx64-nvidia-cuda\"\n" + text, split.Options{Mode: split.Source}, nil},
	} {
		g := graph(t, tt.text, tt.options)
		groups, err := g.Plan()
		if err != nil {
			t.Fatal(err)
		}
		s, err := g.NewExtractor().Extract(&groups[0])
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tt.want, s.Missing()); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

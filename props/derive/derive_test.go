package derive

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"offlink/ir/irtext"
	"offlink/props"
	"offlink/split"
)

// partitionsOf splits a module.
func partitionsOf(t *testing.T, text string, o split.Options) []*split.Partition {
	t.Helper()
	if !strings.Contains(text, "target triple") {
		text = "target triple = \"spir64-unknown-unknown\"\n" + text
	}
	m, err := irtext.Parse("in.ll", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	g, err := split.NewGraph(m, o)
	if err != nil {
		t.Fatal(err)
	}
	groups, err := g.Plan()
	if err != nil {
		t.Fatal(err)
	}
	var partitions []*split.Partition
	for i := range groups {
		s, err := g.NewExtractor().Extract(&groups[i])
		if err != nil {
			t.Fatal(err)
		}
		partitions = append(partitions, s)
	}
	return partitions
}

// request asks for sets by name.
func request(sets ...string) map[string]bool {
	requested := map[string]bool{}
	for _, name := range sets {
		requested[name] = true
	}
	return requested
}

// everything asks for all sets.
var everything = func() Options {
	o := Options{Dialect: Dialect2026, Requested: map[string]bool{}}
	for _, set := range PropertySets() {
		o.Requested[set.Name] = true
	}
	return o
}()

func TestSets(t *testing.T) {
	dependent := split.Options{Mode: split.Source, Dependencies: split.DependenciesAll}
	for _, tt := range []struct {
		name, module string
		split        split.Options
		options      Options
		want         *props.Sets // without empty sets, and without the empty list of aspects
	}{
		{"aspects and targets of all functions", `
			define spir_kernel void @k() "sycl-module-id"="a" !sycl_used_aspects !0 { call void @f()
			ret void }
			define void @f() !sycl_used_aspects !1 !sycl_fixed_targets !2 { ret void }
			!0 = !{i32 6, i32 -2}
			!1 = !{!3, !3}
			!2 = !{i32 9, i32 1, i32 9}
			!3 = !{!"fp16", i32 5}`, split.Options{Mode: split.Source}, Options{Dialect: Dialect2026}, sets(
			"SYCL/device requirements", "aspects", props.Uint32s(5, 6), "fixed_target", props.Uint32s(1, 9))},
		{"sizes of the first function, and the first entry point, that has them", `
			define void @f() !reqd_work_group_size !0 !intel_reqd_sub_group_size !0 !work_group_num_dim !1 { ret void }
			define spir_kernel void @k() "sycl-module-id"="a" !reqd_work_group_size !1 !intel_reqd_sub_group_size !1 { call void @f()
			ret void }
			!0 = !{i32 4, i32 2}
			!1 = !{i32 3}`, split.Options{Mode: split.Source}, Options{Dialect: Dialect2026}, sets(
			"SYCL/device requirements", "reqd_sub_group_size", props.Uint32(3), "reqd_work_group_size_uint64_t", props.Uint64s(4, 2), "work_group_num_dim", props.Uint32(3))},
		{"misc properties of entry points", `
			define void @helper() "sycl-optlevel"="0" "sycl-grf-size"="128" { ret void }
			define spir_kernel void @k() "sycl-optlevel"="3" "sycl-register-alloc-mode"="2" "sycl-grf-size"="0" !sycl_explicit_simd !0 { call void @helper()
			ret void }
			!0 = !{}`, split.Options{}, Options{Dialect: Dialect2026}, sets(
			"SYCL/misc properties", "isEsimdImage", props.Uint32(1), "sycl-register-alloc-mode", props.Uint32(2), "sycl-grf-size", props.Uint32(0), "optLevel", props.Uint32(3))},
		{"no level where invoke_simd is", `
			define spir_kernel void @k() "sycl-optlevel"="3" { call void @_Z33__regcall3____builtin_invoke_simd1()
			ret void }
			declare void @_Z33__regcall3____builtin_invoke_simd1()`, split.Options{}, Options{Dialect: Dialect2026}, sets()},
		{"fallback library", `
			define void @__devicelib_ConvertFToBF16INTEL() "sycl-module-id"="l" { ret void }`, split.Options{}, Options{Dialect: Dialect2026}, sets(
			"SYCL/devicelib metadata", "bfloat16", props.Uint32(0))},
		{"native library", `
			define void @__devicelib_ConvertFToBF16INTEL() "sycl-module-id"="l" { call void @_Z27__spirv_ConvertFToBF16INTELf()
			ret void }
			declare void @_Z27__spirv_ConvertFToBF16INTELf()`, split.Options{}, Options{Dialect: Dialect2026}, sets(
			"SYCL/devicelib metadata", "bfloat16", props.Uint32(1))},
		{"sanitizer", `
			@__MsanKernelMetadata = global i32 0
			define spir_kernel void @k() { ret void }`, split.Options{}, Options{Dialect: Dialect2026}, sets(
			"SYCL/misc properties", "sanUsed", props.String("msan"))},
		{"kernel parameters", `
			define spir_kernel void @b() !sycl_kernel_omit_args !0 { ret void }
			define spir_kernel void @a() !spir_kernel_omit_args !1 { ret void }
			!0 = !{i1 true, i1 false, i1 true}
			!1 = !{i1 false}`, split.Options{}, Options{Dialect: Dialect2026, Requested: request(props.SetKernelParamOpt)}, sets(
			"SYCL/kernel param opt", "a", props.Bits([]byte{0}, 1), "b", props.Bits([]byte{5}, 3))},
		{"host pipes", `
			@p = global i32 0 "sycl-host-pipe" "sycl-host-pipe-size"="12" "sycl-unique-id"="pipe"
			define spir_kernel void @k() { ret void }`, split.Options{}, Options{Dialect: Dialect2026}, sets(
			"SYCL/host pipes", "pipe", props.Uint32s(12))},
		{"registered kernels", `
			define spir_kernel void @k() { ret void }
			!sycl_registered_kernels = !{!0}
			!0 = !{!1, !2}
			!1 = !{!"gone", !"g"}
			!2 = !{!"mine", !"k"}`, split.Options{}, Options{Dialect: Dialect2026}, sets(
			"SYCL/registered kernels", "mine", props.String("k"))},
		{"virtual functions", `
			define spir_kernel void @k() "sycl-module-id"="a" "calls-indirectly"="t,s" { ret void }
			define spir_kernel void @l() "sycl-module-id"="a" "calls-indirectly"="s" { ret void }
			define void @v() "sycl-module-id"="b" "indirectly-callable"="s" { ret void }`, split.Options{}, Options{Dialect: Dialect2026}, sets(
			"SYCL/virtual functions", "virtual-functions-set", props.String("s"), "uses-virtual-functions-set", props.String("s,t"))},
		{"symbols of 2025", symbolsModule, dependent, Options{Dialect: Dialect2025, Requested: request(props.SetExportedSymbols, props.SetImportedSymbols)}, sets(
			"SYCL/devicelib req mask", "DeviceLibReqMask", props.Uint32(0),
			"SYCL/exported symbols", "exported", present,
			"SYCL/imported symbols", "imported", present)},
		{"symbols of 2026", symbolsModule, dependent, Options{Dialect: Dialect2026, Requested: request(props.SetExportedSymbols, props.SetImportedSymbols)}, sets(
			"SYCL/exported symbols", "exported", present, "dg", present,
			"SYCL/imported symbols", "imported", present, "elsewhere", present)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Sets(partitionsOf(t, tt.module, tt.split)[0], tt.options)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(lines(t, tt.want), lines(t, got)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

const symbolsModule = `
	%"class.device_global" = type { i32 }
	@dg = addrspace(1) global i32 0 "sycl-device-global-size"="4" "sycl-unique-id"="u"
	@scoped = addrspace(1) global i32 0 "sycl-device-global-size"="4" "sycl-unique-id"="v" "sycl-device-image-scope"
	@inline = linkonce_odr addrspace(1) global i32 0 "sycl-device-global-size"="4" "sycl-unique-id"="w"
	@elsewhere = external addrspace(1) global %"class.device_global"
	@other = external addrspace(1) global i32
	define spir_func void @exported() "sycl-module-id"="a" { call void @imported()
	%v = load i32, ptr addrspace(1) @elsewhere
	%w = load i32, ptr addrspace(1) @other
	%x = load i32, ptr addrspace(1) @inline
	ret void }
	declare void @imported()`

// sets makes property sets of a list of set names, each before its properties'
// names and values.
func sets(list ...any) *props.Sets {
	s := &props.Sets{}
	set := ""
	for i := 0; i < len(list); i++ {
		name := list[i].(string)
		if strings.HasPrefix(name, "SYCL/") {
			set = name
			continue
		}
		i++
		s.Put(set, name, list[i].(props.Value))
	}
	return s
}

// lines writes the sets except empty ones, and of device requirements all but
// for an empty list of aspects.
func lines(t *testing.T, s *props.Sets) []string {
	t.Helper()
	text, err := s.Text()
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	set := ""
	for line := range strings.Lines(string(text)) {
		switch {
		case line[0] == '[':
			set = strings.TrimSuffix(line, "\n")
		case line != "aspects=2|AAAAAAAAAAA\n":
			out = append(out, set+" "+strings.TrimSuffix(line, "\n"))
		}
	}
	return out
}

func TestSetsErrors(t *testing.T) {
	for _, tt := range []struct{ name, module, want string }{
		{"size", `@v = global i32 0 "sycl-device-global-size"="big" "sycl-unique-id"="x"`, `@v: the attribute "sycl-device-global-size" is "big", want a number`},
		{"unique id", `@v = global i32 0 "sycl-device-global-size"="4"`, "by which the host names it"},
		{"level", `define spir_kernel void @k() "sycl-optlevel"="O3" { ret void }`, `@k: the attribute "sycl-optlevel" is "O3", want a number`},
		{"mask", "define spir_kernel void @k() !sycl_kernel_omit_args !0 { ret void }\n!0 = !{!\"x\"}", "operand 0 is not an i1"},
		{"aspects", "define spir_kernel void @k() !sycl_used_aspects !0 { ret void }\n!0 = !{!\"x\"}", "neither a number nor a pair"},
		{"wide number", "define spir_kernel void @k() !sycl_fixed_targets !0 { ret void }\n!0 = !{i64 4294967296}", "more than 32 bits"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := Sets(partitionsOf(t, tt.module, split.Options{})[0], everything); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("Sets() = %v; want %q", err, tt.want)
			}
		})
	}
}

// A value of each library.
func TestDeviceLib(t *testing.T) {
	for name, want := range map[string]int{
		"__devicelib_assert_fail":               libAssert,
		"__devicelib_sinf":                      libMath,
		"__devicelib_abs":                       libMath,
		"__devicelib_sin":                       libMathFP64,
		"__devicelib_cexpf":                     libComplex,
		"__devicelib___mulsc3":                  libComplex,
		"__devicelib_cexp":                      libComplexFP64,
		"__devicelib___divdc3":                  libComplexFP64,
		"__devicelib_memcpy":                    libCString,
		"__devicelib_imf_saturatef":             libIMF,
		"__devicelib_imf_fma":                   libIMFFP64,
		"__devicelib_imf_double2int_rd":         libIMFFP64,
		"__devicelib_imf_fmabf16":               libIMFBF16,
		"__devicelib_ConvertFToBF16INTEL":       libBFloat16,
		"__devicelib_ConvertBF16ToFINTELVec16":  libBFloat16,
		"__devicelib_ConvertBF16ToFINTELVec160": -1,
		"__devicelib_nothing":                   -1,
		"sinf":                                  -1,
	} {
		lib, ok := deviceLib(name)
		if !ok {
			lib = -1
		}
		if lib != want {
			t.Errorf("deviceLib(%q) = %d; want %d", name, lib, want)
		}
	}
}

// The mask is 0 where the libraries are not linked.
func TestDeviceLibMask(t *testing.T) {
	const module = `define spir_kernel void @k() { call void @__devicelib_sinf()
		call void @__devicelib_memcpy()
		ret void }
		declare void @__devicelib_sinf()
		declare void @__devicelib_memcpy()
		declare void @__devicelib_cexp()`
	for triple, want := range map[string]uint32{"spir64-unknown-unknown": 1<<libMath | 1<<libCString, "nvptx64-nvidia-cuda": 0} {
		s := partitionsOf(t, "target triple = \""+triple+"\"\n"+module, split.Options{})[0]
		got, err := Sets(s, Options{Dialect: Dialect2025})
		if err != nil {
			t.Fatal(err)
		}
		if v, ok := got.Get(props.SetDevicelibReqMask).Get("DeviceLibReqMask"); !ok || v.Uint32() != want {
			t.Errorf("%s: %v, want %d", triple, v.Uint32(), want)
		}
	}
}

func TestAddTarget(t *testing.T) {
	s := &props.Sets{}
	AddTarget(s, "martian")
	if v, _ := s.Get(props.SetDeviceRequirements).Get("compile_target"); string(v.Data()) != "martian" {
		t.Errorf("compile_target is %q", v.Data())
	}
}

package split_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"offlink/ir"
	"offlink/ir/irtext"
	"offlink/split"
)

// parse reads a module. Tests write "kernel" for an attribute list that makes
// a definition part of the source file a.cpp.
func parse(t testing.TB, text string) *ir.Module {
	t.Helper()
	if !strings.Contains(text, "target triple") {
		text = "target triple = \"spir64-unknown-unknown\"\n" + text
	}
	m, err := irtext.Parse("in.ll", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// images splits a module and describes its images.
func images(t testing.TB, text string, o split.Options) []string {
	t.Helper()
	m := parse(t, text)
	if _, err := split.ApplyAnnotations(m); err != nil {
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
	var out []string
	x := g.NewExtractor()
	for i := range groups {
		s, err := x.Extract(&groups[i])
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, describe(s))
	}
	return out
}

// describe lists the values of an image: "entry" before its entry points,
// "local" before local values, "declare" before declarations.
func describe(s *split.Partition) string {
	var b strings.Builder
	for _, id := range s.Definitions {
		v := &s.Module.Values[id]
		e := s.Edits[id]
		switch {
		case contains(s.Group.Entries, id):
			b.WriteString("entry ")
		case e != nil && e.SetLinkage && e.Linkage == ir.External:
			b.WriteString("external ")
		case v.IsLocal() || (e != nil && e.SetLinkage):
			b.WriteString("local ")
		}
		b.WriteString(v.Name + "\n")
	}
	for _, id := range s.Declarations {
		b.WriteString("declare " + s.Module.Values[id].Name + "\n")
	}
	return b.String()
}

func contains(list []ir.ValueID, id ir.ValueID) bool {
	for _, e := range list {
		if e == id {
			return true
		}
	}
	return false
}

func compare(t *testing.T, want, got []string) {
	t.Helper()
	for i, w := range want {
		want[i] = strings.TrimLeft(strings.ReplaceAll(w, "\t", ""), "\n")
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("images (-want +got):\n%s", diff)
	}
}

func TestKernelsByConvention(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"SPIR", `define spir_kernel void @k() { ret void }`, "entry k\n"},
		{"AMD", "target triple = \"amdgcn-amd-amdhsa\"\ndefine amdgpu_kernel void @k() { ret void }", "entry k\n"},
		{"NVPTX", "target triple = \"nvptx64-nvidia-cuda\"\ndefine ptx_kernel void @k() { ret void }", "entry k\n"},
		{"older NVPTX", `target triple = "nvptx64-nvidia-cuda"
			define void @k() { ret void }
			define void @f() { ret void }
			!nvvm.annotations = !{!0, !1, !2}
			!0 = !{ptr @k, !"maxntidx", i32 8, !"kernel", i32 1}
			!1 = !{ptr @f, !"kernel", i32 0}
			!2 = !{null, !"kernel", i32 1}`, "entry k\n"},
		{"declared", `declare spir_kernel void @k()`, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			compare(t, []string{tt.want}, images(t, tt.text, split.Options{Mode: split.Kernel}))
		})
	}
}

func TestEntryPointNames(t *testing.T) {
	const text = `
		define spir_func void @plain() "sycl-module-id"="a" { ret void }
		define spir_func void @__mine() "sycl-module-id"="a" { ret void }
		define spir_func void @__builtin_mine() "sycl-module-id"="a" { ret void }
		define spir_func void @_Z12__spirv_thingv() "sycl-module-id"="a" { ret void }
		define spir_func void @_Z11__sycl_thingv() "sycl-module-id"="a" { ret void }
		define spir_func void @_Z12__esimd_thingv() "sycl-module-id"="a" { ret void }
		define spir_func void @virtual() "sycl-module-id"="a" "indirectly-callable"="set" { ret void }
		define spir_func void @unmarked() { ret void }`
	compare(t, []string{"entry virtual\n", "entry plain\nentry __mine\n"}, images(t, text, split.Options{Mode: split.Source}))
	compare(t, []string{"entry virtual\n"}, images(t, text, split.Options{Mode: split.Source, OnlyKernels: true}))
}

// The keys decide which entry points share an image, and the images' order.
func TestKeys(t *testing.T) {
	const text = `
		define spir_kernel void @a() "sycl-module-id"="a" { ret void }
		define spir_kernel void @aspects() "sycl-module-id"="a" !sycl_used_aspects !0 { ret void }
		define spir_kernel void @pairs() "sycl-module-id"="a" !sycl_used_aspects !1 { ret void }
		define spir_kernel void @matrix() "sycl-module-id"="a" !sycl_joint_matrix !4 { ret void }
		define spir_kernel void @mad() "sycl-module-id"="a" !sycl_joint_matrix_mad !4 { ret void }
		define spir_kernel void @b() "sycl-module-id"="b" { ret void }
		define spir_kernel void @none() { ret void }
		!0 = !{i32 6, i32 -1, i32 5}
		!1 = !{!2, !3, i32 -1}
		!2 = !{!"fp16", i32 5}
		!3 = !{!"fp64", i32 6}
		!4 = !{!"m", !"n"}`
	g := graph(t, text, split.Options{Mode: split.Source})
	groups, err := g.Plan()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, group := range groups {
		var names []string
		for _, id := range group.Entries {
			names = append(names, g.Module.Values[id].Name)
		}
		got = append(got, group.Key+" "+strings.Join(names, ","))
	}
	want := []string{
		"b----------- b",
		"a-----5-6-4294967295------- aspects,pairs",
		"a----------m-n-- matrix",
		"a-----------m-n- mad",
		"a----------- a",
		"----------- none",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func graph(t testing.TB, text string, o split.Options) *split.Graph {
	t.Helper()
	g, err := split.NewGraph(parse(t, text), o)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// A graph reports faults of a module.
func TestGraphErrors(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"no name", `define spir_func void @0() "sycl-module-id"="a" { ret void }`, "an entry point has no name"},
		{"line end", `define spir_kernel void @"a\0Ab"() { ret void }`, "has a line end in it"},
		{"kernel that is called", `
			@llvm.used = appending global [1 x ptr] [ptr @k], section "llvm.metadata"
			define spir_kernel void @k() { ret void }
			define spir_func void @f() { call spir_kernel void @k()
			ret void }`, "Unexpected usage of SYCL kernel: @f uses @k"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := split.NewGraph(parse(t, tt.text), split.Options{Mode: split.Source})
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("NewGraph() = %v; want %q", err, tt.want)
			}
		})
	}
}

// References between values, in the forms that are not in testdata/postlink.
func TestReferences(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"alias of an alias", `
			@one = alias void (), ptr @two
			@two = alias void (), ptr @f
			define spir_kernel void @k() { call void @one()
			ret void }
			define void @f() { ret void }`, "one\ntwo\nentry k\nlocal f\n"},
		{"block address", `
			@table = internal constant ptr blockaddress(@f, %x)
			define spir_kernel void @k() { %v = load ptr, ptr @table
			ret void }
			define void @f() { br label %x
			x: ret void }`, "local table\nentry k\nlocal f\n"},
		{"personality and prefix", `
			@data = internal constant i32 1
			define spir_kernel void @k() prefix ptr @data personality ptr @p { ret void }
			declare i32 @p(...)`, "local data\nentry k\ndeclare p\n"},
		{"unused declarations", `
			@v = external global i32
			define spir_kernel void @k() { ret void }
			declare void @f()`, "entry k\n"},
		{"constructors", `
			@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 65535, ptr @c, ptr null }]
			define spir_kernel void @k() { ret void }
			define internal void @c() { ret void }`, "llvm.global_ctors\nentry k\nlocal c\n"},
		{"weak and common variables", `
			@w = weak global i32 0
			@c = common global i32 0
			@l = linkonce global i32 0
			define spir_kernel void @k() { ret void }`, "w\nc\nentry k\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			compare(t, []string{tt.want}, images(t, tt.text, split.Options{Mode: split.Kernel}))
		})
	}
}

// In a module that stays whole, everything visible is kept, and so are the
// members of a comdat of which one is.
func TestWholeModule(t *testing.T) {
	compare(t, []string{`
		other
		idle
		entry k
		member
		marked
		local target
		`}, images(t, `
		$pair = comdat any
		@other = linkonce_odr global i32 0, comdat($pair)
		@idle = alias void (), ptr @target
		define spir_kernel void @k() { %v = load i32, ptr @other
		ret void }
		define linkonce_odr void @member() comdat($pair) { ret void }
		define void @marked() "referenced-indirectly" { ret void }
		define void @unmarked() { ret void }
		define void @target() { ret void }`, split.Options{}))
}

// Functions that become local leave their comdat; where there are several the
// comdat ties them together and must not merge with others.
func TestComdatsOfLocalFunctions(t *testing.T) {
	const text = `
		$one = comdat any
		$two = comdat any
		define spir_kernel void @k() { call void @one()
		call void @two()
		call void @three()
		ret void }
		define linkonce_odr void @one() comdat { ret void }
		define linkonce_odr void @two() comdat { ret void }
		define linkonce_odr void @three() comdat($two) { ret void }`
	g := graph(t, text, split.Options{Mode: split.Kernel})
	groups, _ := g.Plan()
	s, err := g.NewExtractor().Extract(&groups[0])
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, id := range s.Definitions {
		if e := s.Edits[id]; e != nil {
			got = append(got, fmt.Sprint(s.Module.Values[id].Name, " ", e.SetLinkage, " ", e.DropComdat))
		}
	}
	for c, kind := range s.Selections {
		got = append(got, s.Module.Comdats[c].Name+" "+kind)
	}
	want := []string{"k false false", "one true true", "two true false", "three true false", "two nodeduplicate"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Calls without a known callee reach the functions of their type that have
// referenced-indirectly, and no others; of discardable ones only those that the
// image refers to.
func TestIndirectCalls(t *testing.T) {
	compare(t, []string{"entry other\n", "entry k\nyes\nlocal named\nlocal helper\n"}, images(t, `
		define spir_kernel void @k(ptr %f) "sycl-module-id"="a" { %x = call i32 %f(i64 1)
		%y = icmp eq ptr %f, @named
		ret void }
		define spir_kernel void @other(ptr %f) "sycl-module-id"="b" { ret void }
		define i32 @yes(i64 %x) "referenced-indirectly" { call void @helper()
		ret i32 0 }
		define internal i32 @unnamed(i64 %x) "referenced-indirectly" { ret i32 0 }
		define linkonce_odr i32 @discardable(i64 %x) "referenced-indirectly" { ret i32 0 }
		define internal i32 @named(i64 %x) "referenced-indirectly" { ret i32 0 }
		define i32 @wrongtype(i32 %x) "referenced-indirectly" { ret i32 0 }
		define i32 @unmarked(i64 %x) { ret i32 0 }
		define void @helper() { ret void }`, split.Options{Mode: split.Source}))
}

const dependent = `
	define spir_kernel void @k() "sycl-module-id"="a" { call void @near()
	call void @far()
	call void @inline()
	call void @__reserved()
	ret void }
	define void @near() "sycl-module-id"="a" { call void @inline()
	ret void }
	define void @far() "sycl-module-id"="b" { call void @inline()
	call void @farther()
	ret void }
	define void @farther() "sycl-module-id"="c" { ret void }
	define linkonce_odr void @inline() { ret void }
	define void @__reserved() "sycl-module-id"="b" { ret void }`

// Which functions an image leaves to others.
func TestDependencies(t *testing.T) {
	const ofC, ofB = "entry farther\n", "entry far\nlocal inline\nentry __reserved\ndeclare farther\n"
	for _, tt := range []struct {
		name string
		o    split.Options
		want []string
	}{
		{"none", split.Options{Mode: split.Source}, []string{
			ofC,
			"entry far\nlocal farther\nlocal inline\nentry __reserved\n",
			"entry k\nentry near\nlocal far\nlocal farther\nlocal inline\nlocal __reserved\n",
		}},
		{"externals by source", split.Options{Mode: split.Source, Dependencies: split.DependenciesExternals}, []string{
			ofC, ofB, "entry k\nentry near\nlocal inline\nlocal __reserved\ndeclare far\n",
		}},
		{"externals by kernel", split.Options{Mode: split.Kernel, Dependencies: split.DependenciesExternals}, []string{
			"entry near\nlocal inline\n",
			"entry k\nlocal near\nlocal inline\nlocal __reserved\ndeclare far\n",
			"entry farther\n",
			"entry far\nlocal inline\ndeclare farther\n",
			"entry __reserved\n",
		}},
		{"all by kernel", split.Options{Mode: split.Kernel, Dependencies: split.DependenciesAll}, []string{
			"entry near\nlocal inline\n",
			"entry k\nlocal inline\nlocal __reserved\ndeclare near\ndeclare far\n",
			"entry farther\n",
			"entry far\nlocal inline\ndeclare farther\n",
			"entry __reserved\n",
		}},
		{"all, only kernels", split.Options{Mode: split.Source, Dependencies: split.DependenciesAll, OnlyKernels: true}, []string{
			"entry k\nlocal near\nlocal far\nlocal farther\nlocal inline\nlocal __reserved\n",
		}},
		{"all without a split", split.Options{Dependencies: split.DependenciesAll}, []string{
			"entry k\nentry near\nentry far\nentry farther\nlocal inline\nentry __reserved\n",
		}},
	} {
		t.Run(tt.name, func(t *testing.T) { compare(t, tt.want, images(t, dependent, tt.o)) })
	}
}

// A function of which a blockaddress names a block is copied: a declaration has no blocks.
func TestBlockAddressOfImportedFunction(t *testing.T) {
	compare(t, []string{"local table\nentry f\nentry g\nentry h\n", "local table\nentry k\nlocal f\nlocal h\ndeclare g\n"}, images(t, `
		@table = internal constant [1 x ptr] [ptr blockaddress(@f, %next)]
		define spir_kernel void @k(ptr %p) "sycl-module-id"="a" {
		  call void @f(ptr %p)
		  call void @g()
		  store ptr blockaddress(@h, %next), ptr %p
		  ret void }
		define void @f(ptr %p) "sycl-module-id"="b" {
		  %x = load ptr, ptr @table
		  indirectbr ptr %x, [label %next]
		next:
		  ret void }
		define void @g() "sycl-module-id"="b" { ret void }
		define void @h() "sycl-module-id"="b" {
		  br label %next
		next:
		  ret void }`, split.Options{Mode: split.Source, Dependencies: split.DependenciesAll}))
}

// The aliasee of an alias is copied: an alias of a declaration is not valid.
func TestAliasOfImportedFunction(t *testing.T) {
	compare(t, []string{"entry f\n", "x\nentry k\nlocal f\n"}, images(t, `
		@x = alias void (), ptr @f
		define spir_kernel void @k() "sycl-module-id"="a" { call void @x()
		ret void }
		define void @f() "sycl-module-id"="b" { ret void }`, split.Options{Mode: split.Source, Dependencies: split.DependenciesAll}))
}

// Exports, imports and undefined functions.
func TestSymbols(t *testing.T) {
	const text = `
		define spir_kernel void @k() "sycl-module-id"="a" { call spir_func void @exported()
		call void @_Z4usedv()
		call void @_Z3__av()
		call void @llvm.trap()
		call void @__devicelib_ConvertFToBF16INTEL()
		ret void }
		define spir_func void @exported() "sycl-module-id"="a" { ret void }
		define internal spir_func void @local() "sycl-module-id"="a" { ret void }
		define spir_func void @virtual() "sycl-module-id"="a" "indirectly-callable"="s" { ret void }
		declare void @_Z4usedv()
		declare void @_Z3__av()
		declare void @_Z6unusedv()
		declare void @llvm.trap()
		declare void @__devicelib_ConvertFToBF16INTEL()`
	for _, tt := range []struct {
		dependencies                split.Dependencies
		exports, imports, undefined string
	}{
		{split.DependenciesNone, "exported", "__devicelib_ConvertFToBF16INTEL", "_Z4usedv _Z3__av"},
		{split.DependenciesExternals, "exported", "_Z4usedv __devicelib_ConvertFToBF16INTEL", ""},
		{split.DependenciesAll, "exported", "_Z4usedv __devicelib_ConvertFToBF16INTEL", ""},
	} {
		g := graph(t, text, split.Options{Mode: split.Source, Dependencies: tt.dependencies})
		groups, _ := g.Plan()
		s, err := g.NewExtractor().Extract(&groups[len(groups)-1])
		if err != nil {
			t.Fatal(err)
		}
		names := func(ids []ir.ValueID) string {
			var list []string
			for _, id := range ids {
				list = append(list, s.Module.Values[id].Name)
			}
			return strings.Join(list, " ")
		}
		got := []string{names(s.Exports()), names(s.Imports()), names(s.Undefined())}
		if diff := cmp.Diff([]string{tt.exports, tt.imports, tt.undefined}, got); diff != "" {
			t.Errorf("dependencies %v: exports, imports, undefined (-want +got):\n%s", tt.dependencies, diff)
		}
	}
}

// ESIMD code and other code in one source file.
func TestESIMD(t *testing.T) {
	const text = `
		define spir_kernel void @simd() "sycl-module-id"="a" !sycl_explicit_simd !0 { call void @shared()
		call void @helper()
		ret void }
		define spir_kernel void @plain() "sycl-module-id"="a" { call void @shared()
		ret void }
		define void @shared() { ret void }
		define void @helper() !sycl_explicit_simd !0 { ret void }
		!0 = !{}`
	together := "entry simd\nentry plain\nlocal shared\nlocal helper\n"
	compare(t, []string{together}, images(t, text, split.Options{Mode: split.Source}))
	compare(t, []string{"entry simd\nlocal shared\nlocal helper\n", "entry plain\nlocal shared\n"},
		images(t, text, split.Options{Mode: split.Source, SeparateESIMD: true}))
	compare(t, []string{"entry simd\nlocal shared\nlocal helper\n", "entry plain\nlocal shared\n"},
		images(t, text, split.Options{SeparateESIMD: true}))

	g := graph(t, text+"\ndeclare void @_Z33__regcall3____builtin_invoke_simdXX()", split.Options{SeparateESIMD: true})
	if _, err := g.Plan(); err == nil || !strings.Contains(err.Error(), "invoke_simd") {
		t.Errorf("Plan() = %v; want an error about invoke_simd", err)
	}
}

// Named metadata keeps the entries of an image's values.
func TestNamedMetadata(t *testing.T) {
	const text = `
		define spir_kernel void @a() { ret void }
		define spir_kernel void @b() { ret void }
		define spir_kernel void @c() { ret void }
		!spirv.ExecutionMode = !{!0, !1, !2, !8}
		!0 = !{ptr @b, i32 1}
		!1 = !{ptr @a, i32 2}
		!2 = !{ptr @b, i32 3}
		!8 = !{null, i32 4}
		!mixed = !{!3, !0}
		!3 = !{!"no value"}
		!untouched = !{!3}
		!sycl_registered_kernels = !{!4}
		!4 = !{!6, !5, !7, !9, !10}
		!9 = !{!"no pair"}
		!10 = !{!"again", !"b"}
		!5 = !{!"one", !"a"}
		!6 = !{!"two", !"b"}
		!7 = !{!"three", !"elsewhere"}`
	g := graph(t, text, split.Options{Mode: split.Kernel, Single: false})
	groups, _ := g.Plan()
	x := g.NewExtractor()
	var got []string
	for i := range groups {
		s, err := x.Extract(&groups[i])
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range s.Named {
			got = append(got, fmt.Sprint(e.Name, " ", e.Keep, " ", len(e.New)))
		}
		got = append(got, fmt.Sprint(s.RegisteredKernels(), s.Removed))
	}
	want := []string{
		"mixed [0] 0", "sycl_registered_kernels [] 1", "sycl-esimd-split-status [] 1", "[] [spirv.ExecutionMode]",
		"spirv.ExecutionMode [0 2] 0", "sycl_registered_kernels [] 1", "sycl-esimd-split-status [] 1", "[{two b} {again b}] []",
		"spirv.ExecutionMode [1] 0", "mixed [0] 0", "sycl_registered_kernels [] 1", "sycl-esimd-split-status [] 1", "[{one a}] []",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Annotations other than SYCL's go with the values that they are about.
func TestAnnotations(t *testing.T) {
	compare(t, []string{"entry b\n", "llvm.global.annotations\nlocal s\nentry a\n"}, images(t, `
		@llvm.global.annotations = appending global [2 x { ptr, ptr, ptr, i32, ptr }] [{ ptr, ptr, ptr, i32, ptr } { ptr @a, ptr @s, ptr @s, i32 1, ptr null }, { ptr, ptr, ptr, i32, ptr } { ptr @dead, ptr @s, ptr @s, i32 1, ptr null }], section "llvm.metadata"
		@s = private constant [6 x i8] c"other\00"
		define spir_kernel void @a() { ret void }
		define spir_kernel void @b() { ret void }
		define internal void @dead() { ret void }`, split.Options{Mode: split.Kernel}))
}

// Variables with image scope may be used in one image only, however that is
// reached.
func TestImageScope(t *testing.T) {
	const variable = `
		@dg = internal addrspace(1) global i32 0 #0
		@pointer = internal constant ptr addrspace(1) @dg
		attributes #0 = { "sycl-device-global-size"="4" %s "sycl-unique-id"="x" }`
	const kernels = `
		define spir_kernel void @a() { %%v = load i32, ptr addrspace(1) @dg
		ret void }
		define spir_kernel void @b() { %s
		ret void }
		define void @helper() { %%v = load i32, ptr addrspace(1) getelementptr (i8, ptr addrspace(1) @dg, i64 1)
		ret void }
		define void @recursive() { call void @recursive()
		call void @helper()
		ret void }`
	for _, tt := range []struct {
		name, attribute, use string
		many                 bool
	}{
		{"one image", `"sycl-device-image-scope"`, "", false},
		{"not scoped", `"sycl-device-image-scope"="false"`, "call void @helper()", false},
		{"helper", `"sycl-device-image-scope"`, "call void @helper()", true},
		{"behind recursion", `"sycl-device-image-scope"="true"`, "call void @recursive()", true},
		{"through data", `"sycl-device-image-scope"="true"`, "%v = load ptr, ptr @pointer", true},
		{"older name", `"device_image_scope"="true"`, "call void @helper()", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g := graph(t, fmt.Sprintf(variable, tt.attribute)+fmt.Sprintf(kernels, tt.use), split.Options{Mode: split.Kernel})
			groups, _ := g.Plan()
			err := g.PlaceImageScope(groups)
			if (err != nil) != tt.many {
				t.Errorf("PlaceImageScope() = %v; want an error: %v", err, tt.many)
			}
		})
	}
}

// A variable with image scope that is visible from outside is in the image of its
// users alone; one that nobody uses is in all.
func TestImageScopePlace(t *testing.T) {
	g := graph(t, `
		@used = addrspace(1) global i32 0 #0
		@idle = addrspace(1) global i32 0 #1
		define spir_kernel void @a() { %v = load i32, ptr addrspace(1) @used
		ret void }
		define spir_kernel void @b() { ret void }
		attributes #0 = { "sycl-device-global-size"="4" "sycl-device-image-scope" "sycl-unique-id"="x" }
		attributes #1 = { "sycl-device-global-size"="4" "sycl-device-image-scope" "sycl-unique-id"="y" }`, split.Options{Mode: split.Kernel, Annotated: true})
	groups, err := g.Plan()
	if err != nil {
		t.Fatal(err)
	}
	if err := g.PlaceImageScope(groups); err != nil {
		t.Fatal(err)
	}
	got := make(map[string][]string)
	for i := range groups {
		s, err := g.NewExtractor().Extract(&groups[i])
		if err != nil {
			t.Fatal(err)
		}
		for _, id := range s.Definitions {
			if g.Module.Values[id].Kind == ir.Variable {
				got[groups[i].Scope] = append(got[groups[i].Scope], g.Module.Values[id].Name)
			}
		}
	}
	want := map[string][]string{"a": {"used", "idle"}, "b": {"idle"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("variables of the images (-want +got):\n%s", diff)
	}
}

// A virtual function's body is in the images of virtual functions that reach
// it; with dependencies allowed only in the one where it is an entry point.
func TestVirtualBodies(t *testing.T) {
	const text = `
		@table = addrspace(1) constant [2 x ptr] [ptr @a, ptr @b]
		define spir_func void @a() "sycl-module-id"="m" "indirectly-callable"="A" {
			call void @help()
			ret void
		}
		define spir_func void @b() "sycl-module-id"="m" "indirectly-callable"="B" { ret void }
		define spir_func void @c() "sycl-module-id"="m" "indirectly-callable"="B" { ret void }
		define spir_kernel void @k() "sycl-module-id"="m" { ret void }
		define internal spir_func void @help() { ret void }`
	for _, tt := range []struct {
		dependencies split.Dependencies
		want         []string
	}{
		{split.DependenciesNone, []string{"b c: a b c help", "a: a b help", "k: k"}},
		{split.DependenciesAll, []string{"b c: b c", "a: a help", "k: k"}},
	} {
		g := graph(t, text, split.Options{Mode: split.Source, Dependencies: tt.dependencies})
		groups, err := g.Plan()
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for i := range groups {
			s, err := g.NewExtractor().Extract(&groups[i])
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, functionList(g.Module, groups[i].Entries)+": "+functionList(g.Module, s.Definitions))
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("dependencies %v: (-want +got):\n%s", tt.dependencies, diff)
		}
	}
}

// The virtual functions that an image provides become external, whatever their
// linkage: images that use them import them.
func TestVirtualLinkage(t *testing.T) {
	const text = `
		$vf = comdat any
		define linkonce_odr spir_func void @vf() "sycl-module-id"="m" "indirectly-callable"="A" comdat { ret void }
		define internal spir_func void @local() "sycl-module-id"="m" "indirectly-callable"="A" { ret void }
		define weak_odr spir_kernel void @k(ptr %p) "sycl-module-id"="m" "calls-indirectly"="A" { store ptr @vf, ptr %p
		ret void }`
	m := parse(t, text)
	g, err := split.NewGraph(m, split.Options{Mode: split.Auto})
	if err != nil {
		t.Fatal(err)
	}
	groups, err := g.Plan()
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"vf external, local external", "k weak_odr"} {
		s, err := g.NewExtractor().Extract(&groups[i])
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, id := range s.Definitions {
			linkage := m.Values[id].Linkage
			if e := s.Edits[id]; e != nil && e.SetLinkage {
				linkage = e.Linkage
			}
			got = append(got, m.Values[id].Name+" "+linkage.String())
		}
		if got := strings.Join(got, ", "); got != want {
			t.Errorf("image %d: %s, want %s", i, got, want)
		}
	}
}

func functionList(m *ir.Module, ids []ir.ValueID) string {
	var names []string
	for _, id := range ids {
		if m.Values[id].Kind == ir.Function {
			names = append(names, m.Values[id].Name)
		}
	}
	return strings.Join(names, " ")
}

// A device global that only llvm.compiler.used names is dropped, whatever its
// linkage.
func TestUnusedDeviceGlobals(t *testing.T) {
	compare(t, []string{"listed\nused\nunlisted\nllvm.compiler.used\nentry k\n"}, images(t, `
		@only = weak_odr addrspace(1) global i32 0 "sycl-device-global-size"="4" "sycl-unique-id"="a"
		@listed = global i32 0
		@used = weak_odr addrspace(1) global i32 0 "sycl-device-global-size"="4" "sycl-unique-id"="b"
		@unlisted = weak_odr addrspace(1) global i32 0 "sycl-device-global-size"="4" "sycl-unique-id"="c"
		@llvm.compiler.used = appending global [3 x ptr addrspace(4)] [ptr addrspace(4) addrspacecast (ptr addrspace(1) @only to ptr addrspace(4)), ptr addrspace(4) addrspacecast (ptr @listed to ptr addrspace(4)), ptr addrspace(4) addrspacecast (ptr addrspace(1) @used to ptr addrspace(4))], section "llvm.metadata"
		define spir_kernel void @k() "sycl-module-id"="m" { %v = load i32, ptr addrspace(1) @used
		ret void }`, split.Options{Mode: split.Kernel}))
}

// Splitters of late front ends leave device globals in
// llvm.compiler.used, so that every image has them.
func TestCompilerUsed(t *testing.T) {
	const text = `
		target triple = "spir64-unknown-unknown"
		@dg = internal addrspace(1) global i32 0 "sycl-device-global-size"="4" "sycl-unique-id"="u"
		@llvm.compiler.used = appending addrspace(1) global [1 x ptr addrspace(4)] [ptr addrspace(4) addrspacecast (ptr addrspace(1) @dg to ptr addrspace(4))], section "llvm.metadata"
		define spir_kernel void @k() "sycl-module-id"="m" { ret void }
		define spir_kernel void @l() "sycl-module-id"="m" { ret void }`
	const late = `
		!llvm.module.flags = !{!0}
		!0 = !{i32 1, !"sycl-device", i32 1}`
	for text, want := range map[string]bool{text: false, text + late: true} {
		g := graph(t, text, split.Options{Mode: split.Kernel})
		groups, err := g.Plan()
		if err != nil {
			t.Fatal(err)
		}
		s, err := g.NewExtractor().Extract(&groups[0])
		if err != nil {
			t.Fatal(err)
		}
		dg, _ := g.Module.Lookup("dg")
		if got := s.Has(dg); got != want {
			t.Errorf("the image has the variable: %v, want %v\n%s", got, want, text)
		}
	}
}

// An indirect call brings the functions that it can reach, but not as imports:
// it does not name them.
func TestIndirectCallsAcrossImages(t *testing.T) {
	const text = `
		define spir_func void @a() "sycl-module-id"="m" "referenced-indirectly" { ret void }
		define spir_func void @b() "sycl-module-id"="m" "referenced-indirectly" { ret void }
		define spir_kernel void @k(ptr %f) "sycl-module-id"="m" {
			call void %f()
			call void %f(ptr @b)
			ret void
		}`
	for dependencies, want := range map[split.Dependencies]string{
		split.DependenciesNone: "defined a b k declared ",
		split.DependenciesAll:  "defined k declared b",
	} {
		g := graph(t, text, split.Options{Mode: split.Kernel, Dependencies: dependencies})
		groups, err := g.Plan()
		if err != nil {
			t.Fatal(err)
		}
		s, err := g.NewExtractor().Extract(&groups[0])
		if err != nil {
			t.Fatal(err)
		}
		if got := "defined " + functionList(g.Module, s.Definitions) + " declared " + functionList(g.Module, s.Declarations); got != want {
			t.Errorf("dependencies %v: %s, want %s", dependencies, got, want)
		}
	}
}

// A declaration keeps its prefix data and attributes.
func TestPrefixOfDeclaration(t *testing.T) {
	compare(t, []string{"local data\nentry k\ndeclare f\n"}, images(t, `
		@data = internal constant i32 1
		@other = internal constant i32 1
		declare void @f() prefix ptr @data
		declare void @unused() prefix ptr @other
		define spir_kernel void @k() "sycl-module-id"="m" { call void @f()
		ret void }`, split.Options{Mode: split.Kernel}))
}

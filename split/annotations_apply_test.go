package split_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"offlink/ir"
	"offlink/split"
)

// marked returns a module with annotations: each entry is the value's name, the
// string and, if not "", the argument structure.
func marked(definitions string, entries ...[3]string) string {
	var b strings.Builder
	var list []string
	for i, e := range entries {
		fmt.Fprintf(&b, "@s%d = private constant [%d x i8] c\"%s\\00\", section \"llvm.metadata\"\n", i, len(e[1])+1, e[1])
		arg := "ptr null"
		if e[2] != "" {
			fmt.Fprintf(&b, "@a%d = private constant %s, section \"llvm.metadata\"\n", i, e[2])
			arg = fmt.Sprintf("ptr @a%d", i)
		}
		list = append(list, fmt.Sprintf("{ ptr, ptr, ptr, i32, ptr } { ptr %s, ptr @s%d, ptr @s%d, i32 1, %s }", e[0], i, i, arg))
	}
	fmt.Fprintf(&b, "@llvm.global.annotations = appending global [%d x { ptr, ptr, ptr, i32, ptr }] [%s], section \"llvm.metadata\"\n", len(list), strings.Join(list, ", "))
	return b.String() + definitions
}

// attributes returns the string attributes of a value, its own first.
func attributes(m *ir.Module, name string) []string {
	id, _ := m.Lookup(name)
	var list []string
	for _, a := range m.Values[id].Details().Attributes {
		list = append(list, a.Key+"="+a.Value)
	}
	for _, g := range m.Values[id].Details().Groups {
		for _, a := range m.AttributeGroups[g].Strings {
			list = append(list, a.Key+"="+a.Value)
		}
	}
	return list
}

func TestMarksBecomeAttributes(t *testing.T) {
	m := parse(t, marked(`
		@v = addrspace(1) global i32 0
		define void @f() "sycl-mine"="old" { ret void }
		declare void @d()`,
		[3]string{"@f", "sycl-module-id=a.c", ""},
		[3]string{"@f", "sycl-flag", ""},
		[3]string{"@f", "sycl-mine=new", ""},
		[3]string{"@f", "sycl-module-id=a.c", ""}, // said twice
		[3]string{"@d", "sycl-module-id=a.c", ""},
		[3]string{"addrspacecast (ptr addrspace(1) @v to ptr)", "sycl-device-global-size", "{ i32 } { i32 24 }"},
		[3]string{"addrspacecast (ptr addrspace(1) @v to ptr)", "sycl-zero", "{ i32 } zeroinitializer"},
		[3]string{"addrspacecast (ptr addrspace(1) @v to ptr)", "sycl-negative", "{ i16 } { i16 -3 }"},
		[3]string{"@f", "other", ""}))
	changed, err := split.ApplyAnnotations(m)
	if err != nil || !changed {
		t.Fatalf("ApplyAnnotations() = %v, %v", changed, err)
	}
	if diff := cmp.Diff([]string{"sycl-module-id=a.c", "sycl-flag=", "sycl-mine=old"}, sortAs(attributes(m, "f"))); diff != "" {
		t.Errorf("@f (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"sycl-device-global-size=24", "sycl-zero=0", "sycl-negative=-3"}, attributes(m, "v")); diff != "" {
		t.Errorf("@v (-want +got):\n%s", diff)
	}
	if got := attributes(m, "d"); got != nil {
		t.Errorf("@d, which is only declared, has %v", got)
	}
	list, _ := m.Lookup("llvm.global.annotations")
	if diff := cmp.Diff([]int{8}, m.Values[list].Details().KeepElements); diff != "" {
		t.Errorf("annotations that stay (-want +got):\n%s", diff)
	}
	if changed, err := split.ApplyAnnotations(parse(t, `define void @f() { ret void }`)); changed || err != nil {
		t.Errorf("without annotations: ApplyAnnotations() = %v, %v", changed, err)
	}
}

// sortAs moves attributes of the input after those that were added.
func sortAs(list []string) []string {
	var added, old []string
	for _, a := range list {
		if strings.HasPrefix(a, "sycl-mine") {
			old = append(old, a)
		} else {
			added = append(added, a)
		}
	}
	return append(added, old...)
}

func TestMarksMakeKernels(t *testing.T) {
	for triple, want := range map[string]string{
		"spir64-unknown-unknown": "spir_kernel", "nvptx64-nvidia-cuda": "ptx_kernel", "amdgcn-amd-amdhsa": "amdgpu_kernel",
	} {
		m := parse(t, "target triple = \""+triple+"\"\n"+marked(`define spir_func void @k() { ret void }`, [3]string{"@k", "sycl-kernel", ""}))
		if _, err := split.ApplyAnnotations(m); err != nil {
			t.Fatal(err)
		}
		id, _ := m.Lookup("k")
		if got := m.CallingConv(&m.Values[id]); got != want || len(attributes(m, "k")) > 0 {
			t.Errorf("%s: the convention is %q, want %q; attributes %v", triple, got, want, attributes(m, "k"))
		}
	}
}

// The marked values leave the lists of used values, and the marks' strings
// leave the images.
func TestMarksClearUsed(t *testing.T) {
	text := marked(`
		@llvm.compiler.used = appending global [2 x ptr] [ptr @f, ptr @other], section "llvm.metadata"
		define spir_kernel void @k() { ret void }
		define void @f() { ret void }
		define internal void @other() { ret void }`,
		[3]string{"@k", "sycl-module-id=a.c", ""}, [3]string{"@f", "sycl-note", "{ i32 } { i32 1 }"})
	compare(t, []string{"llvm.compiler.used\nentry k\nlocal other\n"}, images(t, text, split.Options{Mode: split.Kernel}))
}

func TestMarkErrors(t *testing.T) {
	const f = `define void @f() { ret void }
		@x = alias void (), ptr @f
		@v = global i32 0`
	for _, tt := range []struct {
		name, definitions string
		entries           [][3]string
		want              string
	}{
		{"two values", f, [][3]string{{"@f", "sycl-module-id=a", ""}, {"@f", "sycl-module-id=b", ""}}, `@f is marked sycl-module-id="a" and sycl-module-id="b"`},
		{"value and none", f, [][3]string{{"@f", "sycl-x", ""}, {"@f", "sycl-x=1", ""}}, `@f is marked sycl-x="" and sycl-x="1"`},
		{"value and argument", f, [][3]string{{"@f", "sycl-x=1", "{ i32 } { i32 1 }"}}, "has a value and an argument"},
		{"two arguments", f, [][3]string{{"@f", "sycl-x", "{ i32, i32 } { i32 1, i32 2 }"}}, "its argument is not one integer"},
		{"string argument", f, [][3]string{{"@f", "sycl-x", "{ ptr } { ptr @v }"}}, "its argument is not one integer"},
		{"alias", f, [][3]string{{"@x", "sycl-x", ""}}, "on the alias @x"},
		{"variable as kernel", f, [][3]string{{"@v", "sycl-kernel", ""}}, "@v is marked sycl-kernel and is not a function"},
		{"kernel with a result", `define i32 @f() { ret i32 0 }`, [][3]string{{"@f", "sycl-kernel", ""}}, "a kernel returns nothing"},
		{"kernel that is called", f + "\ndefine void @g() { call void @f()\nret void }", [][3]string{{"@f", "sycl-kernel", ""}}, "@g calls @f"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := split.ApplyAnnotations(parse(t, marked(tt.definitions, tt.entries...)))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("ApplyAnnotations() = %v; want %q", err, tt.want)
			}
		})
	}
}

// Typed pointers, as clang 14 and 15 write them.
func TestMarksWithTypedPointers(t *testing.T) {
	m := parse(t, `
		@.str = private unnamed_addr addrspace(2) constant [15 x i8] c"sycl-module-id\00", section "llvm.metadata"
		@.str.1 = private unnamed_addr constant [24 x i8] c"sycl-device-global-size\00", section "llvm.metadata"
		@.args = private unnamed_addr constant { i32 } { i32 4 }, section "llvm.metadata"
		@v = addrspace(1) global i32 0
		@llvm.global.annotations = appending global [2 x { i8*, i8*, i8*, i32, i8* }] [{ i8*, i8*, i8*, i32, i8* } { i8* bitcast (void ()* @f to i8*), i8* addrspacecast (i8 addrspace(2)* getelementptr inbounds ([15 x i8], [15 x i8] addrspace(2)* @.str, i32 0, i32 0) to i8*), i8* null, i32 1, i8* null }, { i8*, i8*, i8*, i32, i8* } { i8* addrspacecast (i8 addrspace(1)* bitcast (i32 addrspace(1)* @v to i8 addrspace(1)*) to i8*), i8* getelementptr inbounds ([24 x i8], [24 x i8]* @.str.1, i32 0, i32 0), i8* null, i32 1, i8* bitcast ({ i32 }* @.args to i8*) }], section "llvm.metadata"
		define void @f() { ret void }`)
	if _, err := split.ApplyAnnotations(m); err != nil {
		t.Fatal(err)
	}
	got := append(attributes(m, "f"), attributes(m, "v")...)
	if diff := cmp.Diff([]string{"sycl-module-id=", "sycl-device-global-size=4"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

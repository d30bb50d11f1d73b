package split_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"offlink/split"
)

func TestWhy(t *testing.T) {
	const text = `
		$c = comdat any
		@table = internal constant [1 x ptr] [ptr @named]
		@visible = global i32 0
		@llvm.used = appending global [1 x ptr] [ptr @k], section "llvm.metadata"
		define spir_kernel void @k(ptr %f) "sycl-module-id"="a" { call void @long1()
		call void @direct()
		%v = load ptr, ptr @table
		call void %f(i8 1)
		call void @imported()
		call void @undefined()
		call void @virtual()
		ret void }
		define void @long1() { call void @direct()
		ret void }
		define void @direct() { call void @target()
		ret void }
		define void @target() { ret void }
		define void @named() { ret void }
		define void @indirect(i8 %x) "referenced-indirectly" { ret void }
		define void @imported() "sycl-module-id"="b" { call void @unseen()
		ret void }
		define void @unseen() { ret void }
		define void @virtual() "indirectly-callable"="s" { ret void }
		declare void @undefined()`
	g := graph(t, text, split.Options{Mode: split.Kernel, Dependencies: split.DependenciesAll})
	groups, err := g.Plan()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	x := g.NewExtractor()
	for _, name := range []string{"k", "target", "named", "indirect", "visible", "imported", "undefined", "virtual", "unseen", "llvm.used"} {
		id, ok := g.Module.Lookup(name)
		if !ok {
			t.Fatalf("no @%s", name)
		}
		a := x.Why(&groups[0], id)
		var chain []string
		for _, step := range a.Chain {
			chain = append(chain, fmt.Sprintf("%s (%s)", g.Module.Values[step.Value].Name, step.Reason))
		}
		got = append(got, fmt.Sprintf("%s: %s, %s: %s", name, a.Status, a.Rule, strings.Join(chain, " > ")))
	}
	want := []string{
		"k: defined, a kernel of this image: k (entry point)",
		"target: defined, made internal: it is not an entry point of this image: k (entry point) > direct (called by) > target (called by)",
		"named: defined, made internal: it is not an entry point of this image: k (entry point) > table (used by) > named (named by the initialiser of)",
		"indirect: defined, stays visible: it may be called indirectly (referenced-indirectly): k (entry point) > indirect (of the type of an indirect call in)",
		"visible: defined, variables and aliases keep their linkage: visible (visible from outside, so that every image has it)",
		"imported: declared, imported: an entry point of another image, which exports it: k (entry point) > imported (called by)",
		"undefined: declared, imported: the input only declares it: k (entry point) > undefined (called by)",
		"virtual: declared, a virtual function: the images that provide its set have it: k (entry point) > virtual (called by)",
		"unseen: absent, nothing in this image refers to it: ",
		"llvm.used: absent, a list that has served its purpose before the split: ",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

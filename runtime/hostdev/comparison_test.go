package hostdev

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"offlink/runtime/driver"
)

// comparisonCase is a comparison of a conjunction with zero that a branch takes.
type comparisonCase struct {
	predicate, typ string
	mask           int64
	zeroFirst      bool
}

func comparisonCases() (list []comparisonCase) {
	for _, predicate := range []string{"eq", "ne", "ult", "ule", "ugt", "uge", "slt", "sle", "sgt", "sge"} {
		for _, typ := range []string{"i32", "i64"} {
			for _, mask := range []int64{7, -1 << 31} {
				list = append(list, comparisonCase{predicate, typ, mask, false}, comparisonCase{predicate, typ, mask, true})
			}
		}
	}
	return list
}

// holds computes the comparison of an input, which is extended with zeros.
func (c *comparisonCase) holds(input uint32) bool {
	left := int64(input) & c.mask
	if c.typ == "i32" {
		left = int64(int32(left))
	}
	right := int64(0)
	if c.zeroFirst {
		left, right = right, left
	}
	return map[string]bool{
		"eq": left == right, "ne": left != right,
		"ult": uint64(left) < uint64(right), "ule": uint64(left) <= uint64(right), "ugt": uint64(left) > uint64(right), "uge": uint64(left) >= uint64(right),
		"slt": left < right, "sle": left <= right, "sgt": left > right, "sge": left >= right,
	}[c.predicate]
}

// comparisonKernel stores 1 for each comparison that holds and 2 for the others, by
// branches that all work-items take alike.
func comparisonKernel(list []comparisonCase) string {
	var b strings.Builder
	b.WriteString("target triple = \"spir64-unknown-unknown\"\ndefine spir_kernel void @k(ptr addrspace(1) %in, ptr addrspace(1) %out) {\n" +
		"  %i32 = load i32, ptr addrspace(1) %in\n  %i64 = zext i32 %i32 to i64\n  br label %c0\n")
	for i, c := range list {
		left, right := fmt.Sprintf("%%m%d", i), "0"
		if c.zeroFirst {
			left, right = right, left
		}
		fmt.Fprintf(&b, "c%d:\n  %%m%d = and %s %%%s, %d\n  %%h%d = icmp %s %s %s, %s\n  br i1 %%h%d, label %%yes%d, label %%no%d\n",
			i, i, c.typ, c.typ, c.mask, i, c.predicate, c.typ, left, right, i, i, i)
		for name, number := range map[string]int{"yes": 1, "no": 2} {
			fmt.Fprintf(&b, "%s%d:\n  %%p%s%d = getelementptr i32, ptr addrspace(1) %%out, i64 %d\n  store i32 %d, ptr addrspace(1) %%p%s%d\n  br label %%c%d\n",
				name, i, name, i, i, number, name, i, i+1)
		}
	}
	fmt.Fprintf(&b, "c%d:\n  ret void\n}\n", len(list))
	return b.String()
}

// TestComparisonsInBranches: a compiler that makes one instruction of a conjunction,
// its comparison with zero and the branch must know which side is zero.
func TestComparisonsInBranches(t *testing.T) {
	list := comparisonCases()
	file := filepath.Join(t.TempDir(), "a.ll")
	if err := os.WriteFile(file, []byte(comparisonKernel(list)), 0o666); err != nil {
		t.Fatal(err)
	}
	code := translateHere(t, file)
	for _, e := range executors {
		t.Run(e.name, func(t *testing.T) {
			p := buildModules(t, e.options, driver.BuildOptions{}, module("comparisons", code))
			for _, input := range []uint32{0, 5, 1 << 31, 1<<31 + 8} {
				out := p.buffer(make([]int32, len(list)))
				p.launch("k", items(1), p.buffer([]uint32{input}), out)
				var want []int32
				for _, c := range list {
					want = append(want, map[bool]int32{true: 1, false: 2}[c.holds(input)])
				}
				check(t, p, fmt.Sprintf("comparisons of %#x", input), out, want)
			}
		})
	}
}

//go:build !windows

package toolchain

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTextRoute(t *testing.T) {
	as := func(versions ...int) (tools []Tool) {
		for _, v := range versions {
			tools = append(tools, Tool{Name: LLVMAs, LLVM: v})
		}
		return tools
	}
	wheel := Tool{Name: LLVMSPIRV, LLVM: 19, Translator: DPCPP}
	debian := Tool{Name: LLVMSPIRV, LLVM: 15}
	both := []Tool{debian, wheel}
	for _, c := range []struct {
		name        string
		translators []Tool
		assemblers  []Tool
		in          Input
		translator  int
		level       int // 0: no route
	}{
		{"its own version", both, as(19, 16, 15, 14), Input{LLVM: 16}, 19, 16},
		{"the next newer", both, as(19, 14), Input{LLVM: 16}, 19, 19},
		{"rewritten to the newest", both, as(21, 19, 16), Input{LLVM: 23}, 19, 19},
		{"version unknown", both, as(19, 16), Input{}, 19, 19},
		{"typed pointers keep their pointees", both, as(19, 16, 15), Input{LLVM: 14, TypedPointers: true}, 19, 15},
		{"typed pointers where they cannot", both, as(19), Input{LLVM: 14, TypedPointers: true}, 19, 19},
		{"Debian's translator alone", []Tool{debian}, as(19, 15, 14), Input{LLVM: 15, TypedPointers: true}, 15, 15},
		{"Debian's translator, newer module", []Tool{debian}, as(19, 15, 14), Input{LLVM: 19}, 15, 15},
		{"only a newer assembler", []Tool{debian}, as(19), Input{LLVM: 15}, 0, 0},
		{"a newer assembler serves the other translator", both, as(19), Input{LLVM: 14}, 19, 19},
		{"no assembler", both, nil, Input{LLVM: 19}, 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			translators := append([]Tool{}, c.translators...)
			sortTranslators(translators, c.in)
			r, err := textRoute(translators, c.assemblers, c.in)
			if c.level == 0 {
				if err == nil {
					t.Fatalf("route %+v, want none", r)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if r.Translator.LLVM != c.translator || r.Level != c.level || r.Assembler.LLVM != c.level {
				t.Errorf("translator %d, level %d, assembler %d; want %d, %d", r.Translator.LLVM, r.Level, r.Assembler.LLVM, c.translator, c.level)
			}
		})
	}
}

func TestTranslatorArgs(t *testing.T) {
	r := &Route{Translator: Tool{LLVM: 15}}
	args := r.TranslatorArgs(SPIRVOptions{Version: "1.3"}, "in.bc", "out.spv")
	want := "--spirv-ext=+all,-SPV_KHR_expect_assume,-SPV_KHR_no_integer_wrap_decoration,-SPV_KHR_bit_instructions," +
		"-SPV_INTEL_memory_access_aliasing,-SPV_INTEL_runtime_aligned,-SPV_INTEL_fp_fast_math_mode,-SPV_INTEL_optnone," +
		"-SPV_INTEL_unstructured_loop_controls"
	if args[1] != want {
		t.Errorf("%s, want %s", args[1], want)
	}
	args = r.TranslatorArgs(SPIRVOptions{Version: "1.0", Extensions: "+all"}, "in.bc", "out.spv")
	if args[0] != "--spirv-max-version=1.0" || args[1] != "--spirv-ext=+all" {
		t.Errorf("%q", args)
	}
}

func TestFinishSPIRV(t *testing.T) {
	header := func(minor byte) []byte {
		return []byte{3, 2, 0x23, 7, 0, minor, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0}
	}
	for _, c := range []struct {
		have byte
		want string
		get  byte
	}{{0, "1.3", 3}, {1, "1.3", 3}, {3, "1.3", 3}, {0, "1.0", 0}, {0, "1.4", 0}, {4, "1.4", 4}} {
		words := header(c.have)
		if err := FinishSPIRV(words, c.want); err != nil {
			t.Fatal(err)
		}
		if words[5] != c.get || words[6] != 1 {
			t.Errorf("1.%d asked for %s: became %d.%d", c.have, c.want, words[6], words[5])
		}
	}
	// OpCopyMemorySized %1 %2 %3 Aligned 0; the same with 8; without; Volatile
	copies := append(header(3),
		64, 0, 6, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0,
		64, 0, 6, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 2, 0, 0, 0, 8, 0, 0, 0,
		64, 0, 4, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0,
		64, 0, 5, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 1, 0, 0, 0)
	mended := append([]byte{}, copies...)
	if err := FinishSPIRV(mended, "1.3"); err != nil {
		t.Fatal(err)
	}
	copies[20+20] = 1
	if diff := cmp.Diff(copies, mended); diff != "" {
		t.Error(diff)
	}
	for _, bad := range [][]byte{nil, header(0)[:16], append([]byte("BC"), header(0)[2:]...), append(header(0), 1, 0, 0, 0), append(header(0), 1, 0, 2, 0)} {
		if FinishSPIRV(bad, "1.3") == nil {
			t.Errorf("%v was taken for SPIR-V", bad)
		}
	}
}

// Bitcode goes as it is to a translator that reads it, else by way of text.
func TestBitcodeRoute(t *testing.T) {
	dir := t.TempDir()
	says := func(version string) string { return "echo 'LLVM version " + version + "'" }
	fake(t, dir+"/old/llvm-spirv-15", "exit 1")
	fake(t, dir+"/old/llvm-as-15", "exit 1")
	fake(t, dir+"/dis/llvm-dis", says("20.1.0"))
	fake(t, dir+"/new/llvm-spirv", says("19.1.0"))
	for _, c := range []struct {
		folders      []string
		llvm         int
		disassembled bool
		fails        bool
	}{
		{[]string{"old"}, 15, false, false},
		{[]string{"old"}, 16, false, true},
		{[]string{"old"}, 0, false, true},
		{[]string{"old", "dis"}, 0, true, false},
		{[]string{"old", "dis"}, 23, true, false},
		{[]string{"old", "new"}, 23, false, false},
		{[]string{"new"}, 0, false, false},
	} {
		r, err := finder(dir, c.folders...).ToSPIRV(t.Context(), Input{LLVM: c.llvm})
		if c.fails {
			if err == nil || !strings.Contains(err.Error(), "no llvm-dis of LLVM 19 or newer was found") {
				t.Errorf("%v, LLVM %d: %v, want that llvm-dis is missing", c.folders, c.llvm, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%v, LLVM %d: %v", c.folders, c.llvm, err)
		} else if (r.Disassembler != nil) != c.disassembled || (r.Assembler != nil) != c.disassembled {
			t.Errorf("%v, LLVM %d: %+v", c.folders, c.llvm, r)
		}
	}
}

func TestReaders(t *testing.T) {
	dir := t.TempDir()
	for _, v := range []string{"14", "15", "16", "19"} {
		fake(t, dir+"/llvm-dis-"+v, "exit 1")
	}
	f := finder(dir, ".")
	for _, c := range []struct {
		in   Input
		want []int
	}{
		{Input{}, []int{19, 16, 15, 14}},
		{Input{LLVM: 16}, []int{16, 19}},
		{Input{LLVM: 14, TypedPointers: true}, []int{14, 15, 16, 19}},
		{Input{TypedPointers: true}, []int{16, 15, 14, 19}},
	} {
		tools, err := f.Readers(t.Context(), LLVMDis, c.in)
		if err != nil {
			t.Fatal(err)
		}
		var got []int
		for _, tool := range tools {
			got = append(got, tool.LLVM)
		}
		if !cmp.Equal(got, c.want) {
			t.Errorf("%+v: %v, want %v", c.in, got, c.want)
		}
	}
	_, err := f.Readers(t.Context(), LLVMDis, Input{LLVM: 20})
	if err == nil || !strings.HasPrefix(err.Error(), "no llvm-dis of LLVM 20 or newer was found (only ") || !strings.Contains(err.Error(), "--llvm-dis=PATH") {
		t.Errorf("%v", err)
	}
}

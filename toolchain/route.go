package toolchain

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sort"
)

// Input has the facts about a module that decide which tools serve.
type Input struct {
	// Text is true for textual IR, false for bitcode.
	Text bool
	// LLVM is the major version that made the module, 0 if unknown.
	LLVM int
	// TypedPointers is true if the module has pointers with a pointee.
	TypedPointers bool
}

// Route is a way to SPIR-V.
type Route struct {
	// Disassembler is the llvm-dis that makes text of bitcode that is too new
	// for the translator, nil where none is needed.
	Disassembler *Tool
	// Assembler is the llvm-as that makes bitcode, nil where the input is
	// bitcode that the translator reads.
	Assembler  *Tool
	Translator Tool
	// Level is the LLVM version that the module must be written for: the
	// assembler's, or without one the translator's. Newer constructs of
	// the module must be rewritten.
	Level int
}

// lastTyped is the last LLVM that keeps the pointees of typed pointers. Newer readers
// turn them into opaque pointers, and the types of images and samplers are lost with
// them.
const lastTyped = 16

// ToSPIRV chooses the llvm-spirv for a module, and for text the llvm-as. Translators that
// read the module's version come first, then the newest. The assembler is the oldest
// that knows the module's version, so that it still understands constant expressions
// that LLVM has dropped since; if none knows it, the newest whose output the translator
// reads.
func (f *Finder) ToSPIRV(ctx context.Context, in Input) (*Route, error) {
	translators, err := f.All(ctx, LLVMSPIRV)
	if err != nil {
		return nil, err
	}
	if len(translators) == 0 {
		return nil, &MissingError{Tool: LLVMSPIRV}
	}
	sortTranslators(translators, in)
	if t := translators[0]; !in.Text && (t.LLVM >= rewrittenBitcode || in.LLVM != 0 && t.Accepts(in.LLVM)) {
		return &Route{Translator: t, Level: t.LLVM}, nil
	}
	assemblers, err := f.All(ctx, LLVMAs)
	if err != nil {
		return nil, err
	}
	route, err := textRoute(translators, assemblers, in)
	if err == nil && !in.Text {
		route.Disassembler, err = f.disassembler(ctx, in)
	}
	return route, err
}

// Readers returns the tools of that name that read the module, the best first: the oldest
// that knows the module's version, or the newest if that is unknown. If there are none,
// the error is a *[MissingError].
func (f *Finder) Readers(ctx context.Context, name Name, in Input) ([]Tool, error) {
	all, err := f.All(ctx, name)
	if err != nil {
		return nil, err
	}
	tools := slices.DeleteFunc(slices.Clone(all), func(t Tool) bool { return !t.Accepts(in.LLVM) })
	if len(tools) == 0 {
		missing := &MissingError{Tool: name, Seen: all}
		if in.LLVM != 0 {
			missing.Want = fmt.Sprintf("LLVM %d or newer", in.LLVM)
		}
		return nil, missing
	}
	slices.SortStableFunc(tools, func(a, b Tool) int {
		switch {
		case betterAssembler(&a, &b, in):
			return -1
		case betterAssembler(&b, &a, in):
			return 1
		}
		return 0
	})
	return tools, nil
}

// OpaquePointers are the arguments that make the tool read opaque pointers,
// which LLVM 14 does not by itself.
func (t Tool) OpaquePointers(in Input) []string {
	if t.LLVM == 14 && !in.TypedPointers {
		return []string{"-opaque-pointers"}
	}
	return nil
}

// rewrittenBitcode is the oldest LLVM for which bitcode of a newer one can be rewritten
// directly (package ir/downgrade). For older readers it must become text first.
const rewrittenBitcode = 19

// disassembler returns the newest llvm-dis if it reads the module, or the module
// after its rewriting.
func (f *Finder) disassembler(ctx context.Context, in Input) (*Tool, error) {
	tools, err := f.All(ctx, LLVMDis)
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(tools, func(a, b Tool) int { return cmp.Compare(b.LLVM, a.LLVM) })
	if len(tools) > 0 && (tools[0].LLVM >= rewrittenBitcode || in.LLVM != 0 && tools[0].Accepts(in.LLVM)) {
		return &tools[0], nil
	}
	return nil, &MissingError{Tool: LLVMDis, Want: fmt.Sprintf("LLVM %d or newer", max(in.LLVM, rewrittenBitcode)), Seen: tools}
}

func sortTranslators(tools []Tool, in Input) {
	slices.SortStableFunc(tools, func(a, b Tool) int {
		if a.Accepts(in.LLVM) != b.Accepts(in.LLVM) {
			if a.Accepts(in.LLVM) {
				return -1
			}
			return 1
		}
		return cmp.Compare(b.LLVM, a.LLVM)
	})
}

func textRoute(translators, assemblers []Tool, in Input) (*Route, error) {
	for _, t := range translators {
		if a := chooseAssembler(assemblers, t, in); a != nil {
			return &Route{Assembler: a, Translator: t, Level: a.LLVM}, nil
		}
	}
	want := fmt.Sprintf("LLVM %d to %d", oldestLLVM, translators[0].LLVM)
	return nil, &MissingError{Tool: LLVMAs, Want: want, Seen: assemblers, Remedy: debianPackage(translators[0].LLVM)}
}

// debianPackage names the newest of Debian's llvm packages up to a version, or the oldest
// if all are newer.
func debianPackage(newest int) string {
	versions := []int{14, 15, 16, 19, 22}
	i := max(1, sort.SearchInts(versions, newest+1))
	return fmt.Sprintf("install Debian's llvm-%[1]d (apt-get install llvm-%[1]d)", versions[i-1])
}

// chooseAssembler returns the assembler whose bitcode the translator reads and
// that needs the least rewriting, or nil.
func chooseAssembler(assemblers []Tool, translator Tool, in Input) *Tool {
	var best *Tool
	for i := range assemblers {
		a := &assemblers[i]
		if translator.Accepts(a.LLVM) && (best == nil || betterAssembler(a, best, in)) {
			best = a
		}
	}
	return best
}

func betterAssembler(a, b *Tool, in Input) bool {
	if in.TypedPointers && (a.LLVM <= lastTyped) != (b.LLVM <= lastTyped) {
		return a.LLVM <= lastTyped
	}
	aReads, bReads := a.Accepts(in.LLVM), b.Accepts(in.LLVM)
	switch {
	case aReads != bReads:
		return aReads
	case in.LLVM == 0 || !aReads:
		return a.LLVM > b.LLVM
	}
	return a.LLVM < b.LLVM
}

// AssemblerArgs are the arguments that make llvm-as write the bitcode of the
// file in into out.
func (r *Route) AssemblerArgs(in Input, input, output string) []string {
	args := append([]string{input, "-o", output}, r.Assembler.OpaquePointers(in)...)
	if r.Assembler.LLVM == 19 && r.readsSnapshot() {
		// Debug records are written as the intrinsics that preceded them, which the
		// snapshot reads.
		args = append(args, "--experimental-debuginfo-iterators=false")
	}
	return args
}

// readsSnapshot reports whether the translator is the one of the last
// dpcpp-llvm-spirv, which was made from LLVM 19 two months before its release.
// It refuses some of that release's records, and silently reads unknown
// constants as undef.
func (r *Route) readsSnapshot() bool {
	return r.Translator.Translator == DPCPP && r.Translator.LLVM == 19
}

// BitcodeTarget returns the LLVM version that the translator's bitcode must be
// rewritten for, and whether it was made from a snapshot of that version's
// sources; ok is false if it reads the route's bitcode as it is.
func (r *Route) BitcodeTarget() (llvm int, snapshot, ok bool) {
	snapshot = r.readsSnapshot()
	return r.Translator.LLVM, snapshot, snapshot || r.Assembler == nil && r.Translator.LLVM == rewrittenBitcode
}

// FailsOnOpaquePointers reports whether the failed tool is an llvm-spirv that
// needs the pointees of pointers, which the module lacks.
func (r *Route) FailsOnOpaquePointers(failed *ToolError, in Input) bool {
	return failed.Tool.Name == LLVMSPIRV && r.Translator.Translator == Khronos && r.Translator.LLVM <= 15 && !in.TypedPointers
}

// FailsOnAnnotations reports whether the translator decorates the values of
// llvm.global.annotations, which takes SPIR-V 1.4, and aborts for lower
// versions.
func (r *Route) FailsOnAnnotations(o SPIRVOptions) bool {
	return r.Translator.Translator == Khronos && o.Version < "1.4"
}

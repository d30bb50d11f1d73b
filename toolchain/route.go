package toolchain

import (
	"cmp"
	"context"
	"fmt"
	"slices"
)

// Input is what must be known of a module to choose its tools.
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
	// Assembler is the llvm-as that makes bitcode, nil where the input is
	// bitcode that the translator reads.
	Assembler  *Tool
	Translator Tool
	// Level is the LLVM version that the module must be written for: the
	// assembler's, or the translator's if there is no assembler. What is
	// newer in the module must be rewritten.
	Level int
}

// lastTyped is the last LLVM that keeps the pointees of typed pointers; newer
// readers turn them into opaque ones, and images and samplers go with them.
const lastTyped = 16

// ToSPIRV chooses the llvm-spirv, and for text the llvm-as, for a module.
// Translators that read the module's version come first, then the newest.
// Among assemblers it is the oldest that knows the module's version, so that
// constant expressions that LLVM has dropped since are still understood; where
// none does, the newest that the translator understands.
func (f *Finder) ToSPIRV(ctx context.Context, in Input) (*Route, error) {
	translators, err := f.All(ctx, LLVMSPIRV)
	if err != nil {
		return nil, err
	}
	if len(translators) == 0 {
		return nil, &MissingError{Tool: LLVMSPIRV}
	}
	sortTranslators(translators, in)
	if !in.Text {
		return bitcodeRoute(translators, in)
	}
	assemblers, err := f.All(ctx, LLVMAs)
	if err != nil {
		return nil, err
	}
	return textRoute(translators, assemblers, in)
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

func bitcodeRoute(translators []Tool, in Input) (*Route, error) {
	t := translators[0]
	return &Route{Translator: t, Level: t.LLVM}, nil
}

func textRoute(translators, assemblers []Tool, in Input) (*Route, error) {
	for _, t := range translators {
		if a := chooseAssembler(assemblers, t, in); a != nil {
			return &Route{Assembler: a, Translator: t, Level: a.LLVM}, nil
		}
	}
	want := fmt.Sprintf("LLVM %d to %d", oldestLLVM, translators[0].LLVM)
	return nil, &MissingError{Tool: LLVMAs, Want: want, Seen: assemblers}
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
	args := []string{input, "-o", output}
	if r.Assembler.LLVM == 14 && !in.TypedPointers {
		args = append(args, "-opaque-pointers")
	}
	return args
}

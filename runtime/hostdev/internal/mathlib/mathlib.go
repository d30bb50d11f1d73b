// Package mathlib is the functions of floats of OpenCL.std as SPIR-V, which programs of the
// embedded device are linked with: so they are compiled, and vectorized, together with the
// kernels that call them, and give the same bits in every executor.
//
// The sources are in the folder source; internal/librarygen makes library.bin of them.
package mathlib

import (
	"bytes"
	_ "embed"
	"fmt"
	"strings"
	"sync"

	"offlink/lazy"
	"offlink/spirv"
)

//go:generate go run offlink/internal/librarygen -plain -o library.bin clang-19 source

//go:embed library.bin
var library []byte

// prefix begins the names of the functions in the library: no program has such names.
const prefix = "offlink_math_"

// RarePrefix begins the names of functions in the library's modules that few arguments need:
// code for several work-items at a time does them one by one.
const RarePrefix = prefix + "rare_"

// codes is the SPIR-V of the functions by name.
var codes = lazy.Value[map[string][]byte]{New: func() map[string][]byte {
	all := make(map[string][]byte)
	for rest := library; len(rest) > 0; {
		line, after, _ := bytes.Cut(rest, []byte("\n"))
		var name string
		var size int
		if _, err := fmt.Sscanf(string(line), "%s %d", &name, &size); err != nil || size > len(after) {
			panic("the embedded library is broken")
		}
		all[name], rest = after[:size], after[size:]
	}
	return all
}}

// modules has the functions that were read, by name.
var modules sync.Map

func module(name string) (*spirv.Module, error) {
	if m, ok := modules.Load(name); ok {
		return m.(*spirv.Module), nil
	}
	m, err := spirv.Parse(codes.Get()[name])
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	modules.Store(name, m)
	return m, nil
}

// instructionSet is the set whose instructions become calls.
const instructionSet = "OpenCL.std"

// storing is the instructions that store a second result: its function, and that of the first.
var storing = lazy.Map[string, spirv.ExtCall]{New: func() map[string]spirv.ExtCall {
	return map[string]spirv.ExtCall{
		"sincos": {Result: "sin", Stored: "cos"},
		"fract":  {Result: "fract", Stored: "floor"},
		"modf":   {Result: "modf", Stored: "trunc"},
		"frexp":  {Result: "frexp", Stored: "frexp_exponent"},

		"lgamma_r": {Result: "lgamma", Stored: "lgamma_sign"},
	}
}}

// coreFunctions is the functions for instructions of SPIR-V itself.
var coreFunctions = lazy.Map[string, string]{New: func() map[string]string {
	return map[string]string{"OpFRem": "fmod", "OpFMod": "floor_mod"}
}}

// functionsOf names the functions for an instruction. The native_ and half_ variants may be
// less exact; the library uses one function for all.
func functionsOf(instruction string) (spirv.ExtCall, bool) {
	if c, ok := storing.Get()[instruction]; ok {
		return spirv.ExtCall{Result: prefix + c.Result, Stored: prefix + c.Stored}, true
	}
	if name := coreFunctions.Get()[instruction]; name != "" {
		return spirv.ExtCall{Result: prefix + name}, true
	}
	name := strings.TrimPrefix(strings.TrimPrefix(instruction, "native_"), "half_")
	return spirv.ExtCall{Result: prefix + name}, true
}

// Inputs returns the module with calls of the library's functions instead of instructions, and
// the modules that have those functions. Where nothing is called, it is the module alone.
func Inputs(m *spirv.Module) ([]spirv.Input, error) {
	calling, names, err := m.WithExtCalls(instructionSet, functionsOf, func(name string) bool { return codes.Get()[name] != nil })
	if err != nil {
		return nil, err
	}
	inputs := []spirv.Input{{Name: "program", Module: calling}}
	for _, name := range names {
		m, err := module(name)
		if err != nil {
			return nil, err
		}
		inputs = append(inputs, spirv.Input{Name: name, Module: m})
	}
	return inputs, nil
}

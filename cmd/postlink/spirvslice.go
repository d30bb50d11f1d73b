package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"offlink/ir"
	"offlink/split"
)

// writeSPIRV writes an image as SPIR-V.
func (w *imageWriter) writeSPIRV(i *image, slice *split.Slice) error {
	var module bytes.Buffer
	if err := w.writer.WriteSlice(&module, w.spirv.keep(slice)); err != nil {
		return located(w.module, err)
	}
	words, err := w.spirv.translate(i.number, kernelNames(slice), module.Bytes())
	if err != nil {
		return w.spirv.explainFailure(err, slice)
	}
	if err := w.spirv.checkExtensions(words, slice); err != nil {
		return err
	}
	return w.outputs.WriteFile(i.code, words)
}

// kernelsOf returns the image's kernels. Other entry points are functions that
// other images call.
func kernelsOf(slice *split.Slice) (kernels []ir.ValueID) {
	for _, id := range slice.Group.Entries {
		if strings.HasSuffix(slice.Module.Values[id].CallingConv, "_kernel") {
			kernels = append(kernels, id)
		}
	}
	return kernels
}

// kernelNames names the kernels of an image for the beginning of a message:
// "kernel k: " or "kernel k and 3 more: ", "" where it has none.
func kernelNames(slice *split.Slice) string {
	kernels := kernelsOf(slice)
	if len(kernels) == 0 {
		return ""
	}
	name := "kernel " + slice.Module.Values[kernels[0]].Name
	if more := len(kernels) - 1; more > 0 {
		name += fmt.Sprintf(" and %d more", more)
	}
	return name + ": "
}

// keep returns the slice without the parts that have no place in SPIR-V: the
// lists of values that compilers and linkers must keep, which llvm-spirv makes variables that
// every image exports; and annotations where it stumbles over them or over
// their strings, which it makes variables too, invalid ones in address space 0,
// where stock clang puts them.
func (t *translator) keep(slice *split.Slice) *ir.Slice {
	s := slice.Slice
	s.Definitions = slices.DeleteFunc(slices.Clone(s.Definitions), func(id ir.ValueID) bool {
		name := s.Module.Values[id].Name
		return name == "llvm.used" || name == "llvm.compiler.used"
	})
	annotations, ok := s.Module.Lookup("llvm.global.annotations")
	if !ok || !slices.Contains(s.Definitions, annotations) {
		return &s
	}
	texts := privateVariables(s.Module, annotations)
	if len(texts) > 0 || t.options.external && t.route.FailsOnAnnotations(t.options.SPIRVOptions) {
		dropAnnotations(&s, annotations, texts)
	}
	return &s
}

// privateVariables returns the variables in address space 0 that a value
// refers to.
func privateVariables(m *ir.Module, id ir.ValueID) map[ir.ValueID]bool {
	found := map[ir.ValueID]bool{}
	for _, ref := range m.Values[id].Refs {
		if ref.Kind() != ir.RefAddress {
			continue
		}
		if v := &m.Values[ref.Index()]; v.Kind == ir.Variable && v.AddressSpace == 0 {
			found[ir.ValueID(ref.Index())] = true
		}
	}
	return found
}

// dropAnnotations takes the annotations and those of their texts out that
// nothing else refers to.
func dropAnnotations(s *ir.Slice, annotations ir.ValueID, texts map[ir.ValueID]bool) {
	for _, id := range s.Definitions {
		if id == annotations {
			continue
		}
		for _, ref := range s.Module.Values[id].Refs {
			if ref.Kind() == ir.RefAddress {
				delete(texts, ir.ValueID(ref.Index()))
			}
		}
	}
	s.Definitions = slices.DeleteFunc(s.Definitions, func(id ir.ValueID) bool { return id == annotations || texts[id] })
}

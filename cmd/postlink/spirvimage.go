package main

import (
	"bytes"
	"fmt"
	"strings"

	"offlink/ir"
	"offlink/split"
)

// writeSPIRV writes an image as SPIR-V.
func (w *imageWriter) writeSPIRV(i *image, slice *split.Slice) error {
	words, err := w.toSPIRV(i, slice)
	if err != nil {
		return w.spirv.explainFailure(err, slice)
	}
	if err := w.spirv.checkExtensions(words, slice); err != nil {
		return err
	}
	if err := w.outputs.QueueFile(i.code, words); err != nil {
		return err
	}
	if w.native == nil || !takesNative(slice) {
		return nil
	}
	return w.writeNative(i, words)
}

// toSPIRV translates an image: as a part of the input, or as a module of its own
// where tools translate or its calls are replaced. The words are good until the next
// image.
func (w *imageWriter) toSPIRV(i *image, slice *split.Slice) ([]byte, error) {
	part := slice.ForSPIRV(w.spirv.failsOnAnnotations())
	if w.spirv.translatesPart(part) {
		words, err := w.spirv.translatePart(w.words, i.number, kernelNames(slice), part)
		if err != nil {
			return nil, err
		}
		w.words = words
		return w.spirv.checkImage(i.number, words)
	}
	var module bytes.Buffer
	if err := w.writer.WritePartition(&module, part); err != nil {
		return nil, locatedError(w.module, err)
	}
	return w.spirv.translateImage(i.number, kernelNames(slice), module.Bytes())
}

// kernelsOf returns the image's kernels. Other entry points are functions that
// other images call.
func kernelsOf(slice *split.Slice) (kernels []ir.ValueID) {
	for _, id := range slice.Group.Entries {
		if strings.HasSuffix(slice.Module.CallingConv(&slice.Module.Values[id]), "_kernel") {
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

package main

import (
	"bytes"
	"fmt"
	"strings"

	"offlink/ir"
	"offlink/split"
)

// writeSPIRV writes an image as SPIR-V.
func (w *imageWriter) writeSPIRV(i *image, partition *split.Partition) error {
	words, err := w.toSPIRV(i, partition)
	if err != nil {
		return w.spirv.explainFailure(err, partition)
	}
	if err := w.spirv.checkExtensions(words, partition); err != nil {
		return err
	}
	if err := w.outputs.QueueFile(i.code, words); err != nil {
		return err
	}
	if w.native == nil || !takesNative(partition) {
		return nil
	}
	return w.writeNative(i, words)
}

// toSPIRV translates an image: as a part of the input, or as a module of its own if external
// tools translate or calls in it are replaced. The words are valid until the next image.
func (w *imageWriter) toSPIRV(i *image, partition *split.Partition) ([]byte, error) {
	part := partition.ForSPIRV(w.spirv.failsOnAnnotations())
	if w.spirv.translatesPart(part) {
		words, err := w.spirv.translatePart(w.words, i.number, kernelNames(partition), part)
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
	return w.spirv.translateImage(i.number, kernelNames(partition), module.Bytes())
}

// kernelsOf returns the image's kernels. Other entry points are functions that
// other images call.
func kernelsOf(partition *split.Partition) (kernels []ir.ValueID) {
	for _, id := range partition.Group.Entries {
		if strings.HasSuffix(partition.Module.CallingConv(&partition.Module.Values[id]), "_kernel") {
			kernels = append(kernels, id)
		}
	}
	return kernels
}

// kernelNames names the kernels of an image for the beginning of a message:
// "kernel k: " or "kernel k and 3 more: ", "" where it has none.
func kernelNames(partition *split.Partition) string {
	kernels := kernelsOf(partition)
	if len(kernels) == 0 {
		return ""
	}
	name := "kernel " + partition.Module.Values[kernels[0]].Name
	if more := len(kernels) - 1; more > 0 {
		name += fmt.Sprintf(" and %d more", more)
	}
	return name + ": "
}

package main

import (
	"errors"
	"slices"

	"offlink/cmd/internal/cli"
	"offlink/filetable"
	"offlink/ir"
	"offlink/props"
	"offlink/props/derive"
	"offlink/split"
)

// imageWriter writes the files of images, one after the other. It has the
// scratch memory of one goroutine.
type imageWriter struct {
	*build
	module *ir.Module
	spirv  *translator // nil: images are written as IR
	writer ir.PartitionWriter
	words  []byte // memory of SPIR-V modules
	// alone is true for the one image of a module that was not changed: its code is
	// the input, which is written again only if the command line asks for that.
	alone bool
}

func newImageWriter(b *build, module *ir.Module, spirv *translator, alone bool) *imageWriter {
	return &imageWriter{build: b, module: module, spirv: spirv, writer: module.Source.NewWriter(), alone: alone}
}

// writeImage extracts one image, derives its properties and writes its files.
func (w *imageWriter) writeImage(i *image, x *split.Extractor) error {
	extract := x.Extract
	if i.defaults {
		extract = x.ExtractDefaults
	}
	partition, err := extract(i.group)
	if err != nil {
		return locatedError(w.module, err)
	}
	if err := w.writeCode(i, partition); err != nil {
		return err
	}
	if err := w.writeProperties(i, partition); err != nil {
		return err
	}
	i.mixed = partition.Part() == split.PartBoth
	i.bfloat16 = importsBFloat16(partition)
	i.libraryCalls = libraryCalls(partition, w.derive.Libraries)
	for _, id := range partition.Undefined() {
		if name := w.module.Values[id].Name; !w.derive.Libraries[name] {
			i.undefined = append(i.undefined, name)
		}
	}
	if !i.defaults { // the copy has the image's own
		i.missing = slices.DeleteFunc(partition.Missing(), func(f split.MissingFunction) bool { return w.derive.Libraries[f.Function] })
	}
	return w.writeSymbols(i, partition.Symbols())
}

// writeCode writes the module, unless it would be the input again and the
// command line names no output.
func (w *imageWriter) writeCode(i *image, partition *split.Partition) error {
	o := w.options
	if w.alone && w.spirv == nil && w.ptx == nil && !o.hasOutput && o.input != "-" && !o.split.Single {
		i.code, i.unmodified = o.input, true
		return nil
	}
	i.code = o.fileName(i.number, groupSuffix(i.group), o.codeExtension())
	if o.split.Single {
		i.code = o.outputs[0].file
	}
	switch {
	case w.spirv != nil:
		return w.writeSPIRV(i, partition)
	case w.ptx != nil:
		return w.writePTX(i, partition)
	case i.code == "-":
		return w.writeStdout(partition)
	}
	f, err := w.outputs.Create(i.code)
	if err != nil {
		return err
	}
	return errors.Join(w.writer.WritePartition(f, &partition.Partition), f.Close())
}

// writeStdout writes the module to standard output.
func (w *imageWriter) writeStdout(partition *split.Partition) error {
	if !w.options.text && !w.options.force && cli.IsTerminal(w.streams.Out) {
		return errors.New("bitcode is not written to a terminal: name a file with -o, or use -f")
	}
	return w.writer.WritePartition(w.streams.Out, &partition.Partition)
}

// writeProperties writes the property sets, once for each target that can run
// the image.
func (w *imageWriter) writeProperties(i *image, partition *split.Partition) error {
	i.properties = make(map[string]string)
	for _, out := range w.options.outputs {
		if _, done := i.properties[out.target]; done || w.options.split.Single {
			continue
		}
		can, err := derive.CanRun(partition, out.target)
		if err != nil {
			return locatedError(w.module, err)
		}
		if !can {
			continue
		}
		if i.properties[out.target], err = w.writeTarget(i, partition, out.target); err != nil {
			return err
		}
	}
	return nil
}

// writeTarget writes the property sets for one target and returns the name of the file, or
// an empty string if none is wanted.
func (w *imageWriter) writeTarget(i *image, partition *split.Partition, target string) (string, error) {
	if !w.options.properties {
		return "", nil
	}
	sets, err := derive.Sets(partition, w.derive)
	if err != nil {
		return "", locatedError(w.module, err)
	}
	return w.writeSets(i, sets, target)
}

// writeSets is writeTarget for sets that are derived already; it adds the
// target to them.
func (w *imageWriter) writeSets(i *image, sets *props.Sets, target string) (string, error) {
	if !w.options.properties {
		return "", nil
	}
	suffix := groupSuffix(i.group)
	if target != "" {
		derive.AddTarget(sets, target)
		suffix += "_" + target
	}
	text, err := sets.Text()
	if err != nil {
		return "", locatedError(w.module, err)
	}
	name := w.options.fileName(i.number, suffix, "prop")
	return name, w.outputs.QueueFile(name, text)
}

// writeSymbols writes the entry points of an image, a line each, for -symbols. A run with
// -ir-output-only has no table that could name the file.
func (w *imageWriter) writeSymbols(i *image, entries []string) error {
	if !w.options.symbols || w.options.split.Single {
		return nil
	}
	i.symbols = w.options.fileName(i.number, groupSuffix(i.group), "sym")
	return w.outputs.QueueFile(i.symbols, filetable.FormatSymbols(entries))
}

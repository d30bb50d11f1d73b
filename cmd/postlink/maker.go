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

// maker makes images one after the other. It has the scratch memory of one
// goroutine.
type maker struct {
	graph     *split.Graph
	options   *options
	outputs   *cli.Outputs
	spirv     *translator // nil: images are written as IR
	streams   cli.Streams
	count     int // images of the run
	extractor *split.Extractor
	writer    ir.SliceWriter
	folder    *libraryFolder // nil for the image of a library
}

func newMaker(g *split.Graph, o *options, outputs *cli.Outputs, spirv *translator, s cli.Streams, count int) *maker {
	return &maker{graph: g, options: o, outputs: outputs, spirv: spirv, streams: s, count: count, extractor: g.NewExtractor(), writer: g.Module.Source.NewWriter()}
}

// make extracts one image, derives its properties and writes its files.
func (m *maker) make(i *image) error {
	extract := m.extractor.Extract
	if i.defaults {
		extract = m.extractor.ExtractDefaults
	}
	slice, err := extract(i.group)
	if err != nil {
		return located(m.graph.Module, err)
	}
	if err := m.writeCode(i, slice); err != nil {
		return err
	}
	if err := m.writeProperties(i, slice); err != nil {
		return err
	}
	i.mixed = slice.Part() == split.PartBoth
	i.bfloat16 = importsBFloat16(slice)
	i.libraryCalls = m.folder.calls(slice)
	for _, id := range slice.Undefined() {
		if name := m.graph.Module.Values[id].Name; !m.folder.provided[name] {
			i.undefined = append(i.undefined, name)
		}
	}
	if !i.defaults { // the copy needs no others
		i.missing = slices.DeleteFunc(slice.Missing(), func(f split.MissingFunction) bool { return m.folder.provided[f.Function] })
	}
	return m.writeSymbols(i, slice)
}

// writeCode writes the module, unless it would be the input again and nobody
// said where it should go.
func (m *maker) writeCode(i *image, slice *split.Slice) error {
	if m.spirv == nil && m.count == 1 && !m.graph.Modified && !m.options.hasOutput && m.options.input != "-" && !m.options.split.Single {
		i.code, i.unmodified = m.options.input, true
		return nil
	}
	i.code = m.options.fileName(i.number, suffix(i.group), m.options.codeExtension())
	if m.options.split.Single {
		i.code = m.options.outputs[0].file
	}
	switch {
	case m.spirv != nil:
		return m.writeSPIRV(i, slice)
	case i.code == "-":
		return m.writeStdout(slice)
	}
	f, err := m.outputs.Create(i.code)
	if err != nil {
		return err
	}
	return errors.Join(m.writer.WriteSlice(f, &slice.Slice), f.Close())
}

// writeStdout writes the module to standard output.
func (m *maker) writeStdout(slice *split.Slice) error {
	if !m.options.text && !m.options.force && cli.IsTerminal(m.streams.Out) {
		return errors.New("bitcode is not written to a terminal: name a file with -o, or use -f")
	}
	return m.writer.WriteSlice(m.streams.Out, &slice.Slice)
}

// writeProperties writes the property sets, once for each target that can run
// the image.
func (m *maker) writeProperties(i *image, slice *split.Slice) error {
	i.properties = make(map[string]string)
	for _, out := range m.options.outputs {
		if _, done := i.properties[out.target]; done || m.options.split.Single {
			continue
		}
		can, err := derive.CanRun(slice, out.target)
		if err != nil {
			return located(m.graph.Module, err)
		}
		if !can {
			continue
		}
		if i.properties[out.target], err = m.writeTarget(i, slice, out.target); err != nil {
			return err
		}
	}
	return nil
}

// writeTarget writes the property sets for one target and returns the name of
// the file, "" where none is wanted.
func (m *maker) writeTarget(i *image, slice *split.Slice, target string) (string, error) {
	if !m.options.properties {
		return "", nil
	}
	sets, err := derive.Sets(slice, m.options.derive)
	if err != nil {
		return "", located(m.graph.Module, err)
	}
	return m.writeSets(i, sets, target)
}

// writeSets is writeTarget for sets that are made, which it completes.
func (m *maker) writeSets(i *image, sets *props.Sets, target string) (string, error) {
	if !m.options.properties {
		return "", nil
	}
	suffix := suffix(i.group)
	if target != "" {
		derive.AddTarget(sets, target)
		suffix += "_" + target
	}
	text, err := sets.Text()
	if err != nil {
		return "", located(m.graph.Module, err)
	}
	name := m.options.fileName(i.number, suffix, "prop")
	return name, m.outputs.WriteFile(name, text)
}

func (m *maker) writeSymbols(i *image, slice *split.Slice) error {
	if !m.options.symbols || m.options.split.Single {
		return nil
	}
	i.symbols = m.options.fileName(i.number, suffix(i.group), "sym")
	return m.outputs.WriteFile(i.symbols, filetable.FormatSymbols(slice.Symbols()))
}

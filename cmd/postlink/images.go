package main

import (
	"errors"
	"sync"
	"sync/atomic"

	"offlink/cmd/internal/cli"
	"offlink/filetable"
	"offlink/ir"
	"offlink/props/derive"
	"offlink/split"
)

// image is one device image: what it is made of, and once it is made the
// cells of its row in the tables.
type image struct {
	number   int
	group    *split.Group
	defaults bool // the copy with default values of specialization constants

	code, symbols string
	properties    map[string]string // by target; a target that is missing cannot run the image
	undefined     []string          // functions that nobody gives
	unmodified    bool              // the code is the input itself
	mixed         bool              // there is ESIMD code and other code in it
}

// makeImages writes the files of every image, several at a time.
func makeImages(g *split.Graph, groups []split.Group, o *options, outputs *cli.Outputs, spirv *translator, s cli.Streams) ([]*image, error) {
	images := listImages(g, groups, o)
	if o.split.Single && len(images) > 1 {
		return nil, errors.New("error: some modules had to be split, '-ir-output-only' can't be used")
	}
	progress := cli.StartProgress(s.Err, "device images")
	defer progress.Stop()
	progress.SetTotal(len(images))
	err := forEach(len(images), o.jobs, func() func(int) error {
		m := newMaker(g, o, outputs, spirv, s, len(images))
		return func(i int) error {
			defer progress.Add(1)
			return m.make(images[i])
		}
	})
	return images, err
}

// listImages numbers the images. Behind an image with specialization
// constants comes its copy with their default values, where that is asked for.
func listImages(g *split.Graph, groups []split.Group, o *options) []*image {
	copied := make([]bool, len(groups))
	if o.defaultCopy {
		forEach(len(groups), o.jobs, func() func(int) error {
			x := g.NewExtractor()
			return func(i int) error {
				copied[i] = x.HasSpecConstants(&groups[i])
				return nil
			}
		})
	}
	var images []*image
	for i := range groups {
		images = append(images, &image{number: len(images), group: &groups[i]})
		if copied[i] {
			images = append(images, &image{number: len(images), group: &groups[i], defaults: true})
		}
	}
	return images
}

// forEach calls work(0) to work(n-1) from up to jobs goroutines, each with a
// function of its own. It returns the error of the lowest number, so that
// which one is reported does not depend on jobs.
func forEach(n, jobs int, newWorker func() func(int) error) error {
	var next atomic.Int64
	var wait sync.WaitGroup
	var mu sync.Mutex
	failed, failure := n, error(nil)
	for range min(jobs, n) {
		wait.Go(func() {
			work := newWorker()
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				err := work(i)
				if err == nil {
					continue
				}
				mu.Lock()
				if i < failed {
					failed, failure = i, err
				}
				mu.Unlock()
				next.Store(int64(n))
				return
			}
		})
	}
	wait.Wait()
	return failure
}

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
}

func newMaker(g *split.Graph, o *options, outputs *cli.Outputs, spirv *translator, s cli.Streams, count int) *maker {
	return &maker{g, o, outputs, spirv, s, count, g.NewExtractor(), g.Module.Source.NewWriter()}
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
	for _, id := range slice.Undefined() {
		i.undefined = append(i.undefined, m.graph.Module.Values[id].Name)
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

// writeTables writes the tables, which name the files and so come last.
func writeTables(images []*image, o *options, outputs *cli.Outputs, s cli.Streams) error {
	if o.split.Single {
		return nil
	}
	for _, out := range o.outputs {
		t := table(images, o, out.target)
		text, err := t.Bytes()
		if err != nil {
			return err
		}
		if out.file == "-" {
			_, err = s.Out.Write(text)
		} else {
			err = outputs.WriteLast(out.file, text)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// table lists the images that the target can run.
func table(images []*image, o *options, target string) *filetable.Table {
	t := &filetable.Table{Columns: []string{filetable.ColumnCode}}
	if o.properties {
		t.Columns = append(t.Columns, filetable.ColumnProperties)
	}
	if o.symbols {
		t.Columns = append(t.Columns, filetable.ColumnSymbols)
	}
	for _, i := range images {
		properties, can := i.properties[target]
		if !can {
			continue
		}
		row := []string{i.code}
		if o.properties {
			row = append(row, properties)
		}
		if o.symbols {
			row = append(row, i.symbols)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

package devicefile

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"offlink/ir"
	"offlink/ir/irfile"
	"offlink/props"
	"offlink/props/derive"
	"offlink/spirv/fromir"
	"offlink/split"
	"offlink/wrapper/devimg"
)

// openIR makes one image of LLVM IR, as postlink does without -split.
func openIR(path string) (images []*devimg.Image, err error) {
	input, err := irfile.Open(path, nil)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, input.Close()) }()
	return imagesOfModule(path, input.Module)
}

// imagesOfModule translates the partitions of a module.
func imagesOfModule(path string, m *ir.Module) (images []*devimg.Image, err error) {
	if triple := m.Triple; strings.HasPrefix(triple, "nvptx") {
		return nil, fmt.Errorf("%s: LLVM IR for %s: make PTX of it (postlink -to=ptx), and give that", path, triple)
	}
	graph, groups, err := planModule(m)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	extractor := graph.NewExtractor()
	for i := range groups {
		partition, err := extractor.Extract(&groups[i])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		if len(partition.Symbols()) == 0 {
			continue // nothing can be asked of it
		}
		img, err := translatePartition(path, m, partition)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		images = append(images, img)
	}
	return images, nil
}

func planModule(m *ir.Module) (*split.Graph, []split.Group, error) {
	annotated, err := split.ApplyAnnotations(m)
	if err != nil {
		return nil, nil, err
	}
	graph, err := split.NewGraph(m, split.Options{
		Dependencies: split.DependenciesExternals, SpecConstants: split.SpecConstantsNative, Annotated: annotated,
	})
	if err != nil {
		return nil, nil, err
	}
	groups, err := graph.Plan()
	return graph, groups, err
}

// requested are the property sets that linking and launching need.
var requested = map[string]bool{
	props.SetExportedSymbols: true, props.SetImportedSymbols: true, props.SetDeviceGlobals: true, props.SetKernelParamOpt: true,
	props.SetSpecConstants: true, props.SetSpecConstantsDefaults: true, props.SetProgramMetadata: true, props.SetVirtualFunctions: true,
}

// translatePartition makes the image.
func translatePartition(path string, m *ir.Module, partition *split.Partition) (*devimg.Image, error) {
	sets, err := derive.Sets(partition, derive.Options{Dialect: derive.Dialect2025, Requested: requested})
	if err != nil {
		return nil, err
	}
	code, err := spirvOf(path, m, partition)
	if err != nil {
		return nil, err
	}
	return &devimg.Image{
		Kind: devimg.KindSYCL, Format: devimg.FormatSPIRV, Target: target, Code: devimg.Bytes(code),
		HasEntries: true, Entries: partition.Symbols(), Properties: sets.Clone(),
	}, nil
}

func spirvOf(path string, m *ir.Module, partition *split.Partition) ([]byte, error) {
	options := fromir.PortableOptions()
	translation, err := fromir.NewTranslation(m, options)
	if err != nil {
		return nil, err
	}
	if part := partition.ForSPIRV(false); translation.Takes(part) {
		return translation.Partition(part, path)
	}
	var written bytes.Buffer
	if err := m.Source.NewWriter().WritePartition(&written, partition.ForSPIRV(false)); err != nil {
		return nil, err
	}
	part, err := irfile.Parse(path, written.Bytes())
	if err != nil {
		return nil, err
	}
	return fromir.Translate(part, options)
}

package devicefile

import (
	"fmt"
	"strings"

	"offlink/ir/irfile"
	"offlink/props"
	"offlink/spirv"
	"offlink/wrapper"
	"offlink/wrapper/container"
	"offlink/wrapper/devimg"
)

// describeImage returns the images that the runtime makes of one that was found in a file:
// usually the image itself. An OffloadBinary has a triple instead of the target string of
// a program's tables, and usually neither kernels nor symbols, so that these are read from
// the code. LLVM IR in it becomes SPIR-V, possibly several images. Images for targets that
// no device of the runtime takes stay as they are. file is for messages.
func describeImage(file string, img *wrapper.Located) ([]*devimg.Image, error) {
	if img.Envelope != wrapper.Envelope(container.OffloadBinary) {
		return []*devimg.Image{&img.Image}, nil
	}
	where := fmt.Sprintf("%s: image %d", file, img.Index)
	own := img.Image
	own.Target = targetOfTriple(img.Target)
	switch {
	case own.Target != targetNVPTX && !strings.HasPrefix(own.Target, target):
		return []*devimg.Image{&img.Image}, nil
	case own.Target == target && devimg.Sniff(own.Code) == devimg.FormatLLVMBitcode:
		return translateImage(where, own.Code)
	}
	if err := describeCode(&own); err != nil {
		return nil, fmt.Errorf("%s: its code is not valid: %w", where, err)
	}
	return []*devimg.Image{&own}, nil
}

// targetOfTriple is the target string of DPC++'s tables for an LLVM triple.
func targetOfTriple(triple string) string {
	arch, _, _ := strings.Cut(triple, "-")
	switch arch {
	case "spirv64", "spirv": // spirv64-unknown-unknown, spirv-unknown-vulkan
		return target
	}
	return arch
}

func translateImage(where string, code devimg.Code) ([]*devimg.Image, error) {
	text, err := devimg.ReadCode(code)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", where, err)
	}
	m, err := irfile.Parse(where, text)
	if err != nil {
		return nil, err
	}
	return imagesOfModule(where, m)
}

// describeCode gives an image the kernels and the exported functions that its code has. With
// the table of exports the image is found by the symbols in it, and a second definition of
// a function is detected.
func describeCode(img *devimg.Image) error {
	kernels, err := wrapper.KernelNames(img)
	if err != nil {
		return err
	}
	if !img.HasEntries {
		img.Entries, img.HasEntries = kernels, true
	}
	if devimg.Sniff(img.Code) != devimg.FormatSPIRV || img.Properties.Get(props.SetExportedSymbols) != nil {
		return nil
	}
	code, err := devimg.ReadCode(img.Code)
	if err != nil {
		return err
	}
	m, err := spirv.Parse(code)
	if err != nil {
		return err
	}
	exportFunctions(img, m)
	return nil
}

// exportFunctions writes the table of exported symbols. Names of kernels are left out:
// translators may export a function with the name of the kernel that calls it.
func exportFunctions(img *devimg.Image, m *spirv.Module) {
	kernels := make(map[string]bool, len(img.Entries))
	for _, name := range img.Entries {
		kernels[name] = true
	}
	sets := img.Properties.Clone()
	for _, s := range m.Exports() {
		if !s.Function || kernels[s.Name] {
			continue
		}
		if sets == nil {
			sets = new(props.Sets)
		}
		sets.Put(props.SetExportedSymbols, s.Name, props.Uint32(1))
	}
	img.Properties = sets
}

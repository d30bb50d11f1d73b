package wrapper

import (
	"fmt"
	"maps"
	"slices"

	"offlink/props"
	"offlink/props/derive"
	"offlink/spirv"
	"offlink/wrapper/devimg"
)

// Misfits describes the differences between an image, which is not compressed,
// and code that is to replace its own, a line each: entries, exported symbols
// and numbers of arguments, as far as the code has them. An image whose code
// this is may be given: then its entries and argument masks are compared.
// Compared is false where neither code nor image says anything to compare.
func Misfits(old *devimg.Image, code devimg.Code, image *devimg.Image) (lines []string, compared bool, err error) {
	switch {
	case image != nil && old.HasEntries:
		return compareImages(old, image), true, nil
	case devimg.Sniff(code) == devimg.FormatSPIRV:
		lines, err = compareCode(old, code)
		return lines, true, err
	}
	lines, compared, err = compareKernels(old, code)
	return lines, compared || err != nil, err
}

// compareKernels compares the names of kernels, if both codes have them, or the new code and the
// image's entries.
func compareKernels(old *devimg.Image, code devimg.Code) (lines []string, compared bool, err error) {
	was := old.Entries
	if !old.HasEntries {
		if was, err = KernelNames(old); err != nil {
			return nil, false, fmt.Errorf("the code that is there: %w", err)
		}
	}
	is, err := KernelNames(&devimg.Image{Code: code})
	if err != nil || len(was) == 0 || len(is) == 0 {
		return nil, false, err
	}
	for _, name := range was {
		if !slices.Contains(is, name) {
			lines = append(lines, "kernel "+printableName(name)+": the new code does not have it")
		}
	}
	return lines, true, nil
}

// compareImages describes the differences of entries and argument masks of two
// images.
func compareImages(old, new *devimg.Image) []string {
	var lines []string
	for _, line := range EntryDifferences(old.Entries, new.Entries) {
		lines = append(lines, "entries: "+line)
	}
	return append(lines, PropertyDifferences(onlySet(old.Properties, props.SetKernelParamOpt), onlySet(new.Properties, props.SetKernelParamOpt))...)
}

// onlySet returns the sets of that name.
func onlySet(sets *props.Sets, name string) *props.Sets {
	kept := &props.Sets{}
	if set := sets.Get(name); set != nil && len(set.Properties) > 0 {
		kept.All = append(kept.All, set)
	}
	return kept
}

// codeInterface is the interface of SPIR-V: the number of each kernel's
// parameters, and the names that others may import.
type codeInterface struct {
	kernels map[string]int
	exports map[string]bool
}

// readInterface reads the kernels of code and their parameters, as far as its
// form says them.
func readInterface(code devimg.Code) (*codeInterface, error) {
	data, err := devimg.ReadCode(code)
	if err != nil {
		return nil, err
	}
	m, err := spirv.Parse(data)
	if err != nil {
		return nil, err
	}
	o := &codeInterface{make(map[string]int), make(map[string]bool)}
	parameters := make(map[spirv.ID]int)
	for _, f := range m.Functions() {
		parameters[f.ID()] = len(f.Params)
	}
	for _, e := range m.EntryPoints() {
		o.kernels[e.Name] = parameters[e.Function]
	}
	for _, s := range m.Exports() {
		o.exports[s.Name] = true
	}
	return o, nil
}

// compareCode describes the differences between the new code and the image: its
// entries, its exported symbols, and the arguments of its kernels, which the old
// code has, or else the masks.
func compareCode(old *devimg.Image, code devimg.Code) ([]string, error) {
	now, err := readInterface(code)
	if err != nil {
		return nil, err
	}
	if !old.HasEntries {
		lines, _, err := compareKernels(old, code)
		return append(lines, compareArguments(old, now)...), err
	}
	var lines []string
	for _, name := range old.Entries {
		if _, kernel := now.kernels[name]; !kernel && !now.exports[name] {
			lines = append(lines, "entry "+name+": the new code has no kernel and exports no function of that name")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(now.kernels)) {
		if !slices.Contains(old.Entries, name) {
			lines = append(lines, "kernel "+name+": the image has no entry of that name")
		}
	}
	for _, name := range old.Properties.Get(props.SetExportedSymbols).Names() {
		if !now.exports[name] {
			lines = append(lines, "exported symbol "+name+": the new code does not export it")
		}
	}
	return append(lines, compareArguments(old, now)...), nil
}

// compareArguments lists the kernels whose number of parameters changed, since the host passes
// those of the old code. If the old code is not SPIR-V, the masks among its properties tell how
// many it has.
func compareArguments(old *devimg.Image, now *codeInterface) []string {
	was, err := readInterface(old.Code)
	if err != nil { // the old code is not SPIR-V: its masks remain
		was = &codeInterface{}
	}
	masks := old.Properties.Get(props.SetKernelParamOpt)
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(now.kernels)) {
		if n, ok := was.kernels[name]; ok {
			if n != now.kernels[name] {
				lines = append(lines, fmt.Sprintf("kernel %s: %d parameters, and the old code has %d", name, now.kernels[name], n))
			}
		} else if mask, ok := masks.Get(name); ok && keptParameters(mask) != now.kernels[name] {
			lines = append(lines, fmt.Sprintf("kernel %s: %d parameters, and its mask (%s) leaves %d",
				name, now.kernels[name], derive.Describe(props.SetKernelParamOpt, name, mask), keptParameters(mask)))
		}
	}
	return lines
}

// keptParameters counts the parameters that a mask does not remove.
func keptParameters(mask props.Value) int {
	kept := 0
	for i := range mask.BitLen() {
		if mask.Data()[i/8]>>(i%8)&1 == 0 {
			kept++
		}
	}
	return kept
}

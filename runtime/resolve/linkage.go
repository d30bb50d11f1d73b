package resolve

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"offlink/props"
	"offlink/ptx"
	"offlink/runtime/builtins"
	"offlink/runtime/registry"
	"offlink/spirv"
	"offlink/wrapper/container"
	"offlink/wrapper/devimg"
)

// linkage is the symbols that an image shares with others.
type linkage struct {
	imports []symbol // in the order of the code, or of the table
	exports map[string]bool
	// module is the parsed code, nil unless it is SPIR-V.
	module *spirv.Module
	// defined are the names of the module that another image may define too, and
	// kernels those of its kernels.
	defined, kernels []string
	// weak are those of defined that give way to a definition of another image.
	weak map[string]bool
}

// symbol is a function or a variable that is imported.
type symbol struct {
	name     string
	variable bool
}

// linkageOf reads the symbols that the image's code imports and exports. SPIR-V states them
// itself, and so do PTX and cubins in an image without tables. For other code they are those of the
// tables in the image, from which functions that the device provides are left out.
func linkageOf(img *registry.Image) (*linkage, error) {
	if img.Format == devimg.FormatSPIRV {
		return spirvLinkage(img)
	}
	if !hasSymbolTables(img) && strings.HasPrefix(img.Target, targetPTX) {
		return cudaLinkage(img)
	}
	l := &linkage{exports: make(map[string]bool)}
	for _, name := range img.Properties.Get(props.SetImportedSymbols).Names() {
		if !builtins.Contains(name) {
			l.imports = append(l.imports, symbol{name: name})
		}
	}
	for _, name := range img.Properties.Get(props.SetExportedSymbols).Names() {
		l.exports[name] = true
	}
	return l, nil
}

func hasSymbolTables(img *registry.Image) bool {
	return img.Properties.Get(props.SetImportedSymbols) != nil || img.Properties.Get(props.SetExportedSymbols) != nil
}

// targetPTX begins the target strings of NVIDIA's GPUs.
const targetPTX = "nvptx64"

// cudaLinkage reads the symbols of PTX, of cubins and of fat binaries of them.
func cudaLinkage(img *registry.Image) (*linkage, error) {
	code, err := devimg.ReadCode(img.Code)
	if err != nil {
		return nil, err
	}
	l := &linkage{exports: make(map[string]bool)}
	imports, exports, err := cudaSymbols(img.String(), code)
	if err != nil {
		return nil, err
	}
	for _, name := range imports {
		if !builtins.Contains(name) && !isCUDAFunction(name) {
			l.imports = append(l.imports, symbol{name: name})
		}
	}
	for _, name := range exports {
		l.exports[name] = true
	}
	return l, nil
}

func cudaSymbols(name string, code []byte) (imports, exports []string, err error) {
	switch {
	case ptx.IsCubin(code):
		c, err := ptx.ReadCubin(code)
		if err != nil {
			return nil, nil, err
		}
		return c.Imports, c.Exports, nil
	case ptx.HasVersion(code):
		m, err := ptx.Parse(name, code)
		if err != nil {
			return nil, nil, err
		}
		return m.Imports(), m.Exports(), nil
	case container.Sniff(code) == container.FatBinary:
		return fatBinarySymbols(name, code)
	}
	return nil, nil, nil
}

// fatBinarySymbols returns the symbols of the first entry, as all entries are of one source. A
// compiler writes native code before PTX, which does not show whether it was made to be linked.
func fatBinarySymbols(name string, code []byte) (imports, exports []string, err error) {
	budget := container.NewBudget(0)
	entries, err := container.Read(code, budget)
	if err != nil || len(entries) == 0 {
		return nil, nil, err
	}
	plain, err := container.Uncompress(&entries[0].Image, budget)
	if err != nil {
		return nil, nil, err
	}
	first, err := devimg.ReadCode(plain.Code)
	if err != nil || container.Sniff(first) != container.None {
		return nil, nil, err
	}
	return cudaSymbols(name, first)
}

// isCUDAFunction reports whether NVIDIA's driver provides the function for device code
// (CUDA C++ Programming Guide, "PTX Interoperability" of printf, malloc and
// assert), and the variables of offlink/nvptx.h, which the back end defines.
func isCUDAFunction(name string) bool {
	switch name {
	case "vprintf", "malloc", "free", "__assertfail", "offlink_global_offset", "offlink_work_dim":
		return true
	}
	return false
}

// spirvLinkage trusts the code rather than the table of imported symbols: a name there that
// the translator has turned into an instruction is not an import any more. The code exports
// every function that is not internal; if there is a table of exported symbols, others may
// only use those that it lists. Variables are in no table.
func spirvLinkage(img *registry.Image) (*linkage, error) {
	code, err := devimg.ReadCode(img.Code)
	if err != nil {
		return nil, err
	}
	m, err := spirv.Parse(code)
	if err != nil {
		return nil, fmt.Errorf("not valid SPIR-V: %w", err)
	}
	l := &linkage{exports: make(map[string]bool), weak: make(map[string]bool), module: m}
	for _, s := range m.Imports() {
		if builtins.IsIntrinsic(s.Name) {
			continue
		}
		if i := (symbol{s.Name, !s.Function}); !slices.Contains(l.imports, i) {
			l.imports = append(l.imports, i)
		}
	}
	for _, s := range m.Exports() {
		if exported, listed := img.Exports(s.Name); exported || !listed || !s.Function {
			l.exports[s.Name] = true
		}
		if s.Linkage != spirv.LinkageLinkOnceODR { // linkers keep one of these themselves
			l.defined = append(l.defined, s.Name)
		}
		if s.Linkage == spirv.LinkageWeakAMD {
			l.weak[s.Name] = true
		}
	}
	for _, e := range m.EntryPoints() {
		l.kernels = append(l.kernels, e.Name)
	}
	return l, nil
}

// linkages remembers the linkage of images, as reading it parses the code.
type linkages struct {
	mu    sync.Mutex
	known map[*registry.Image]func() (*linkage, error)
}

func (c *linkages) linkageOf(img *registry.Image) (*linkage, error) {
	c.mu.Lock()
	read := c.known[img]
	if read == nil {
		read = sync.OnceValues(func() (*linkage, error) { return linkageOf(img) })
		if c.known == nil {
			c.known = make(map[*registry.Image]func() (*linkage, error))
		}
		c.known[img] = read
	}
	c.mu.Unlock()
	return read()
}

func (c *linkages) forgetImages(images []*registry.Image) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, img := range images {
		delete(c.known, img)
	}
}

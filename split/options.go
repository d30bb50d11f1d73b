package split

import "fmt"

// Mode is how entry points are grouped into images.
type Mode uint8

// The modes. Auto groups as Source does.
const (
	None   Mode = iota // one image
	Source             // one image for each source file (sycl-module-id)
	Kernel             // one image for each entry point
	Auto
)

var modeNames = [...]string{None: "none", Source: "source", Kernel: "kernel", Auto: "auto"}

// String returns the spelling on the command line.
func (m Mode) String() string { return modeNames[m] }

// ParseMode returns the mode of that spelling.
func ParseMode(s string) (Mode, error) {
	for m, name := range modeNames {
		if name == s {
			return Mode(m), nil
		}
	}
	return 0, fmt.Errorf("there is no split mode '%s': use source, kernel or auto", s)
}

// Dependencies tells which functions an image takes from other images.
type Dependencies uint8

const (
	// DependenciesNone copies everything that an image needs into it.
	DependenciesNone Dependencies = iota
	// DependenciesExternals leaves the external functions of other source
	// files out: they stay declarations, and are imported.
	DependenciesExternals
	// DependenciesAll leaves every function out that another image exports.
	DependenciesAll
)

var dependenciesNames = [...]string{"none", "externals", "all"}

// String returns the spelling on the command line.
func (d Dependencies) String() string { return dependenciesNames[d] }

// ParseDependencies returns the value of that spelling.
func ParseDependencies(s string) (Dependencies, error) {
	for d, name := range dependenciesNames {
		if name == s {
			return Dependencies(d), nil
		}
	}
	return 0, fmt.Errorf("device images cannot depend on '%s': use none, externals or all", s)
}

// Options tells how a module is split. The zero value makes one image.
type Options struct {
	Mode Mode
	// OnlyKernels takes exported functions for dependencies, not for entry
	// points.
	OnlyKernels  bool
	Dependencies Dependencies
	// SeparateESIMD parts explicit-SIMD code from the rest.
	SeparateESIMD bool
	// Single is for an output that is one module and no table: Auto then
	// makes one group, and the images carry no mark of the split.
	Single        bool
	SpecConstants SpecConstantMode
	// DefaultImages says that [Extractor.ExtractDefaults] will be called.
	DefaultImages bool
	Decorations   Decorations
	// Annotated says that [ApplyAnnotations] changed the module: a stock
	// compiler wrote it, and its images are never the input unchanged.
	Annotated bool
}

// Package linkcheck checks whether the device code of a program links, without a device
// and without a launch: each import of each image, symbols and kernels that are defined
// twice, device globals that differ. It uses the same resolver as a launch.
package linkcheck

import (
	"cmp"
	"slices"

	"offlink/runtime/devicelib"
	"offlink/runtime/registry"
	"offlink/runtime/resolve"
)

// Program is the images that are checked.
type Program struct {
	// Loaded has the images of the program and of the libraries that it loads,
	// in the order of registration.
	Loaded *registry.Snapshot
	// Nearby has the images of files that the program does not load, for advice; nil
	// for none.
	Nearby *registry.Snapshot
	// NotFound are the names of libraries that the program needs and that were not found
	// ("libx.so"). A file of Nearby may be one of them.
	NotFound map[string]bool
}

// Report is the result of a check. All lists are in the order of the images.
type Report struct {
	// Device is the device that was asked for; "" stands for each target of
	// the images.
	Device   string    `json:"device,omitempty"`
	Images   []Image   `json:"images"`
	Problems []Problem `json:"problems"`
	// Failing are the kernels that cannot be launched.
	Failing []Launch `json:"failing"`
}

// Launch is a kernel of a file on a device.
type Launch struct {
	File   string `json:"file"`
	Kernel string `json:"kernel"`
	// Device is the one that was asked for, or a target of the images.
	Device string `json:"device"`
	// Symbol is the one without which the kernel cannot be launched; "" where it is none.
	Symbol string `json:"symbol,omitempty"`
}

// Image is one image with its symbols.
type Image struct {
	Ref
	Target  string   `json:"target"`
	Format  string   `json:"format"`
	Size    int64    `json:"size"`
	Kernels []string `json:"kernels"`
	Exports []string `json:"exports"`
	Imports []Import `json:"imports"`
}

// Ref names an image.
type Ref struct {
	File  string `json:"file"`
	Image int    `json:"image"`
}

// Import is a symbol that an image imports.
type Import struct {
	Symbol   string `json:"symbol"`
	Variable bool   `json:"variable,omitempty"`
	// From is the image that a launch would take; nil where none serves.
	From *Ref `json:"from,omitempty"`
}

// Severity distinguishes errors, with which a launch fails, from warnings.
type Severity string

// The severities.
const (
	Error   Severity = "error"
	Warning Severity = "warning"
)

// Kind is the sort of a problem.
type Kind string

// The kinds of problems.
const (
	Unresolved     Kind = "unresolved"      // no image has the symbol
	Unfit          Kind = "unfit"           // the images that have it are for another target, or in another format
	NotLoaded      Kind = "not-loaded"      // a library that the program does not load has it
	NoLinking      Kind = "no-linking"      // the device does not link images
	Conflict       Kind = "conflict"        // a kernel needs two definitions that differ
	Duplicate      Kind = "duplicate"       // definitions that differ; the first serves
	KernelTwice    Kind = "kernel-twice"    // a kernel that is defined twice
	Refused        Kind = "refused"         // the device takes no image of a kernel
	DeviceGlobal   Kind = "device-global"   // images that differ in a device global
	Damaged        Kind = "damaged"         // code that cannot be read
	MissingLibrary Kind = "missing-library" // a host library that is not found
)

// Problem is one finding.
type Problem struct {
	Severity Severity `json:"severity"`
	Kind     Kind     `json:"kind"`
	// Symbol is the symbol, kernel, device global or library.
	Symbol  string `json:"symbol,omitempty"`
	Message string `json:"message"`
}

// Errors counts the problems with which a launch fails.
func (r *Report) Errors() int {
	n := 0
	for _, p := range r.Problems {
		if p.Severity == Error {
			n++
		}
	}
	return n
}

// Check checks the images for a device; nil stands for each target that images
// have code for.
func Check(p Program, d *Device) *Report {
	c := &checker{program: p, report: &Report{Images: []Image{}, Problems: []Problem{}, Failing: []Launch{}}, exporters: make(map[*registry.Image]bool), taken: make(map[takenFrom]string), unlinked: make(map[string]bool)}
	views := eachTarget(p.Loaded.Images)
	if d != nil {
		c.report.Device, views = d.Name, []*Device{d}
	}
	c.listImages()
	for _, view := range views {
		c.device = view
		c.resolveImports()
		c.linkKernels(d != nil)
	}
	c.compareDefinitions()
	c.compareKernels()
	c.compareGlobals()
	c.report.AddProblems(nil)
	return c.report
}

// AddProblems puts problems before those of the report, errors first.
func (r *Report) AddProblems(list []Problem) {
	r.Problems = append(slices.Clip(list), r.Problems...)
	slices.SortStableFunc(r.Problems, func(a, b Problem) int { return cmp.Compare(a.Severity, b.Severity) })
	if r.Problems == nil {
		r.Problems = []Problem{}
	}
}

// takenFrom is a symbol that links take from an image.
type takenFrom struct {
	symbol string
	image  *registry.Image
}

// checker is one check.
type checker struct {
	program  Program
	device   *Device
	resolver resolve.Resolver
	report   *Report
	exports  [][]string // of the images that are loaded
	broken   []bool     // images whose code cannot be read
	// exporters are the images that others import from.
	exporters map[*registry.Image]bool
	// taken has the first kernel for which a symbol is taken from an image.
	taken map[takenFrom]string
	// unlinked are the symbols of NoLinking that are reported.
	unlinked map[string]bool
}

func (c *checker) addProblem(s Severity, k Kind, symbol, message string) {
	c.report.Problems = append(c.report.Problems, Problem{s, k, symbol, message})
}

func refOf(img *registry.Image) Ref { return Ref{img.Owner.Name, img.Index} }

// listImages reads the exports of every image. The resolver forgets the code of each again:
// parsed, it takes several times the memory of the code.
func (c *checker) listImages() {
	for _, img := range c.program.Loaded.Images {
		exports, err := c.resolver.Exports(img)
		if err != nil {
			c.addProblem(Error, Damaged, "", err.Error())
		}
		c.resolver.ForgetCode([]*registry.Image{img})
		c.exports = append(c.exports, exports)
		c.broken = append(c.broken, err != nil)
		c.report.Images = append(c.report.Images, Image{
			Ref: refOf(img), Target: img.Target, Format: img.Format.String(), Size: img.Code.Size(),
			Kernels: orEmpty(img.Kernels()), Exports: orEmpty(exports), Imports: []Import{},
		})
	}
}

// orEmpty returns an empty list for nil, which would be null in JSON instead of [].
func orEmpty(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

// launchRequest returns the request of a launch on the device, without a kernel.
func (c *checker) launchRequest() resolve.Request {
	return resolve.Request{Accepts: c.device.Accepts, DeviceType: c.device.Type, Extensions: c.device.Extensions, Library: devicelib.Image}
}

// acceptedImages returns the numbers of the images that the device takes and that
// can be read.
func (c *checker) acceptedImages() (list []int) {
	for i, img := range c.program.Loaded.Images {
		if !c.broken[i] && c.device.Accepts(resolve.DriverImage(img)) == nil {
			list = append(list, i)
		}
	}
	return list
}

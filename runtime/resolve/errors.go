package resolve

import (
	"fmt"
	"strings"

	"offlink/runtime/builtins"
	"offlink/runtime/registry"
)

// Refusal is an image that was looked at and why it did not serve.
type Refusal struct {
	Image  *registry.Image
	Reason string
}

func (r Refusal) String() string { return fmt.Sprintf("%v: %s", r.Image, r.Reason) }

// NoKernelError says that no image serves for a kernel.
type NoKernelError struct {
	Kernel string
	// Refusals are the images that have the kernel and cannot be used.
	Refusals []Refusal
	// Known are the kernels that are there instead, where no image has it.
	Known []string
}

func (e *NoKernelError) Error() string {
	switch {
	case len(e.Refusals) > 0:
		return fmt.Sprintf("kernel %s: no image that has it can be used on this device:%s", e.Kernel, refusalList(e.Refusals))
	case len(e.Known) > 0:
		return fmt.Sprintf("kernel %s: no image has it; the kernels that are there: %s", e.Kernel, firstNames(e.Known))
	}
	return fmt.Sprintf("kernel %s: no image has it; no image that is loaded has any kernel", e.Kernel)
}

// UnresolvedError says that an image that a kernel needs imports a symbol that
// no image provides.
type UnresolvedError struct {
	Symbol   string
	Kernel   string
	Importer *registry.Image
	// Refusals has every image that is loaded.
	Refusals []Refusal
}

func (e *UnresolvedError) Error() string {
	what := "load the file whose device code exports it"
	if builtins.Contains(e.Symbol) {
		what = "it is built into OpenCL C, and the code calls it as if it were not: translate from a module that says that it is OpenCL C"
	}
	return fmt.Sprintf("kernel %s needs %s, imported by %v, and no image provides it; %s. Looked at:%s",
		e.Kernel, e.Symbol, e.Importer, what, refusalList(e.Refusals))
}

// ConflictError says that two images that a kernel needs define a symbol
// differently.
type ConflictError struct {
	Symbol string
	Kernel string
	Images [2]*registry.Image
}

func (e *ConflictError) Error() string {
	return fmt.Sprintf("kernel %s needs two images that define %s differently: %v and %v; give one of the two another name",
		e.Kernel, e.Symbol, e.Images[0], e.Images[1])
}

// LinkingError says that a kernel needs a second image, and that the device
// does not link images of that target.
type LinkingError struct {
	Symbol    string
	Kernel    string
	Images    [2]*registry.Image // that imports the symbol, and that exports it
	Extension string             // that the device lacks
}

func (e *LinkingError) Error() string {
	return fmt.Sprintf("kernel %s needs %s, which %v imports from %v, and the device does not link images of target %s (it lacks %s); link the device code when the program is built",
		e.Kernel, e.Symbol, e.Images[0], e.Images[1], e.Images[0].Target, e.Extension)
}

// DuplicatesError says that symbols of a link have other definitions in images
// outside it, where the caller does not want that.
type DuplicatesError struct {
	Kernel string
	List   []Duplicate
}

func (e *DuplicatesError) Error() string {
	return fmt.Sprintf("kernel %s: %v", e.Kernel, e.List[0])
}

// ImageError is a failure to read an image that is needed.
type ImageError struct {
	Image *registry.Image
	Err   error
}

func (e *ImageError) Error() string { return fmt.Sprintf("%v: %v", e.Image, e.Err) }
func (e *ImageError) Unwrap() error { return e.Err }

// someNames is the number of names that a message lists.
const someNames = 20

func firstNames(names []string) string {
	if len(names) <= someNames {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s, ... (%d in all)", strings.Join(names[:someNames], ", "), len(names))
}

// refusalList has a line for each image; of many, those that lack the symbol are counted.
func refusalList(refusals []Refusal) string {
	var b strings.Builder
	without := 0
	for _, r := range refusals {
		if len(refusals) > someNames && r.Reason == reasonNoExport {
			without++
			continue
		}
		b.WriteString("\n  " + r.String())
	}
	if without > 0 {
		fmt.Fprintf(&b, "\n  %d images %s", without, strings.Replace(reasonNoExport, "does", "do", 1))
	}
	return b.String()
}

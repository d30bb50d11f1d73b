// Package resolve finds the images that a kernel needs: the one that has it, and those
// that provide imports, transitively. An error lists every candidate with the reason
// for which it does not serve.
package resolve

import (
	"fmt"
	"slices"
	"strings"

	"offlink/runtime/driver"
	"offlink/runtime/registry"
	"offlink/spirv"
)

// Request asks for the images of a kernel on a device.
type Request struct {
	Kernel string
	// Owner is preferred where several have the kernel; the zero Owner means no
	// preference.
	Owner registry.Owner
	// Accepts is that of the device: it returns nil, or why it cannot take the image.
	Accepts    func(driver.Image) error
	DeviceType driver.Type
	// Info describes the device, for the requirements of images; nil if no device is there.
	Info *driver.Info
	// Extensions are the device's. Images of a target that has an extension
	// string for linking are linked with others only where it is among them.
	Extensions []string
	// SpecConstants is set if the program gives values for specialization
	// constants.
	SpecConstants bool
	// Functions are symbols that must be in the link though no image imports
	// them: the kernel gets pointers to them.
	Functions []string
	// Native, if set, reports whether the device has a symbol itself, which then stays
	// an import.
	Native func(symbol string) bool
	// Library, if set, returns the image of a device library that exports a
	// function, or nil. It serves where no image of the snapshot does.
	Library func(symbol string) *registry.Image
}

// Link is the images that together make a kernel runnable.
type Link struct {
	Kernel string
	// Images has the image of the kernel first, then those that it needs, in
	// the order in which they were found to be needed.
	Images []*registry.Image
	// Reasons has, for each image but the first, the symbol for which it was
	// taken.
	Reasons []string

	trims []spirv.Trim // of Images
}

// Resolver finds links. It remembers the symbols of images until Forget. The
// zero Resolver is ready, and it is safe for concurrent use.
type Resolver struct {
	linkages linkages
	index    exportIndex
}

// Forget drops the symbols of images that are gone.
func (r *Resolver) Forget(images []*registry.Image) {
	r.linkages.forgetImages(images)
	r.index.forgetImages(images)
}

// ForgetCode drops the parsed code of images, which takes several times the memory of the code,
// and keeps their names.
func (r *Resolver) ForgetCode(images []*registry.Image) { r.linkages.forgetImages(images) }

// Link finds the images of the kernel in the snapshot. Imports are resolved
// transitively; where several images export a symbol, the first that was
// registered and serves is taken. It fails with a NoKernelError, an
// UnresolvedError, a LinkingError, a ConflictError or an ImageError.
func (r *Resolver) Link(s *registry.Snapshot, q Request) (*Link, error) {
	main, err := chooseMain(s, q)
	if err != nil {
		return nil, err
	}
	w := &linkSearch{resolver: r, snapshot: s, request: q, exported: make(map[string]bool)}
	if err := w.addImage(main, ""); err != nil {
		return nil, err
	}
	if err := w.addFunctions(); err != nil {
		return nil, err
	}
	for i := 0; i < len(w.images); i++ { // grows as images are found
		if err := w.resolveImports(w.images[i]); err != nil {
			return nil, err
		}
		if err := w.addVirtualFunctions(w.images[i]); err != nil {
			return nil, err
		}
	}
	trims, err := w.symbolTrims()
	if err != nil {
		return nil, err
	}
	return &Link{q.Kernel, w.images, w.reasons, trims}, nil
}

// linkSearch is one search for a link.
type linkSearch struct {
	resolver *Resolver
	snapshot *registry.Snapshot
	request  Request
	images   []*registry.Image
	linkages []*linkage // of images
	reasons  []string   // symbols for which the images were taken
	exported map[string]bool
}

// addImage adds an image that was taken for a symbol.
func (w *linkSearch) addImage(img *registry.Image, reason string) error {
	l, err := w.resolver.linkages.linkageOf(img)
	if err != nil {
		return &ImageError{img, err}
	}
	w.images = append(w.images, img)
	w.reasons = append(w.reasons, reason)
	w.linkages = append(w.linkages, l)
	for name := range l.exports {
		w.exported[name] = true
	}
	return nil
}

// resolveImports adds the images that provide the imports of one of the link.
func (w *linkSearch) resolveImports(importer *registry.Image) error {
	l, err := w.resolver.linkages.linkageOf(importer)
	if err != nil {
		return &ImageError{importer, err}
	}
	for _, symbol := range l.imports {
		if err := w.addExporter(symbol, importer); err != nil {
			return err
		}
	}
	return nil
}

// addExporter adds the image that provides a symbol, unless one of the link or
// the device does.
func (w *linkSearch) addExporter(symbol symbol, importer *registry.Image) error {
	if w.exported[symbol.name] || w.isNative(symbol) {
		return nil
	}
	exporter := w.findExporter(symbol)
	if exporter == nil {
		return w.unresolvedError(symbol, importer)
	}
	if err := w.checkLinking(symbol, importer, exporter); err != nil {
		return err
	}
	return w.addImage(exporter, symbol.name)
}

// checkLinking asks whether the device links images of the target at all.
func (w *linkSearch) checkLinking(s symbol, importer, exporter *registry.Image) error {
	needed := driver.LinkExtension(w.images[0].Target)
	if needed == "" || slices.Contains(w.request.Extensions, needed) {
		return nil
	}
	return &LinkingError{Symbol: s.name, Kernel: w.request.Kernel, Images: [2]*registry.Image{importer, exporter}, Extension: needed}
}

// findExporter returns the first image that serves, or nil. Images without a table are asked after
// those that list the symbol, and only where none of these serves: their code has to be read.
func (w *linkSearch) findExporter(s symbol) *registry.Image {
	if !s.variable {
		if exporter := w.firstServing(w.snapshot.Exporters(s.name), s); exporter != nil {
			return exporter
		}
	}
	if exporter := w.firstServing(w.resolver.unlistedCandidates(w.snapshot, s), s); exporter != nil {
		return exporter
	}
	return w.libraryImage(s)
}

// firstServing returns the first image of a list that serves, or nil. Of the images that are
// alternatives to it, that is the one that suits the device and the request best.
func (w *linkSearch) firstServing(candidates []*registry.Image, s symbol) *registry.Image {
	var serving []*registry.Image
	for _, img := range candidates {
		if len(serving) > 0 && !Alternatives(serving[0], img) || w.refusalReason(img, s) != "" {
			continue
		}
		if len(serving) == 0 && !hasAlternatives(img) {
			return img
		}
		serving = append(serving, img)
	}
	return w.bestAlternative(serving)
}

// libraryImage returns the image of the device library that serves, if any.
func (w *linkSearch) libraryImage(s symbol) *registry.Image {
	if w.request.Library == nil || s.variable {
		return nil
	}
	img := w.request.Library(s.name)
	if img == nil || w.refusalReason(img, s) != "" {
		return nil
	}
	return img
}

// isNative reports whether the device provides the function itself.
func (w *linkSearch) isNative(s symbol) bool {
	return !s.variable && w.request.Native != nil && w.request.Native(s.name)
}

// candidateImages returns the images that may define the symbol, in the order in which
// findExporter asks them.
func (r *Resolver) candidateImages(s *registry.Snapshot, want symbol) []*registry.Image {
	unlisted := r.unlistedCandidates(s, want)
	if want.variable {
		return unlisted
	}
	return slices.Concat(s.Exporters(want.name), unlisted)
}

// unlistedCandidates are the images whose code exports the symbol and whose table does not tell. Tables
// list no variables, so that all images are asked for one.
func (r *Resolver) unlistedCandidates(s *registry.Snapshot, want symbol) []*registry.Image {
	if want.variable {
		return r.index.candidateImages(&r.index.variables, s.Images, want.name)
	}
	return r.index.candidateImages(&r.index.functions, s.Unlisted(), want.name)
}

// exportsSymbol reports whether the code of an image exports a symbol to others. It parses the code
// only if the name is there.
func (r *Resolver) exportsSymbol(img *registry.Image, name string) (bool, error) {
	if !r.index.mayExport(img, name) {
		return false, nil
	}
	l, err := r.linkages.linkageOf(img)
	return err == nil && l.exports[name], err
}

// refusalReason returns why the image does not serve for the symbol, "" if it does.
func (w *linkSearch) refusalReason(img *registry.Image, s symbol) string {
	exported, listed := img.Exports(s.name)
	if listed && !exported && !s.variable {
		return reasonNoExport
	}
	main := w.images[0]
	if !linkTogether(img, main) {
		return fmt.Sprintf("cannot be linked with code for %s in %s", main.Target, main.Format)
	}
	if err := w.request.accepts(img); err != nil {
		return err.Error()
	}
	exports, err := w.resolver.exportsSymbol(img, s.name)
	switch {
	case err != nil:
		return err.Error()
	case exports:
		return w.extensionReason(img)
	case exported:
		return "its table lists it, but its code does not define it"
	}
	return reasonNoExport
}

// linkTogether reports whether code of two images can be linked: that of one target in one form.
// NVIDIA's linker takes PTX and cubins together.
func linkTogether(a, b *registry.Image) bool {
	return a.Target == b.Target && (a.Format == b.Format || strings.HasPrefix(a.Target, targetPTX))
}

// reasonNoExport is the reason of most images, which errors count rather than list.
const reasonNoExport = "does not export it"

// extensionReason returns why the device is none of those that the image is for,
// "" if it is.
func (w *linkSearch) extensionReason(img *registry.Image) string {
	if img.BFloat16Library() == registry.BFloat16Native && !slices.Contains(w.request.Extensions, bfloat16Extension) {
		return "is for devices that have " + bfloat16Extension
	}
	return ""
}

func (w *linkSearch) unresolvedError(s symbol, importer *registry.Image) error {
	e := &UnresolvedError{Symbol: s.name, Kernel: w.request.Kernel, Importer: importer}
	for _, img := range w.snapshot.Images {
		e.Refusals = append(e.Refusals, Refusal{img, w.refusalReason(img, s)})
	}
	return e
}

package resolve

import (
	"slices"

	"offlink/runtime/registry"
)

// Images that a kernel needs though it imports nothing of them: it calls their
// functions through pointers.

// addFunctions adds the images that export the functions of the request.
func (w *linkSearch) addFunctions() error {
	for _, name := range w.request.Functions {
		if err := w.addExporter(symbol{name: name}, w.images[0]); err != nil {
			return err
		}
	}
	return nil
}

// addVirtualFunctions adds every image that shares a set of virtual functions
// with one of the link: those that define them, and those that call them, as
// objects are made there (DPC++'s design of virtual functions). Images that the
// device does not take have other code of the same functions.
func (w *linkSearch) addVirtualFunctions(img *registry.Image) error {
	main := w.images[0]
	for _, set := range img.VirtualFunctionSets() {
		for _, other := range w.snapshot.VirtualFunctions(set) {
			if slices.Contains(w.images, other) || !linkTogether(other, main) ||
				w.request.accepts(other) != nil {
				continue
			}
			if err := w.checkLinking(symbol{name: "the virtual functions of set " + set}, img, other); err != nil {
				return err
			}
			if err := w.addImage(other, "virtual functions of set "+set); err != nil {
				return err
			}
		}
	}
	return nil
}

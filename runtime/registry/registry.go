// Package registry holds the device images that are loaded: the owner of each, the
// kernels it has, the symbols it exports. It decides nothing.
package registry

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"offlink/props"
	"offlink/wrapper/devimg"
)

// Owner is the source of images: a program, a shared library, or a file. It is
// comparable; two owners are the same if both fields are.
type Owner struct {
	// ID distinguishes owners with the same name: a load address, or a running number.
	ID uint64
	// Name is the file, for messages.
	Name string
}

// Image is one registered image. It is immutable and stays valid after its
// registration was removed, except that its code may then be unreadable.
type Image struct {
	*devimg.Image
	// ID is never given to another image of the registry.
	ID    uint64
	Owner Owner
	// Index counts the images of the owner from 0, in order of registration.
	Index int
	// Format is the image's own, or the one that its first bytes show where that is
	// FormatNone.
	Format devimg.Format
}

// String names the image in messages: file, number, target, if it has one, and format.
func (i *Image) String() string {
	return fmt.Sprintf("%s: image %d (%s)", i.Owner.Name, i.Index, devimg.CodeName(i.Target, i.Format.String()))
}

// Exports reports whether the image's symbol table says that it exports the
// symbol, and whether it has such a table at all.
func (i *Image) Exports(symbol string) (exported, listed bool) {
	set := i.Properties.Get(props.SetExportedSymbols)
	_, exported = set.Get(symbol)
	return exported, set != nil
}

// Kernels returns the names of the kernels: the entries that the image does
// not export as functions. Service kernels are left out.
func (i *Image) Kernels() []string {
	var names []string
	for _, name := range i.eachKernel {
		if !IsServiceKernel(name) {
			names = append(names, name)
		}
	}
	return names
}

// IsServiceKernel reports whether a kernel belongs to DPC++'s runtime (the copier of messages of
// assert). Its headers put one into every image that needs it. Only the full name finds it.
func IsServiceKernel(name string) bool { return strings.Contains(name, "__sycl_service_kernel__") }

// eachKernel yields the kernels' places in Entries and their names, service kernels too.
func (i *Image) eachKernel(yield func(int, string) bool) {
	set := i.Properties.Get(props.SetExportedSymbols)
	for position, name := range i.Entries {
		if _, exported := set.Get(name); !exported && !yield(position, name) {
			return
		}
	}
}

// exportTable is the table of exported symbols; listed is false where there is none.
func (i *Image) exportTable() (list []props.Property, listed bool) {
	set := i.Properties.Get(props.SetExportedSymbols)
	if set == nil {
		return nil, false
	}
	return set.Properties, true
}

// NativeOf returns the SHA-256 of the SPIR-V code that the image is native code
// of, for the embedded device alone ("postlink -to=x86_64"); ok is false for all
// other images.
func (i *Image) NativeOf() (digest string, ok bool) {
	value, ok := i.Properties.Get(props.SetOfflinkNative).Get(props.NativeSPIRV)
	if !ok || value.Type() != props.TypeByteArray {
		return "", false
	}
	return string(value.Data()), true
}

// VirtualFunctionSets returns the names of the sets of virtual functions that
// the image defines or calls.
func (i *Image) VirtualFunctionSets() []string {
	described := i.Properties.Get(props.SetVirtualFunctions)
	var sets []string
	for _, key := range [...]string{"virtual-functions-set", "uses-virtual-functions-set"} {
		value, _ := described.Get(key)
		if value.Type() != props.TypeByteArray {
			continue
		}
		sets = append(sets, strings.FieldsFunc(string(value.Data()), func(c rune) bool { return c == ',' || c == 0 })...)
	}
	return sets
}

// BFloat16Library is the form of DPC++'s device library of bfloat16 conversions
// that an image is.
type BFloat16Library uint8

const (
	BFloat16None     BFloat16Library = iota // another image
	BFloat16Emulated                        // for every device
	BFloat16Native                          // for devices that have the conversions
)

// BFloat16Library reads the property set SYCL/devicelib metadata.
func (i *Image) BFloat16Library() BFloat16Library {
	value, ok := i.Properties.Get(props.SetDevicelibMetadata).Get("bfloat16")
	switch {
	case !ok || value.Type() != props.TypeUint32:
		return BFloat16None
	case value.Uint32() != 0:
		return BFloat16Native
	}
	return BFloat16Emulated
}

// DefaultsOnly reports whether the image is the copy of another in which
// default values stand in the place of the specialization constants
// (SYCL/misc properties, specConstsReplacedWithDefault).
func (i *Image) DefaultsOnly() bool {
	value, ok := i.MiscProperty("specConstsReplacedWithDefault")
	return ok && value != 0
}

// MiscProperty is a number of the set SYCL/misc properties, if the image has it.
func (i *Image) MiscProperty(name string) (value uint32, ok bool) {
	v, ok := i.Properties.Get(props.SetMiscProperties).Get(name)
	if !ok || v.Type() != props.TypeUint32 {
		return 0, false
	}
	return v.Uint32(), true
}

// CompileTarget is DPC++'s name of the devices that the image was compiled for
// (SYCL/device requirements, compile_target), "" where it does not say.
func (i *Image) CompileTarget() string {
	value, ok := i.Properties.Get(props.SetDeviceRequirements).Get("compile_target")
	if !ok || value.Type() != props.TypeByteArray {
		return ""
	}
	return string(value.Data())
}

// Registration is a group of images that came together.
type Registration struct {
	Images []*Image

	gone bool
}

// Registry is the set of loaded images. Its indexes change with each registration, and
// are never rebuilt. It is safe for concurrent use. The zero Registry is empty and ready.
type Registry struct {
	mu         sync.Mutex
	images     []*Image // in order of registration; snapshots share the array
	unlisted   []*Image // the same
	kernels    nameIndex
	exports    nameIndex
	virtuals   nameIndex // by set of virtual functions
	natives    nameIndex // by NativeOf
	hasNatives bool
	owners     map[Owner]numbering
	lastID     uint64
	snapshot   *Snapshot // nil where anything changed since
}

// numbering is the state of Image.Index for one owner.
type numbering struct{ next, live int }

// Add registers images of the owner.
func (r *Registry) Add(owner Owner, images []*devimg.Image) *Registration {
	reg := &Registration{Images: make([]*Image, len(images))}
	for i, img := range images {
		reg.Images[i] = &Image{Image: img, Owner: owner, Format: formatOf(img)}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.numberImages(owner, reg.Images)
	for _, img := range reg.Images {
		r.indexImage(img)
	}
	r.snapshot = nil
	return reg
}

// indexImage enters an image. Appending is safe although snapshots share the arrays: it
// does not change the part that a snapshot has.
func (r *Registry) indexImage(img *Image) {
	r.images = append(r.images, img)
	for position, name := range img.eachKernel {
		r.kernels.addName(name, img, position)
	}
	if digest, ok := img.NativeOf(); ok {
		r.natives.addName(digest, img, 0) // its symbols are those of the SPIR-V image
		r.hasNatives = true
		return
	}
	exported, listed := img.exportTable()
	for i := range exported {
		r.exports.addName(exported[i].Name, img, i)
	}
	if !listed {
		r.unlisted = append(r.unlisted, img)
	}
	for i, set := range img.VirtualFunctionSets() {
		r.virtuals.addName(set, img, i)
	}
}

func (r *Registry) numberImages(owner Owner, images []*Image) {
	if r.owners == nil {
		r.owners = make(map[Owner]numbering)
	}
	n := r.owners[owner]
	for _, img := range images {
		r.lastID++
		img.ID, img.Index = r.lastID, n.next
		n.next++
	}
	n.live += len(images)
	r.owners[owner] = n
}

func formatOf(img *devimg.Image) devimg.Format {
	if img.Format == devimg.FormatNone {
		return devimg.Sniff(img.Code)
	}
	return img.Format
}

// Remove takes the registration out. Snapshots taken before keep it, and removing it
// twice is harmless. The images of a registration have consecutive IDs, so that a range
// of IDs selects them in every index.
func (r *Registry) Remove(reg *Registration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if reg.gone || len(reg.Images) == 0 {
		return
	}
	reg.gone = true
	first, last := reg.Images[0].ID, reg.Images[len(reg.Images)-1].ID
	gone := func(img *Image) bool { return first <= img.ID && img.ID <= last }
	r.images = removeImages(r.images, gone)
	for _, img := range reg.Images {
		for _, name := range img.eachKernel {
			r.kernels.removeName(name, first, last)
		}
		if digest, ok := img.NativeOf(); ok {
			r.natives.removeName(digest, first, last)
			continue
		}
		exported, listed := img.exportTable()
		for i := range exported {
			r.exports.removeName(exported[i].Name, first, last)
		}
		if !listed {
			r.unlisted = removeImages(r.unlisted, gone)
		}
		for _, set := range img.VirtualFunctionSets() {
			r.virtuals.removeName(set, first, last)
		}
	}
	r.snapshot = nil
	r.removeCounts(reg.Images)
}

// removeImages returns a list without some images. It shortens the list where they are
// the last, as at exit, when the last to come go first; otherwise the result has an
// array of its own, since snapshots share that of the list.
func removeImages(list []*Image, gone func(*Image) bool) []*Image {
	end := len(list)
	for end > 0 && gone(list[end-1]) {
		end--
	}
	if end < len(list) {
		return list[:end:end]
	}
	return slices.DeleteFunc(slices.Clone(list), gone)
}

// removeCounts restarts the numbering of an owner that has no image left.
func (r *Registry) removeCounts(images []*Image) {
	for _, img := range images {
		n := r.owners[img.Owner]
		if n.live--; n.live == 0 {
			delete(r.owners, img.Owner)
		} else {
			r.owners[img.Owner] = n
		}
	}
}

// Snapshot returns the present content.
func (r *Registry) Snapshot() *Snapshot {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.snapshot == nil {
		images := r.images[:len(r.images):len(r.images)]
		r.snapshot = &Snapshot{
			Images:   images,
			kernels:  names{r.kernels.shareIndex(), images, entryName},
			exports:  names{r.exports.shareIndex(), images, exportName},
			virtuals: names{r.virtuals.shareIndex(), images, virtualSetName},
			natives:  names{r.natives.shareIndex(), images, nativeDigest}, hasNatives: r.hasNatives,
			unlisted: r.unlisted[:len(r.unlisted):len(r.unlisted)],
		}
	}
	return r.snapshot
}

// The four functions below return the name that an index entered for a position.

func entryName(img *Image, position int) string { return img.Entries[position] }

func exportName(img *Image, position int) string {
	exported, _ := img.exportTable()
	return exported[position].Name
}

func virtualSetName(img *Image, position int) string { return img.VirtualFunctionSets()[position] }

func nativeDigest(img *Image, _ int) string {
	digest, _ := img.NativeOf()
	return digest
}

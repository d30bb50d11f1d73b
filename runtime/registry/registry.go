// Package registry holds the device images that are loaded: who brought each,
// which kernels it has, which symbols it exports. It decides nothing.
package registry

import (
	"fmt"
	"slices"
	"sync"

	"offlink/props"
	"offlink/wrapper/devimg"
)

// Owner is what brought images: a program, a shared library, or a file. It is
// comparable; two owners are the same if both fields are.
type Owner struct {
	// ID tells owners of one name apart: a load address, or a running number.
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
	// Format is the image's own, or what its first bytes show where that is
	// FormatNone.
	Format devimg.Format
}

// String names the image in messages: file, number, target and format.
func (i *Image) String() string {
	return fmt.Sprintf("%s: image %d (%s, %s)", i.Owner.Name, i.Index, i.Target, i.Format)
}

// Exports reports whether the image's symbol table says that it exports the
// symbol, and whether it has such a table at all.
func (i *Image) Exports(symbol string) (exported, listed bool) {
	set := i.Properties.Get(props.SetExportedSymbols)
	_, exported = set.Get(symbol)
	return exported, set != nil
}

// Kernels returns the names of the kernels: the entries that the image does
// not export as functions.
func (i *Image) Kernels() []string {
	var names []string
	for _, name := range i.Entries {
		if exported, _ := i.Exports(name); !exported {
			names = append(names, name)
		}
	}
	return names
}

// Registration is a group of images that came together.
type Registration struct {
	Images []*Image
}

// Registry is the set of loaded images. It is safe for concurrent use, and
// the zero Registry is empty and ready.
type Registry struct {
	mu       sync.Mutex
	all      []*Registration // in order of registration
	owners   map[Owner]numbering
	lastID   uint64
	snapshot *Snapshot // of all; nil where all changed since
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
	r.number(owner, reg.Images)
	r.all = append(r.all, reg)
	r.snapshot = nil
	return reg
}

func (r *Registry) number(owner Owner, images []*Image) {
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

// Remove takes the registration out. Snapshots taken before keep it.
// Removing twice is harmless.
func (r *Registry) Remove(reg *Registration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	// From the end: at exit, what came last goes first.
	for i := len(r.all) - 1; i >= 0; i-- {
		if r.all[i] == reg {
			r.all = slices.Delete(r.all, i, i+1)
			r.snapshot = nil
			r.uncount(reg.Images)
			return
		}
	}
}

// uncount starts the numbering of an owner anew once it has no image left.
func (r *Registry) uncount(images []*Image) {
	for _, img := range images {
		n := r.owners[img.Owner]
		if n.live--; n.live == 0 {
			delete(r.owners, img.Owner)
		} else {
			r.owners[img.Owner] = n
		}
	}
}

// Snapshot returns what is registered now.
func (r *Registry) Snapshot() *Snapshot {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.snapshot == nil {
		r.snapshot = newSnapshot(r.all)
	}
	return r.snapshot
}

// Package globals is the database of device globals: variables in device memory that the
// host knows by a unique name. It has the images of each and the object of the host that
// stands for it, which may be registered in any order. It calls no driver.
package globals

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"offlink/props"
	"offlink/runtime/registry"
)

// Errors of the use of a variable; the texts of the first four are those of
// DPC++'s runtime, which programs compare.
//
//lint:file-ignore ST1005 the texts are those of DPC++'s runtime
var (
	ErrCopyTo    = errors.New("Copy to device_global is out of bounds.")
	ErrCopyFrom  = errors.New("Copy from device_global is out of bounds.")
	ErrNoImage   = errors.New("No image exists with the device_global.")
	ErrManyImage = errors.New("More than one image exists with the device_global.")
	// ErrUnknown is a name or an address that nobody registered.
	ErrUnknown = errors.New("it is not registered")
)

// Variable is one device global as it is now.
type Variable struct {
	ID string
	// Number tells a variable from those that had the name before: each was registered
	// after the images and the host's object of the one before had gone.
	Number uint64
	Size   int64 // 0: not known, as no image was registered yet
	// ImageScope: each image has a variable of its own. Otherwise all images share one,
	// to which each has a pointer.
	ImageScope bool
	Images     []*registry.Image // that have it, in order of registration
	Host       uint64            // address of the host's object; 0: none
}

// CheckRange refuses bytes beyond the ends of a variable, and one of which only the host's object
// is known: its size is not.
func (v *Variable) CheckRange(offset, size int64, beyond error) error {
	if v.Size == 0 && len(v.Images) == 0 {
		return fmt.Errorf("device global %s: %w", v.ID, ErrNoImage)
	}
	if offset < 0 || size < 0 || offset > v.Size || size > v.Size-offset {
		return fmt.Errorf("device global %s: %w (%d bytes at offset %d of %d)", v.ID, beyond, size, offset, v.Size)
	}
	return nil
}

// OnlyImage returns the one image that has a variable of image scope.
func (v *Variable) OnlyImage() (*registry.Image, error) {
	switch len(v.Images) {
	case 0:
		return nil, fmt.Errorf("device global %s: %w", v.ID, ErrNoImage)
	case 1:
		return v.Images[0], nil
	}
	return nil, fmt.Errorf("device global %s: %w", v.ID, ErrManyImage)
}

// Database is the device globals of a process. It is safe for concurrent use,
// and the zero Database is empty and ready.
type Database struct {
	mu    sync.Mutex
	byID  map[string]*Variable
	hosts map[uint64]string
	last  uint64 // Number of the variable that was registered last
}

// description is the value of a property of the set of device globals.
type description struct {
	size       int64
	imageScope bool
}

func parseRecord(v props.Value) (d description, ok bool) {
	data := v.Data()
	if v.Type() != props.TypeByteArray || len(data) < 5 {
		return d, false
	}
	return description{int64(binary.LittleEndian.Uint32(data)), data[4] != 0}, true
}

// Of returns the names of the device globals that an image has, in its order.
func Of(img *registry.Image) []string { return img.Properties.Get(props.SetDeviceGlobals).Names() }

// AddImages enters the variables of images. Images that describe one variable
// differently are an error that names them; the first description counts.
func (d *Database) AddImages(images []*registry.Image) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	var errs []error
	for _, img := range images {
		set := img.Properties.Get(props.SetDeviceGlobals)
		for _, id := range set.Names() {
			value, _ := set.Get(id)
			told, ok := parseRecord(value)
			if !ok {
				errs = append(errs, fmt.Errorf("device global %s: the property of %v is not a size and a scope", id, img))
				continue
			}
			if err := d.findVariable(id).addImage(img, told); err != nil {
				errs = append(errs, err)
			}
		}
	}
	return errors.Join(errs...)
}

// findVariable returns the entry of a name.
func (d *Database) findVariable(id string) *Variable {
	v := d.byID[id]
	if v == nil {
		d.last++
		v = &Variable{ID: id, Number: d.last}
		if d.byID == nil {
			d.byID = make(map[string]*Variable)
		}
		d.byID[id] = v
	}
	return v
}

func (v *Variable) addImage(img *registry.Image, told description) error {
	if len(v.Images) == 0 {
		v.Size, v.ImageScope = told.size, told.imageScope
	} else if v.Size != told.size || v.ImageScope != told.imageScope {
		return fmt.Errorf("device global %s: %v and %v differ in its size or scope (%d and %d bytes)", v.ID, v.Images[0], img, v.Size, told.size)
	}
	v.Images = append(v.Images, img)
	return nil
}

// RemoveImages takes images out. Variables that the host registered stay.
func (d *Database) RemoveImages(gone map[*registry.Image]bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for id, v := range d.byID {
		v.Images = slices.DeleteFunc(slices.Clone(v.Images), func(img *registry.Image) bool { return gone[img] })
		if len(v.Images) == 0 && v.Host == 0 {
			delete(d.byID, id)
		}
	}
}

// AddHost notes that the host's object at an address stands for the variable.
func (d *Database) AddHost(address uint64, id string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.hosts == nil {
		d.hosts = make(map[uint64]string)
	}
	d.hosts[address] = id
	d.findVariable(id).Host = address
}

// RemoveHost removes the host's object at an address.
func (d *Database) RemoveHost(address uint64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	id, ok := d.hosts[address]
	if !ok {
		return
	}
	delete(d.hosts, address)
	if v := d.byID[id]; v != nil && v.Host == address {
		v.Host = 0
		if len(v.Images) == 0 {
			delete(d.byID, id)
		}
	}
}

// ByID returns the variable of a name, or an error that errors.Is ErrUnknown.
func (d *Database) ByID(id string) (Variable, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if v := d.byID[id]; v != nil {
		return *v, nil
	}
	return Variable{}, d.unknownError(id)
}

// HaveOwn reports whether one of the images has a variable of image scope.
func (d *Database) HaveOwn(images []*registry.Image) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, img := range images {
		for _, id := range Of(img) {
			if v := d.byID[id]; v != nil && v.ImageScope {
				return true
			}
		}
	}
	return false
}

// IsGone reports whether a variable left: its name is unknown, or that of a later one.
func (d *Database) IsGone(id string, number uint64) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	v := d.byID[id]
	return v == nil || v.Number != number
}

// ByHost is ByID for the address of the host's object.
func (d *Database) ByHost(address uint64) (Variable, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if v := d.byID[d.hosts[address]]; v != nil {
		return *v, nil
	}
	return Variable{}, d.unknownError(fmt.Sprintf("at %#x", address))
}

// maxKnown is how many names an error lists.
const maxKnown = 10

// unknownError names the variables that are there. d.mu is held.
func (d *Database) unknownError(what string) error {
	known := slices.Sorted(maps.Keys(d.byID))
	if len(known) == 0 {
		return fmt.Errorf("device global %s: %w, nor is any other", what, ErrUnknown)
	}
	list := strings.Join(known[:min(len(known), maxKnown)], ", ")
	if len(known) > maxKnown {
		list += fmt.Sprintf(", ... (%d in all)", len(known))
	}
	return fmt.Errorf("device global %s: %w; those that are: %s", what, ErrUnknown, list)
}

// IDs returns all names, sorted.
func (d *Database) IDs() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Sorted(maps.Keys(d.byID))
}

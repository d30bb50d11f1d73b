package runtime

import (
	"fmt"
	"strings"
	"sync"

	"offlink/runtime/driver"
	"offlink/runtime/registry"
	"offlink/runtime/resolve"
)

// The limits of the stores: above them, programs and objects that are not in use are closed.
const (
	maxPrograms = 512
	maxObjects  = 4096
)

// objectKey is equal for requests that want the same compiled image.
type objectKey struct {
	device *Device
	image  uint64
	trim   string // taken out of its code, which depends on the link
	spec   string // values of its specialization constants
}

// programKey is equal for requests that want the same program.
type programKey struct {
	device *Device
	images string // with their specialization constants
}

type (
	programStore = store[programKey, *linkedProgram]
	objectStore  = store[objectKey, driver.Object]
	builtProgram = built[programKey, *linkedProgram]
)

// linkedProgram is a program of the driver with its link. It serves
// every kernel of its images.
type linkedProgram struct {
	driver.Program
	link  *resolve.Link
	specs []string // of the images of the link
	// ownVariables: device globals of image scope are in it, with their values. written has
	// the ids of those that the host has written.
	ownVariables bool
	written      sync.Map

	mu       sync.Mutex
	prepared bool // for its first launch
	pointsTo []*globalMemory
}

// Close closes the program of the driver. Nothing points to the memory of its device
// globals then.
func (p *linkedProgram) Close() error {
	err := p.Program.Close()
	for _, m := range p.pointsTo {
		m.releaseUse()
	}
	return err
}

// prepareOnce does the work that a program needs once, before its first launch. After a
// failure the next call tries again.
func (p *linkedProgram) prepareOnce(work func() error) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.prepared {
		return nil
	}
	err := work()
	p.prepared = err == nil
	return err
}

// servesLink reports whether the program has the kernel of a link as that link would
// have it: all of its images, with the same specialization constants, and the
// kernel not taken out as a duplicate.
func (p *linkedProgram) servesLink(link *resolve.Link, specs []string) bool {
	for i, img := range link.Images {
		at := indexOf(p.link.Images, img)
		if at < 0 || p.specs[at] != specs[i] {
			return false
		}
		if i == 0 && p.link.Drops(at, link.Kernel) {
			return false
		}
	}
	return true
}

func indexOf(images []*registry.Image, img *registry.Image) int {
	for i := range images {
		if images[i] == img {
			return i
		}
	}
	return -1
}

// imagesKey returns a key for a list of images with their specialization constants.
func imagesKey(images []*registry.Image, specs []string) string {
	var b strings.Builder
	for i, img := range images {
		fmt.Fprintf(&b, "%d:%q,", img.ID, specs[i])
	}
	return b.String()
}

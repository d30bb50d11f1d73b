package live

import (
	"errors"
	"fmt"
	"io"
	"sync"
	"unsafe"

	"offlink/wrapper/abi"
	"offlink/wrapper/devimg"
)

// ErrUnloaded is the error of reading the code of an image once the library
// that brought it is gone.
var ErrUnloaded = errors.New("the library with this image was unloaded")

// Images is the images of one descriptor.
type Images struct {
	List []*devimg.Image

	codes []*code
}

// Read reads the tree of the descriptor at an address. Everything but the code of the images is
// copied; the code is read where it lies, until Detach.
func Read(descriptor uintptr) (images *Images, err error) {
	mapped.forgetMappings() // known ranges may be gone, and those of a new library are not among them
	err = process.Guard(func() error {
		images, err = readImages(descriptor)
		return err
	})
	return images, err
}

func readImages(descriptor uintptr) (*Images, error) {
	d := abi.Decoder{Memory: process, Pointer: int(unsafe.Sizeof(descriptor))}
	tree, err := d.Decode(uint64(descriptor))
	if err != nil {
		return nil, err
	}
	images := new(Images)
	for i := range tree.Images {
		img := &tree.Images[i]
		if size := uint64(img.Code.Size()); size > 0 && !mapped.holdsRange(img.CodeBegin, size) {
			return nil, fmt.Errorf("image %d: %d bytes of code at %#x are not memory of the process that can be read", i, size, img.CodeBegin)
		}
		c := &code{bytes: atOffset(img.CodeBegin, uint64(img.Code.Size()))}
		img.Code = c
		img.Properties = img.Properties.Clone()
		images.codes = append(images.codes, c)
		images.List = append(images.List, &img.Image)
	}
	return images, nil
}

// Detach ends all reading of the images' code: when it returns, the memory
// may be unmapped. Later reads fail with ErrUnloaded.
func (i *Images) Detach() {
	for _, c := range i.codes {
		c.detachCode()
	}
}

// code is an image's code in the memory of a library. Reads only copy, so
// that detach never waits for long.
type code struct {
	mu       sync.RWMutex
	bytes    []byte
	detached bool
	size     int64 // after detach
}

// Size implements devimg.Code.
func (c *code) Size() int64 {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if c.detached {
		return c.size
	}
	return int64(len(c.bytes))
}

// ReadAt implements io.ReaderAt.
func (c *code) ReadAt(p []byte, off int64) (int, error) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	switch {
	case c.detached:
		return 0, ErrUnloaded
	case off < 0:
		return 0, errors.New("negative offset")
	case off >= int64(len(c.bytes)):
		return 0, io.EOF
	}
	n := 0
	err := process.Guard(func() error {
		n = copy(p, c.bytes[off:])
		return nil
	})
	if err == nil && n < len(p) {
		err = io.EOF
	}
	return n, err
}

func (c *code) detachCode() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.size, c.bytes, c.detached = int64(len(c.bytes)), nil, true
}

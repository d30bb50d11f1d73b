package runtime

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"offlink/runtime/driver"
	"offlink/runtime/registry"
)

// programKey is what makes two requests want the same program.
type programKey struct {
	device *Device
	images string
}

// imagesKey tells lists of images apart.
func imagesKey(images []*registry.Image) string {
	var b strings.Builder
	for _, img := range images {
		fmt.Fprintf(&b, "%d,", img.ID)
	}
	return b.String()
}

// programs keeps built programs until their images are unregistered. The zero
// value is ready, and it is safe for concurrent use.
type programs struct {
	mu    sync.Mutex
	built map[programKey]*builtProgram
	// forgotten programs are given up on the next use: images go while their
	// library is unloaded, where no driver may be called.
	forgotten []*builtProgram
}

// builtProgram is one program and who uses it: the cache counts for one.
type builtProgram struct {
	ready   chan struct{} // closed when program and err are set
	program driver.Program
	err     error
	images  []*registry.Image

	mu   sync.Mutex
	uses int
}

// get returns the program of the key with one use added. One caller builds it
// while others wait. A failure is given to those who wait and not kept, so
// that the next request tries again.
func (c *programs) get(ctx context.Context, key programKey, images []*registry.Image,
	build func(context.Context) (driver.Program, error)) (*builtProgram, error) {
	_ = c.giveUp() // nobody is there to be told
	c.mu.Lock()
	b, known := c.built[key]
	if !known {
		b = &builtProgram{ready: make(chan struct{}), images: images, uses: 1}
		if c.built == nil {
			c.built = make(map[programKey]*builtProgram)
		}
		c.built[key] = b
	}
	b.use()
	c.mu.Unlock()
	if !known {
		c.build(ctx, key, b, build)
	}
	select {
	case <-b.ready:
	case <-ctx.Done():
		return nil, errors.Join(ctx.Err(), b.release())
	}
	switch {
	case b.err == nil:
		return b, nil
	case known && isCancelled(b.err) && ctx.Err() == nil:
		return c.get(ctx, key, images, build) // the builder gave up, we do not
	}
	return nil, b.err
}

func isCancelled(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

func (c *programs) build(ctx context.Context, key programKey, b *builtProgram, build func(context.Context) (driver.Program, error)) {
	b.program, b.err = build(ctx)
	if b.err != nil {
		c.mu.Lock()
		if c.built[key] == b {
			delete(c.built, key)
		}
		c.mu.Unlock()
	}
	close(b.ready)
}

// forget drops the programs that contain one of the images. It calls no
// driver.
func (c *programs) forget(images []*registry.Image) {
	c.drop(func(b *builtProgram) bool {
		return slices.ContainsFunc(b.images, func(img *registry.Image) bool { return slices.Contains(images, img) })
	})
}

// close drops all programs.
func (c *programs) close() error {
	c.drop(func(*builtProgram) bool { return true })
	return c.giveUp()
}

func (c *programs) drop(which func(*builtProgram) bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for key, b := range c.built {
		if which(b) {
			delete(c.built, key)
			c.forgotten = append(c.forgotten, b)
		}
	}
}

// giveUp ends the cache's use of the forgotten programs.
func (c *programs) giveUp() error {
	c.mu.Lock()
	forgotten := c.forgotten
	c.forgotten = nil
	c.mu.Unlock()
	var errs []error
	for _, b := range forgotten {
		errs = append(errs, b.release())
	}
	return errors.Join(errs...)
}

func (b *builtProgram) use() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.uses++
}

// release ends one use; the last one closes the program.
func (b *builtProgram) release() error {
	b.mu.Lock()
	b.uses--
	last := b.uses == 0
	b.mu.Unlock()
	if !last {
		return nil
	}
	<-b.ready
	if b.program == nil {
		return nil
	}
	return b.program.Close()
}

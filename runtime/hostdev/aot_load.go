package hostdev

import (
	"bytes"
	"crypto/sha256"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"runtime"
	"sync"

	"offlink/lazy"
	"offlink/runtime/driver"
	"offlink/runtime/hostdev/internal/lanes"
)

// libraries are the native images that a device has opened, by the digest of their
// bytes. They stay: a program may be closed and built again.
type libraries struct {
	mu     sync.Mutex
	opened map[[sha256.Size]byte]func() (*nativeLibrary, error)
}

// nativeLibrary is an open native image.
type nativeLibrary struct {
	*NativeImage
	loader Loader
	handle uintptr
}

// machines are the architectures of ELF by Go's names.
var machines = lazy.Map[elf.Machine, string]{New: func() map[elf.Machine]string {
	return map[elf.Machine]string{elf.EM_X86_64: "amd64", elf.EM_AARCH64: "arm64"}
}}

// OpenPrecompiled opens the native image that was made of a module. An error says
// why it does not serve, and nothing was run of it: the code of an image runs with
// the rights of the process, as that of every shared library.
func (d *Device) OpenPrecompiled(image, module []byte) (any, error) {
	switch {
	case d.options.Check:
		return nil, fmt.Errorf("the checked mode interprets all kernels: %w", driver.ErrUnsupported)
	case d.options.Interpret:
		return nil, fmt.Errorf("the device interprets all kernels: %w", driver.ErrUnsupported)
	case d.options.Loader == nil:
		return nil, fmt.Errorf("shared libraries cannot be opened here: %w", driver.ErrUnsupported)
	}
	digest := sha256.Sum256(image)
	d.libraries.mu.Lock()
	open := d.libraries.opened[digest]
	if open == nil {
		// Called without the lock, so that opening one image does not hold up others.
		open = sync.OnceValues(func() (*nativeLibrary, error) { return openNative(d.options.Loader, image) })
		if d.libraries.opened == nil {
			d.libraries.opened = map[[sha256.Size]byte]func() (*nativeLibrary, error){}
		}
		d.libraries.opened[digest] = open
	}
	d.libraries.mu.Unlock()
	library, err := open()
	if err != nil {
		return nil, err
	}
	if library.SPIRV != sha256.Sum256(module) {
		return nil, errors.New("it was made of another SPIR-V module")
	}
	return library, nil
}

// openNative checks an image and opens it.
func openNative(loader Loader, code []byte) (*nativeLibrary, error) {
	image, err := ReadNativeImage(bytes.NewReader(code))
	if err != nil {
		return nil, err
	}
	if err := image.fitsHere(); err != nil {
		return nil, err
	}
	handle, err := openCode(loader, code)
	if err != nil {
		return nil, err
	}
	return &nativeLibrary{image, loader, handle}, nil
}

// fitsHere tells whether this process can run the image.
func (i *NativeImage) fitsHere() error {
	switch n := i.note; {
	case n.Version != nativeVersion || n.Layout != recordLayout():
		return fmt.Errorf("it was made by another version of postlink (format %d %s; this one is %d %s): make it anew", n.Version, n.Layout, nativeVersion, recordLayout())
	case machines.Get()[i.machine] != runtime.GOARCH:
		return fmt.Errorf("it is for another architecture: %v", i.machine)
	}
	return processorLacks(i.Arch)
}

// precompiledKernel is the kernel's code out of the native image of the program;
// nil where that has none, with the reason.
func (k *kernel) precompiledKernel() (*nativeKernel, error) {
	library := k.p.precompiled
	if library == nil {
		return nil, k.p.notPrecompiled
	}
	row := library.note.kernelRow(k.name)
	if row == nil {
		return nil, library.refusal(k.name)
	}
	if row.Subgroup != k.subgroup || row.Record != k.recordSize() {
		return nil, errors.New("the native image has other arguments for it")
	}
	variables, err := row.variablesOf(k.p)
	if err != nil {
		return nil, fmt.Errorf("the native image: %w", err)
	}
	run, err := library.loader.Symbol(library.handle, row.Symbol)
	if err != nil {
		return nil, fmt.Errorf("the native image: %w", err)
	}
	values, sites := library.note.sitesOf(row)
	code := &lanes.Code{
		Name: k.name, Width: row.Width, ContextSize: row.Context, PrivateSize: row.Private, FrameSize: row.Frame,
		ScratchSize: row.Scratch, Items: row.Items, Sites: values,
	}
	n := &nativeKernel{code: code, wide: code, sites: sites, local: row.Local, variables: variables}
	n.fast.Store(&compiledC{loader: library.loader, run: run})
	return n, nil
}

// refusal is why the image has no code for a kernel.
func (l *nativeLibrary) refusal(kernel string) error {
	for _, r := range l.Refused {
		if r.Kernel == kernel {
			return fmt.Errorf("the native image leaves it out: %s", r.Reason)
		}
	}
	return errors.New("the native image does not have it")
}

// Precompiled tells whether a kernel of the embedded device runs out of a native
// image; the error is the reason why it does not.
func Precompiled(k driver.Kernel) error {
	own, ok := k.(*kernel)
	if !ok {
		return errors.New("it is not a kernel of the embedded device")
	}
	_, err := own.precompiledKernel()
	return err
}

// putVariables writes the addresses of variables into the record.
func (n *nativeKernel) putVariables(w *worker) {
	if len(n.variables) == 0 {
		return
	}
	at := w.l.k.variablesAt()
	for i, address := range n.variables {
		binary.LittleEndian.PutUint64(w.data[at+8*int64(i):], address)
	}
}

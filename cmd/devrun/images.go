package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/ianlancetaylor/demangle"

	"offlink/cmd/internal/cli"
	"offlink/runtime"
	"offlink/runtime/devicefile"
	"offlink/runtime/registry"
	"offlink/wrapper"
	"offlink/wrapper/devimg"
)

// imageFiles are the files of a launch, open until the kernel has run.
type imageFiles struct {
	files   []*wrapper.File
	owners  uint64   // files whose images are registered
	kernels []string // of all files, each once
	known   map[string]bool
	read    devicefile.Options
}

// openImages registers the device images of the files, and of those in wheels.
func openImages(rt *runtime.Runtime, names []string) (*imageFiles, error) {
	f := &imageFiles{known: make(map[string]bool), read: devicefile.Options{FatBinaryKernels: true}}
	for _, name := range names {
		if err := f.openSource(rt, name); err != nil {
			f.closeFiles()
			return nil, err
		}
	}
	return f, nil
}

// openSource registers the images of a file or a wheel.
func (f *imageFiles) openSource(rt *runtime.Runtime, name string) error {
	if archive, member := cutWheel(name); archive != "" {
		return f.openWheel(archive, member, func(member string, images []*devimg.Image) { f.register(rt, member, images) })
	}
	images, err := f.readImages(name)
	if err != nil {
		return err
	}
	if len(images) == 0 {
		return fmt.Errorf("%s: holds no device images", name)
	}
	f.register(rt, name, images)
	return nil
}

// register registers the images of one file, as its constructor would in a program, and notes
// the kernels for findKernel.
func (f *imageFiles) register(rt *runtime.Runtime, name string, images []*devimg.Image) {
	owner := registry.Owner{ID: f.owners, Name: name}
	f.owners++
	for _, img := range rt.Register(owner, images).Images {
		f.noteKernels(img.Kernels())
	}
}

// noteKernels adds those names that are not there yet.
func (f *imageFiles) noteKernels(names []string) {
	for _, name := range names {
		if !f.known[name] {
			f.known[name] = true
			f.kernels = append(f.kernels, name)
		}
	}
}

// readImages takes files that carry images, LLVM IR, and bare code: SPIR-V, PTX and
// cubins.
func (f *imageFiles) readImages(name string) ([]*devimg.Image, error) {
	if devicefile.IsCode(name) {
		file, err := devicefile.Open(name)
		if err != nil {
			return nil, err
		}
		return file.Images, nil
	}
	if err := checkRegular(name); err != nil {
		return nil, fileError(name, err)
	}
	file, err := wrapper.Open(name, wrapper.ReadOptions{})
	if err != nil {
		return nil, err
	}
	f.files = append(f.files, file)
	return devicefile.Images(file, f.read)
}

// checkRegular refuses files that no reader takes.
func checkRegular(name string) error {
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return err
	case info.IsDir():
		return errors.New("is a folder, not a file with device images")
	case !info.Mode().IsRegular():
		return errors.New("is not a regular file")
	}
	return nil
}

func (f *imageFiles) closeFiles() error {
	var err error
	for _, file := range f.files {
		closeInto(&err, file.Close)
	}
	return err
}

// readFile reads a file of at most limit bytes.
func readFile(name string, limit int64) ([]byte, error) {
	data, err := cli.ReadFile(name, limit)
	if errors.Is(err, fs.ErrNotExist) {
		err = fileError(name, err)
	}
	return data, err
}

// fileError gives every problem of a file one wording.
func fileError(name string, err error) error {
	var path *fs.PathError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s: no such file", name)
	case errors.As(err, &path):
		return fmt.Errorf("%s: %w", name, path.Err)
	}
	return fmt.Errorf("%s: %w", name, err)
}

// findKernel finds the kernel that a name stands for: its symbol, its name in the source
// with or without the parameters, or a part of either that no other kernel has. A name that
// fits none is returned as it is, for the error of the launch.
func (f *imageFiles) findKernel(name string) (string, error) {
	if f.known[name] {
		return name, nil
	}
	fits := f.matchingKernels(func(k string) bool { return sourceName(k) == name || sourceName(k, demangle.NoParams) == name })
	if len(fits) == 0 {
		fits = cli.WithoutWrappers(f.matchingKernels(func(k string) bool { return strings.Contains(k, name) || strings.Contains(sourceName(k), name) }))
	}
	switch {
	case len(fits) == 1:
		return fits[0], nil
	case len(fits) > 1:
		return "", cli.Usagef("--kernel %s: %d kernels have that in their names: %s; give more of the name", name, len(fits), someNames(fits))
	}
	return name, nil
}

func (f *imageFiles) matchingKernels(fits func(string) bool) (list []string) {
	for _, k := range f.kernels {
		if fits(k) {
			list = append(list, k)
		}
	}
	return list
}

// sourceName is a kernel's name as the source spells it. SYCL compilers name
// kernels after types.
func sourceName(kernel string, options ...demangle.Option) string {
	return strings.TrimPrefix(demangle.Filter(kernel, append(options, demangle.MaxLength(16))...), "typeinfo name for ")
}

// someNames joins names for a message, with no more than a few of thousands.
func someNames(names []string) string {
	const shown = 5
	if len(names) > shown {
		return strings.Join(names[:shown], ", ") + ", ..."
	}
	return strings.Join(names, ", ")
}

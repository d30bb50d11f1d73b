// Package devicefile reads device code out of files of every kind: SPIR-V, LLVM
// IR, and whatever carries device images.
package devicefile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"offlink/ir/irfile"
	"offlink/wrapper"
	"offlink/wrapper/devimg"
)

// File is the device images of a file. They share no memory with it, so it may
// change or go away.
type File struct {
	Images []*devimg.Image
}

// Close ends the use of the file.
func (f *File) Close() error { return nil }

// Open reads the images of a file: a SPIR-V module, LLVM IR of device code (text
// or bitcode), which is made one image, or a file that carries images, as
// [wrapper.Open] takes it. A file without any is an error. Errors name the file.
func Open(path string) (*File, error) {
	form, err := formOf(path)
	if err != nil {
		return nil, fileError(path, err)
	}
	var images []*devimg.Image
	switch form {
	case formSPIRV:
		images, err = openSPIRV(path)
	case formIR:
		images, err = openIR(path)
	default:
		images, err = openCarrier(path)
	}
	if err != nil {
		return nil, err
	}
	if len(images) == 0 {
		return nil, fmt.Errorf("%s: holds no device images", path)
	}
	return &File{images}, nil
}

type form int

const (
	formCarrier form = iota
	formSPIRV
	formIR
)

// headSize is how many bytes tell the form. LLVM's text is told by the name.
const headSize = 32

// IsIR reports whether a file is LLVM IR: bitcode by its first bytes, text by its
// name.
func IsIR(path string) bool {
	f, err := formOf(path)
	return err == nil && f == formIR
}

// formOf looks at the first bytes of a file.
func formOf(path string) (form, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return 0, err
	case info.IsDir():
		return 0, errors.New("is a folder, not a file with device code")
	case !info.Mode().IsRegular():
		return 0, errors.New("is not a regular file")
	}
	file, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	head := make([]byte, headSize)
	n, err := io.ReadFull(file, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return 0, err
	}
	switch head = head[:n]; {
	case devimg.Sniff(devimg.Bytes(head)) == devimg.FormatSPIRV:
		return formSPIRV, nil
	case irfile.Sniff(head) == irfile.Bitcode, filepath.Ext(path) == ".ll":
		return formIR, nil
	}
	return formCarrier, nil
}

// openSPIRV describes a module that nothing else describes: its entry points
// are its kernels, and it has the exports of its code.
func openSPIRV(path string) ([]*devimg.Image, error) {
	code, err := os.ReadFile(path)
	if err != nil {
		return nil, fileError(path, err)
	}
	img := &devimg.Image{Kind: devimg.KindSYCL, Format: devimg.FormatSPIRV, Target: target, Code: devimg.Bytes(code), HasEntries: true}
	if img.Entries, err = wrapper.KernelNames(img); err != nil {
		return nil, fmt.Errorf("%s: not valid SPIR-V: %w", path, err)
	}
	return []*devimg.Image{img}, nil
}

// target is that of code which every device compiles itself.
const target = "spir64"

func openCarrier(path string) (images []*devimg.Image, err error) {
	file, err := wrapper.Open(path, wrapper.ReadOptions{})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	for i := range file.Images() {
		img := file.Images()[i].Image
		code, err := devimg.ReadCode(img.Code)
		if err != nil {
			return nil, fmt.Errorf("%s: image %d: %w", path, i, err)
		}
		img.Code = devimg.Bytes(append([]byte(nil), code...))
		img.Properties = img.Properties.Clone()
		images = append(images, &img)
	}
	return images, nil
}

// fileError gives every problem of a file one wording.
func fileError(path string, err error) error {
	var failed *fs.PathError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &missingError{path}
	case errors.As(err, &failed):
		return fmt.Errorf("%s: %w", path, failed.Err)
	}
	return fmt.Errorf("%s: %w", path, err)
}

// missingError is a file that is not there; it is an [fs.ErrNotExist].
type missingError struct{ path string }

func (e *missingError) Error() string { return e.path + ": no such file" }

func (e *missingError) Is(target error) bool { return target == fs.ErrNotExist }

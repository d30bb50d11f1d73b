// Package devicefile reads device code out of files of every kind: SPIR-V, LLVM
// IR, PTX, cubins, and whatever carries device images.
package devicefile

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"offlink/ir/irfile"
	"offlink/ptx"
	"offlink/wrapper"
	"offlink/wrapper/container"
	"offlink/wrapper/devimg"
)

// File is the device images of a file. They share no memory with it, so it may
// change or go away.
type File struct {
	Images []*devimg.Image
}

// Close ends the use of the file.
func (f *File) Close() error { return nil }

// Open reads the images of a file: code alone, as [IsCode] recognizes it, or a file that
// carries images, as [wrapper.Open] takes it. Code alone is one image, with the
// kernels and the symbols that it has itself; LLVM IR becomes SPIR-V. A file without
// any image is an error. Errors name the file.
func Open(path string) (*File, error) {
	form, err := formOf(path)
	if err != nil {
		return nil, fileError(path, err)
	}
	var images []*devimg.Image
	switch form {
	case formIR:
		images, err = openIR(path)
	case formCarrier:
		images, err = openCarrier(path)
	default:
		images, err = openCode(path, form)
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
	formPTX
	formCubin
	formFatBinary
)

// headSize is the number of bytes of a file that are examined, enough for the comment with which
// compilers begin PTX. Textual LLVM IR is recognized by its name.
const headSize = 4 << 10

// IsCode reports whether a file is device code alone: SPIR-V, LLVM IR (bitcode by its first
// bytes, text by its name), PTX, a cubin, or a fat binary of CUDA.
func IsCode(path string) bool {
	f, err := formOf(path)
	return err == nil && f != formCarrier
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
	head, err := io.ReadAll(io.LimitReader(file, headSize))
	if err != nil {
		return 0, err
	}
	switch {
	case devimg.Sniff(devimg.Bytes(head)) == devimg.FormatSPIRV:
		return formSPIRV, nil
	case irfile.Sniff(head) == irfile.Bitcode, filepath.Ext(path) == ".ll":
		return formIR, nil
	case ptx.HasVersion(head):
		return formPTX, nil
	case isCubin(head):
		return formCubin, nil
	case container.Sniff(head) == container.FatBinary:
		return formFatBinary, nil
	}
	return formCarrier, nil
}

// isCubin reports whether a file that begins with these bytes is an ELF file for NVIDIA's
// machine.
func isCubin(head []byte) bool {
	const machineAt = 18 // e_machine
	return len(head) > machineAt+1 && bytes.HasPrefix(head, []byte(elf.ELFMAG)) &&
		elf.Machine(binary.LittleEndian.Uint16(head[machineAt:])) == elf.EM_CUDA
}

// codeForms describe the images of code alone.
var codeForms = map[form]struct {
	name   string
	format devimg.Format
	target string
}{
	formSPIRV: {"SPIR-V", devimg.FormatSPIRV, target},
	formPTX:   {"PTX", devimg.FormatNone, targetNVPTX},
	formCubin: {"cubin", devimg.FormatNative, targetNVPTX},

	formFatBinary: {"fat binary", devimg.FormatNative, targetNVPTX},
}

// maxCode bounds a file of code alone.
const maxCode = 1 << 31

// openCode makes an image of a module that comes without a description: the entry points of
// the code become its kernels, and the exports of the code its exports.
func openCode(path string, f form) ([]*devimg.Image, error) {
	if info, err := os.Stat(path); err == nil && info.Size() > maxCode {
		return nil, fmt.Errorf("%s: more than %d bytes of code", path, int64(maxCode))
	}
	code, err := os.ReadFile(path)
	if err != nil {
		return nil, fileError(path, err)
	}
	about := codeForms[f]
	img := &devimg.Image{Kind: devimg.KindSYCL, Format: about.format, Target: about.target, Code: devimg.Bytes(code)}
	describe := describeCode
	if f == formFatBinary {
		describe = describeFatBinary
	}
	if err := describe(img); err != nil {
		return nil, fmt.Errorf("%s: not valid %s: %w", path, about.name, err)
	}
	return []*devimg.Image{img}, nil
}

// The targets of code that every device compiles itself, and of code for NVIDIA's devices.
const (
	target      = "spir64"
	targetNVPTX = "nvptx64"
)

func openCarrier(path string) (images []*devimg.Image, err error) {
	file, err := wrapper.Open(path, wrapper.ReadOptions{})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if images, err = Images(file, Options{FatBinaryKernels: true}); err != nil {
		return nil, err
	}
	if err := copyImages(images); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
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

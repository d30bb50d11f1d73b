// Package irfile opens files of LLVM IR: it maps them into memory, tells text
// from bitcode, and hands them to the codec.
package irfile

import (
	"errors"
	"fmt"
	"io"
	"os"

	"offlink/ir"
	"offlink/ir/bitcode"
	"offlink/ir/irtext"
)

// Format is a form of LLVM IR.
type Format uint8

// The formats.
const (
	Text    Format = iota // .ll
	Bitcode               // .bc
)

// String returns the name of the format: "text", "bitcode".
func (f Format) String() string {
	if f == Bitcode {
		return "bitcode"
	}
	return "text"
}

// Extension returns the usual ending of file names: ".ll", ".bc".
func (f Format) Extension() string {
	if f == Bitcode {
		return ".bc"
	}
	return ".ll"
}

// Sniff returns the format of a module by its first bytes.
func Sniff(data []byte) Format {
	if bitcode.IsBitcode(data) {
		return Bitcode
	}
	return Text
}

// File is an open module. The module refers to the mapped file: it must not be
// used after Close.
type File struct {
	Module *ir.Module
	Format Format
	// Data is the whole input.
	Data []byte

	release func() error
}

// Close unmaps the file. It is safe to call it again.
func (f *File) Close() error {
	release := f.release
	f.release = nil
	if release == nil {
		return nil
	}
	return release()
}

// Stdin is the path that stands for standard input.
const Stdin = "-"

// Open reads the module of that path; "-" is stdin. The file must not be
// changed while the module is open: a mapped file that becomes shorter ends
// the process. Errors about the content have the path and place in them.
func Open(path string, stdin io.Reader) (*File, error) {
	data, release, err := contents(path, stdin)
	if err != nil {
		return nil, err
	}
	if path == Stdin {
		path = "<stdin>"
	}
	f := &File{Data: data, Format: Sniff(data), release: release}
	if f.Module, err = parse(path, f.Format, data); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

func parse(path string, format Format, data []byte) (*ir.Module, error) {
	if format == Bitcode {
		return bitcode.Read(path, data)
	}
	return irtext.Parse(path, data)
}

// contents returns the bytes of a file, mapped where that is possible, and
// what releases them.
func contents(path string, stdin io.Reader) (data []byte, release func() error, err error) {
	if path == Stdin {
		data, err = readLimited(stdin, "<stdin>")
		return data, nil, err
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, nil, err
	}
	switch {
	case info.IsDir():
		return nil, nil, fmt.Errorf("%s: is a directory; name a file of LLVM IR", path)
	case !info.Mode().IsRegular():
		data, err = readLimited(file, path)
		return data, nil, err
	case info.Size() > irtext.MaxSize:
		return nil, nil, tooLarge(path)
	case info.Size() == 0:
		return nil, nil, nil
	}
	return mapFile(file, int(info.Size()))
}

func readLimited(r io.Reader, path string) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, irtext.MaxSize+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if len(data) > irtext.MaxSize {
		return nil, tooLarge(path)
	}
	return data, nil
}

func tooLarge(path string) error {
	return fmt.Errorf("%s: the module has more than %d bytes, which is the limit: compile its sources to several modules", path, irtext.MaxSize)
}

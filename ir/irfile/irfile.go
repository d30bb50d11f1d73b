// Package irfile opens files of LLVM IR: it reads them, tells text from bitcode
// and both from other files, and hands them to the codec.
package irfile

import (
	"errors"
	"fmt"
	"io"

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

// File is an open module. The module refers to Data: it must not be used after
// Close.
type File struct {
	Module *ir.Module
	Format Format
	// Data is the whole input.
	Data []byte

	memory *memory
}

// Shrink frees the memory of the input if the module does not refer to it, which is so for bitcode.
// Data is empty then.
func (f *File) Shrink() error {
	if f.Format != Bitcode {
		return nil
	}
	f.Data = nil
	return f.memory.freeMemory()
}

// Close frees the memory of the input. It is safe to call it again.
func (f *File) Close() error { return f.memory.freeMemory() }

// Stdin is the path that stands for standard input.
const Stdin = "-"

// Open reads the module of that path; "-" is stdin. Errors contain the path, and the place if they
// are about the content.
func Open(path string, stdin io.Reader) (*File, error) {
	memory, err := readContents(path, stdin)
	if err != nil {
		return nil, err
	}
	if path == Stdin {
		path = "<stdin>"
	}
	data := memory.bytes()
	f := &File{Data: data, Format: Sniff(data), memory: memory}
	if err = checkIR(data); err != nil {
		err = fmt.Errorf("%s: %w", path, err)
	} else {
		f.Module, err = parseFormat(path, f.Format, data)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// Parse reads a module of either format from memory. path is its name for
// messages. The module refers to data.
func Parse(path string, data []byte) (*ir.Module, error) { return parseFormat(path, Sniff(data), data) }

func parseFormat(path string, format Format, data []byte) (*ir.Module, error) {
	if format == Bitcode {
		return bitcode.Read(path, data)
	}
	return irtext.Parse(path, data)
}

// Package devimg holds the device image: code for a device with its target,
// entry points and properties.
//
// It is the one value that the build half (split, wrapper) and the run half
// (registry, runtime) share, so that neither imports the other. The code is an
// [io.ReaderAt] and not a byte slice: images of several GiB are copied from
// file to file, and a listing reads the first bytes only.
package devimg

import (
	"bytes"
	"fmt"
	"io"

	"offlink/props"
)

// Kind is the offload kind of an image (ClangOffloadWrapper.cpp).
type Kind uint8

// The kinds, with the numbers of the descriptor tables.
const (
	KindUnknown Kind = iota
	KindHost
	KindOpenMP
	KindHIP
	KindSYCL
	// KindCUDA is ours: the number stands in no descriptor table.
	KindCUDA
)

// Format is the form of an image's code (pi.h, pi_device_binary_type).
type Format uint8

// The formats, with the numbers of the descriptor tables. Shipped binaries
// mostly carry FormatNone, which means "look at the first bytes".
const (
	FormatNone Format = iota
	FormatNative
	FormatSPIRV
	FormatLLVMBitcode
	FormatCompressedNone
)

// Image is one device image. It is immutable once made. The caller that opens
// the file under Code closes it.
type Image struct {
	Version uint16 // as read; writers choose their own
	Kind    Kind
	Format  Format
	Target  string // "spir64", ...: the target string
	// Arch is the processor of the target if the envelope names it: "gfx90a",
	// "sm_80". The descriptor tables of SYCL have no field for it.
	Arch           string
	CompileOptions string
	LinkOptions    string
	Manifest       []byte // nil: no manifest
	Code           Code   // never nil; Bytes(nil) is code of no bytes
	// Entries are the names of the entry points. HasEntries tells an empty
	// symbol file (two equal pointers) from none (null pointers).
	Entries    []string
	HasEntries bool
	// Properties is nil where the image has no property table.
	Properties *props.Sets
}

// Code is the bytes of an image, in memory or in a file, so that large images
// are copied without being held. It is safe for concurrent use.
type Code interface {
	io.ReaderAt
	// Size is the length in bytes.
	Size() int64
}

// Bytes returns the code held in b, which must not be changed afterwards.
func Bytes(b []byte) Code { return bytes.NewReader(b) }

// Section returns n bytes of r from offset off.
func Section(r io.ReaderAt, off, n int64) Code { return io.NewSectionReader(r, off, n) }

// ReadCode returns all bytes of c.
func ReadCode(c Code) ([]byte, error) {
	b := make([]byte, c.Size())
	if _, err := c.ReadAt(b, 0); err != nil && err != io.EOF {
		return nil, err
	}
	return b, nil
}

// Copy writes all bytes of c. It uses the method CopyTo of c if there is one.
func Copy(w io.Writer, c Code) error {
	var n int64
	var err error
	if copier, ok := c.(interface {
		CopyTo(w io.Writer) (int64, error)
	}); ok {
		n, err = copier.CopyTo(w)
	} else {
		n, err = io.Copy(w, io.NewSectionReader(c, 0, c.Size()))
	}
	if err == nil && n != c.Size() {
		err = fmt.Errorf("an image of %d bytes gave %d: it was changed while it was read", c.Size(), n)
	}
	return err
}

package objfile

import (
	"fmt"
	"io"
	"strings"
)

// Format is the family of an object file.
type Format string

// The families that are read and written.
const (
	ELF   Format = "ELF"
	COFF  Format = "COFF"
	MachO Format = "Mach-O"
)

// codec has the functions of a format.
type codec struct {
	format Format
	knows  func(data []byte) bool // by the first bytes
	read   func(data []byte) (*File, error)
	edit   func(data []byte) (*Editor, error)
	write  func(w io.Writer, o *Object) error
}

// codecs has the formats in the order in which files are tried. COFF objects have no magic number,
// so they come last.
var codecs = []codec{
	{ELF, isELF, readELF, newELFEditor, writeELF},
	{MachO, isMachO, readMachO, newMachOEditor, writeMachO},
	{COFF, isCOFF, readCOFF, newCOFFEditor, writeCOFF},
}

// FormatNames has the names of the formats for messages, with commas between them.
func FormatNames() string {
	var names []string
	for _, c := range codecs {
		names = append(names, string(c.format))
	}
	return strings.Join(names, ", ")
}

// codecOf returns the codec of a file with this beginning, or nil.
func codecOf(data []byte) *codec {
	for i := range codecs {
		if codecs[i].knows(data) {
			return &codecs[i]
		}
	}
	return nil
}

// Known reports whether the first bytes are those of an object file.
func Known(data []byte) bool { return codecOf(data) != nil }

// Read reads an object file. The File shares data. Errors are ErrUnknown or of type *[FormatError].
// release is called from time to time while much of the file is read, so that the caller can give
// back its pages; it may be nil.
func Read(data []byte, release func()) (*File, error) {
	c := codecOf(data)
	if c == nil {
		return nil, ErrUnknown
	}
	f, err := c.read(data)
	if err != nil {
		return nil, err
	}
	f.applyFixups(release)
	f.sortSections()
	return f, nil
}

// Write writes the object. If the format cannot hold the object, it fails before the first byte.
func (o *Object) Write(w io.Writer) error {
	for _, s := range o.Sections {
		s.Place()
	}
	for _, c := range codecs {
		if c.format == o.Format {
			return c.write(w, o)
		}
	}
	return fmt.Errorf("no writer for %v objects", o.Format)
}

package wrapper

import (
	"strconv"
	"strings"
	"unicode"

	"offlink/wrapper/abi"
	"offlink/wrapper/container"
	"offlink/wrapper/devimg"
)

// Located is a device image that was found in a file, and its location.
type Located struct {
	devimg.Image
	Location

	part   *part      // that the image lies in
	record abi.Record // of a descriptor's image
	edit   editFunc   // where the image is in an envelope of package container

	fatBinary *FatBinary // of CUDA, that has the image
}

// ImageRecord returns the form of the image record, or 0 for an image that no descriptor has.
func (l *Located) ImageRecord() abi.Record { return l.record }

// editFunc returns the part with the image's code replaced, or without the image if the code is
// nil.
type editFunc func(code devimg.Code) (rope, error)

// Location is the location of an image in a file. Fields that do not apply are
// empty.
type Location struct {
	// Path is the members of archives and entries of bundles that enclose the
	// envelope, outermost first.
	Path []string
	// Envelope is the kind of envelope.
	Envelope Envelope
	// Name tells the image from others of its envelope: a bundle's id.
	Name string
	// Section is the section of the code.
	Section string
	// Descriptor, Record and Address are the addresses of the descriptor whose image this is,
	// of the image record and of the code. In a relocatable object they are those that the
	// reader gave them.
	Descriptor, Record, Address uint64
	// Index counts the images of the envelope from 0.
	Index int
	// Strings are those of the envelope that no field of an image has.
	Strings []container.String
	// Offset is the offset of the code in the file, or -1 if the file has the
	// code in compressed form only.
	Offset int64
}

// Envelope is a way to carry device images.
type Envelope string

// The envelopes of host objects; those of files are in wrapper/container.
const (
	EnvelopeDescriptor Envelope = "descriptor"  // tables that a constructor registers
	EnvelopeBounds     Envelope = "bounds"      // known from .tgtimg only
	EnvelopeFatSection Envelope = "fat section" // a section of clang-offload-bundler
)

// String returns the location in words: its path, section or envelope, and offset.
func (p Location) String() string { return string(p.Append(nil)) }

// Append appends the words of String.
func (p *Location) Append(text []byte) []byte {
	for _, name := range p.Path {
		text = append(append(append(text, '('), printableName(name)...), ") "...)
	}
	if p.Section != "" {
		text = append(append(text, "section "...), printableName(p.Section)...)
	} else {
		text = append(text, p.Envelope...)
	}
	if p.Offset >= 0 {
		text = strconv.AppendInt(append(text, " at 0x"...), p.Offset, 16)
	}
	return text
}

// printableName quotes a name that could break a line or a terminal.
func printableName(name string) string {
	if strings.ContainsFunc(name, unicode.IsControl) {
		return strconv.Quote(name)
	}
	return name
}

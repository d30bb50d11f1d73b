package wrapper

import (
	"bytes"
	"debug/elf"
	"fmt"
	"strings"

	"offlink/wrapper/container"
	"offlink/wrapper/devimg"
)

// UnknownForm is the name for code of an unknown form.
const UnknownForm = "unknown"

// CodeForm names the form of code by its first bytes. It knows forms that the runtime has no number
// for ("elf", "ar", "ptx"), and returns [UnknownForm] for others.
func CodeForm(code devimg.Code) string {
	var head [64]byte
	n, _ := code.ReadAt(head[:], 0)
	return sniffForm(head[:n])
}

// sniffForm tells forms of code apart by their first bytes.
func sniffForm(head []byte) string {
	if f := devimg.Sniff(devimg.Bytes(head)); f != devimg.FormatNone {
		return f.String()
	}
	switch {
	case bytes.HasPrefix(head, []byte(elf.ELFMAG)):
		return "elf"
	case bytes.HasPrefix(head, []byte("!<arch>\n")):
		return "ar"
	case IsPTX(head):
		return "ptx"
	}
	return UnknownForm
}

// FormInside returns the form of the code if the image's format leaves it open, else an empty
// string. Compressed code of CUDA has its compression before the form, as in "lz4/elf".
func (l *Located) FormInside() (string, error) {
	if form := l.packedForm(); form != "" {
		return form, nil
	}
	switch l.Format {
	case devimg.FormatNone:
		return CodeForm(l.Image.Code), nil
	case devimg.FormatCompressedNone:
		var head [64]byte
		n, err := container.Peek(l.Image.Code, head[:])
		if err != nil {
			return "", fmt.Errorf("its code is marked as compressed and is not a zstd frame: %w", err)
		}
		return sniffForm(head[:n]), nil
	}
	return "", nil
}

// packedForm returns the form of the compressed code of a CUDA fat binary, as
// its header has it.
func (l *Located) packedForm() string {
	var form, compression string
	for _, s := range l.Strings {
		switch s.Key {
		case container.StringForm:
			form = s.Value
		case container.StringCompression:
			compression = s.Value
		}
	}
	if compression == "" {
		return ""
	}
	return compression + "/" + form
}

// Form returns the form of the uncompressed code in a word, or that of the image's format if the
// code does not show it.
func (l *Located) Form() string {
	inside, err := l.FormInside()
	if err != nil {
		return ""
	}
	_, form, packed := strings.Cut(inside, "/")
	switch {
	case packed:
		return form
	case inside != "":
		return inside
	}
	if form := CodeForm(l.Image.Code); l.Format == devimg.FormatNative && form != UnknownForm {
		return form
	}
	return l.Format.String()
}

// Kernels returns the names of the image's kernels: its entries, or the kernels
// of its code if it has no table of them. Damaged code has none.
func (l *Located) Kernels() []string {
	if len(l.Entries) > 0 || l.HasEntries {
		return l.Entries
	}
	names, err := KernelNames(&l.Image)
	if err != nil {
		return nil
	}
	return names
}

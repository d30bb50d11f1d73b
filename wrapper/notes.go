package wrapper

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"io"

	"offlink/wrapper/devimg"
)

// The notes of a device image in ELF form that is OpenMP code: the version and
// the producer, in a section of their own (openmp/libomptarget, section
// .note.openmp).
const (
	noteSection = ".note.openmp"
	noteOwner   = "LLVMOMPOFFLOAD"

	noteVersion         = 1
	noteProducer        = 2
	noteProducerVersion = 3
)

// AddOpenMPNotes returns the image with the notes of a producer appended. An image that is not an
// ELF file, or whose section table cannot grow, is returned unchanged, together with the reason.
func AddOpenMPNotes(image *devimg.Image, producer, version string) (*devimg.Image, error) {
	f, err := readSectionTable(image.Code)
	if err != nil {
		return image, err
	}
	noted := *image
	noted.Code = f.appendSection(noteSection, f.encodeNotes(producer, version))
	return &noted, nil
}

// sectionTable has the section headers of an ELF file, and the fields that change when one is
// added.
type sectionTable struct {
	code    devimg.Code
	header  []byte // the file header
	wide    bool   // 64-bit class
	order   binary.ByteOrder
	table   []byte // the section headers
	entry   int    // size of one
	strings int    // number of the section of their names
	names   []byte
}

// maxSectionTable bounds the section headers and names that are read.
const maxSectionTable = 1 << 24

// readSectionTable reads the section table of code in ELF form, as far as notes need it. Device
// code may have either class and byte order.
func readSectionTable(c devimg.Code) (*sectionTable, error) {
	f := &sectionTable{code: c, header: make([]byte, 64)}
	if n, _ := c.ReadAt(f.header, 0); n < 52 || string(f.header[:4]) != elf.ELFMAG {
		return nil, fmt.Errorf("it is not an ELF file")
	}
	f.wide = f.header[elf.EI_CLASS] == byte(elf.ELFCLASS64)
	f.order = binary.LittleEndian
	if f.header[elf.EI_DATA] == byte(elf.ELFDATA2MSB) {
		f.order = binary.BigEndian
	}
	if !f.wide {
		f.header = f.header[:52]
	}
	offset, count := f.word(f.header, 32, 40), 0
	if f.wide {
		f.entry, count, f.strings = 64, int(f.order.Uint16(f.header[60:])), int(f.order.Uint16(f.header[62:]))
	} else {
		f.entry, count, f.strings = 40, int(f.order.Uint16(f.header[48:])), int(f.order.Uint16(f.header[50:]))
	}
	if f.strings >= count || count+1 >= int(elf.SHN_LORESERVE) {
		return nil, fmt.Errorf("its %d section headers cannot be added to", count)
	}
	var err error
	if f.table, err = f.readBytes(offset, uint64(count*f.entry)); err != nil {
		return nil, err
	}
	h := f.table[f.strings*f.entry:]
	f.names, err = f.readBytes(f.word(h, 16, 24), f.word(h, 20, 32))
	return f, err
}

// word reads a field of the size of the class, whose offset differs between the classes.
func (f *sectionTable) word(b []byte, at32, at64 int) uint64 {
	if f.wide {
		return f.order.Uint64(b[at64:])
	}
	return uint64(f.order.Uint32(b[at32:]))
}

// putWord writes a field of the size of the class.
func (f *sectionTable) putWord(b []byte, at32, at64 int, v uint64) {
	if f.wide {
		f.order.PutUint64(b[at64:], v)
	} else {
		f.order.PutUint32(b[at32:], uint32(v))
	}
}

// readBytes reads a part of the code, bounded by its size.
func (f *sectionTable) readBytes(offset, n uint64) ([]byte, error) {
	size := uint64(f.code.Size())
	if n > maxSectionTable || offset > size || n > size-offset {
		return nil, fmt.Errorf("its section headers do not lie in it")
	}
	b := make([]byte, n)
	_, err := f.code.ReadAt(b, int64(offset))
	if err == io.EOF {
		err = nil
	}
	return b, err
}

// encodeNotes makes the contents of the section.
func (f *sectionTable) encodeNotes(producer, version string) []byte {
	var b []byte
	for _, note := range []struct {
		typ  uint32
		text string
	}{{noteVersion, "1.0"}, {noteProducer, producer}, {noteProducerVersion, version}} {
		for _, v := range []int{len(noteOwner) + 1, len(note.text), int(note.typ)} {
			b = f.order.(binary.AppendByteOrder).AppendUint32(b, uint32(v))
		}
		b = pad4(append(b, noteOwner+"\x00"...))
		b = pad4(append(b, note.text...))
	}
	return b
}

func pad4(b []byte) []byte { return append(b, make([]byte, -len(b)&3)...) }

// appendSection returns the file with one more section. The contents, the names and the section
// headers go after the end of the file, and the file header changes. Everything else stays where it
// was, as loaders of device code may depend on its offset.
func (f *sectionTable) appendSection(name string, contents []byte) devimg.Code {
	var tail []byte
	place := func(data []byte) uint64 {
		end := int(f.code.Size()) + len(tail)
		tail = append(tail, make([]byte, -end&7)...)
		at := uint64(f.code.Size()) + uint64(len(tail))
		tail = append(tail, data...)
		return at
	}
	table := append(bytes.Clone(f.table), make([]byte, f.entry)...)
	added := table[len(f.table):]
	f.order.PutUint32(added, uint32(len(f.names)))
	f.order.PutUint32(added[4:], uint32(elf.SHT_NOTE))
	f.putWord(added, 32, 48, 4) // alignment
	f.putPlace(added, place(contents), len(contents))
	names := append(bytes.Clone(f.names), name+"\x00"...)
	f.putPlace(table[f.strings*f.entry:], place(names), len(names))

	header := bytes.Clone(f.header)
	f.putWord(header, 32, 40, place(table))
	count := header[48:]
	if f.wide {
		count = header[60:]
	}
	f.order.PutUint16(count, uint16(len(table)/f.entry))
	n := int64(len(header))
	return newJoined(devimg.Bytes(header), devimg.Section(f.code, n, f.code.Size()-n), devimg.Bytes(tail))
}

// putPlace sets the offset and the size in a section header.
func (f *sectionTable) putPlace(header []byte, offset uint64, size int) {
	f.putWord(header, 16, 24, offset)
	f.putWord(header, 20, 32, uint64(size))
}

// joined is code that consists of several parts; ends has the offset after each.
type joined struct {
	parts []devimg.Code
	ends  []int64
}

// newJoined joins parts of code without copying them.
func newJoined(parts ...devimg.Code) *joined {
	j := &joined{parts: parts}
	var end int64
	for _, p := range parts {
		end += p.Size()
		j.ends = append(j.ends, end)
	}
	return j
}

// Size returns the length of all parts.
func (j *joined) Size() int64 { return j.ends[len(j.ends)-1] }

// ReadAt implements [io.ReaderAt].
func (j *joined) ReadAt(p []byte, off int64) (n int, err error) {
	for i, part := range j.parts {
		start := j.ends[i] - part.Size()
		if off+int64(n) >= j.ends[i] || n == len(p) {
			continue
		}
		want := min(int64(len(p)-n), j.ends[i]-off-int64(n))
		m, err := part.ReadAt(p[n:n+int(want)], off+int64(n)-start)
		n += m
		if int64(m) < want {
			return n, err
		}
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

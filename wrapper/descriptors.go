package wrapper

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"offlink/filemap"
	"offlink/props"
	"offlink/wrapper/abi"
	"offlink/wrapper/container"
	"offlink/wrapper/devimg"
	"offlink/wrapper/internal/objfile"
)

// bound is an element of .tgtimg: where an image begins, and its size. For
// images that the compiler compressed, DPC++ 2026 writes the size that they
// had before, so that only the record of an image tells where it ends.
type bound struct{ begin, size uint64 }

// hostObject looks for the descriptor trees of one object file.
//
// Only the code of its constructor refers to a descriptor, so that it is found
// by its content: version 1, a number of images, a pointer to that many
// records. The section .tgtimg, which has the start of every image, confirms
// the records; where that section was stripped or never made, the records are
// accepted if every field of them is valid.
type hostObject struct {
	file     *objfile.File
	release  func()          // gives back pages of the file
	bounds   []bound         // of .tgtimg, in its order
	boundsAt []uint64        // their addresses
	known    map[uint64]bool // where images begin
	decoder  *abi.Decoder
	last     struct { // section that an image was found in, and its name
		section *objfile.FileSection
		name    string
	}
}

// fileMemory is a mapped file as the target of a tree's pointers.
type fileMemory struct{ *objfile.File }

// Guard implements abi.Memory.
func (fileMemory) Guard(read func() error) error { return filemap.Guard(read) }

// newHostObject prepares the search for descriptors in a file. release is called now and then while
// much of the file is read.
func newHostObject(file *objfile.File, release func()) *hostObject {
	return &hostObject{
		file: file, release: release, known: make(map[uint64]bool),
		// Linkers merge equal strings, so that names are read more often
		// than they lie in the file.
		decoder: &abi.Decoder{Memory: fileMemory{file}, Pointer: file.Pointer, Limit: 8*uint64(file.Size()) + 1<<20},
	}
}

// readImages returns the images of an object file: those of its descriptors,
// and those that only .tgtimg has.
func (h *hostObject) readImages() ([]Located, error) {
	err := h.readBounds()
	if err != nil {
		return nil, err
	}
	candidates := h.findDescriptors()
	count := 0
	for _, c := range candidates {
		count += c.images
	}
	found := make([]Located, 0, min(count, len(h.bounds)+1<<12))
	for _, c := range candidates {
		tree, err := h.decoder.DecodeAs(c.address, c.record)
		if err != nil {
			return nil, err
		}
		found = h.appendTree(found, tree)
	}
	return h.appendBounds(found)
}

// readBounds reads the sections named .tgtimg: pairs of address and size.
func (h *hostObject) readBounds() error {
	for i := range h.file.Sections {
		s := &h.file.Sections[i]
		if !s.Alloc || !isBoundsSection(s) || len(s.Data) == 0 {
			continue
		}
		b, err := h.file.View(s.Addr, uint64(len(s.Data)))
		if err != nil {
			return err
		}
		width := h.file.Pointer
		for at := s.Addr; len(b) >= 2*width; at, b = at+uint64(2*width), b[2*width:] {
			begin, size := h.readPointer(b), h.readPointer(b[width:])
			h.bounds, h.boundsAt = append(h.bounds, bound{begin, size}), append(h.boundsAt, at)
			h.known[begin] = true
		}
	}
	return nil
}

// readPointer reads a pointer of the host.
func (h *hostObject) readPointer(b []byte) uint64 {
	if h.file.Pointer == 4 {
		return uint64(binary.LittleEndian.Uint32(b))
	}
	return binary.LittleEndian.Uint64(b)
}

// candidate is an address that looks like a descriptor.
type candidate struct {
	address uint64
	record  abi.Record
	images  int
}

// findDescriptors looks for descriptors in all loaded data except the sections of images.
func (h *hostObject) findDescriptors() []candidate {
	var found []candidate
	for _, span := range h.file.Spans(isImageSection) {
		found = h.scanSpan(found, span)
	}
	return found
}

// isImageSection reports whether a section holds images, by its name.
func isImageSection(s *objfile.FileSection) bool {
	return s.HasPrefix(container.BundleMagic) || s.HasPrefix(largePrefix+container.BundleMagic) ||
		slices.ContainsFunc(hostFormats, func(f *hostFormat) bool { return f.sections.images != "" && s.Named(f.sections.images) })
}

// isBoundsSection reports whether a section has an element for each image.
func isBoundsSection(s *objfile.FileSection) bool {
	return slices.ContainsFunc(hostFormats, func(f *hostFormat) bool { return s.Named(f.sections.info) })
}

// scanSpan looks for descriptors at every place where a pointer can be: a stripped program has no
// symbol for them. Almost all places fail the test of one word.
func (h *hostObject) scanSpan(found []candidate, span objfile.Span) []candidate {
	width := h.file.Pointer
	l := abi.NewLayout(width, abi.Record2).Descriptor
	data := span.Data
	for at := int(-span.Addr & uint64(width-1)); at+l.Len <= len(data); at += width {
		if at%releaseEvery < width && at >= releaseEvery {
			h.release()
		}
		// Version, number of images, and padding before a 64-bit pointer.
		w := binary.LittleEndian.Uint32(data[at:])
		if uint16(w) != abi.DescriptorVersion || w>>16 == 0 || width == 8 && binary.LittleEndian.Uint32(data[at+4:]) != 0 {
			continue
		}
		if record, ok := h.confirmRecord(span.Addr + uint64(at)); ok {
			found = append(found, candidate{span.Addr + uint64(at), record, int(w >> 16)})
		}
	}
	return found
}

// confirmRecord reports whether a descriptor lies at the address, and which form its image records
// have. DPC++ does not look at their version, so the other form is tried where .tgtimg can confirm
// it.
func (h *hostObject) confirmRecord(address uint64) (abi.Record, bool) {
	header, err := h.decoder.Header(address)
	if err != nil {
		return 0, false
	}
	first, err := h.file.View(header.Images, 2)
	if err != nil {
		return 0, false
	}
	byVersion := abi.RecordOf(binary.LittleEndian.Uint16(first))
	other := abi.Record2 + abi.Record3 - byVersion
	for _, record := range []abi.Record{byVersion, other} {
		if h.firstKnown(header, abi.NewLayout(h.file.Pointer, record)) {
			return record, true
		}
	}
	// Native CPU images have no element in .tgtimg, and a linked file may have
	// objects without that section.
	return byVersion, h.validRecords(header, abi.NewLayout(h.file.Pointer, byVersion))
}

// firstKnown reports whether the first record's code begins where an image of
// .tgtimg does.
func (h *hostObject) firstKnown(header abi.Header, l *abi.Layout) bool {
	b, err := h.file.View(header.Images, uint64(l.Image.Len))
	if err != nil {
		return false
	}
	return h.known[h.readPointer(b[l.Image.CodeBegin:])]
}

// validRecords reports whether a wrapper could have written every record of a descriptor: versions,
// kinds and formats exist, and pointers lead into the file.
func (h *hostObject) validRecords(header abi.Header, l *abi.Layout) bool {
	n := uint64(header.Count) * uint64(l.Image.Len)
	b, err := h.file.View(header.Images, n)
	if err != nil {
		return false
	}
	for ; len(b) > 0; b = b[l.Image.Len:] {
		version := binary.LittleEndian.Uint16(b[l.Image.Version:])
		if version == 0 || version > uint16(abi.Record3) ||
			!knownNumbers(b[l.Image.Kind], b[l.Image.Format]) ||
			!h.isPrintableAt(h.readPointer(b[l.Image.Target:])) || !h.hasMappedPointers(b, l.Image.CodeBegin, l.Image.CodeEnd) {
			return false
		}
	}
	return true
}

// knownNumbers reports whether a kind and a format of an image record exist.
func knownNumbers(kind, format byte) bool {
	if kind == abi.KindLLVM {
		_, ok := abi.FormatLLVM(format)
		return ok
	}
	return devimg.Kind(kind) <= devimg.KindSYCL && devimg.Format(format) <= devimg.FormatCompressedNone
}

// isPrintableAt reports whether a target string lies at the address.
func (h *hostObject) isPrintableAt(address uint64) bool {
	s, err := h.file.CString(address)
	if err != nil || len(s) > 1024 {
		return false
	}
	return !slices.ContainsFunc(s, func(c byte) bool { return c < ' ' || c > '~' })
}

// hasMappedPointers reports whether two pointers of a record are the bounds of memory that the file
// has.
func (h *hostObject) hasMappedPointers(record []byte, begin, end int) bool {
	from, to := h.readPointer(record[begin:]), h.readPointer(record[end:])
	if to < from || from == 0 {
		return false
	}
	_, err := h.file.View(from, to-from)
	return err == nil
}

// appendTree adds the images of a descriptor with their places.
func (h *hostObject) appendTree(found []Located, tree *abi.Tree) []Located {
	for i := range tree.Images {
		img := &tree.Images[i]
		place := Location{Envelope: EnvelopeDescriptor, Descriptor: tree.Address, Record: img.Address, Address: img.CodeBegin, Index: len(found)}
		h.locateImage(&place)
		if arch, ok := img.Properties.Get(props.SetOfflinkImage).Get(props.ImageArch); ok {
			img.Arch = string(arch.Data())
		}
		found = append(found, Located{Image: img.Image, Location: place, record: img.Record})
	}
	return found
}

// locateImage fills in the section and the offset of the code.
func (h *hostObject) locateImage(place *Location) {
	place.Offset = -1
	if s := h.file.SectionAt(place.Address); s != nil {
		if s != h.last.section {
			h.last.section, h.last.name = s, s.Name()
		}
		place.Section = h.last.name
	}
	if off, ok := h.file.Offset(place.Address); ok {
		place.Offset = off
	}
}

// appendBounds adds the images of .tgtimg that no descriptor has, which are those of kinds other
// than SYCL. Their kind and target are in the name of their section.
func (h *hostObject) appendBounds(found []Located) ([]Located, error) {
	covered := make(map[uint64]bool, len(found))
	for i := range found {
		covered[found[i].Address] = true
	}
	for _, b := range h.bounds {
		if covered[b.begin] || b.size == 0 {
			continue
		}
		covered[b.begin] = true
		s := h.file.SectionAt(b.begin)
		if s == nil {
			return nil, fmt.Errorf("an image of section .tgtimg: %w", &objfile.AddressError{Addr: b.begin, Size: b.size, Msg: "no section is there"})
		}
		code := s.Data[b.begin-s.Addr:]
		l := Located{Location: Location{Envelope: EnvelopeBounds, Address: b.begin, Index: len(found)}}
		l.Image.Code = devimg.Bytes(code[:min(b.size, uint64(len(code)))])
		h.locateImage(&l.Location)
		l.Kind, l.Target, _ = parseBundleName(l.Section)
		l.Arch = container.ArchOf(l.Target)
		found = append(found, l)
	}
	return found, nil
}

// boundSections returns the names of the sections that elements of .tgtimg
// lead into, including those of images that were removed.
func (h *hostObject) boundSections() map[string]bool {
	names := make(map[string]bool)
	var last *objfile.FileSection
	for _, b := range h.bounds {
		if s := h.file.SectionAt(b.begin); s != nil && s != last {
			last = s
			names[s.Name()] = true
		}
	}
	return names
}

// parseBundleName reads "__CLANG_OFFLOAD_BUNDLE__<kind>-<target>", also as the name of a section of
// large data.
func parseBundleName(section string) (kind devimg.Kind, target string, ok bool) {
	id, ok := strings.CutPrefix(strings.TrimPrefix(section, largePrefix), container.BundleMagic)
	if !ok {
		return devimg.KindUnknown, "", false
	}
	kind, target, _ = container.ParseBundleID(id)
	return kind, target, true
}

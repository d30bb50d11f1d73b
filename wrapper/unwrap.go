package wrapper

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"offlink/ptx"
	"offlink/wrapper/container"
	"offlink/wrapper/devimg"
	"offlink/wrapper/internal/objfile"
)

// Unwrap returns the device images in the bytes of a file, in the order in which they lie there;
// see [Open]. The images share the bytes. The content of compressed envelopes is held in memory.
func Unwrap(data []byte, opts ReadOptions) ([]Located, error) {
	return unwrapData(data, container.NewBudget(opts.MaxInflated))
}

// unwrapData finds the images in a file of any form that is supported.
func unwrapData(data []byte, budget *container.Budget) ([]Located, error) {
	w := &walker{
		budget: budget,
		// Envelopes may share their bytes, and nest: the size of the file
		// bounds the walk, whatever its tables claim.
		left: 32*int64(len(data)) + 1<<20,
	}
	if err := w.walkPart(&part{data: data}); err != nil {
		return nil, err
	}
	return w.found, nil
}

// ErrNoImages says that a file is of no kind that can hold device images.
var ErrNoImages = errors.New("no object file (" + objfile.FormatNames() + "), no archive of them and no envelope of device images")

// maxNesting is how deep envelopes may lie in each other.
const maxNesting = 8

// walker goes through a file and the envelopes in it.
type walker struct {
	budget *container.Budget
	left   int64 // bytes to walk
	found  []Located
}

// part is bytes that may contain images: a whole file, a member of an archive, an entry of a
// bundle.
type part struct {
	data   []byte
	path   []string
	offset int64 // of data in the file, or -1 where it was compressed
	// parent encloses the part, and enclose makes the parent's bytes of other
	// bytes of the part. The whole file has neither.
	parent  *part
	enclose func(rope) (rope, error)
	images  []Located       // of an object file
	pointed *pointedSection // set where pointers of the host lead to the envelopes in data
}

// inside returns the part of the given name within p. Its offset counts from the start of the file,
// unless something around it was compressed.
func (p *part) inside(name string, data []byte, offset int64, enclose func(rope) (rope, error)) *part {
	if p.offset < 0 || offset < 0 {
		offset = -1
	} else {
		offset += p.offset
	}
	return &part{data: data, path: append(slices.Clip(p.path), name), offset: offset, parent: p, enclose: enclose}
}

// walkPart finds the images of a file or of a file within it. Depth and the sum of the sizes are
// bounded. A member of another kind is skipped, since archives hold such; a whole file of another
// kind is an error.
func (w *walker) walkPart(p *part) error {
	if w.left -= int64(len(p.data)); w.left < 0 {
		return errors.New("envelopes hold the same bytes many times over")
	}
	if len(p.path) > maxNesting {
		return fmt.Errorf("envelopes lie in each other more than %d deep", maxNesting)
	}
	switch {
	case objfile.IsArchive(p.data):
		return w.walkMembers(p, objfile.ReadArchive, objfile.ReplaceMember)
	case objfile.IsUniversal(p.data):
		return w.walkMembers(p, objfile.ReadUniversal, objfile.ReplaceArchitecture)
	case container.Sniff(p.data[p.firstEnvelope():]) != container.None:
		return w.walkEnvelope(p)
	case objfile.Known(p.data) && !isDeviceELF(p.data):
		return w.walkObject(p)
	case len(p.path) > 0: // a member that is something else
		return nil
	}
	return describeOther(p.data)
}

// describeOther returns the error for a file that holds no images, with the kind of the file if it
// is known.
func describeOther(data []byte) error {
	if name := codeName(data); name != "" {
		return fmt.Errorf("%w: the bare code of an image (%s)", ErrNoImages, name)
	}
	if bytes.HasPrefix(data, []byte("PK\x03\x04")) {
		return fmt.Errorf("%w: a zip archive (a wheel): unpack it; 'offload-wrap list' looks into it as it is", ErrNoImages)
	}
	return ErrNoImages
}

// codeName names the form of device code that comes without an envelope, or returns "".
func codeName(data []byte) string {
	f := devimg.Sniff(devimg.Bytes(data))
	switch {
	case isDeviceELF(data):
		return deviceMachines.Get()[elfMachine(data)]
	case f != devimg.FormatNone:
		return f.String()
	case ptx.HasVersion(data):
		return "PTX"
	}
	return ""
}

// walkMembers finds the images in the members of an archive.
func (w *walker) walkMembers(p *part, read func([]byte) ([]objfile.Member, error), replace memberReplacer) error {
	members, err := read(p.data)
	if err != nil {
		return err
	}
	for _, m := range members {
		enclose := func(r rope) (rope, error) { return replace(p.data, m, r, r.size()) }
		if err := w.walkPart(p.inside(m.Name, m.Data, m.Offset, enclose)); err != nil {
			return fmt.Errorf("(%s): %w", m.Name, err)
		}
	}
	return nil
}

// memberReplacer returns an archive's bytes with other bytes of a member.
type memberReplacer func(data []byte, m objfile.Member, content []objfile.Content, size int64) ([]objfile.Content, error)

// firstEnvelope returns where envelopes begin. A section that an edit has moved an envelope out of
// begins with the zeros that this left.
func (p *part) firstEnvelope() int {
	if p.pointed == nil {
		return 0
	}
	return container.FirstEnvelope(p.data)
}

// walkEnvelope adds the images of an envelope of package container. Entries that contain images
// themselves are walked; those of the host are not images.
func (w *walker) walkEnvelope(p *part) error {
	entries, err := container.Read(p.data, w.budget)
	if err != nil {
		return err
	}
	for i := range entries {
		e := &entries[i]
		replace := func(code devimg.Code) (rope, error) { return replaceEntry(p, i, code, w.budget) }
		inner := p.inside(entryName(e, i), e.Data, e.Offset, func(r rope) (rope, error) { return replace(r) })
		if holdsImages(e) {
			if err := w.walkPart(inner); err != nil {
				return fmt.Errorf("(%s): %w", entryName(e, i), err)
			}
		}
		if e.Host || holdsImages(e) {
			continue
		}
		l := Located{Image: e.Image, Location: Location{
			Path: p.path, Envelope: Envelope(e.Form), Name: e.Name, Strings: e.Strings, Index: i, Offset: inner.offset,
		}, part: p, edit: replace}
		if e.Form == container.FatBinary {
			l.fatBinary = newFatBinary(p, e, w.found)
		}
		w.found = append(w.found, l)
	}
	return nil
}

// entryName names an entry of a container for messages.
func entryName(e *container.Entry, i int) string {
	if e.Name != "" {
		return e.Name
	}
	return fmt.Sprintf("entry %d", i)
}

// holdsImages reports whether an entry is a container of images and not an image.
// Code for devices is ELF too, so that only the host's ELF files are containers.
func holdsImages(e *container.Entry) bool {
	return container.Sniff(e.Data) != container.None || objfile.IsArchive(e.Data) ||
		e.Host && (objfile.Known(e.Data) || objfile.IsUniversal(e.Data))
}

// walkObject adds the images of an object file: of its descriptors, and of the
// sections that are envelopes of their own.
func (w *walker) walkObject(p *part) error {
	file, err := objfile.Read(p.data, w.budget.Release)
	if err != nil {
		return err
	}
	h := newHostObject(file, w.budget.Release)
	found, err := h.readImages()
	if err != nil {
		return err
	}
	for i := range found {
		found[i].Path, found[i].part = p.path, p
		if p.offset < 0 {
			found[i].Offset = -1
		} else if found[i].Offset >= 0 {
			found[i].Offset += p.offset
		}
	}
	p.images = found
	if w.found == nil {
		w.found = found
	} else {
		w.found = append(w.found, found...)
	}
	return w.walkSections(p, h, found)
}

// walkSections adds the images that fat objects have in sections: the parts of
// a bundle, a section each, and OffloadBinaries.
func (w *walker) walkSections(p *part, h *hostObject, found []Located) error {
	wrapped := h.boundSections() // sections of images with descriptors
	for i := range found {
		wrapped[found[i].Section] = true
	}
	for i := range h.file.Sections {
		s := &h.file.Sections[i]
		if len(s.Data) == 0 || !s.HasPrefix(container.BundleMagic) && !isOffloadSection(s) && !isFatSection(s) || wrapped[s.Name()] {
			continue
		}
		if s.Compressed {
			return fmt.Errorf("section %s is compressed (SHF_COMPRESSED), and its images are not read: decompress it first (llvm-objcopy --compress-sections=%s=none)", s.Name(), s.Name())
		}
		if err := w.walkSection(p, h, s); err != nil {
			return fmt.Errorf("section %s: %w", s.Name(), err)
		}
	}
	return nil
}

// isOffloadSection reports whether a section is one of clang's new driver: in objects, and in
// programs for OpenMP and SYCL.
func isOffloadSection(s *objfile.FileSection) bool {
	return s.HasPrefix(".llvm.offloading") || s.HasPrefix(".llvm.rodata.offloading")
}

// isFatSection reports whether a section is one of HIP and CUDA.
func isFatSection(s *objfile.FileSection) bool {
	return slices.ContainsFunc(hostFormats, func(f *hostFormat) bool { return slices.ContainsFunc(f.fatPrefixes, s.HasPrefix) })
}

// walkSection finds the images of a section that is an envelope, or that is a single image as its
// name says.
func (w *walker) walkSection(p *part, h *hostObject, s *objfile.FileSection) error {
	inner := p.inside(s.Name(), s.Data, s.Offset, func(r rope) (rope, error) { return replaceSection(p.data, s, r) })
	if isFatSection(s) {
		inner.pointed = &pointedSection{s, h.file.Linked}
	}
	first := container.FirstEnvelope(s.Data)
	kind, target, bundled := parseBundleName(s.Name())
	if container.Sniff(s.Data[first:]) != container.None || objfile.IsArchive(s.Data) || kind == devimg.KindHost {
		return w.walkPart(inner)
	}
	if !bundled {
		return nil
	}
	l := Located{Location: Location{Path: p.path, Envelope: EnvelopeFatSection, Section: s.Name(), Offset: inner.offset}, part: p}
	l.Kind, l.Target, l.Image.Code = kind, target, devimg.Bytes(s.Data)
	l.Arch = container.ArchOf(target)
	l.edit = func(code devimg.Code) (rope, error) {
		if code == nil {
			return nil, fmt.Errorf("it is a section of its own: llvm-objcopy --remove-section=%s removes it", s.Name())
		}
		return replaceSection(p.data, s, rope{code})
	}
	w.found = append(w.found, l)
	return nil
}

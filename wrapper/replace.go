package wrapper

import (
	"errors"
	"fmt"
	"io"

	"offlink/filemap"
	"offlink/props"
	"offlink/wrapper/abi"
	"offlink/wrapper/container"
	"offlink/wrapper/devimg"
	"offlink/wrapper/internal/objfile"
)

// Replace writes a copy of the file to w in which image i has other code, a
// host program or library without being linked again. The code goes where the
// old was if it is not larger, else behind everything, in a segment or section
// of its own. What the image says of itself stays: its target, entries and
// properties must fit the new code. If the old code was compressed the new is,
// too, and properties that tell its size and digest follow.
//
// Some programs have no program header to spare for a new segment: ErrNoHeader.
// Code that the image has already leaves the file as it is, byte for byte.
func (f *File) Replace(w io.Writer, i int, code devimg.Code, opts EditOptions) error {
	same, err := f.images[i].HasCode(code, container.NewBudget(f.options.MaxInflated))
	if err != nil {
		return fmt.Errorf("%s: image %d: %w", f.name, i, err)
	}
	if same {
		return filemap.Guard(func() error { return rope{objfile.Bytes(f.data)}.writeTo(w, f.budget.Release) })
	}
	return f.edit(w, i, func(img *Located) (rope, error) {
		stored, err := f.store(img, code)
		if err != nil {
			return nil, err
		}
		return img.part.replace(img, stored, opts)
	})
}

// EditOptions says what an edit may do. The zero EditOptions is the default.
type EditOptions struct {
	// MoveHeaders allows moving the program headers of an ELF file where
	// nothing else makes room (ErrNoHeader).
	MoveHeaders bool
	// Warn, where it is set, is called with each thing that the file loses by
	// the edit, a sentence each.
	Warn func(loss string)
}

// ErrNoHeader says that an image can grow only if the program headers of its
// file are moved: GNU strip and objcopy would destroy the edited file.
var ErrNoHeader = objfile.ErrNoHeader

// edit changes the part that an image lies in, then what encloses that part,
// up to the file.
func (f *File) edit(w io.Writer, i int, change func(*Located) (rope, error)) error {
	return filemap.Guard(func() error {
		img := &f.images[i]
		r, err := change(img)
		for p := img.part; err == nil && p.parent != nil; p = p.parent {
			r, err = p.enclose(r)
		}
		if err != nil {
			return fmt.Errorf("%s: image %d: %w", f.name, i, err)
		}
		return r.writeTo(w, f.budget.Release)
	})
}

// stored is code as it will lie in the file.
type stored struct {
	code  devimg.Code
	plain devimg.Code // before compression
}

// store compresses code where the image's was.
func (f *File) store(img *Located, code devimg.Code) (stored, error) {
	s := stored{code, code}
	if img.Format != devimg.FormatCompressedNone {
		return s, nil
	}
	if devimg.Sniff(code) == devimg.FormatCompressedNone {
		return s, errors.New("the new code is compressed already: give it as it is, it will be compressed as the old was")
	}
	scratch, err := f.budget.Scratch()
	if err != nil {
		return s, err
	}
	plain := &devimg.Image{Kind: devimg.KindSYCL, Code: code}
	packed, err := Compress([]*devimg.Image{plain}, DefaultCompressionLevel, scratch)
	if err != nil {
		return s, err
	}
	s.code = packed[0].Code
	return s, nil
}

// replace edits the part that the image lies in.
func (p *part) replace(img *Located, s stored, opts EditOptions) (rope, error) {
	if img.edit != nil {
		return img.edit(s.code)
	}
	return p.object(func(e *objectEdit) error {
		e.MoveHeaders = opts.MoveHeaders
		if err := e.replace(img, s); err != nil {
			return err
		}
		if opts.Warn != nil {
			for _, loss := range e.Losses() {
				opts.Warn(loss)
			}
		}
		return nil
	})
}

func (p *part) remove(img *Located) (rope, error) {
	if img.edit != nil {
		return img.edit(nil)
	}
	return p.object(func(e *objectEdit) error { return e.remove(img) })
}

// object edits an object file.
func (p *part) object(change func(*objectEdit) error) (rope, error) {
	editor, err := objfile.NewEditor(p.data)
	if err != nil {
		return nil, err
	}
	e := &objectEdit{Editor: editor, hostObject: newHostObject(editor.File()), images: p.images}
	if err := e.readBounds(); err != nil {
		return nil, err
	}
	if err := change(e); err != nil {
		return nil, err
	}
	plan := e.Plan()
	signing, err := e.Resign(newRope(p.data, plan))
	if err != nil {
		return nil, err
	}
	plan.Patches = append(plan.Patches, signing...)
	return newRope(p.data, plan), nil
}

// objectEdit edits the descriptor trees of an object file.
type objectEdit struct {
	*objfile.Editor
	*hostObject
	images []Located // of the file
}

func extentOf(img *Located) objfile.Extent {
	return objfile.Extent{Addr: img.Address, Size: uint64(img.Code.Size())}
}

// shared reports whether another image has some of the same bytes.
func (e *objectEdit) shared(img *Located) bool {
	begin, end := img.Address, img.Address+uint64(img.Code.Size())
	for i := range e.images {
		other := &e.images[i]
		if other.Record == img.Record && other.Address == img.Address {
			continue
		}
		if other.Address < end && begin < other.Address+uint64(other.Code.Size()) {
			return true
		}
	}
	return false
}

func (e *objectEdit) replace(img *Located, s stored) error {
	begin, err := e.place(img, s.code)
	if err != nil {
		return err
	}
	if err := e.point(img, begin, begin+uint64(s.code.Size())); err != nil {
		return err
	}
	return e.facts(img, s)
}

// place puts the code where the old was, or behind everything.
func (e *objectEdit) place(img *Located, code devimg.Code) (begin uint64, err error) {
	old, shared := extentOf(img), e.shared(img)
	if code.Size() <= int64(old.Size) && !shared {
		if err := e.WriteContent(old.Addr, code); err != nil {
			return 0, err
		}
		return old.Addr, e.erase(old.Addr+uint64(code.Size()), old.Size-uint64(code.Size()))
	}
	if !shared && e.File().Linked { // an object's section is moved without it
		if err := e.erase(old.Addr, old.Size); err != nil {
			return 0, err
		}
	}
	return e.Grow(old, code)
}

// erase zeroes bytes.
func (e *objectEdit) erase(addr, size uint64) error {
	if size == 0 {
		return nil
	}
	return e.WriteContent(addr, objfile.Zeros(size))
}

// point makes every pair of pointers to the image's bounds lead to others.
func (e *objectEdit) point(img *Located, begin, end uint64) error {
	if err := e.pointBounds(img, begin, end-begin); err != nil {
		return err
	}
	width := uint64(e.File().Pointer)
	pairs := []uint64{img.Record + uint64(e.layout(img).Image.CodeBegin)}
	if img.Record == 0 {
		pairs = e.pairs(img)
	}
	for _, at := range pairs {
		if err := e.SetPointer(at, begin); err != nil {
			return err
		}
		if err := e.SetPointer(at+width, end); err != nil {
			return err
		}
	}
	return nil
}

// layout is that of the image's record.
func (e *objectEdit) layout(img *Located) *abi.Layout {
	return abi.NewLayout(e.File().Pointer, img.record)
}

// pairs finds the records of an image that no SYCL descriptor has: pointers
// to its start and its end beside each other.
func (e *objectEdit) pairs(img *Located) []uint64 {
	want := extentOf(img)
	width := uint64(e.File().Pointer)
	var found []uint64
	for _, span := range e.File().Spans(nil) {
		end := span.Addr + uint64(len(span.Data))
		for at := (span.Addr + width - 1) &^ (width - 1); at+2*width <= end; at += width {
			b, err := e.File().View(at, 2*width)
			if err == nil && e.word(b) == want.Addr && e.word(b[width:]) == want.Addr+want.Size {
				found = append(found, at)
			}
		}
	}
	return found
}

// pointBounds changes the image's element of .tgtimg.
func (e *objectEdit) pointBounds(img *Located, begin, size uint64) error {
	width := uint64(e.File().Pointer)
	for i, b := range e.bounds {
		if b.begin != img.Address || b.size == 0 && img.Code.Size() > 0 {
			continue
		}
		at := e.boundsAt[i]
		if begin != b.begin {
			if err := e.SetPointer(at, begin); err != nil {
				return err
			}
		}
		return e.Write(at+width, e.Word(size))
	}
	return nil
}

// facts updates what the image's properties say of its code.
func (e *objectEdit) facts(img *Located, s stored) error {
	sets := img.Properties.Get(props.SetOfflinkImage)
	if _, ok := sets.Get(props.ImageSize); ok {
		if err := e.fact(img, props.ImageSize, props.Uint64s(uint64(s.plain.Size())).Data()); err != nil {
			return err
		}
	}
	if _, ok := sets.Get(props.ImageSHA256); ok {
		sum, err := digest(s.plain)
		if err != nil {
			return err
		}
		return e.fact(img, props.ImageSHA256, sum[:])
	}
	return nil
}

// fact writes a property's value in place. A value that linkers merged with
// another image's cannot be changed.
func (e *objectEdit) fact(img *Located, name string, value []byte) error {
	at, size, err := e.valueOf(img, name)
	if err != nil {
		return err
	}
	if size != uint64(len(value)) {
		return fmt.Errorf("its property %q has %d bytes, not %d", name, size, len(value))
	}
	for i := range e.images {
		other := &e.images[i]
		if other.Record == 0 || other.Record == img.Record {
			continue
		}
		if same, _, err := e.valueOf(other, name); err == nil && same == at {
			return fmt.Errorf("its property %q shares its place with that of image %d: wrap them anew and relink", name, i)
		}
	}
	return e.Write(at, value)
}

func (e *objectEdit) valueOf(img *Located, name string) (at, size uint64, err error) {
	at, size, ok, err := e.decoder.ValueAt(img.Record, e.layout(img), props.SetOfflinkImage, name)
	if err == nil && !ok {
		err = fmt.Errorf("its property %q is no byte array", name)
	}
	return at, size, err
}

// remove takes the image's record out of its descriptor.
func (e *objectEdit) remove(img *Located) error {
	if img.Envelope != EnvelopeDescriptor {
		return fmt.Errorf("only images of SYCL descriptors can be removed, and this one is of kind %v", img.Kind)
	}
	header, err := e.decoder.Header(img.Descriptor)
	if err != nil {
		return err
	}
	l := e.layout(img)
	index := int((img.Record - header.Images) / uint64(l.Image.Len))
	if err := e.Rotate(img.Record, l.Image.Len, header.Count-index); err != nil {
		return err
	}
	count := header.Count - 1
	if err := e.Write(img.Descriptor+uint64(l.Descriptor.Count), []byte{byte(count), byte(count >> 8)}); err != nil {
		return err
	}
	if err := e.pointBounds(img, img.Address, 0); err != nil {
		return err
	}
	if e.shared(img) {
		return nil
	}
	return e.erase(img.Address, uint64(img.Code.Size()))
}

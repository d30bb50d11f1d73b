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

// Replace writes a copy of the file to w in which image i has other code, so that a host program
// or library need not be linked again. The code goes where the old code was if it is not larger,
// else to the end of the file, in a segment or section of its own. The image's target, entries and
// properties stay, so they must fit the new code. If the old code was compressed, the new code is
// compressed too, and the properties with its size and digest are updated.
//
// Replace fails with ErrNoHeader if a program has no program header to spare for a new segment. If
// the image has this code already, the copy is the same as the file, byte for byte.
func (f *File) Replace(w io.Writer, i int, code devimg.Code, opts EditOptions) error {
	same, err := f.images[i].HasCode(code, container.NewBudget(f.options.MaxInflated))
	if err != nil {
		return fmt.Errorf("%s: image %d: %w", f.name, i, err)
	}
	if same {
		return filemap.Guard(func() error { return rope{objfile.Bytes(f.data)}.writeTo(w, f.budget.Release) })
	}
	return f.editImage(w, i, opts, func(img *Located) (rope, error) {
		stored, err := f.storeCode(img, code)
		if err != nil {
			return nil, err
		}
		return img.part.replaceImage(img, stored, opts)
	})
}

// EditOptions are the permissions of an edit. The zero EditOptions is the
// default.
type EditOptions struct {
	// MoveHeaders allows moving the program headers of an ELF file where
	// nothing else makes room (ErrNoHeader).
	MoveHeaders bool
	// Warn, if not nil, is called with a sentence for each loss that the edit
	// causes, such as a program header of notes.
	Warn func(loss string)
}

// ErrNoHeader says that an image can grow only if the program headers of its
// file are moved: GNU strip and objcopy would destroy the edited file.
var ErrNoHeader = objfile.ErrNoHeader

// editImage changes the part that an image lies in, then the parts that enclose
// that one, up to the file.
func (f *File) editImage(w io.Writer, i int, opts EditOptions, change func(*Located) (rope, error)) error {
	return filemap.Guard(func() error {
		img := &f.images[i]
		r, err := change(img)
		for p := img.part; ; p = p.parent {
			// An envelope that pointers lead to may have no room: the object around it moves it
			// as a whole, which is the edit of the parent already.
			if full, ok := errors.AsType[*container.RoomError](err); ok && p.pointed != nil {
				r, err = p.moveEnvelope(full, opts)
				p = p.parent
			}
			if err != nil || p.parent == nil {
				break
			}
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

// storeCode compresses code if the image's was compressed.
func (f *File) storeCode(img *Located, code devimg.Code) (stored, error) {
	s := stored{code, code}
	if img.Format != devimg.FormatCompressedNone {
		return s, nil
	}
	if devimg.Sniff(code) == devimg.FormatCompressedNone {
		return s, errors.New("the new code is compressed already: give it uncompressed, and it will be compressed as the old code was")
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

// replaceImage edits the part that the image lies in.
func (p *part) replaceImage(img *Located, s stored, opts EditOptions) (rope, error) {
	if img.edit != nil {
		return img.edit(s.code)
	}
	return p.editObject(func(e *objectEdit) error {
		e.MoveHeaders = opts.MoveHeaders
		return opts.warn(e, e.replaceCode(img, s))
	})
}

// warn reports the losses of an edit that did not fail.
func (o *EditOptions) warn(e *objectEdit, err error) error {
	if err != nil || o.Warn == nil {
		return err
	}
	for _, loss := range e.Losses() {
		o.Warn(loss)
	}
	return nil
}

// removeImage returns the file without an image, by the edit of the container
// that the image is in, or of the descriptor.
func (p *part) removeImage(img *Located) (rope, error) {
	if img.edit != nil {
		return img.edit(nil)
	}
	return p.editObject(func(e *objectEdit) error { return e.removeRecord(img) })
}

// editObject edits an object file.
func (p *part) editObject(change func(*objectEdit) error) (rope, error) {
	editor, err := objfile.NewEditor(p.data)
	if err != nil {
		return nil, err
	}
	e := &objectEdit{Editor: editor, hostObject: newHostObject(editor.File(), func() {}), images: p.images}
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

// sharesBytes reports whether another image has some of the same bytes, as linkers merge equal
// sections. Code that is shared must not be overwritten.
func (e *objectEdit) sharesBytes(img *Located) bool {
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

// replaceCode puts new code in the place of the old code, or into new room if it is longer, and
// updates all that describes it.
func (e *objectEdit) replaceCode(img *Located, s stored) error {
	begin, err := e.putCode(img, s.code)
	if err != nil {
		return err
	}
	if err := e.setBounds(img, begin, begin+uint64(s.code.Size())); err != nil {
		return err
	}
	return e.updateProperties(img, s)
}

// putCode puts the code where the old was, or at the end of the file.
func (e *objectEdit) putCode(img *Located, code devimg.Code) (begin uint64, err error) {
	old, shared := extentOf(img), e.sharesBytes(img)
	if code.Size() <= int64(old.Size) && !shared {
		if err := e.WriteContent(old.Addr, code); err != nil {
			return 0, err
		}
		return old.Addr, e.zeroBytes(old.Addr+uint64(code.Size()), old.Size-uint64(code.Size()))
	}
	if !shared && e.File().Linked { // an object's section is moved without it
		if err := e.zeroBytes(old.Addr, old.Size); err != nil {
			return 0, err
		}
	}
	return e.Grow(old, code)
}

// zeroBytes overwrites bytes that nothing refers to any longer: old device code
// must not stay in a file that is shipped.
func (e *objectEdit) zeroBytes(addr, size uint64) error {
	if size == 0 {
		return nil
	}
	return e.WriteContent(addr, objfile.Zeros(size))
}

// setBounds makes every pair of pointers to the image's bounds lead to others.
func (e *objectEdit) setBounds(img *Located, begin, end uint64) error {
	if err := e.pointBounds(img, begin, end-begin); err != nil {
		return err
	}
	width := uint64(e.File().Pointer)
	addresses := []uint64{img.Record + uint64(e.recordLayout(img).Image.CodeBegin)}
	if img.Record == 0 {
		addresses = e.findBounds(img)
	}
	for _, at := range addresses {
		if err := e.SetPointer(at, begin); err != nil {
			return err
		}
		if err := e.SetPointer(at+width, end); err != nil {
			return err
		}
	}
	return nil
}

// recordLayout is the layout of the image's record.
func (e *objectEdit) recordLayout(img *Located) *abi.Layout {
	return abi.NewLayout(e.File().Pointer, img.record)
}

// findBounds finds the records of an image that is in no SYCL descriptor: adjacent pointers to its
// start and its end.
func (e *objectEdit) findBounds(img *Located) []uint64 {
	want := extentOf(img)
	width := uint64(e.File().Pointer)
	var found []uint64
	for _, span := range e.File().Spans(nil) {
		end := span.Addr + uint64(len(span.Data))
		for at := (span.Addr + width - 1) &^ (width - 1); at+2*width <= end; at += width {
			b, err := e.File().View(at, 2*width)
			if err == nil && e.readPointer(b) == want.Addr && e.readPointer(b[width:]) == want.Addr+want.Size {
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

// updateProperties updates the properties that describe the image's code.
func (e *objectEdit) updateProperties(img *Located, s stored) error {
	sets := img.Properties.Get(props.SetOfflinkImage)
	if _, ok := sets.Get(props.ImageSize); ok {
		if err := e.updateProperty(img, props.ImageSize, props.Uint64s(uint64(s.plain.Size())).Data()); err != nil {
			return err
		}
	}
	if _, ok := sets.Get(props.ImageSHA256); ok {
		sum, err := CodeDigest(s.plain)
		if err != nil {
			return err
		}
		return e.updateProperty(img, props.ImageSHA256, sum[:])
	}
	return nil
}

// updateProperty writes a property's value in place. A value that linkers
// merged with another image's cannot be changed.
func (e *objectEdit) updateProperty(img *Located, name string, value []byte) error {
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
			return fmt.Errorf("its property %q is shared with image %d, as linkers merge equal values: wrap the images anew and relink", name, i)
		}
	}
	return e.Write(at, value)
}

// valueOf finds the bytes of a property in the file.
func (e *objectEdit) valueOf(img *Located, name string) (at, size uint64, err error) {
	at, size, ok, err := e.decoder.ValueAt(img.Record, e.recordLayout(img), props.SetOfflinkImage, name)
	if err == nil && !ok {
		err = fmt.Errorf("its property %q is not a byte array", name)
	}
	return at, size, err
}

// removeRecord takes the image's record out of its descriptor. The record goes to the end of the
// array, where the count no longer includes it, so that the relocations of its pointers stay
// valid. The code becomes zeros unless another image has the same bytes.
func (e *objectEdit) removeRecord(img *Located) error {
	if img.Envelope != EnvelopeDescriptor {
		return fmt.Errorf("only images of SYCL descriptors can be removed, and this one is of kind %v", img.Kind)
	}
	header, err := e.decoder.Header(img.Descriptor)
	if err != nil {
		return err
	}
	l := e.recordLayout(img)
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
	if e.sharesBytes(img) {
		return nil
	}
	return e.zeroBytes(img.Address, uint64(img.Code.Size()))
}

package wrapper

import (
	"slices"
	"strconv"

	"offlink/wrapper/abi"
	"offlink/wrapper/devimg"
	"offlink/wrapper/internal/objfile"
)

// objectBuilder lays descriptor trees out in an object file.
type objectBuilder struct {
	host     Host
	names    *sectionNames // of the format
	object   *objfile.Object
	sections map[string]*objfile.ObjectSection
	text     *objfile.ObjectSection
	// large puts image bytes where they may be farther from code than 2 GiB.
	large     bool
	externals map[string]*objfile.ObjectSymbol
}

// newObjectBuilder makes the builder for a host.
func newObjectBuilder(h Host, large bool) *objectBuilder {
	b := &objectBuilder{
		host: h, names: &h.format.sections, large: large,
		object:    &objfile.Object{Format: h.format.object, Machine: h.machine, MacOS: h.macOS},
		sections:  map[string]*objfile.ObjectSection{},
		externals: map[string]*objfile.ObjectSymbol{},
	}
	b.text = b.section(b.names.code, objfile.UseCode, codeAlign)
	return b
}

// section returns the section of that name, making it on first use. Its alignment is the largest
// that was asked for.
func (b *objectBuilder) section(name string, use objfile.Use, align int) *objfile.ObjectSection {
	s := b.sections[name]
	if s == nil {
		s = &objfile.ObjectSection{Name: name, Use: use, Align: align}
		b.sections[name] = s
		b.object.Sections = append(b.object.Sections, s)
	}
	s.Align = max(s.Align, align)
	return s
}

// appendData appends bytes to the first piece of a section, at an aligned offset, which it returns.
// All data of a section is that one piece; images are pieces of their own, since they are not
// copied.
func appendData(s *objfile.ObjectSection, data []byte, align int) int64 {
	if len(s.Pieces) == 0 {
		s.Pieces = []objfile.Content{objfile.Bytes{}}
	}
	whole := s.Pieces[0].(objfile.Bytes)
	at := (len(whole) + align - 1) / align * align
	whole = append(whole, make([]byte, at-len(whole))...)
	s.Pieces[0] = append(whole, data...)
	return int64(at)
}

// addSymbol defines a symbol.
func (b *objectBuilder) addSymbol(s objfile.ObjectSymbol) *objfile.ObjectSymbol {
	b.object.Symbols = append(b.object.Symbols, &s)
	return &s
}

// externalSymbol returns the symbol of a function or object that is defined elsewhere.
func (b *objectBuilder) externalSymbol(name string) *objfile.ObjectSymbol {
	s := b.externals[name]
	if s == nil {
		s = b.addSymbol(objfile.ObjectSymbol{Name: name})
		b.externals[name] = s
	}
	return s
}

// location is the section of a block or an image, and the offset in it.
type location struct {
	section *objfile.ObjectSection
	offset  int64
}

// addKind adds the images of one kind, their tree, and, unless the options exclude them, the
// functions that register it.
func (b *objectBuilder) addKind(k *kindImages, o *WrapOptions) {
	if k.kind != devimg.KindSYCL {
		b.addHostEntries(k.tree)
	}
	blocks := b.addBlocks(k.tree)
	var images []location
	if !o.NativeCPU {
		images = b.addImages(k)
		b.addImageSymbols(k, blocks, images)
	}
	b.addPointers(k.tree, blocks, images)
	descriptor := b.addTreeSymbols(k, blocks, o.DescriptorName != "")
	if !o.NoRegister {
		b.addRegistration(k.kind, descriptor)
	}
}

// addImages puts the code of the images into the sections of their targets. Offsets are known only
// after all pieces are there.
func (b *objectBuilder) addImages(k *kindImages) []location {
	locations := make([]location, len(k.images))
	pieces := make([]int, len(k.images))
	used := map[*objfile.ObjectSection]bool{}
	for i, image := range k.images {
		name, use := b.host.imageSection(k.kind, sectionTarget(image), b.large)
		s := b.section(name, use, imageAlign)
		locations[i].section, pieces[i] = s, len(s.Pieces)
		s.Pieces = append(s.Pieces, image.Code)
		used[s] = true
	}
	for s := range used {
		s.Place()
	}
	for i := range locations {
		locations[i].offset = locations[i].section.PieceOffset(pieces[i])
	}
	return locations
}

// addBlocks puts the C objects of the tree into sections.
func (b *objectBuilder) addBlocks(t *abi.Encoded) []location {
	locations := make([]location, len(t.Blocks))
	for i := range t.Blocks {
		block := &t.Blocks[i]
		align := t.Layout.Align(block.Type)
		s := b.blockSection(block.Type, align)
		locations[i] = location{s, appendData(s, block.Data, align)}
	}
	return locations
}

// blockSection returns the section for a kind of table, making it on first use.
func (b *objectBuilder) blockSection(t abi.Type, align int) *objfile.ObjectSection {
	n := b.names
	switch t {
	case abi.Text:
		if n.strings != n.data {
			return b.section(n.strings, objfile.UseStrings, align)
		}
		return b.section(n.data, objfile.UseData, align)
	case abi.Blob:
		return b.section(n.data, objfile.UseData, align)
	case abi.InfoArray:
		return b.section(n.info, objfile.UseRetainedData, align)
	}
	return b.section(n.relocated, objfile.UseRelocatedData, align)
}

// addPointers makes fixups for the pointers of the tree.
func (b *objectBuilder) addPointers(t *abi.Encoded, blocks, images []location) {
	counts := map[*objfile.ObjectSection]int{}
	for i := range t.Blocks {
		counts[blocks[i].section] += len(t.Blocks[i].Pointers)
	}
	for s, n := range counts {
		s.Fixups = slices.Grow(s.Fixups, n)
	}
	for i := range t.Blocks {
		from := blocks[i]
		for _, p := range t.Blocks[i].Pointers {
			f := objfile.Fixup{Offset: from.offset + int64(p.Offset), Kind: objfile.FixupPointer, Addend: p.To.Offset}
			switch p.To.In {
			case abi.InBlock:
				f.Section = blocks[p.To.Index].section
				f.Addend += blocks[p.To.Index].offset
			case abi.InImage:
				f.Section = images[p.To.Index].section
				f.Addend += images[p.To.Index].offset
			case abi.InExternal:
				f.Symbol = b.externalSymbol(t.Externals[p.To.Index])
			}
			from.section.Fixups = append(from.section.Fixups, f)
		}
	}
}

// addImageSymbols names the code of each image and its bounds.
func (b *objectBuilder) addImageSymbols(k *kindImages, blocks, images []location) {
	prefix := "." + k.kind.String() + "_offloading."
	for i, l := range images {
		name := prefix + strconv.Itoa(i)
		b.addSymbol(objfile.ObjectSymbol{Name: name + ".data", Section: l.section, Offset: l.offset, Size: k.images[i].Code.Size()})
		if k.tree.Infos >= 0 {
			infos, size := blocks[k.tree.Infos], int64(k.tree.Layout.Size(abi.InfoArray))
			b.addSymbol(objfile.ObjectSymbol{Name: name + ".info", Section: infos.section, Offset: infos.offset + int64(i)*size, Size: size})
		}
	}
}

// addTreeSymbols names the parts of the tree that tools look for and returns
// the descriptor's symbol.
func (b *objectBuilder) addTreeSymbols(k *kindImages, blocks []location, global bool) *objfile.ObjectSymbol {
	t := k.tree
	name := func(i int, global bool) *objfile.ObjectSymbol {
		return b.addSymbol(objfile.ObjectSymbol{
			Name: t.Blocks[i].Name, Section: blocks[i].section, Offset: blocks[i].offset,
			Size: int64(len(t.Blocks[i].Data)), Global: global,
		})
	}
	name(t.Images, false)
	return name(t.Descriptor, global)
}

// finishObject adds the notes of the format.
func (b *objectBuilder) finishObject() *objfile.Object {
	names := &b.host.format.sections
	if note := featureNote(b.host.machine); note != nil && names.features != "" {
		appendData(b.section(names.features, objfile.UseNote, 8), note, 8)
	}
	if names.plainStack != "" {
		b.section(names.plainStack, objfile.UseNonExecutableStack, 1)
	}
	return b.object
}

package wrapper

import (
	"slices"
	"strconv"

	"offlink/wrapper/abi"
	"offlink/wrapper/devimg"
	"offlink/wrapper/internal/objfile"
)

// sectionNames are the names that a format gives the sections of an object.
type sectionNames struct {
	code, strings, data, relocated, info string
	constructors, destructors            string
	bareImages                           string // of images without a target
}

// The constructor runs at priority 1, the destructor at the same: first and
// last of all (llvm.global_ctors). Linkers order the sections by their names;
// lists of MinGW count down and run from the end.
var (
	elfNames = sectionNames{
		code: ".text.startup", strings: ".rodata.str1.1", data: ".rodata", relocated: ".data.rel.ro",
		info: ".tgtimg", constructors: ".init_array.1", destructors: ".fini_array.1",
		bareImages: ".rodata.images",
	}
	coffNames = sectionNames{
		code: ".text.startup", strings: ".rdata", data: ".rdata", relocated: ".rdata",
		info: ".tgtimg", constructors: ".CRT$XCA00001", destructors: ".CRT$XTA00001",
		bareImages: ".rdata$images",
	}
	mingwNames = sectionNames{
		code: ".text.startup", strings: ".rdata", data: ".rdata", relocated: ".rdata",
		info: ".tgtimg", constructors: ".ctors.65534", destructors: ".dtors.65534",
		bareImages: ".rdata$images",
	}
	// Mach-O has no priorities and no destructors: the constructor registers
	// the destructor with __cxa_atexit.
	machoNames = sectionNames{
		code: "__TEXT,__text", strings: "__DATA,__const", data: "__DATA,__const", relocated: "__DATA,__const",
		info: "__DATA,__tgtimg", constructors: "__DATA,__mod_init_func",
	}
)

// machoImages is the section of the image bytes in Mach-O, whose section
// names have 16 characters.
const machoImages = "__DATA,__offload_img"

func (h Host) sectionNames() *sectionNames {
	switch {
	case h.mingw:
		return &mingwNames
	case h.format == objfile.COFF:
		return &coffNames
	case h.format == objfile.MachO:
		return &machoNames
	}
	return &elfNames
}

// objectBuilder lays descriptor trees out in an object file.
type objectBuilder struct {
	host     Host
	names    *sectionNames
	object   *objfile.Object
	sections map[string]*objfile.ObjectSection
	text     *objfile.ObjectSection
	// large puts image bytes where they may be farther from code than 2 GiB.
	large     bool
	externals map[string]*objfile.ObjectSymbol
}

func newObjectBuilder(h Host, large bool) *objectBuilder {
	b := &objectBuilder{
		host: h, names: h.sectionNames(), large: large,
		object:    &objfile.Object{Format: h.format, Machine: h.machine, MacOS: h.macOS},
		sections:  map[string]*objfile.ObjectSection{},
		externals: map[string]*objfile.ObjectSymbol{},
	}
	b.text = b.section(b.names.code, objfile.UseCode, codeAlign)
	return b
}

// section returns the section of that name, made on first use.
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

// add appends bytes to a section at an aligned offset, which it returns.
func add(s *objfile.ObjectSection, data []byte, align int) int64 {
	if len(s.Pieces) == 0 {
		s.Pieces = []objfile.Content{objfile.Bytes{}}
	}
	whole := s.Pieces[0].(objfile.Bytes)
	at := (len(whole) + align - 1) / align * align
	whole = append(whole, make([]byte, at-len(whole))...)
	s.Pieces[0] = append(whole, data...)
	return int64(at)
}

// symbol defines a symbol.
func (b *objectBuilder) symbol(s objfile.ObjectSymbol) *objfile.ObjectSymbol {
	b.object.Symbols = append(b.object.Symbols, &s)
	return &s
}

// external returns the symbol of something defined elsewhere.
func (b *objectBuilder) external(name string) *objfile.ObjectSymbol {
	s := b.externals[name]
	if s == nil {
		s = b.symbol(objfile.ObjectSymbol{Name: name})
		b.externals[name] = s
	}
	return s
}

// location is where something of a tree came to lie.
type location struct {
	section *objfile.ObjectSection
	offset  int64
}

// addKind adds the images of one kind, their tree, and, if wanted, what
// registers it.
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

// addImages puts the code of the images into the sections of their targets.
func (b *objectBuilder) addImages(k *kindImages) []location {
	locations := make([]location, len(k.images))
	pieces := make([]int, len(k.images))
	for i, image := range k.images {
		s := b.imageSection(k.kind, image.Target)
		locations[i].section, pieces[i] = s, len(s.Pieces)
		s.Pieces = append(s.Pieces, image.Code)
	}
	for i, l := range locations {
		if i == 0 || l.section != locations[i-1].section {
			l.section.Place()
		}
	}
	for i := range locations {
		locations[i].offset = locations[i].section.PieceOffset(pieces[i])
	}
	return locations
}

// bundlePrefix begins the names of sections with image bytes, so that tools
// for the bundler's objects find them.
const bundlePrefix = "__CLANG_OFFLOAD_BUNDLE__"

// imageAlign is the alignment of each image.
const imageAlign = 16

// imageSection is the section for image bytes of a target. Images without a
// target have none of their own and lie among the read-only data.
func (b *objectBuilder) imageSection(kind devimg.Kind, target string) *objfile.ObjectSection {
	name, use := bundlePrefix+kind.String()+"-"+target, objfile.UseData
	if target == "" {
		name = b.names.bareImages
	}
	switch {
	case b.host.format == objfile.MachO:
		name = machoImages
		use = objfile.UseRetainedData
	case b.large && target == "":
		name, use = ".lrodata.images", objfile.UseLargeData
	case b.large:
		name, use = ".lrodata."+name, objfile.UseLargeData
	}
	return b.section(name, use, imageAlign)
}

// addBlocks puts the C objects of the tree into sections.
func (b *objectBuilder) addBlocks(t *abi.Encoded) []location {
	locations := make([]location, len(t.Blocks))
	for i := range t.Blocks {
		block := &t.Blocks[i]
		align := t.Layout.Align(block.Type)
		s := b.blockSection(block.Type, align)
		locations[i] = location{s, add(s, block.Data, align)}
	}
	return locations
}

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

// addPointers makes fixups of the pointers of the tree.
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
				f.Symbol = b.external(t.Externals[p.To.Index])
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
		b.symbol(objfile.ObjectSymbol{Name: name + ".data", Section: l.section, Offset: l.offset, Size: k.images[i].Code.Size()})
		if k.tree.Infos >= 0 {
			infos, size := blocks[k.tree.Infos], int64(k.tree.Layout.Size(abi.InfoArray))
			b.symbol(objfile.ObjectSymbol{Name: name + ".info", Section: infos.section, Offset: infos.offset + int64(i)*size, Size: size})
		}
	}
}

// addTreeSymbols names the parts of the tree that tools look for and returns
// the descriptor's symbol.
func (b *objectBuilder) addTreeSymbols(k *kindImages, blocks []location, global bool) *objfile.ObjectSymbol {
	t := k.tree
	name := func(i int, global bool) *objfile.ObjectSymbol {
		return b.symbol(objfile.ObjectSymbol{
			Name: t.Blocks[i].Name, Section: blocks[i].section, Offset: blocks[i].offset,
			Size: int64(len(t.Blocks[i].Data)), Global: global,
		})
	}
	name(t.Images, false)
	return name(t.Descriptor, global)
}

// addRegistration adds the functions that register and unregister the
// images, and has them called.
func (b *objectBuilder) addRegistration(kind devimg.Kind, descriptor *objfile.ObjectSymbol) {
	names := registration(kind)
	undo := b.addFunction(kind.String()+".descriptor_unreg", b.handOver(b.external(names.unregister), descriptor))
	call := b.handOver
	if b.names.destructors == "" {
		call = func(callee, descriptor *objfile.ObjectSymbol) *code {
			return b.handOverAtExit(callee, descriptor, undo)
		}
	} else {
		b.addToList(b.names.destructors, objfile.UseDestructors, undo)
	}
	do := b.addFunction(kind.String()+".descriptor_reg", call(b.external(names.register), descriptor))
	b.addToList(b.names.constructors, objfile.UseConstructors, do)
}

// addToList adds a function to a list of constructors or destructors.
func (b *objectBuilder) addToList(list string, use objfile.Use, f *objfile.ObjectSymbol) {
	s := b.section(list, use, b.host.pointer)
	at := add(s, make([]byte, b.host.pointer), b.host.pointer)
	s.Fixups = append(s.Fixups, objfile.Fixup{Offset: at, Kind: objfile.FixupPointer, Symbol: f})
}

// addFunction puts a function into the code section.
func (b *objectBuilder) addFunction(name string, c *code) *objfile.ObjectSymbol {
	at := add(b.text, c.bytes, codeAlign)
	for _, label := range c.labels {
		label.Offset += at
	}
	for _, f := range c.fixups {
		f.Offset += at
		b.text.Fixups = append(b.text.Fixups, f)
	}
	return b.symbol(objfile.ObjectSymbol{Name: name, Section: b.text, Offset: at, Size: int64(len(c.bytes)), Func: true})
}

// registrationNames are the functions of the runtime that serves a kind.
type registrationNames struct{ register, unregister string }

func registration(kind devimg.Kind) registrationNames {
	if kind == devimg.KindSYCL {
		return registrationNames{"__sycl_register_lib", "__sycl_unregister_lib"}
	}
	return registrationNames{"__tgt_register_lib", "__tgt_unregister_lib"}
}

// The host's entry table of kinds other than SYCL. An ELF linker defines its
// bounds if it sees a section of this name, which is why there is an empty
// part of it.
const (
	hostEntriesSection = "omp_offloading_entries"
	hostEntriesDummy   = "__dummy.omp_offloading.entry"
)

// addHostEntries makes the bounds of the host's entry table: in COFF by
// sections that sort before and behind it.
func (b *objectBuilder) addHostEntries(t *abi.Encoded) {
	if b.externals[t.Externals[0]] != nil {
		return
	}
	if b.host.format == objfile.COFF {
		for i, name := range t.Externals[:2] {
			s := b.section(hostEntriesSection+[]string{"$OA", "$OZ"}[i], objfile.UseEntries, b.host.pointer)
			b.externals[name] = b.symbol(objfile.ObjectSymbol{Name: name, Section: s})
		}
		return
	}
	for _, name := range t.Externals[:2] {
		b.external(name).Hidden = true
	}
	s := b.section(hostEntriesSection, objfile.UseEntries, 1)
	b.symbol(objfile.ObjectSymbol{Name: hostEntriesDummy, Section: s, Global: true, Hidden: true})
}

// finish adds the notes that the format wants.
func (b *objectBuilder) finish() *objfile.Object {
	if b.host.format == objfile.ELF {
		if note := featureNote(b.host.machine); note != nil {
			add(b.section(".note.gnu.property", objfile.UseNote, 8), note, 8)
		}
		b.section(".note.GNU-stack", objfile.UseNonExecutableStack, 1)
	}
	return b.object
}

package container

import (
	"fmt"

	"offlink/lazy"
	"offlink/props"
	"offlink/wrapper/devimg"
)

// The layout of a SYCLBIN of version 1 (intel/llvm, SYCLBINDesign.md): a
// header, a header for each abstract module, IR module and native image, the
// table of metadata (.prop text) and the table of code, each from a multiple
// of 8 bytes:
//
//	file      u32 magic = 0x53594249; u32 version; u32 abstract modules;
//	          u32 IR modules; u32 native images; 4 bytes of padding;
//	          u64 size of the metadata table; u64 size of the code table;
//	          u64 offset and u64 size of the global metadata
//	abstract  u64 offset and u64 size of metadata; u32 number and u32 first
//	          of the IR modules; u32 number and u32 first of the native images
//	IR, native  u64 offset and u64 size of metadata; u64 offset and u64 size
//	          of the code
//
// Version 2 is an OffloadBinary of many entries, whose strings have the role of
// each: [joinSYCLBIN].
const (
	syclbinMagic        = 0x53594249
	syclbinHeaderSize   = 56
	syclbinAbstractSize = 32
	syclbinModuleSize   = 32
	syclbinNewest       = 1
)

// syclbinTargets are the targets of the types in the metadata of IR modules.
var syclbinTargets = lazy.Map[uint32, string]{New: func() map[uint32]string {
	return map[uint32]string{0: "spir64", 1: "nvptx64", 2: "amdgcn"}
}}

func isSYCLBIN(data []byte) bool { return len(data) >= 4 && u32(data, 0) == syclbinMagic }

// syclbinFile is a SYCLBIN of version 1 while it is read.
type syclbinFile struct {
	reader
	abstract, ir, native []byte // headers
	metadata, code       uint64 // where the tables begin
	metadataSize         uint64
	codeSize             uint64
	global               *props.Sets
}

func readSYCLBIN(data []byte) (int, []Entry, error) {
	f := &syclbinFile{reader: reader{form: SYCLBIN, data: data}}
	if err := f.readHeaders(); err != nil {
		return 0, nil, err
	}
	var entries []Entry
	for i := 0; (i+1)*syclbinAbstractSize <= len(f.abstract); i++ {
		found, err := f.module(f.abstract[i*syclbinAbstractSize:])
		if err != nil {
			return 0, nil, fmt.Errorf("abstract module %d: %w", i, err)
		}
		// Headers of abstract modules may name the same images again: without
		// this a file of a few kilobytes would list millions.
		if len(entries)+len(found) > len(data)/syclbinModuleSize {
			return 0, nil, f.errorf(8, "abstract modules share their images")
		}
		entries = append(entries, found...)
	}
	return int(f.code + f.codeSize), entries, nil
}

func (f *syclbinFile) readHeaders() error {
	h, err := f.slice(0, syclbinHeaderSize, "header")
	if err != nil {
		return err
	}
	if version := u32(h, 4); version == 0 || version > syclbinNewest {
		return f.errorf(4, "version %d: only version %d has this header", version, syclbinNewest)
	}
	at := uint64(syclbinHeaderSize)
	for _, part := range []struct {
		headers *[]byte
		count   uint32
		size    uint64
		what    string
	}{
		{&f.abstract, u32(h, 8), syclbinAbstractSize, "abstract module headers"},
		{&f.ir, u32(h, 12), syclbinModuleSize, "IR module headers"},
		{&f.native, u32(h, 16), syclbinModuleSize, "native image headers"},
	} {
		if *part.headers, err = f.table(at, uint64(part.count), part.size, part.what); err != nil {
			return err
		}
		at += uint64(len(*part.headers))
	}
	f.metadata, f.metadataSize, f.codeSize = at, u64(h, 24), u64(h, 32)
	if _, err := f.slice(at, f.metadataSize, "the metadata table"); err != nil {
		return err
	}
	// The sum cannot overflow: the metadata was found to lie in the file.
	f.code = (at + f.metadataSize + 7) &^ 7
	if _, err := f.slice(f.code, f.codeSize, "the code table"); err != nil {
		return err
	}
	f.global, err = f.sets(u64(h, 40), u64(h, 48))
	return err
}

// sets reads property sets of the metadata table. If there are no bytes, there are no sets.
func (f *syclbinFile) sets(off, size uint64) (*props.Sets, error) {
	if size == 0 {
		return &props.Sets{}, nil
	}
	if off > f.metadataSize || size > f.metadataSize-off {
		return nil, f.errorf(f.metadata, "metadata of %d bytes at %#x of %d", size, off, f.metadataSize)
	}
	return f.parseSets(f.data[f.metadata+off:][:size])
}

// parseSets parses metadata. Many images may share it and it is parsed for each: the budget bounds
// that.
func (r *reader) parseSets(text []byte) (*props.Sets, error) {
	if err := r.spend(len(text)); err != nil {
		return nil, err
	}
	sets, err := props.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("%s metadata: line %w", r.form, err)
	}
	return sets, nil
}

// module returns the images of an abstract module, which share its sets.
func (f *syclbinFile) module(b []byte) ([]Entry, error) {
	shared, err := f.sets(u64(b, 0), u64(b, 8))
	if err != nil {
		return nil, err
	}
	ir, err := f.images(f.ir, u32(b, 20), u32(b, 16), shared)
	if err != nil {
		return nil, fmt.Errorf("IR modules: %w", err)
	}
	native, err := f.images(f.native, u32(b, 28), u32(b, 24), shared)
	if err != nil {
		return nil, fmt.Errorf("native images: %w", err)
	}
	return append(ir, native...), nil
}

// images returns the entries of count headers from first on. Their properties are those of the
// abstract module, their own and those of the file.
func (f *syclbinFile) images(headers []byte, first, count uint32, shared *props.Sets) ([]Entry, error) {
	have := uint64(len(headers) / syclbinModuleSize)
	if uint64(first)+uint64(count) > have {
		return nil, f.errorf(0, "%d from %d on, of %d", count, first, have)
	}
	var entries []Entry
	for i := range count {
		b := headers[uint64(first+i)*syclbinModuleSize:]
		own, err := f.sets(u64(b, 0), u64(b, 8))
		if err != nil {
			return nil, err
		}
		off, size := u64(b, 16), u64(b, 24)
		if _, err := f.codeAt(off, size); err != nil {
			return nil, err
		}
		e := newSYCLBINEntry(shared, own, f.global)
		e.setCode(f.data, f.code+off, size)
		entries = append(entries, e)
	}
	return entries, nil
}

// codeAt returns bytes of the code table.
func (f *syclbinFile) codeAt(off, size uint64) ([]byte, error) {
	if off > f.codeSize || size > f.codeSize-off {
		return nil, f.errorf(f.code, "code of %d bytes at %#x of %d", size, off, f.codeSize)
	}
	return f.data[f.code+off:][:size], nil
}

// newSYCLBINEntry makes an image from the property sets of its abstract module, its own and those
// of the file. Its entries are the kernel names of the abstract module.
func newSYCLBINEntry(shared, own, global *props.Sets) Entry {
	var e Entry
	e.Kind = devimg.KindSYCL
	e.Properties = &props.Sets{}
	for _, sets := range []*props.Sets{shared, own, global} {
		e.Properties.All = append(e.Properties.All, sets.All...)
	}
	if t, ok := own.Get(props.SetSYCLBINModuleMetadata).Get("type"); ok {
		e.Target = syclbinTargets.Get()[t.Uint32()]
		if t.Uint32() == 0 {
			e.Format = devimg.FormatSPIRV
		}
	}
	if own.Get(props.SetSYCLBINNativeMetadata) != nil {
		e.Format = devimg.FormatNative
	}
	for _, set := range own.All {
		for _, key := range []string{"arch", "target"} { // the later is the more exact
			if v, ok := set.Get(key); ok {
				e.Target = string(v.Data())
				if key == "arch" {
					e.Arch = e.Target
				}
			}
		}
	}
	if names := shared.Get(props.SetKernelNames); names != nil {
		e.Entries, e.HasEntries = names.Names(), true
	}
	e.Name = e.Target
	return e
}

// The keys of strings that the entries of a SYCLBIN of version 2 have: stringRole marks them, as
// "global_metadata", "am_metadata", "ir" or "native". All but the first have the number of their
// abstract module under stringIndex.
const (
	stringRole  = "role"
	stringIndex = "am_index"
)

func (e *Entry) lookup(key string) (string, bool) {
	for _, s := range e.Strings {
		if s.Key == key {
			return s.Value, true
		}
	}
	return "", false
}

func isSYCLBINPart(e Entry) bool {
	_, ok := e.lookup(stringRole)
	return ok
}

// joinSYCLBIN makes the images of a SYCLBIN of version 2 from its parts. The bytes of metadata
// parts are .prop text; those of code are u64 size of the metadata, the metadata, the code. Parts
// may come in any order, so the metadata is read first.
func joinSYCLBIN(r *reader, parts []Entry) ([]Entry, error) {
	global, modules := &props.Sets{}, map[string]*props.Sets{}
	for _, p := range parts {
		role, _ := p.lookup(stringRole)
		if role != "global_metadata" && role != "am_metadata" {
			continue
		}
		sets, err := r.parseSets(p.Data)
		if err != nil {
			return nil, err
		}
		if role == "global_metadata" {
			global = sets
		} else {
			index, _ := p.lookup(stringIndex)
			modules[index] = sets
		}
	}
	var entries []Entry
	for _, p := range parts {
		role, _ := p.lookup(stringRole)
		if role != "ir" && role != "native" {
			continue
		}
		index, _ := p.lookup(stringIndex)
		shared := modules[index]
		if shared == nil {
			shared = &props.Sets{}
		}
		e, err := syclbinPart(r, &p, shared, global)
		if err != nil {
			return nil, err
		}
		entries = append(entries, e)
	}
	return entries, nil
}

// syclbinPart makes an image from a part with code. An offset of -1 says that the part was
// compressed, so that the code lies nowhere in the file.
func syclbinPart(r *reader, p *Entry, shared, global *props.Sets) (Entry, error) {
	if len(p.Data) < 8 || u64(p.Data, 0) > uint64(len(p.Data)-8) {
		return Entry{}, r.errorf(0, "a part of a SYCLBIN has no room for its metadata")
	}
	size := u64(p.Data, 0)
	own := &props.Sets{}
	var err error
	if size > 0 {
		if own, err = r.parseSets(p.Data[8 : 8+size]); err != nil {
			return Entry{}, err
		}
	}
	e := newSYCLBINEntry(shared, own, global)
	e.setCode(p.Data, 8+size, uint64(len(p.Data))-8-size)
	if p.Offset < 0 {
		e.Offset = -1
	} else {
		e.Offset += p.Offset
	}
	return e, nil
}

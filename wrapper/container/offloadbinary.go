package container

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"offlink/lazy"
	"offlink/wrapper/devimg"
)

// The layout of an OffloadBinary (llvm/Object/OffloadBinary.h), all fields
// little-endian and offsets counted from its first byte:
//
//	header  u8 magic[4] = 10 FF 10 AD; u32 version; u64 size of everything
//	        version 1: u64 offset of the entry; u64 size of the entry
//	        version 2: u64 offset of the entries; u64 number of entries
//	        version 3: as 2; u64 inflated size, 0 if what follows the header
//	        is not compressed
//	entry   u16 image kind; u16 offload kind; u32 flags; u64 offset and u64
//	        number of strings; u64 offset and u64 size of the image
//	string  u64 offset of the key; u64 offset of the value;
//	        from version 2 on: u64 size of the value
const (
	offloadMagic       = "\x10\xFF\x10\xAD"
	offloadHeaderSize  = 32
	offloadHeaderSize3 = 40
	offloadEntrySize   = 40
	offloadNewest      = 3

	offloadMetadataOnly = 1 // a flag: the entry has no image
)

var offloadFormats = lazy.Map[uint16, devimg.Format]{New: func() map[uint16]devimg.Format {
	return map[uint16]devimg.Format{
		1: devimg.FormatNative,      // object
		2: devimg.FormatLLVMBitcode, // bitcode
		3: devimg.FormatNative,      // cubin
		4: devimg.FormatNative,      // fatbinary
		6: devimg.FormatSPIRV,       // SPIR-V; 5 is PTX
	}
}}

// offloadKinds are the producers; from LLVM 17 on they are bits.
var offloadKinds = lazy.Map[uint16, devimg.Kind]{New: func() map[uint16]devimg.Kind {
	return map[uint16]devimg.Kind{
		1: devimg.KindOpenMP,
		2: devimg.KindCUDA,
		3: devimg.KindHIP, // before they were bits
		4: devimg.KindHIP,
		8: devimg.KindSYCL,
	}
}}

func isOffloadBinary(data []byte) bool { return bytes.HasPrefix(data, []byte(offloadMagic)) }

// offloadFile is one OffloadBinary while it is read.
type offloadFile struct {
	reader
	version    uint32
	compressed bool
	grown      grown // the content of compressed entries
}

// readOffloadBinary reads one OffloadBinary and returns its size, since others may follow.
func readOffloadBinary(data []byte, b *Budget) (int, []Entry, error) {
	f := &offloadFile{reader: reader{form: OffloadBinary, data: data}}
	header, err := f.slice(0, offloadHeaderSize, "header")
	if err != nil {
		return 0, nil, err
	}
	f.version = u32(header, 4)
	size := u64(header, 8)
	if f.version == 0 || f.version > offloadNewest {
		return 0, nil, f.errorf(4, "version %d: versions 1 to %d are read", f.version, offloadNewest)
	}
	if size < offloadHeaderSize {
		return 0, nil, f.errorf(8, "a size of %d bytes", size)
	}
	if f.data, err = f.slice(0, size, "the whole"); err != nil {
		return 0, nil, err
	}
	if err := f.inflateEntries(b); err != nil {
		return 0, nil, err
	}
	entries, err := f.readEntries()
	if err != nil {
		return 0, nil, err
	}
	if slices.ContainsFunc(entries, isSYCLBINPart) {
		entries, err = joinSYCLBIN(&f.reader, entries)
	}
	return int(size), entries, err
}

// inflateEntries replaces compressed bytes by their content, from version 3 on. The header stays as
// it is.
func (f *offloadFile) inflateEntries(b *Budget) error {
	if f.version < 3 {
		return nil
	}
	header, err := f.slice(0, offloadHeaderSize3, "header")
	if err != nil {
		return err
	}
	inflated, begin := u64(header, 32), u64(header, 16)
	if inflated == 0 {
		return nil
	}
	packed, err := f.slice(begin, uint64(len(f.data))-min(begin, uint64(len(f.data))), "compressed entries")
	if err != nil {
		return err
	}
	body, err := b.inflate(f.data[:begin], packed, inflated)
	if err != nil {
		return fmt.Errorf("compressed %s: %w", f.form, err)
	}
	f.data, f.grown, f.compressed = body.data, body, true
	return nil
}

// readEntries reads the entries that have an image. Those that are metadata only are left out,
// after their check.
func (f *offloadFile) readEntries() ([]Entry, error) {
	begin, count := u64(f.data, 16), u64(f.data, 24)
	if f.version == 1 {
		count = 1
	}
	table, err := f.table(begin, count, offloadEntrySize, "entries")
	if err != nil {
		return nil, err
	}
	var entries []Entry
	for i := range int(count) {
		e, err := f.readEntry(table[i*offloadEntrySize:])
		if err != nil {
			return nil, fmt.Errorf("entry %d: %w", i, err)
		}
		if flags := u32(table, i*offloadEntrySize+4); flags&offloadMetadataOnly == 0 {
			entries = append(entries, e)
		}
	}
	return entries, nil
}

// readEntry reads an entry and its strings. The image of a compressed entry lies in the inflated
// content, not in the file.
func (f *offloadFile) readEntry(b []byte) (Entry, error) {
	var e Entry
	off, size := u64(b, 24), u64(b, 32)
	if _, err := f.slice(off, size, "image"); err != nil {
		return e, err
	}
	e.setCode(f.data, off, size)
	if f.compressed {
		e.inFile(f.grown)
	}
	e.Kind, e.Format = offloadKinds.Get()[u16(b, 2)], offloadFormats.Get()[u16(b, 0)]
	list, err := f.readStrings(u64(b, 8), u64(b, 16))
	if err != nil {
		return e, err
	}
	e.setStrings(list)
	e.Name = e.Target
	return e, nil
}

// readStrings reads the strings of an entry.
func (f *offloadFile) readStrings(off, count uint64) ([]String, error) {
	size := uint64(24)
	if f.version == 1 {
		size = 16
	}
	table, err := f.table(off, count, size, "strings")
	if err != nil {
		return nil, err
	}
	var list []String
	for ; len(table) > 0; table = table[size:] {
		var s String
		if s.Key, err = f.readCString(u64(table, 0)); err != nil {
			return nil, err
		}
		if s.Value, err = f.readValue(table); err != nil {
			return nil, err
		}
		list = append(list, s)
	}
	return list, nil
}

// setStrings moves the strings for which an image has fields into these, and keeps the others.
func (e *Entry) setStrings(list []String) {
	for _, s := range list {
		switch s.Key {
		case "triple":
			e.Target = s.Value
		case "arch":
			e.Arch = s.Value
		case "compile-opts":
			e.CompileOptions = s.Value
		case "link-opts":
			e.LinkOptions = s.Value
		case "symbols":
			e.setSymbols(s.Value)
		default:
			e.Strings = append(e.Strings, s)
		}
	}
}

// readValue reads the value of a string entry. Version 1 has no size for it, so that it ends at a
// NUL.
func (f *offloadFile) readValue(b []byte) (string, error) {
	if f.version == 1 {
		return f.readCString(u64(b, 8))
	}
	v, err := f.slice(u64(b, 8), u64(b, 16), "value of a string")
	if err != nil {
		return "", err
	}
	return string(v), f.spend(len(v))
}

// maxString bounds the search for the end of a string.
const maxString = 1 << 20

func (f *offloadFile) readCString(off uint64) (string, error) {
	if off > uint64(len(f.data)) {
		return "", f.errorf(uint64(len(f.data)), "a string at %#x", off)
	}
	rest := f.data[off:]
	end := bytes.IndexByte(rest[:min(len(rest), maxString)], 0)
	if end < 0 {
		return "", f.errorf(off, "a string that does not end")
	}
	return string(rest[:end]), f.spend(end)
}

// setSymbols reads the kernels' names: a line each, or from 2026 on ended by a NUL each. The tables
// with a binary header that came later are left out.
func (e *Entry) setSymbols(value string) {
	separator := "\n"
	if strings.Contains(value, "\x00") {
		separator = "\x00"
	}
	names := strings.Split(strings.Trim(value, separator), separator)
	if slices.ContainsFunc(names, func(s string) bool { return s == "" || strings.ContainsFunc(s, isControl) }) {
		return
	}
	e.Entries, e.HasEntries = names, true
}

func isControl(r rune) bool { return r < ' ' }

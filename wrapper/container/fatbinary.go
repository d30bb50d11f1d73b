package container

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"

	"offlink/wrapper/devimg"
)

// The layout of a CUDA fat binary, which NVIDIA does not document. It was read
// out of the libraries in NVIDIA's wheels (CUDA 11 to 13) and out of the files
// that clang's driver makes with the fatbinary tool, all fields little-endian:
//
//	header  u32 magic = BA55ED50; u16 version; u16 size of the header;
//	        u64 size of the entries
//	entry   +0  u16 kind: 1 PTX, 2 ELF; u16 version; u32 size of this header;
//	            u64 size of the payload, which is padded to 8 bytes
//	        +16 u32 size of the compressed payload, or 0; u32 offset in this
//	            header of the pair that locates the PTX options
//	        +24 u16 minor and u16 major version; u32 architecture: 90 is sm_90
//	        +32 u32 offset and u32 length of a name in this header
//	        +40 u64 flags; u64 zero; u64 size before compression, or 0
//
// The options of PTX are an offset and a length in the header.
const (
	fatMagic         = 0xBA55ED50
	fatHeaderSize    = 16
	fatEntrySize     = 64
	fatKindPTX       = 1
	fatKindELF       = 2
	fatFlagLZ4       = 0x2000
	fatFlagZstd      = 0x8000
	fatFlagsPacked   = fatFlagLZ4 | fatFlagZstd
	fatPackedSize    = 16 // offsets of fields in an entry's header
	fatOptions       = 20
	fatArchitecture  = 28
	fatName          = 32
	fatFlags         = 40
	fatInflated      = 56
	fatPayloadSize   = 8
	fatPayloadAlign  = 8
	fatMaxHeaderSize = 1 << 16
)

// The keys of the facts of an entry that no field of an image has.
const (
	StringForm        = "form"         // "ptx" or "elf", where the code is compressed, so that its first bytes do not show it
	StringCompression = "compression"  // "lz4" or "zstd": the code is compressed until Uncompress
	StringInflated    = "uncompressed" // its size in bytes before compression
)

// The values of StringCompression.
const (
	MethodLZ4  = "lz4"
	MethodZstd = "zstd"
)

// cudaTarget is the triple of all code in fat binaries.
const cudaTarget = "nvptx64-nvidia-cuda"

func isFatBinary(data []byte) bool {
	return len(data) >= fatHeaderSize && u32(data, 0) == fatMagic
}

// readFatBinary reads one fat binary. Compressed entries stay compressed: [Uncompress] inflates
// them.
func readFatBinary(data []byte) (int, []Entry, error) {
	f, err := openFatBinary(data)
	if err != nil {
		return 0, nil, err
	}
	var entries []Entry
	for at := f.first; at < f.end; {
		e, next, err := f.readEntry(at)
		if err != nil {
			return 0, nil, fmt.Errorf("entry %d: %w", len(entries), err)
		}
		entries = append(entries, e)
		at = next
	}
	return int(f.end), entries, nil
}

// fatFile is a fat binary while it is read.
type fatFile struct {
	reader
	first, end uint64 // of its entries
}

// openFatBinary checks the header and cuts the data off after the last entry.
func openFatBinary(data []byte) (*fatFile, error) {
	f := &fatFile{reader: reader{form: FatBinary, data: data}}
	head, err := f.slice(0, fatHeaderSize, "header")
	if err != nil {
		return nil, err
	}
	f.first = uint64(u16(head, 6))
	size := u64(head, 8)
	if f.first < fatHeaderSize {
		return nil, f.errorf(6, "a header of %d bytes", f.first)
	}
	if _, err := f.slice(f.first, size, "entries"); err != nil {
		return nil, err
	}
	f.end = f.first + size
	f.data = data[:f.end:f.end]
	return f, nil
}

// readHeader returns the header of the entry at an offset, and the offset and
// size of its payload.
func (f *fatFile) readHeader(at uint64) (head []byte, payload, size uint64, err error) {
	fixed, err := f.slice(at, fatEntrySize, "entry")
	if err != nil {
		return nil, 0, 0, err
	}
	length := uint64(u32(fixed, 4))
	if length < fatEntrySize || length > fatMaxHeaderSize {
		return nil, 0, 0, f.errorf(at+4, "an entry's header of %d bytes", length)
	}
	if head, err = f.slice(at, length, "entry"); err != nil {
		return nil, 0, 0, err
	}
	size = u64(head, fatPayloadSize)
	_, err = f.slice(at+length, size, "payload")
	return head, at + length, size, err
}

// readEntry reads an entry and returns where the next one begins.
func (f *fatFile) readEntry(at uint64) (e Entry, next uint64, err error) {
	head, payload, size, err := f.readHeader(at)
	if err != nil {
		return e, 0, err
	}
	next = payload + size
	packed := u64(head, fatFlags)&fatFlagsPacked != 0
	if n := uint64(u32(head, fatPackedSize)); packed && n > 0 && n <= size {
		size = n // without the padding
	}
	e.setCode(f.data, payload, size)
	e.Kind, e.Target = devimg.KindCUDA, cudaTarget
	e.Arch = "sm_" + strconv.FormatUint(uint64(u32(head, fatArchitecture)), 10)
	form := fatForm(u16(head, 0))
	if form == "ptx" {
		e.CompileOptions = f.indirectText(head, fatOptions)
		if !packed {
			e.trimPadding()
		}
	}
	if name := headerText(head, u32(head, fatName), u32(head, fatName+4)); name != "" {
		e.Strings = append(e.Strings, String{"name", name})
	}
	if packed {
		method, inflated := fatCompression(u64(head, fatFlags)), u64(head, fatInflated)
		e.Image.Code = &packedCode{Code: e.Image.Code, method: method, size: int64(inflated), text: form == "ptx"}
		e.Strings = append(e.Strings, String{StringForm, form}, String{StringCompression, method},
			String{StringInflated, strconv.FormatUint(inflated, 10)})
	}
	e.Name = e.Arch + "." + form
	return e, next, nil
}

// trimPadding takes the zeros off the end of a text, at most as many as padding can have.
func (e *Entry) trimPadding() {
	n := len(bytes.TrimRight(e.Data, "\x00"))
	n = max(n, len(e.Data)-fatPayloadAlign)
	e.Data = e.Data[:n:n]
	e.Image.Code = devimg.Bytes(e.Data)
}

// indirectText returns the text that an offset and a length in the header locate; field is where
// the offset of this pair is.
func (f *fatFile) indirectText(head []byte, field int) string {
	at := uint64(u32(head, field))
	if at < fatEntrySize || at+8 > uint64(len(head)) {
		return ""
	}
	return headerText(head, u32(head, int(at)), u32(head, int(at)+4))
}

// headerText returns the text at an offset of an entry's header, or an empty
// string if it does not lie in the header.
func headerText(head []byte, off, n uint32) string {
	if n == 0 || off < fatEntrySize || uint64(off)+uint64(n) > uint64(len(head)) {
		return ""
	}
	return string(bytes.Trim(head[off:off+n], "\x00 "))
}

func fatForm(kind uint16) string {
	switch kind {
	case fatKindPTX:
		return "ptx"
	case fatKindELF:
		return "elf"
	}
	return "kind " + strconv.Itoa(int(kind))
}

func fatCompression(flags uint64) string {
	if flags&fatFlagZstd != 0 {
		return MethodZstd
	}
	return MethodLZ4
}

// rebuildFatBinary makes a fat binary again with other code of entry n, or without the entry if
// code is nil. New code is stored uncompressed, unless it is the compressed code that the entry has.
func rebuildFatBinary(data []byte, n int, code devimg.Code) ([]devimg.Code, error) {
	f, err := openFatBinary(data)
	if err != nil {
		return nil, err
	}
	var out pieces
	for at, i := f.first, 0; at < f.end; i++ {
		head, payload, size, err := f.readHeader(at)
		if err != nil {
			return nil, err
		}
		next := payload + size
		switch {
		case i != n:
			out.appendBytes(f.data[at:next])
		case code != nil:
			if err := out.appendFatEntry(head, f.data[payload:next], code); err != nil {
				return nil, err
			}
		}
		at = next
	}
	header := bytes.Clone(f.data[:f.first])
	binary.LittleEndian.PutUint64(header[8:], uint64(out.size))
	return append([]devimg.Code{devimg.Bytes(header)}, out.list...), nil
}

// appendFatEntry appends an entry with other code. old is the payload so far, with its padding.
func (p *pieces) appendFatEntry(head, old []byte, code devimg.Code) error {
	head = bytes.Clone(head)
	flags := u64(head, fatFlags)
	if flags&fatFlagsPacked != 0 && looksPacked(code) {
		same, err := sameBytes(code, old)
		if err != nil {
			return err
		}
		if !same {
			return errors.New("the entry is compressed, and the new code is neither an ELF file nor PTX: give it uncompressed")
		}
		p.appendBytes(head)
		p.appendBytes(old)
		return nil
	}
	size := (code.Size() + fatPayloadAlign - 1) &^ (fatPayloadAlign - 1)
	if u16(head, 0) == fatKindPTX && size == code.Size() {
		size += fatPayloadAlign // it ends with a NUL
	}
	binary.LittleEndian.PutUint64(head[fatPayloadSize:], uint64(size))
	binary.LittleEndian.PutUint32(head[fatPackedSize:], 0)
	binary.LittleEndian.PutUint64(head[fatFlags:], flags&^fatFlagsPacked)
	binary.LittleEndian.PutUint64(head[fatInflated:], 0)
	p.appendBytes(head)
	p.appendCode(code)
	p.appendBytes(make([]byte, size-code.Size()))
	return nil
}

// looksPacked reports whether code is neither an ELF file nor text, and so may be compressed.
func looksPacked(code devimg.Code) bool {
	var head [64]byte
	n, _ := code.ReadAt(head[:], 0)
	if bytes.HasPrefix(head[:n], []byte(elf.ELFMAG)) {
		return false
	}
	for _, c := range head[:n] {
		if c >= 0x7f || c < ' ' && c != '\n' && c != '\r' && c != '\t' {
			return true
		}
	}
	return n == 0
}

// sameBytes reports whether old is code followed by padding.
func sameBytes(code devimg.Code, old []byte) (bool, error) {
	if n := int64(len(old)) - code.Size(); n < 0 || n >= fatPayloadAlign {
		return false, nil
	}
	b, err := devimg.ReadCode(code)
	return bytes.HasPrefix(old, b), err
}

package container

import (
	"bytes"
	"crypto/md5"
	"encoding/binary"
	"fmt"
	"io"

	"offlink/wrapper/devimg"
)

// The header of a compressed bundle (clang/Driver/OffloadBundler.h):
//
//	u8 magic[4] = "CCOB"; u16 version; u16 method: 0 zlib, 1 zstd
//	version 1: u32 inflated size; u64 hash
//	version 2: u32 size of everything; u32 inflated size; u64 hash
//	version 3: u64 size of everything; u64 inflated size; u64 hash
//
// The hash is the beginning of an MD5 sum and does not guard against anything.
const (
	ccobMagic  = "CCOB"
	ccobNewest = 3
)

var ccobHeaderSize = [...]uint64{1: 20, 2: 24, 3: 32}

func isCompressedBundle(data []byte) bool { return bytes.HasPrefix(data, []byte(ccobMagic)) }

// readCompressedBundle inflates a bundle and reads it. Version 1 has no field for its end, so it
// takes all bytes.
func readCompressedBundle(data []byte, b *Budget) (int, []Entry, error) {
	r := &reader{form: BundleCompressed, data: data}
	size, inflated, header, err := r.ccobHeader()
	if err != nil {
		return 0, nil, err
	}
	packed, err := r.slice(header, size-header, "compressed bytes")
	if err != nil {
		return 0, nil, err
	}
	body, err := b.inflate(nil, packed, inflated)
	if err != nil {
		return 0, nil, fmt.Errorf("%s: %w", r.form, err)
	}
	entries, err := Read(body.data, b)
	for i := range entries {
		entries[i].inFile(body)
	}
	return int(size), entries, err
}

func (r *reader) ccobHeader() (size, inflated, header uint64, err error) {
	head, err := r.slice(0, 8, "header")
	if err != nil {
		return 0, 0, 0, err
	}
	version := u16(head, 4)
	if version == 0 || version > ccobNewest {
		return 0, 0, 0, r.errorf(4, "version %d: versions 1 to %d are read", version, ccobNewest)
	}
	header = ccobHeaderSize[version]
	if head, err = r.slice(0, header, "header"); err != nil {
		return 0, 0, 0, err
	}
	switch version {
	case 1:
		size, inflated = uint64(len(r.data)), uint64(u32(head, 8))
	case 2:
		size, inflated = uint64(u32(head, 8)), uint64(u32(head, 12))
	default:
		size, inflated = u64(head, 8), u64(head, 16)
	}
	if size < header || size > uint64(len(r.data)) {
		return 0, 0, 0, r.errorf(8, "a size of %d bytes of %d", size, len(r.data))
	}
	return size, inflated, header, nil
}

// rebuildCompressedBundle makes a compressed bundle again, with other code of entry n, in its own
// version and method.
func rebuildCompressedBundle(data []byte, n int, code devimg.Code, b *Budget) ([]devimg.Code, error) {
	r := &reader{form: BundleCompressed, data: data}
	size, inflated, header, err := r.ccobHeader()
	if err != nil {
		return nil, err
	}
	body, err := b.inflate(nil, data[header:size], inflated)
	if err != nil {
		return nil, err
	}
	list, err := Replace(body.data, n, code, b)
	if err != nil {
		return nil, err
	}
	sum := md5.New()
	if err := b.writeAll(sum, list); err != nil {
		return nil, err
	}
	packed, err := b.storeCode(func(w io.Writer) error { return b.deflate(w, list, IsZstd(data[header:])) })
	if err != nil {
		return nil, err
	}
	head, err := encodeCCOB(u16(data, 4), u16(data, 6), sizeOf(list), packed.Size(), sum.Sum(nil))
	return []devimg.Code{devimg.Bytes(head), packed}, err
}

// encodeCCOB returns the header of a compressed bundle.
func encodeCCOB(version, method uint16, inflated, packed int64, hash []byte) ([]byte, error) {
	head := binary.LittleEndian.AppendUint16([]byte(ccobMagic), version)
	head = binary.LittleEndian.AppendUint16(head, method)
	size := ccobHeaderSize[version] + uint64(packed)
	if version < 3 && max(size, uint64(inflated)) > 1<<32-1 {
		return nil, fmt.Errorf("version %d of a compressed bundle holds less than 4 GiB", version)
	}
	switch version {
	case 1:
		head = binary.LittleEndian.AppendUint32(head, uint32(inflated))
	case 2:
		head = binary.LittleEndian.AppendUint32(head, uint32(size))
		head = binary.LittleEndian.AppendUint32(head, uint32(inflated))
	default:
		head = binary.LittleEndian.AppendUint64(head, size)
		head = binary.LittleEndian.AppendUint64(head, uint64(inflated))
	}
	return append(head, hash[:8]...), nil
}

package objfile

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"io"
)

// The embedded signature of a Mach-O file (Darwin's cs_blobs.h), big-endian:
//
//	super blob      u32 magic; u32 length; u32 number; {u32 slot, u32 offset}...
//	code directory  u32 magic; u32 length; u32 version; u32 flags;
//	                u32 offset of the hashes; u32 offset of the identifier;
//	                u32 number of special slots; u32 number of code slots;
//	                u32 length of the code; u8 size, u8 kind of a hash;
//	                u8 platform; u8 logarithm of the page size
const (
	machoLoadSignature = 0x1d

	superBlobMagic     = 0xfade0cc0
	codeDirectoryMagic = 0xfade0c02
	codeDirectorySlot  = 0
	signatureSlot      = 0x10000 // of a certificate
	codeAdHoc          = 0x2
	hashSHA256         = 2
)

// ErrSigned means that an edited file has to be signed again by the owner of the certificate.
var ErrSigned = errors.New("the file is signed with a certificate, which does not hold for the edited file: remove the signature first (codesign --remove-signature) and sign the result")

// Resign returns the patches that make a file's ad-hoc signature hold for
// edited bytes of the same size: arm64 systems run no program whose pages
// have other hashes. A file without a signature needs none.
func (e *Editor) Resign(edited io.ReaderAt) ([]Patch, error) {
	f, ok := e.format.(*machoEditor)
	if !ok || len(f.signature) == 0 {
		return nil, nil
	}
	directory, at, err := f.codeDirectory()
	if err != nil {
		return nil, err
	}
	hashes, count := binary.BigEndian.Uint32(directory[16:]), binary.BigEndian.Uint32(directory[28:])
	limit, page := int64(binary.BigEndian.Uint32(directory[32:])), int64(1)<<(directory[39]&31)
	if uint64(hashes)+uint64(count)*sha256.Size > uint64(len(directory)) || limit > int64(len(f.data)) || int64(count) != (limit+page-1)/page {
		return nil, f.errorf(at, "a signature of %d pages for %d bytes", count, limit)
	}
	var patches []Patch
	for i := range int64(count) {
		hash, err := hashPage(edited, i*page, min(page, limit-i*page))
		if err != nil {
			return nil, err
		}
		slot := int64(hashes) + i*sha256.Size
		if !bytes.Equal(hash, directory[slot:slot+sha256.Size]) {
			patches = append(patches, Patch{at + slot, Bytes(hash)})
		}
	}
	return patches, nil
}

// hashPage returns the SHA-256 of a page, as a code signature has it.
func hashPage(r io.ReaderAt, off, n int64) ([]byte, error) {
	h := sha256.New()
	_, err := io.Copy(h, io.NewSectionReader(r, off, n))
	return h.Sum(nil), err
}

// codeDirectory returns the code directory of an ad-hoc signature and where
// in the file it is.
func (f *machoFile) codeDirectory() (directory []byte, at int64, err error) {
	s := f.signature
	if len(s) < 12 || binary.BigEndian.Uint32(s) != superBlobMagic || uint64(binary.BigEndian.Uint32(s[8:]))*8 > uint64(len(s)-12) {
		return nil, 0, f.errorf(f.signatureAt, "the signature is malformed")
	}
	for index := s[12 : 12+8*binary.BigEndian.Uint32(s[8:])]; len(index) > 0; index = index[8:] {
		slot, off := binary.BigEndian.Uint32(index), uint64(binary.BigEndian.Uint32(index[4:]))
		if slot == signatureSlot && off+8 < uint64(len(s)) && binary.BigEndian.Uint32(s[off+4:]) > 8 {
			return nil, 0, ErrSigned
		}
		if slot == codeDirectorySlot && off < uint64(len(s)) {
			directory, at = s[off:], f.signatureAt+int64(off)
		}
	}
	if len(directory) < 44 || binary.BigEndian.Uint32(directory) != codeDirectoryMagic ||
		directory[36] != sha256.Size || directory[37] != hashSHA256 || binary.BigEndian.Uint32(directory[12:])&codeAdHoc == 0 {
		return nil, 0, ErrSigned
	}
	return directory, at, nil
}

package devimg

import (
	"debug/elf"
	"encoding/binary"

	"offlink/spirv"
)

// The first words of known forms of code, little-endian. The runtime looks at
// them where an image says FormatNone (device_binary_image.cpp).
const (
	magicBitcode = 0xDEC04342
	magicNative  = 0x43544E49 // "INTC"
	magicZstd    = 0xFD2FB528
	magicELF     = 0x464C457F // elf.ELFMAG
)

// sniffBytes is how much of an image Sniff looks at.
const sniffBytes = 20

// sectionZebin is the section that only ELF files for Intel's GPUs have (zebin).
const sectionZebin = ".ze_info"

// Sniff returns the format that the first bytes of c show, or FormatNone. ELF files are native
// code if they have one of Intel's types 0xFF04 and 0xFF12, or a section .ze_info, for which the
// whole of c has to be there.
func Sniff(c Code) Format {
	var head [sniffBytes]byte
	n, _ := c.ReadAt(head[:], 0)
	if n < 4 {
		return FormatNone
	}
	switch binary.LittleEndian.Uint32(head[:]) {
	case spirv.Magic:
		return FormatSPIRV
	case magicBitcode:
		return FormatLLVMBitcode
	case magicNative:
		return FormatNative
	case magicZstd:
		return FormatCompressedNone
	case magicELF:
		return sniffELF(c, head[:n])
	}
	return FormatNone
}

// sniffELF reads the sections only of files that may have Intel's: a program for NVIDIA's or AMD's
// GPUs has thousands of images.
func sniffELF(c Code, head []byte) Format {
	if len(head) < sniffBytes {
		return FormatNone
	}
	switch binary.LittleEndian.Uint16(head[16:]) { // e_type
	case 0xFF04, 0xFF12:
		return FormatNative
	}
	switch elf.Machine(binary.LittleEndian.Uint16(head[18:])) {
	case elf.EM_CUDA, elf.EM_AMDGPU:
		return FormatNone
	}
	if f, err := elf.NewFile(c); err == nil && f.Section(sectionZebin) != nil {
		return FormatNative
	}
	return FormatNone
}

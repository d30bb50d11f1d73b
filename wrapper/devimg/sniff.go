package devimg

import (
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
const sniffBytes = 18

// Sniff returns the format that the first bytes of c show, or FormatNone. ELF files of Intel's
// types 0xFF04 and 0xFF12 are native; others remain FormatNone, as only their sections could tell.
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
		return sniffELF(head[:n])
	}
	return FormatNone
}

func sniffELF(head []byte) Format {
	if len(head) < sniffBytes {
		return FormatNone
	}
	switch binary.LittleEndian.Uint16(head[16:]) {
	case 0xFF04, 0xFF12:
		return FormatNative
	}
	return FormatNone
}

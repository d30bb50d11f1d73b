package cuda

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
)

// codeKind is the form of code.
type codeKind int

const (
	codePTX codeKind = iota
	codeCubin
	codeFatBinary
)

// A fat binary begins with its magic number, two numbers of 16 bits, of which
// the second is the size of this header, and the size of the rest (fatbinary.h).
const (
	fatBinaryHeaderSize = 6
	fatBinarySize       = 8
	fatBinaryHeader     = 16
)

var fatBinaryMagic = []byte{0x50, 0xed, 0x55, 0xba}

func kindOf(code []byte) codeKind {
	switch {
	case bytes.HasPrefix(code, []byte(elf.ELFMAG)):
		return codeCubin
	case bytes.HasPrefix(code, fatBinaryMagic):
		return codeFatBinary
	}
	return codePTX
}

// checkWhole refuses native code that ends early: the driver is given an address
// and no size, and reads as far as the headers say.
func checkWhole(kind codeKind, code []byte) error {
	switch kind {
	case codeCubin:
		return checkCubin(code)
	case codeFatBinary:
		if len(code) < fatBinaryHeader {
			return errors.New("the fat binary ends within its header")
		}
		head := uint64(binary.LittleEndian.Uint16(code[fatBinaryHeaderSize:]))
		rest := binary.LittleEndian.Uint64(code[fatBinarySize:])
		if size := uint64(len(code)); head > size || rest > size-head {
			return fmt.Errorf("the fat binary has %d bytes, and its header says %d and %d more", size, head, rest)
		}
	}
	return nil
}

// checkCubin checks that the headers and the sections of an ELF file are there.
func checkCubin(code []byte) error {
	file, err := elf.NewFile(bytes.NewReader(code))
	if err != nil {
		return fmt.Errorf("not a whole cubin: %w", err)
	}
	if file.Machine != elf.EM_CUDA || file.Class != elf.ELFCLASS64 {
		return fmt.Errorf("an ELF file for %v of class %v, which is not a cubin", file.Machine, file.Class)
	}
	for _, s := range file.Sections {
		if size := uint64(len(code)); s.Type != elf.SHT_NOBITS && (s.Offset > size || s.FileSize > size-s.Offset) {
			return fmt.Errorf("the cubin ends before its section %s does", s.Name)
		}
	}
	return nil
}

package cuda

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"

	"offlink/ptx"
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
	case ptx.IsCubin(code):
		return codeCubin
	case bytes.HasPrefix(code, fatBinaryMagic):
		return codeFatBinary
	}
	return codePTX
}

// checkFatBinary refuses one that ends early: the driver is given an address and no size, and
// reads as far as the header says.
func checkFatBinary(code []byte) error {
	if len(code) < fatBinaryHeader {
		return errors.New("the fat binary ends within its header")
	}
	head := uint64(binary.LittleEndian.Uint16(code[fatBinaryHeaderSize:]))
	rest := binary.LittleEndian.Uint64(code[fatBinarySize:])
	if size := uint64(len(code)); head > size || rest > size-head {
		return fmt.Errorf("the fat binary has %d bytes, and its header says %d and %d more", size, head, rest)
	}
	return nil
}

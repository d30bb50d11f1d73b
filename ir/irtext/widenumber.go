package irtext

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
)

// maxWideBits limits the width of the integers that are decoded.
const maxWideBits = 1 << 16

// wideInteger returns the bits of an integer of any width, 64 to a word, lowest
// first. u0x and s0x are hexadecimal; s0x has a sign bit.
func wideInteger(text string, bits uint32) ([]uint64, bool) {
	n := new(big.Int)
	ok := false
	if len(text) > 3 && text[1:3] == "0x" {
		_, ok = n.SetString(text[3:], 16)
		if width := uint(4 * (len(text) - 3)); ok && text[0] == 's' && n.Bit(int(width)-1) == 1 {
			n.Sub(n, new(big.Int).Lsh(big.NewInt(1), width))
		}
	} else {
		_, ok = n.SetString(text, 10)
	}
	if !ok || bits > maxWideBits {
		return nil, false
	}
	modulus := new(big.Int).Lsh(big.NewInt(1), uint(bits))
	n.And(n, new(big.Int).Sub(modulus, big.NewInt(1))) // of a negative number, the two's complement
	raw := n.FillBytes(make([]byte, (bits+63)/64*8))
	slices.Reverse(raw)
	return wordsOf(raw), true
}

// appendWideInteger appends an integer as LLVM writes it: signed decimal.
func appendWideInteger(b []byte, bits uint32, words []uint64) []byte {
	n := new(big.Int)
	for _, w := range slices.Backward(words) {
		n.Or(n.Lsh(n, 64), new(big.Int).SetUint64(w))
	}
	if bits > 0 && n.Bit(int(bits)-1) == 1 {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(bits)))
	}
	return n.Append(b, 10)
}

// wideFloat returns the words of a number of more than 64 bits: 0xK, 0xL and
// 0xM are followed by its bits in hexadecimal.
func wideFloat(text string) []uint64 {
	if len(text) < 3 || text[:2] != "0x" {
		return nil
	}
	hex := text[3:]
	if len(hex) <= 16 {
		n, _ := strconv.ParseUint(hex, 16, 64)
		return []uint64{n, 0}
	}
	if text[2] == 'K' { // 80 bits: four digits of sign and exponent first
		high, _ := strconv.ParseUint(hex[:4], 16, 64)
		low, _ := strconv.ParseUint(hex[4:min(20, len(hex))], 16, 64)
		return []uint64{low, high}
	}
	low, _ := strconv.ParseUint(hex[:16], 16, 64)
	high, _ := strconv.ParseUint(hex[16:min(32, len(hex))], 16, 64)
	return []uint64{low, high}
}

// appendWideFloat appends the bits of such a number as LLVM writes them.
func appendWideFloat(b []byte, typeName string, words []uint64) []byte {
	switch typeName {
	case "x86_fp80":
		return fmt.Appendf(b, "0xK%04X%016X", words[1], words[0])
	case "ppc_fp128":
		return fmt.Appendf(b, "0xM%016X%016X", words[0], words[1])
	}
	return fmt.Appendf(b, "0xL%016X%016X", words[0], words[1])
}

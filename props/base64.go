package props

import "fmt"

// The encoding of byte arrays in .prop text (LLVM, Base64.cpp). It has the
// alphabet of RFC 4648 but not its bit order: the bytes are one little-endian
// bit string, and character i holds the bits from 6i to 6i+5. Without
// padding, n bytes are ceil(8n/6) characters.

const base64Alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

// base64Values is the inverse of base64Alphabet; notBase64 elsewhere.
var base64Values = func() (values [256]byte) {
	for i := range values {
		values[i] = notBase64
	}
	for i := range len(base64Alphabet) {
		values[base64Alphabet[i]] = byte(i)
	}
	return values
}()

const notBase64 = 0xff

// appendBase64 appends the text of data to dst.
func appendBase64(dst, data []byte) []byte {
	var bits uint32
	var n int
	for _, b := range data {
		bits |= uint32(b) << n
		for n += 8; n >= 6; n -= 6 {
			dst = append(dst, base64Alphabet[bits&63])
			bits >>= 6
		}
	}
	if n > 0 {
		dst = append(dst, base64Alphabet[bits&63])
	}
	return dst
}

// decodeBase64 returns the bytes that text stands for.
func decodeBase64(text []byte) ([]byte, error) {
	if len(text)%4 == 1 {
		return nil, fmt.Errorf("invalid encoded sequence length: %d characters leave one over", len(text))
	}
	data := make([]byte, 0, len(text)*6/8)
	var bits uint32
	var n int
	for i, c := range text {
		v := base64Values[c]
		if v == notBase64 {
			return nil, badBase64(c, i, len(text))
		}
		bits |= uint32(v) << n
		if n += 6; n >= 8 {
			data = append(data, byte(bits))
			bits >>= 8
			n -= 8
		}
	}
	return data, nil
}

// badBase64 names the character c that stands at i of n where none may.
func badBase64(c byte, i, n int) error {
	if i >= n/4*4 {
		return fmt.Errorf("invalid characters in the encoded sequence remainder: 0x%02x at character %d", c, i+1)
	}
	return fmt.Errorf("invalid char in Base64Impl encoding: 0x%02x at character %d", c, i+1)
}

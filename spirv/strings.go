package spirv

// A literal string is UTF-8 octets, four to a word, lowest byte first, with a
// terminating zero and zeros to the end of the last word.

// stringWords returns the number of words of the literal at the start of words, or 0 if it does
// not end within them.
func stringWords(words []uint32) int {
	for i, w := range words {
		if w&0xff == 0 || w&0xff00 == 0 || w&0xff0000 == 0 || w&0xff000000 == 0 {
			return i + 1
		}
	}
	return 0
}

// getString returns the literal at the start of words and the words after it.
func getString(words []uint32) (string, []uint32) {
	n := stringWords(words)
	text := make([]byte, 0, 4*n)
	for _, w := range words[:n] {
		for range 4 {
			if w&0xff == 0 {
				return string(text), words[n:]
			}
			text = append(text, byte(w))
			w >>= 8
		}
	}
	return string(text), words[n:]
}

// appendString appends the words of a literal string, which ends before the first zero byte of s.
func appendString(words []uint32, s string) []uint32 {
	var w uint32
	for i := range len(s) {
		if s[i] == 0 {
			s = s[:i]
			break
		}
	}
	for i := range len(s) {
		w |= uint32(s[i]) << (8 * (i % 4))
		if i%4 == 3 {
			words, w = append(words, w), 0
		}
	}
	return append(words, w)
}

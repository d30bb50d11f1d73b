package irtext

import "strconv"

func formatNumber(n uint32) string { return strconv.FormatUint(uint64(n), 10) }

// appendName appends a name as it stands after a sigil: bare where it can be,
// else quoted.
func appendName(b, text []byte) []byte {
	if bareName(text) {
		return append(b, text...)
	}
	return appendQuoted(b, text)
}

// bareName reports whether the name needs no quotes.
func bareName(text []byte) bool {
	if len(text) == 0 || class[text[0]]&classLetter == 0 {
		return false
	}
	for _, c := range text {
		if class[c]&classWord == 0 {
			return false
		}
	}
	return true
}

// appendQuoted appends a string in quotes, escaped as LLVM prints it.
func appendQuoted(b, text []byte) []byte {
	b = append(b, '"')
	b = appendEscaped(b, text)
	return append(b, '"')
}

const upperHex = "0123456789ABCDEF"

// appendEscaped appends text with the escapes of LLVM's printEscapedString:
// two upper-case digits after a backslash.
func appendEscaped(b, text []byte) []byte {
	for _, c := range text {
		if c < ' ' || c > '~' || c == '"' || c == '\\' {
			b = append(b, '\\', upperHex[c>>4], upperHex[c&15])
		} else {
			b = append(b, c)
		}
	}
	return b
}

// appendMetadataName appends the name of named metadata or of a metadata
// kind, which has escapes but no quotes.
func appendMetadataName(b []byte, text string) []byte {
	for i := range len(text) {
		c := text[i]
		if class[c]&classLetter != 0 || i > 0 && class[c]&classDigit != 0 {
			b = append(b, c)
		} else {
			b = append(b, '\\', upperHex[c>>4], upperHex[c&15])
		}
	}
	return b
}

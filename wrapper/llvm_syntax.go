package wrapper

import (
	"strings"

	"offlink/wrapper/devimg"
)

// irName spells a global's name, quoted where its characters need that.
func irName(name string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-$._", r)
	}
	if strings.IndexFunc(name, func(r rune) bool { return !plain(r) }) >= 0 {
		return "@" + irString(name)
	}
	return "@" + name
}

// irString quotes a string.
func irString(s string) string {
	return `"` + string(appendEscaped(nil, []byte(s))) + `"`
}

func (m *irModule) writeEscaped(data []byte) {
	m.Write(appendEscaped(nil, data))
}

// writeCode writes the bytes of an image.
func (m *irModule) writeCode(c devimg.Code) error {
	piece := make([]byte, 64<<10)
	escaped := make([]byte, 0, 3*len(piece))
	for at, size := int64(0), c.Size(); at < size; {
		n, err := c.ReadAt(piece[:min(int64(len(piece)), size-at)], at)
		if n == 0 && err != nil {
			return err
		}
		escaped = appendEscaped(escaped[:0], piece[:n])
		m.Write(escaped)
		at += int64(n)
	}
	return nil
}

// appendEscaped appends data as it stands between quotes in IR.
func appendEscaped(dst, data []byte) []byte {
	const hex = "0123456789ABCDEF"
	for _, c := range data {
		if c >= ' ' && c <= '~' && c != '"' && c != '\\' {
			dst = append(dst, c)
		} else {
			dst = append(dst, '\\', hex[c>>4], hex[c&15])
		}
	}
	return dst
}

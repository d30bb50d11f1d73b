package pi

import (
	"encoding/binary"
	"strings"
	"unsafe"
)

// record is struct _pi_plugin, which the plugin fills: versions as text, a pointer, and the
// table, at offsets that grew with the interface. It is larger than the known tables, as
// newer plugins write a longer table whatever version was asked for.
type record [32 << 10]byte

// layout is where a record has its parts, and the length of a version's text.
type layout struct{ version, length, table int }

var (
	layout5  = layout{4, 4, 16}   // up to 5.7
	layout9  = layout{10, 10, 32} // 9.11
	layout11 = layout{20, 20, 48} // from 11.15 on
)

// layoutOf is the layout of a known version.
func layoutOf(table int) layout {
	switch tableVersions[table] {
	case "5.7":
		return layout5
	case "9.11":
		return layout9
	}
	return layout11
}

func newRecord(version string) *record {
	r := new(record)
	copy(r[:], version)
	return r
}

// version finds the plugin's version: the offset at which a version stands.
func (r *record) version() (version string, l layout, ok bool) {
	for _, l := range []layout{layout11, layout9, layout5} {
		text := r[l.version : l.version+l.length]
		version, rest, _ := strings.Cut(string(text), "\x00")
		if isVersion(version) && strings.Trim(rest, "\x00") == "" {
			return version, l, true
		}
	}
	return "", layout{}, false
}

// isVersion reports whether a text is numbers joined by points, two or more.
func isVersion(text string) bool {
	parts := strings.Split(text, ".")
	for _, part := range parts {
		if part == "" || len(part) > 9 || strings.Trim(part, "0123456789") != "" {
			return false
		}
	}
	return len(parts) >= 2
}

// majorMinor is a version without the plugin's own number.
func majorMinor(version string) string {
	parts := strings.SplitN(version, ".", 3)
	return parts[0] + "." + parts[1]
}

func (r *record) pointer(offset int) uintptr {
	return uintptr(binary.NativeEndian.Uint64(r[offset : offset+int(unsafe.Sizeof(uint64(0)))]))
}

// printable is text with everything else as points, for messages.
func printable(data []byte) string {
	return strings.Map(func(c rune) rune {
		if c < ' ' || c > '~' {
			return '.'
		}
		return c
	}, strings.TrimRight(string(data), "\x00"))
}

package container

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"offlink/wrapper/devimg"
)

// BundleMagic begins a bundle, and the names of sections that are one
// (clang-offload-bundler).
const BundleMagic = "__CLANG_OFFLOAD_BUNDLE__"

// bundleStart and bundleEnd delimit the parts of a text bundle, after the
// comment sign of its language and before the part's id.
const (
	bundleStart = BundleMagic + "__START__ "
	bundleEnd   = BundleMagic + "__END__ "
)

// isBundle recognizes the binary form: the magic and a number of entries, whose highest byte is 0.
// The name of a section in a text file begins with the magic too, but letters follow.
func isBundle(data []byte) bool {
	return bytes.HasPrefix(data, []byte(BundleMagic)) && len(data) >= len(BundleMagic)+8 && data[len(BundleMagic)+7] == 0
}

// readBundle reads a binary bundle: the magic, u64 number of entries, and for
// each u64 offset, u64 size, u64 length of the id and the id. It has no size
// of its own and ends with its last entry.
func readBundle(data []byte) (int, []Entry, error) {
	r := &reader{form: Bundle, data: data}
	at := uint64(len(BundleMagic))
	count, end := u64(data, int(at)), at+8
	at += 8
	var entries []Entry
	for i := range count {
		head, err := r.slice(at, 24, "entry")
		if err != nil {
			return 0, nil, fmt.Errorf("entry %d of %d: %w", i, count, err)
		}
		off, size := u64(head, 0), u64(head, 8)
		id, err := r.slice(at+24, u64(head, 16), "id")
		if err != nil {
			return 0, nil, fmt.Errorf("entry %d of %d: %w", i, count, err)
		}
		if _, err := r.slice(off, size, "code"); err != nil {
			return 0, nil, fmt.Errorf("entry %d of %d (%s): %w", i, count, shorten(id), err)
		}
		at += 24 + uint64(len(id))
		e := newBundleEntry(string(id))
		e.setCode(data, off, size)
		entries = append(entries, e)
		end = max(end, at, off+size)
	}
	return int(end), entries, nil
}

// shorten cuts a name, which may be hostile, for a message.
func shorten(name []byte) []byte { return name[:min(len(name), 200)] }

// newBundleEntry makes an entry from an id: <kind>-<triple>[-<target id>].
func newBundleEntry(id string) Entry {
	e := Entry{Name: id}
	e.Kind, e.Target, e.Host = ParseBundleID(id)
	e.Arch = ArchOf(e.Target)
	return e
}

// ArchOf returns the processor at the end of a target: the part after the four of a triple, or the
// fourth part if the triple has no environment.
func ArchOf(target string) string {
	parts := strings.SplitN(target, "-", 5)
	switch {
	case len(parts) == 5:
		return parts[4]
	case len(parts) == 4 && (strings.HasPrefix(parts[3], "gfx") || strings.HasPrefix(parts[3], "sm_")):
		return parts[3]
	}
	return ""
}

// ParseBundleID reads the id of a part of a bundle: the kind, the target
// after the dash, and whether it is for the host.
func ParseBundleID(id string) (kind devimg.Kind, target string, host bool) {
	name, target, _ := strings.Cut(id, "-")
	kind, known := devimg.ParseKind(name)
	switch {
	case known:
	case strings.HasPrefix(name, "hip"): // hipv4 names the code object's version
		kind = devimg.KindHIP
	case name == "cuda":
		kind = devimg.KindCUDA
	}
	return kind, target, kind == devimg.KindHost
}

// isBundleText looks for a start delimiter after a comment sign in the first line that is not
// empty.
func isBundleText(data []byte) bool {
	head := bytes.TrimLeft(data[:min(len(data), 64)], "\r\n")
	line, _, _ := bytes.Cut(head, []byte("\n"))
	at := bytes.Index(line, []byte(bundleStart))
	return at > 0 && at <= 3 // "# ", "; ", "// "
}

// readBundleText reads a text bundle: parts between lines that delimit them.
func readBundleText(data []byte) (int, []Entry, error) {
	r := &reader{form: BundleText, data: data}
	var entries []Entry
	for at := 0; ; {
		begin, id, ok := findDelimiter(data, at, bundleStart)
		if !ok {
			return len(data), entries, nil
		}
		end, after, ok := findEnd(data, begin, id)
		if !ok {
			return 0, nil, r.errorf(uint64(begin), "the part %q has no end delimiter", shorten([]byte(id)))
		}
		e := newBundleEntry(id)
		e.setCode(data, uint64(begin), uint64(end-begin))
		entries = append(entries, e)
		at = after
	}
}

// findDelimiter returns the id of the next delimiter and the offset of the line
// after it.
func findDelimiter(data []byte, from int, mark string) (after int, id string, ok bool) {
	at := bytes.Index(data[from:], []byte(mark))
	if at < 0 {
		return 0, "", false
	}
	at += from + len(mark)
	line, _, found := bytes.Cut(data[at:], []byte("\n"))
	after = at + len(line)
	if found {
		after++
	}
	return after, strings.TrimRight(string(shorten(line)), "\r "), true
}

// findEnd returns where the part that begins at from ends: at the line break
// before the comment of its end delimiter.
func findEnd(data []byte, from int, id string) (end, after int, ok bool) {
	at := bytes.Index(data[from:], []byte(bundleEnd+id))
	if at < 0 {
		return 0, 0, false
	}
	at += from
	end = from + bytes.LastIndexByte(data[from:at], '\n')
	end = max(end, from)
	after = at + len(bundleEnd) + len(id)
	return end, after, true
}

// rebuildBundle makes a binary bundle again with other code of entry n, or without the entry if
// code is nil. Parts stay aligned as all of them were, which is to 4096 bytes in HIP's bundles.
func rebuildBundle(data []byte, n int, code devimg.Code) ([]devimg.Code, error) {
	_, entries, err := readBundle(data)
	if err != nil {
		return nil, err
	}
	codes, ids, align := make([]devimg.Code, len(entries)), make([]string, len(entries)), int64(4096)
	for i := range entries {
		codes[i], ids[i] = entries[i].Code, entries[i].Name
		for align > 1 && entries[i].Offset%align != 0 {
			align /= 2
		}
	}
	codes = replaced(codes, n, code)
	if code == nil {
		ids = slices.Delete(ids, n, n+1)
	}
	return encodeBundle(ids, codes, align), nil
}

// encodeBundle encodes the table first, since it has the offsets of all codes.
func encodeBundle(ids []string, codes []devimg.Code, align int64) []devimg.Code {
	at := int64(len(BundleMagic) + 8)
	for _, id := range ids {
		at += 24 + int64(len(id))
	}
	head := binary.LittleEndian.AppendUint64([]byte(BundleMagic), uint64(len(ids)))
	for i, id := range ids {
		at = (at + align - 1) &^ (align - 1)
		head = binary.LittleEndian.AppendUint64(head, uint64(at))
		head = binary.LittleEndian.AppendUint64(head, uint64(codes[i].Size()))
		head = binary.LittleEndian.AppendUint64(head, uint64(len(id)))
		head = append(head, id...)
		at += codes[i].Size()
	}
	var out pieces
	out.appendBytes(head)
	for _, c := range codes {
		out.appendPadding(align)
		out.appendCode(c)
	}
	return out.list
}

// rebuildBundleText puts other bytes between the delimiters of a part, or takes the part out
// together with its delimiters if code is nil.
func rebuildBundleText(data []byte, n int, code devimg.Code) ([]devimg.Code, error) {
	_, entries, err := readBundleText(data)
	if err != nil {
		return nil, err
	}
	begin := entries[n].Offset
	end := begin + int64(len(entries[n].Data))
	if code == nil {
		code = devimg.Bytes(nil)
		begin = lineStart(data, begin-1)
		if next := bytes.IndexByte(data[end+1:], '\n'); next >= 0 {
			end += int64(next) + 2
		} else {
			end = int64(len(data))
		}
	}
	return []devimg.Code{devimg.Bytes(data[:begin]), code, devimg.Bytes(data[end:])}, nil
}

// lineStart returns where the last line before at begins.
func lineStart(data []byte, at int64) int64 {
	return int64(bytes.LastIndexByte(data[:max(at, 0)], '\n') + 1)
}

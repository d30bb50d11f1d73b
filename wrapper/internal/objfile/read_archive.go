package objfile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Member is a file in an archive, or the file of one machine in a universal
// Mach-O file.
type Member struct {
	Name   string
	Offset int64  // of Data in the file
	Data   []byte // shared with the file
}

const (
	archiveMagic     = "!<arch>\n"
	thinMagic        = "!<thin>\n"
	archiveHeader    = 60
	archiveHeaderEnd = "`\n"
)

// ErrThin says that an archive only names its members.
var ErrThin = errors.New("a thin archive, which only names the files that are its members: name those files, or make an archive that holds them (ar without T)")

// IsArchive reports whether data begins an archive of ar.
func IsArchive(data []byte) bool {
	return bytes.HasPrefix(data, []byte(archiveMagic)) || bytes.HasPrefix(data, []byte(thinMagic))
}

// ReadArchive returns the members of an archive of ar, without its symbol
// tables, with the long names of GNU ("//" and "/123"), of BSD ("#1/20") and
// of COFF.
func ReadArchive(data []byte) ([]Member, error) {
	if bytes.HasPrefix(data, []byte(thinMagic)) {
		return nil, ErrThin
	}
	a := archive{input: input{"archive", data}}
	for at := uint64(len(archiveMagic)); at < uint64(len(data)); {
		next, err := a.member(at)
		if err != nil {
			return nil, err
		}
		at = next + next&1 // members begin at even offsets
	}
	return a.members, nil
}

// archive is an archive while it is read.
type archive struct {
	input
	names   []byte // GNU's long names
	members []Member
}

// member reads the member whose header is at off and returns where it ends.
func (a *archive) member(off uint64) (uint64, error) {
	h, err := a.slice(off, archiveHeader, "a member's header")
	if err != nil {
		return 0, err
	}
	if string(h[58:60]) != archiveHeaderEnd {
		return 0, a.errorf(int64(off), "no member's header: it does not end with a backquote and a line end")
	}
	size, err := strconv.ParseUint(strings.TrimRight(string(h[48:58]), " "), 10, 64)
	if err != nil {
		return 0, a.errorf(int64(off), "a member's size %q is not a number", h[48:58])
	}
	data, err := a.slice(off+archiveHeader, size, "a member")
	if err != nil {
		return 0, err
	}
	m := Member{Name: strings.TrimRight(string(h[:16]), " "), Offset: int64(off) + archiveHeader, Data: data}
	if m.Name == "//" {
		a.names = data
		return off + archiveHeader + size, nil
	}
	if err := a.name(&m); err != nil {
		return 0, err
	}
	if !isSymbolTable(m.Name) {
		a.members = append(a.members, m)
	}
	return off + archiveHeader + size, nil
}

func isSymbolTable(name string) bool {
	return name == "/" || name == "/SYM64/" || name == "__.SYMDEF" || name == "__.SYMDEF SORTED" || strings.HasPrefix(name, "/<")
}

// name resolves the name of a member, which is in the member itself (BSD) or in a table (GNU) if it
// is long.
func (a *archive) name(m *Member) error {
	if digits, ok := strings.CutPrefix(m.Name, "#1/"); ok {
		n, err := strconv.ParseUint(digits, 10, 32)
		if err != nil || n > uint64(len(m.Data)) {
			return a.errorf(m.Offset, "a member's name has %q of %d bytes", digits, len(m.Data))
		}
		m.Name = strings.TrimRight(string(m.Data[:min(n, maxSectionName)]), "\x00")
		m.Data, m.Offset = m.Data[n:], m.Offset+int64(n)
		return nil
	}
	digits, ok := strings.CutPrefix(m.Name, "/")
	if !ok || digits == "" || digits[0] < '0' || digits[0] > '9' {
		if len(m.Name) > 1 {
			m.Name = strings.TrimSuffix(m.Name, "/")
		}
		return nil
	}
	off, err := strconv.ParseUint(digits, 10, 32)
	if err != nil || off >= uint64(len(a.names)) {
		return a.errorf(m.Offset, "a member's name is at %q of %d bytes of long names", digits, len(a.names))
	}
	name := a.names[off:]
	name = name[:min(len(name), maxSectionName)]
	if end := bytes.IndexAny(name, "\n\x00"); end >= 0 {
		name = name[:end]
	}
	m.Name = strings.TrimSuffix(string(name), "/")
	return nil
}

const (
	universalMagic   = 0xcafebabe
	universalMagic64 = 0xcafebabf
	// maxArchitectures tells a universal file from a Java class, whose
	// version, 45 and up, is where the number of architectures is.
	maxArchitectures = 32
)

// IsUniversal reports whether data begins a universal Mach-O file.
func IsUniversal(data []byte) bool {
	if len(data) < 8 {
		return false
	}
	magic := binary.BigEndian.Uint32(data)
	return (magic == universalMagic || magic == universalMagic64) && binary.BigEndian.Uint32(data[4:]) <= maxArchitectures
}

// ReadUniversal returns the files of a universal Mach-O file, which are named
// by their machines. Its header is big-endian.
func ReadUniversal(data []byte) ([]Member, error) {
	in := &input{MachO, data}
	size := uint64(20)
	wide := binary.BigEndian.Uint32(data) == universalMagic64
	if wide {
		size = 32
	}
	table, err := in.table(8, uint64(binary.BigEndian.Uint32(data[4:])), size, "architectures")
	if err != nil {
		return nil, err
	}
	var members []Member
	for ; len(table) > 0; table = table[size:] {
		off, n := uint64(binary.BigEndian.Uint32(table[8:])), uint64(binary.BigEndian.Uint32(table[12:]))
		if wide {
			off, n = binary.BigEndian.Uint64(table[8:]), binary.BigEndian.Uint64(table[16:])
		}
		file, err := in.slice(off, n, "the file of an architecture")
		if err != nil {
			return nil, err
		}
		cpu := binary.BigEndian.Uint32(table)
		name, known := machoReadable.Get()[cpu]
		if !known {
			name = fmt.Sprintf("machine %#x", cpu)
		}
		members = append(members, Member{name, int64(off), file})
	}
	return members, nil
}

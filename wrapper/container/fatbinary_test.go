package container

import (
	"bytes"
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"offlink/wrapper/devimg"
)

// fatPart is an entry of a fat binary to be made.
type fatPart struct {
	kind     uint16
	arch     uint32
	code     string
	flags    uint64
	inflated uint64
	options  string
}

// header is the entry's header, as NVIDIA's tools write it.
func (p fatPart) header() []byte {
	length := fatEntrySize
	if p.options != "" {
		length += 8 + (len(p.options)+7)&^7
	}
	h := make([]byte, length)
	le := binary.LittleEndian
	le.PutUint16(h, p.kind)
	le.PutUint16(h[2:], 0x0101)
	le.PutUint32(h[4:], uint32(length))
	le.PutUint64(h[8:], uint64(len(p.code)+7)&^7)
	if p.flags&fatFlagsPacked != 0 {
		le.PutUint32(h[16:], uint32(len(p.code)))
	}
	if p.options != "" {
		le.PutUint32(h[20:], fatEntrySize)
		le.PutUint32(h[fatEntrySize:], fatEntrySize+8)
		le.PutUint32(h[fatEntrySize+4:], uint32(len(p.options)))
		copy(h[fatEntrySize+8:], p.options)
	}
	le.PutUint32(h[28:], p.arch)
	le.PutUint64(h[40:], p.flags)
	le.PutUint64(h[56:], p.inflated)
	return h
}

var fatParts = []fatPart{
	{kind: fatKindELF, arch: 80, code: "\x7fELF some cubin", flags: 0x11},
	{kind: fatKindPTX, arch: 90, code: ".version 8.0\n\x00", flags: 0x11, options: "--maxrregcount=32 "},
	{kind: fatKindELF, arch: 100, code: "\xa2\x7fELF packed", flags: 0x1002011, inflated: 5000},
}

// fatBinary is a fat binary of fatParts.
func fatBinary() []byte {
	var body []byte
	for _, p := range fatParts {
		body = append(body, p.header()...)
		body = append(body, p.code...)
		body = append(body, make([]byte, -len(p.code)&7)...)
	}
	head := binary.LittleEndian.AppendUint32(nil, fatMagic)
	head = append(head, 1, 0, fatHeaderSize, 0)
	return append(binary.LittleEndian.AppendUint64(head, uint64(len(body))), body...)
}

func fatShown() []shown {
	return []shown{
		{Arch: "sm_80", Kind: devimg.KindCUDA, Target: cudaTarget, Name: "sm_80.elf", Code: "\x7fELF some cubin\x00"},
		{Arch: "sm_90", Kind: devimg.KindCUDA, Target: cudaTarget, Name: "sm_90.ptx", Code: ".version 8.0\n"},
		{
			Arch: "sm_100", Kind: devimg.KindCUDA, Target: cudaTarget, Name: "sm_100.elf", Code: "\xa2\x7fELF packed",
			Strings: []String{{StringForm, "elf"}, {StringCompression, "lz4"}, {StringInflated, "5000"}},
		},
	}
}

// Several fat binaries lie after one another, with padding between.
func TestFatBinary(t *testing.T) {
	data := fatBinary()
	check(t, data, fatShown())
	twice := append(append(bytes.Clone(data), make([]byte, 24)...), data...)
	check(t, twice, append(fatShown(), fatShown()...))
	entries, err := Read(data, NewBudget(0))
	if err != nil || entries[1].CompileOptions != "--maxrregcount=32" {
		t.Errorf("options of PTX %q, %v", entries[1].CompileOptions, err)
	}
}

// New code is stored uncompressed; compressed code is taken back as it was,
// and nothing else that is compressed.
func TestReplaceFatBinary(t *testing.T) {
	data := fatBinary()
	for n, code := range []string{"\x7fELF of a rather larger cubin than before", ".version 7.5\n// more\n", "\x7fELF no longer packed"} {
		pieces, err := Replace(data, n, devimg.Bytes([]byte(code)), NewBudget(0))
		if err != nil {
			t.Fatal(err)
		}
		whole, _ := join(pieces)
		want := fatShown()
		want[n].Code, want[n].Strings = code, nil
		if n != 1 {
			want[n].Code += strings.Repeat("\x00", -len(code)&7)
		}
		check(t, whole, want)
	}
	for n, s := range fatShown() {
		pieces, err := Replace(data, n, devimg.Bytes([]byte(s.Code)), NewBudget(0))
		if err != nil {
			t.Fatal(err)
		}
		if whole, _ := join(pieces); !bytes.Equal(whole, data) && n != 1 {
			t.Errorf("entry %d, replaced by itself, changed:\n%s", n, cmp.Diff(data, whole))
		}
	}
	if _, err := Replace(data, 2, devimg.Bytes([]byte("\xa2other packed")), NewBudget(0)); err == nil || !strings.Contains(err.Error(), "give it uncompressed") {
		t.Errorf("other compressed code: %v", err)
	}
	pieces, err := Replace(data, 1, nil, NewBudget(0))
	if err != nil {
		t.Fatal(err)
	}
	whole, _ := join(pieces)
	check(t, whole, append(fatShown()[:1], fatShown()[2]))
}

// Pointers lead to the fat binaries of a host file: those that follow stay.
func TestReplaceInPlace(t *testing.T) {
	data := fatBinary()
	twice := append(append(bytes.Clone(data), make([]byte, 24)...), data...)
	pieces, err := ReplaceInPlace(twice, 0, devimg.Bytes([]byte("\x7fELF")), true, NewBudget(0))
	if err != nil {
		t.Fatal(err)
	}
	whole, _ := join(pieces)
	if len(whole) != len(twice) || !bytes.Equal(whole[len(data)+24:], data) {
		t.Error("the second fat binary is not where it was")
	}
	want := append(fatShown(), fatShown()...)
	want[0].Code = "\x7fELF\x00\x00\x00\x00"
	check(t, whole, want)

	large := devimg.Bytes([]byte("\x7fELF" + strings.Repeat("large", 100)))
	_, err = ReplaceInPlace(twice, 0, large, true, NewBudget(0))
	if _, ok := errors.AsType[*RoomError](err); !ok {
		t.Errorf("larger code before another: %v", err)
	}
	if pieces, err = ReplaceInPlace(twice, 3, large, true, NewBudget(0)); err != nil {
		t.Fatal(err)
	}
	if whole, _ = join(pieces); !bytes.Equal(whole[:len(data)+24], twice[:len(data)+24]) {
		t.Error("the first fat binary changed")
	}
}

func TestDamagedFatBinary(t *testing.T) {
	data := fatBinary()
	for _, tt := range []struct {
		name string
		at   int
		to   byte
		want string
	}{
		{"header size", 6, 8, "a header of 8 bytes"},
		{"entries past the end", 9, 0xff, "entries: "},
		{"entry header size", fatHeaderSize + 4, 1, "an entry's header of 1 bytes"},
		{"payload past the end", fatHeaderSize + 9, 0xff, "payload: "},
	} {
		bad := bytes.Clone(data)
		bad[tt.at] = tt.to
		if _, err := Read(bad, NewBudget(0)); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
}

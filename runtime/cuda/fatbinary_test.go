package cuda

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"os"
	"strings"
	"testing"

	"offlink/ptx"
	"offlink/runtime/driver"
)

// testEntry is an entry of a fat binary to write.
type testEntry struct {
	kind   uint16 // 1 PTX, 2 ELF
	sm     uint32
	code   []byte
	packed bool
	// damaged packed code promises more than it has.
	damaged bool
}

func ptxFor(target string) []byte {
	return fmt.Appendf(nil, ".version 8.0\n.target %s\n.address_size 64\n.visible .entry of_%s() {\nret;\n}\n", target, target)
}

// fatBinaryOf writes one.
func fatBinaryOf(entries ...testEntry) []byte {
	const headerSize, align, lz4 = 64, 8, 0x2000
	var body []byte
	for _, e := range entries {
		code := append([]byte{}, e.code...)
		head := make([]byte, headerSize)
		if e.packed {
			binary.LittleEndian.PutUint64(head[56:], uint64(len(code)))
			if code = literalBlock(code); e.damaged {
				binary.LittleEndian.PutUint64(head[56:], 100)
			}
			binary.LittleEndian.PutUint32(head[16:], uint32(len(code)))
		}
		for len(code)%align != 0 {
			code = append(code, 0)
		}
		binary.LittleEndian.PutUint16(head, e.kind)
		binary.LittleEndian.PutUint32(head[4:], headerSize)
		binary.LittleEndian.PutUint64(head[8:], uint64(len(code)))
		binary.LittleEndian.PutUint32(head[28:], e.sm)
		if e.packed {
			binary.LittleEndian.PutUint64(head[40:], lz4)
		}
		body = append(append(body, head...), code...)
	}
	b := binary.LittleEndian.AppendUint16(append([]byte{}, fatBinaryMagic...), 1)
	b = binary.LittleEndian.AppendUint16(b, fatBinaryHeader)
	return append(binary.LittleEndian.AppendUint64(b, uint64(len(body))), body...)
}

// literalBlock is an LZ4 block whose content is one run of literals.
func literalBlock(content []byte) []byte {
	const inToken = 15
	block := []byte{byte(min(len(content), inToken)) << 4}
	for n := len(content) - inToken; n >= 0; n -= 0xff {
		block = append(block, byte(min(n, 0xff)))
	}
	return append(block, content...)
}

// TestFatEntries: the entry that the driver would choose takes the place of the fat binary; the
// fake device is an sm_80.
func TestFatEntries(t *testing.T) {
	const ptxKind, elfKind = 1, 2
	cubin := cubinOf(elf.EM_CUDA, 7)
	text := func(sm uint32, target string) testEntry { return testEntry{ptxKind, sm, ptxFor(target), false, false} }
	native := func(sm uint32) testEntry { return testEntry{elfKind, sm, cubin, false, false} }
	packed := func(sm uint32, target string) testEntry { return testEntry{ptxKind, sm, ptxFor(target), true, false} }
	damaged := testEntry{kind: ptxKind, sm: 80, damaged: true, packed: true}
	_, d := newFakeDevice(t)
	for name, c := range map[string]struct {
		entries []testEntry
		want    string // the entry of the PTX, "cubin", or the error
	}{
		"the newest that is not newer": {[]testEntry{text(90, "sm_90"), text(50, "sm_50"), text(75, "sm_75"), text(60, "sm_60")}, "of_sm_75"},
		"native code":                  {[]testEntry{text(80, "sm_80"), native(80), text(75, "sm_75")}, "cubin"},
		"of another generation":        {[]testEntry{native(75), native(86), text(70, "sm_70")}, "of_sm_70"},
		"for one architecture alone":   {[]testEntry{text(80, "sm_80a"), text(75, "sm_75a"), text(72, "sm_72")}, "of_sm_80a"},
		"for another one alone":        {[]testEntry{text(75, "sm_75a"), text(72, "sm_72")}, "of_sm_72"},
		"compressed":                   {[]testEntry{packed(80, "sm_80"), text(90, "sm_90")}, "of_sm_80"},
		"compressed, and not":          {[]testEntry{packed(80, "sm_80"), text(50, "sm_50")}, "of_sm_80"},
		"compressed, for another one":  {[]testEntry{packed(75, "sm_75a"), packed(50, "sm_50")}, "of_sm_50"},
		"compressed native code":       {[]testEntry{packed(75, "sm_75"), {elfKind, 80, cubin, true, false}}, "cubin"},
		"compressed, and damaged":      {[]testEntry{damaged}, "the fat binary's ptx for sm_80: the entry is compressed (lz4): "},
		"a fat binary in one":          {[]testEntry{{elfKind, 80, fatBinaryOf(native(80)), false, false}}, "is a fat binary again"},
		"nothing that fits":            {[]testEntry{native(90), text(90, "sm_90"), text(75, "sm_75a")}, "has elf for sm_90, ptx for sm_90, ptx for sm_75a, and nothing for sm_80"},
		"nothing":                      {nil, "has no code, and nothing for sm_80"},
	} {
		o, err := d.Compile(t.Context(), driver.Module{Name: "m", Code: fatBinaryOf(c.entries...)}, driver.CompileOptions{})
		got := ""
		switch {
		case err != nil:
			if got = c.want; !strings.Contains(err.Error(), c.want) {
				got = err.Error()
			}
		case o.(*object).kind == codeCubin:
			got = "cubin"
		default:
			got = o.(*object).ptx.Entries[0].Name
		}
		if got != c.want {
			t.Errorf("%s: %s; want %s", name, got, c.want)
		}
	}
}

// cubinFor is a cubin with the e_flags of ptxas 12.9 for an architecture.
func cubinFor(sm uint32, exact bool) []byte {
	const abi, flags = 8, 48
	code := bytes.Clone(cubinOf(elf.EM_CUDA, 7))
	word := 0x06000002 | sm<<8
	if exact {
		word |= 0x8
	}
	if sm < 100 {
		code[abi] = 7
		word = sm<<16 | 0x500 | sm
		if exact {
			word |= 0x800
		}
	}
	binary.LittleEndian.PutUint32(code[flags:], word)
	return code
}

// TestFatVariants: native code with the features of one architecture is not taken for a newer one
// of its generation, and PTX of a family is.
func TestFatVariants(t *testing.T) {
	const ptxKind, elfKind = 1, 2
	native := func(sm uint32, exact, packed bool) testEntry {
		return testEntry{elfKind, sm, cubinFor(sm, exact), packed, false}
	}
	text := func(sm uint32, target string) testEntry { return testEntry{ptxKind, sm, ptxFor(target), false, false} }
	for name, c := range map[string]struct {
		device  int
		entries []testEntry
		want    string // the architecture of the entry
	}{
		"native code of an older one":          {103, []testEntry{native(100, false, false), text(100, "sm_100")}, "cubin sm_100"},
		"for an older one alone":               {103, []testEntry{native(100, true, false), text(100, "sm_100")}, "ptx sm_100"},
		"for an older one alone, compressed":   {103, []testEntry{native(100, true, true), text(90, "sm_90")}, "ptx sm_90"},
		"for this one alone":                   {100, []testEntry{native(100, true, false), text(100, "sm_100")}, "cubin sm_100a"},
		"for this one alone, of the older ABI": {90, []testEntry{native(90, true, false), text(90, "sm_90")}, "cubin sm_90a"},
		"PTX of the family":                    {103, []testEntry{text(100, "sm_100f"), text(90, "sm_90")}, "ptx sm_100f"},
		"PTX of another family":                {120, []testEntry{text(100, "sm_100f"), text(90, "sm_90")}, "ptx sm_90"},
	} {
		o := &object{code: fatBinaryOf(c.entries...), kind: codeFatBinary}
		if err := o.openFatBinary(c.device); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got := ""
		if a, ok := ptx.CubinArchitecture(o.code); ok {
			got = "cubin " + a.String()
		} else if m, err := ptx.Parse("", o.code); err == nil {
			a, _ := m.Architecture()
			got = "ptx " + a.String()
		}
		if got != c.want {
			t.Errorf("%s: %s; want %s", name, got, c.want)
		}
	}
}

// TestFatBinaryLinks: a kernel of a fat binary is linked with a function of another module.
func TestFatBinaryLinks(t *testing.T) {
	_, d := newFakeDevice(t)
	var objects []driver.Object
	for _, name := range []string{"app.ptx", "lib.ptx"} {
		code, err := os.ReadFile("../drivertest/testdata/" + name)
		if err != nil {
			t.Fatal(err)
		}
		if name == "app.ptx" {
			code = fatBinaryOf(testEntry{1, 50, code, false, false})
		}
		o, err := d.Compile(t.Context(), driver.Module{Name: name, Code: code}, driver.CompileOptions{})
		if err != nil {
			t.Fatal(err)
		}
		objects = append(objects, o)
	}
	p, err := d.Link(t.Context(), objects, driver.LinkOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if k, err := p.Kernel("count"); err != nil || len(k.Params()) != 1 {
		t.Errorf("%v, %v", k, err)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}

// FuzzFatBinary: no bytes make the choice fail in another way than by an error.
func FuzzFatBinary(f *testing.F) {
	f.Add(fatBinaryOf(testEntry{1, 50, ptxFor("sm_50"), false, false}, testEntry{2, 80, []byte("\x7fELF"), false, false}, testEntry{1, 80, []byte("1234"), true, false}), 80)
	f.Add(fatBinaryOf(), 90)
	f.Fuzz(func(t *testing.T, code []byte, sm int) {
		o := &object{code: code, kind: codeFatBinary}
		if err := o.openFatBinary(sm); err == nil && o.kind == codeFatBinary {
			t.Error("no entry was taken")
		}
	})
}

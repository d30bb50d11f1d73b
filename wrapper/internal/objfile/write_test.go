package objfile

import (
	"bytes"
	"debug/elf"
	"debug/macho"
	"debug/pe"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
)

// someObject is an object with a bit of everything that a writer must place:
// pieces with gaps, pointers to sections and to symbols, all kinds of symbols.
func someObject(format Format, machine Machine) *Object {
	text := &ObjectSection{Name: ".text", Use: UseCode, Align: 16, Pieces: []Content{Bytes{1, 2, 3}}}
	data := &ObjectSection{Name: ".rodata", Use: UseData, Align: 16, Pieces: []Content{Bytes("first"), Bytes{}, Bytes("second")}}
	pointers := &ObjectSection{Name: ".data.rel.ro", Use: UseRelocatedData, Align: 8, Pieces: []Content{Bytes(make([]byte, 24))}}
	if format == MachO {
		text.Name, data.Name, pointers.Name = "__TEXT,__text", "__DATA,__data", "__DATA,__const"
	}
	local := &ObjectSymbol{Name: "local", Section: data, Offset: 16, Size: 6}
	global := &ObjectSymbol{Name: "global_with_a_long_name", Section: text, Global: true, Func: true, Size: 3}
	outside := &ObjectSymbol{Name: "outside"}
	pointers.Fixups = []Fixup{
		{Offset: 0, Kind: FixupPointer, Section: data, Addend: 17},
		{Offset: 8, Kind: FixupPointer, Symbol: global},
		{Offset: 16, Kind: FixupPointer, Symbol: outside, Addend: 3},
	}
	return &Object{
		Format: format, Machine: machine, MacOS: [2]uint8{12, 3},
		Sections: []*ObjectSection{text, data, pointers},
		Symbols:  []*ObjectSymbol{global, outside, local},
	}
}

func write(t *testing.T, o *Object) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := o.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

const gappedData = "first\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00second"

func TestWriteELF(t *testing.T) {
	for machine, want := range map[Machine]elf.Machine{X86_64: elf.EM_X86_64, AArch64: elf.EM_AARCH64, RISCV64: elf.EM_RISCV, I386: elf.EM_386} {
		t.Run(machine.String(), func(t *testing.T) {
			f, err := elf.NewFile(bytes.NewReader(write(t, someObject(ELF, machine))))
			if err != nil {
				t.Fatal(err)
			}
			if f.Machine != want || f.Type != elf.ET_REL {
				t.Errorf("%v %v", f.Machine, f.Type)
			}
			if data, err := f.Section(".rodata").Data(); err != nil || string(data) != gappedData {
				t.Errorf(".rodata is %q, %v", data, err)
			}
			symbols, err := f.Symbols()
			if err != nil {
				t.Fatal(err)
			}
			checkELFSymbols(t, symbols)
			checkELFRelocations(t, f, machine)
		})
	}
}

func checkELFSymbols(t *testing.T, symbols []elf.Symbol) {
	t.Helper()
	var got []string
	for _, s := range symbols {
		if elf.ST_TYPE(s.Info) != elf.STT_SECTION {
			got = append(got, fmt.Sprintf("%s %v %v section %d at %d size %d", s.Name, elf.ST_BIND(s.Info), elf.ST_TYPE(s.Info), s.Section, s.Value, s.Size))
		}
	}
	want := []string{
		"local STB_LOCAL STT_OBJECT section 2 at 16 size 6",
		"global_with_a_long_name STB_GLOBAL STT_FUNC section 1 at 0 size 3",
		"outside STB_GLOBAL STT_NOTYPE section 0 at 0 size 0",
	}
	if !slices.Equal(got, want) {
		t.Errorf("symbols\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func checkELFRelocations(t *testing.T, f *elf.File, machine Machine) {
	t.Helper()
	contents, _ := f.Section(".data.rel.ro").Data()
	if machine == I386 {
		want := []byte{17, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0}
		if rel := f.Section(".rel.data.rel.ro"); rel == nil || rel.Size != 3*8 || !bytes.Equal(contents, want) {
			t.Errorf("relocations %+v, addends % x", rel, contents)
		}
		return
	}
	rela, err := f.Section(".rela.data.rel.ro").Data()
	if err != nil {
		t.Fatal(err)
	}
	kind := uint64(elfRelocations.Get()[machine][FixupPointer])
	var want []byte
	// Symbols: null, three sections, then local, global, outside; symbols
	// that are defined here are named by their section.
	for _, v := range []uint64{0, 2<<32 | kind, 17, 8, 1<<32 | kind, 0, 16, 6<<32 | kind, 3} {
		want = f.ByteOrder.(interface {
			AppendUint64([]byte, uint64) []byte
		}).AppendUint64(want, v)
	}
	if !bytes.Equal(rela, want) {
		t.Errorf("relocations\n% x\nwant\n% x", rela, want)
	}
}

func TestWriteCOFF(t *testing.T) {
	for _, machine := range []Machine{X86_64, AArch64} {
		f, err := pe.NewFile(bytes.NewReader(write(t, someObject(COFF, machine))))
		if err != nil {
			t.Fatal(err)
		}
		if f.Machine != coffMachines.Get()[machine] || f.TimeDateStamp != 0 {
			t.Errorf("machine %#x, time %d", f.Machine, f.TimeDateStamp)
		}
		if data, err := f.Section(".rodata").Data(); err != nil || string(data) != gappedData {
			t.Errorf(".rodata is %q, %v", data, err)
		}
		s := f.Section(".data.rel.ro")
		if s == nil || len(s.Relocs) != 3 {
			t.Fatalf("no .data.rel.ro with three relocations: %+v", s)
		}
		var names []string
		for _, r := range s.Relocs {
			name, err := f.COFFSymbols[r.SymbolTableIndex].FullName(f.StringTable)
			if err != nil || r.Type != coffRelocations.Get()[machine][FixupPointer] {
				t.Errorf("relocation %+v: %v", r, err)
			}
			names = append(names, name)
		}
		if want := []string{".rodata", "global_with_a_long_name", "outside"}; !slices.Equal(names, want) {
			t.Errorf("relocations against %q, want %q", names, want)
		}
		if contents, _ := s.Data(); contents[0] != 17 || contents[16] != 3 {
			t.Errorf("addends % x", contents)
		}
	}
}

func TestWriteMachO(t *testing.T) {
	for machine, cpu := range map[Machine]macho.Cpu{X86_64: macho.CpuAmd64, AArch64: macho.CpuArm64} {
		f, err := macho.NewFile(bytes.NewReader(write(t, someObject(MachO, machine))))
		if err != nil {
			t.Fatal(err)
		}
		if f.Cpu != cpu || f.Type != macho.TypeObj {
			t.Errorf("%v %v", f.Cpu, f.Type)
		}
		if data, err := f.Section("__data").Data(); err != nil || string(data) != gappedData {
			t.Errorf("__data is %q, %v", data, err)
		}
		s := f.Section("__const")
		var names []string
		for _, r := range s.Relocs {
			names = append(names, f.Symtab.Syms[r.Value].Name)
		}
		if want := []string{"ltmp1", "_global_with_a_long_name", "_outside"}; !slices.Equal(names, want) {
			t.Errorf("relocations against %q, want %q", names, want)
		}
		if d := f.Dysymtab; d.Nlocalsym != 4 || d.Nextdefsym != 1 || d.Nundefsym != 1 {
			t.Errorf("%d local, %d defined, %d undefined symbols; want 4, 1, 1", d.Nlocalsym, d.Nextdefsym, d.Nundefsym)
		}
	}
}

// Long names of COFF sections lie in the string table: at a decimal offset,
// and past seven digits at one in base 64.
func TestCOFFSectionNames(t *testing.T) {
	e := &coffWriter{names: newStringTable("\x00\x00\x00\x00")}
	for _, tt := range []struct{ name, want string }{
		{"short", "short\x00\x00\x00"},
		{"12345678", "12345678"},
		{"123456789", "/4\x00\x00\x00\x00\x00\x00"},
		{strings.Repeat("x", 9_999_982), "/14\x00\x00\x00\x00\x00"},
		{"past the seventh digits", "/9999997"},
		{"and one more like it", "//AAmJaV"},
	} {
		if got := e.sectionName(tt.name); string(got[:]) != tt.want {
			t.Errorf("name of %d characters is %q, want %q", len(tt.name), got, tt.want)
		}
	}
}

// More relocations than 16 bits count: the first entry has the number.
func TestCOFFManyRelocations(t *testing.T) {
	for _, count := range []int{0xfffe, 0xffff, 0x10000} {
		o := someObject(COFF, X86_64)
		s := o.Sections[2]
		s.Pieces[0] = Bytes(make([]byte, 8*count))
		s.Fixups = make([]Fixup, count)
		for i := range s.Fixups {
			s.Fixups[i] = Fixup{Offset: int64(8 * i), Kind: FixupPointer, Section: o.Sections[1], Addend: int64(i)}
		}
		data := write(t, o)
		f, err := Read(data, nil)
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(f.Sections, func(s FileSection) bool { return s.Named(".data.rel.ro") })
		base := f.Sections[i-1].Addr
		contents, err := f.View(f.Sections[i].Addr, uint64(8*count))
		if err != nil {
			t.Fatal(err)
		}
		for _, at := range []int{0, 1, count - 1} {
			if got, want := f.readPointer(contents[8*at:]), base+uint64(at); got != want {
				t.Errorf("%d relocations: pointer %d is %#x, want %#x", count, at, got, want)
			}
		}
	}
}

// failing is a content whose bytes do not come, or too few of them.
type failing struct {
	size, have int64
	err        error
}

func (f failing) Size() int64 { return f.size }

func (f failing) ReadAt(p []byte, off int64) (int, error) {
	if off >= f.have {
		return 0, f.err
	}
	n := min(int64(len(p)), f.have-off)
	return int(n), f.err
}

func TestWriteFails(t *testing.T) {
	broken := errors.New("broken")
	many := someObject(ELF, X86_64)
	for i := range int(elf.SHN_LORESERVE) {
		many.Sections = append(many.Sections, &ObjectSection{Name: fmt.Sprint(i), Use: UseData, Align: 1})
	}
	manyCOFF := *many
	manyCOFF.Format = COFF
	manyMachO := someObject(MachO, X86_64)
	manyMachO.Sections = append(manyMachO.Sections, slices.Repeat(manyMachO.Sections, 90)...)
	long := someObject(MachO, X86_64)
	long.Sections[0].Name = "__TEXT,__a_name_too_long"
	huge := someObject(COFF, X86_64)
	huge.Sections[1].Pieces = []Content{failing{1 << 32, 0, broken}}
	hugeMachO := someObject(MachO, AArch64)
	hugeMachO.Sections[1].Pieces = huge.Sections[1].Pieces
	with := func(c Content) *Object {
		o := someObject(ELF, X86_64)
		o.Sections[1].Pieces = []Content{c}
		return o
	}
	for _, tt := range []struct {
		name    string
		object  *Object
		want    string
		written bool // something may be: the fault shows late
	}{
		{"ELF sections", many, "sections: an ELF file counts at most", false},
		{"COFF sections", &manyCOFF, "sections: a COFF file counts at most", false},
		{"Mach-O sections", manyMachO, "sections: a Mach-O file counts at most", false},
		{"Mach-O name", long, "Mach-O names have at most 16 characters", false},
		{"COFF size", huge, "a COFF file is smaller than 4 GiB", false},
		{"Mach-O size", hugeMachO, "a Mach-O object is smaller than 4 GiB", false},
		{"no format", &Object{}, "no writer for", false},
		{"content fails", with(failing{10, 5, broken}), "broken", true},
		{"content ends early", with(failing{10, 5, io.EOF}), "an image of 10 bytes gave 5", true},
		{"large content fails", with(failing{1 << 20, 5, broken}), "broken", true},
		{"large content ends early", with(failing{1 << 20, 5, io.EOF}), "gave 5", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var b bytes.Buffer
			err := tt.object.Write(&b)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %s", err, tt.want)
			}
			if !tt.written && b.Len() > 0 {
				t.Errorf("%d bytes were written", b.Len())
			}
		})
	}
}

// A full disk is an error wherever it shows.
func TestWriteToFullDisk(t *testing.T) {
	whole := write(t, someObject(ELF, X86_64))
	for room := range len(whole) {
		if err := someObject(ELF, X86_64).Write(&limited{left: room}); !errors.Is(err, io.ErrShortWrite) {
			t.Fatalf("room for %d bytes of %d: %v", room, len(whole), err)
		}
	}
}

// limited takes a number of bytes.
type limited struct{ left int }

func (l *limited) Write(p []byte) (int, error) {
	if len(p) > l.left {
		return l.left, io.ErrShortWrite
	}
	l.left -= len(p)
	return len(p), nil
}

package devimg

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"strings"
	"testing"
)

func TestSniff(t *testing.T) {
	intelELF := "\x7fELF" + strings.Repeat("\x00", 12) + "\x12\xff\xcd\x00"
	hostELF := "\x7fELF" + strings.Repeat("\x00", 12) + "\x03\x00\x3e\x00"
	for _, c := range []struct {
		code string
		want Format
	}{
		{"", FormatNone},
		{"\x03\x02", FormatNone},
		{"\x03\x02\x23\x07", FormatSPIRV},
		{"BC\xc0\xde", FormatLLVMBitcode},
		{"INTC", FormatNative},
		{"\x28\xb5\x2f\xfd", FormatCompressedNone},
		{intelELF, FormatNative},
		{hostELF, FormatNone},
		{"\x7fELF", FormatNone},
		{".version 6.3", FormatNone},
	} {
		if got := Sniff(Bytes([]byte(c.code))); got != c.want {
			t.Errorf("Sniff(%q) = %v; want %v", c.code, got, c.want)
		}
	}
}

// machineIntelGPU is EM_INTELGT of the ELF registry.
const machineIntelGPU elf.Machine = 205

// TestSniffSections: an ELF file of an ordinary type is native code if it has the section of
// Intel's GPUs.
func TestSniffSections(t *testing.T) {
	for _, c := range []struct {
		section string
		machine elf.Machine
		want    Format
	}{
		{".ze_info", elf.EM_NONE, FormatNative},
		{".ze_info", machineIntelGPU, FormatNative},
		{".note.intelgt.compat", machineIntelGPU, FormatNone},
		{".nv.info", elf.EM_CUDA, FormatNone},
	} {
		code := elfWithSection(c.section, c.machine)
		if got := Sniff(Bytes(code)); got != c.want {
			t.Errorf("an ELF file with the section %s is %v; want %v", c.section, got, c.want)
		}
		if got := Sniff(Bytes(code[:len(code)-70])); got != FormatNone {
			t.Errorf("half of an ELF file with the section %s is %v; want %v", c.section, got, FormatNone)
		}
	}
}

// elfWithSection is a relocatable ELF file with that section, which is empty, and its names.
func elfWithSection(name string, machine elf.Machine) []byte {
	names := "\x00" + name + "\x00.shstrtab\x00"
	header := elf.Header64{
		Type: uint16(elf.ET_REL), Machine: uint16(machine), Version: uint32(elf.EV_CURRENT), Ehsize: 64,
		Shoff: 64 + uint64(len(names)), Shentsize: 64, Shnum: 3, Shstrndx: 2,
	}
	copy(header.Ident[:], elf.ELFMAG)
	header.Ident[elf.EI_CLASS], header.Ident[elf.EI_DATA], header.Ident[elf.EI_VERSION] = byte(elf.ELFCLASS64), byte(elf.ELFDATA2LSB), byte(elf.EV_CURRENT)
	var b bytes.Buffer
	for _, part := range []any{
		header, []byte(names),
		elf.Section64{},
		elf.Section64{Name: 1, Type: uint32(elf.SHT_PROGBITS), Off: 64},
		elf.Section64{Name: uint32(len(name)) + 2, Type: uint32(elf.SHT_STRTAB), Off: 64, Size: uint64(len(names))},
	} {
		if err := binary.Write(&b, binary.LittleEndian, part); err != nil {
			panic(err) // the parts have fixed sizes
		}
	}
	return b.Bytes()
}

package wrapper

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"strings"

	"offlink/lazy"
	"offlink/ptx"
)

// Constants that debug/elf lacks. Its reader is not used, as it is not made for
// hostile files: it decompresses sections without a limit.
const (
	elfMachineIntel = 205 // EM_INTELGT
	// amdDescriptor ends the symbol of a kernel's descriptor (AMDGPU ABI).
	amdDescriptor = ".kd"
	// zebinText begins the sections of Intel's kernels, one each.
	zebinText = ".text."
	// zebinTable is a function of Intel's compiler that is not a kernel.
	zebinTable = "Intel_Symbol_Table_Void_Program"
)

// deviceMachines name the code in ELF files for devices.
var deviceMachines = lazy.Map[elf.Machine, string]{New: func() map[elf.Machine]string {
	return map[elf.Machine]string{
		elf.EM_CUDA:     "a cubin",
		elf.EM_AMDGPU:   "a code object of AMD",
		elfMachineIntel: "native code of Intel's GPUs",
	}
}}

// isDeviceELF reports whether a file is ELF for a device. The linkers of devices do not keep to
// the rules for files of the host.
func isDeviceELF(data []byte) bool { return deviceMachines.Get()[elfMachine(data)] != "" }

// elfMachine is the e_machine of a little-endian ELF file, or EM_NONE.
func elfMachine(data []byte) elf.Machine {
	const at = 18
	if len(data) < at+2 || !bytes.HasPrefix(data, []byte(elf.ELFMAG)) || elf.Data(data[elf.EI_DATA]) != elf.ELFDATA2LSB {
		return elf.EM_NONE
	}
	return elf.Machine(binary.LittleEndian.Uint16(data[at:]))
}

// deviceELF is a little-endian 64-bit ELF file of device code.
type deviceELF struct {
	data     []byte
	machine  elf.Machine
	sections []elf.Section64
	names    []byte
	left     int // bytes of tables and names to read: tables may overlap
}

// elfKernels returns the names of the kernels in device code: on AMD the
// symbols of kernel descriptors, on NVIDIA the functions that are marked as
// entries, on Intel the sections of code, and elsewhere OpenMP's functions.
func elfKernels(code []byte) ([]string, error) {
	f, err := openDeviceELF(code)
	if f == nil || err != nil {
		return nil, err
	}
	if f.machine == elfMachineIntel {
		return f.zebinKernels(), nil
	}
	var names []string
	for i := range f.sections {
		switch elf.SectionType(f.sections[i].Type) {
		case elf.SHT_SYMTAB, elf.SHT_DYNSYM:
			found, err := f.symbolKernels(&f.sections[i])
			if err != nil {
				return nil, err
			}
			names = append(names, found...)
		}
	}
	return names, nil
}

// openDeviceELF reads the section headers. Files of another class or byte order give nil.
func openDeviceELF(code []byte) (*deviceELF, error) {
	if len(code) < 64 || elf.Class(code[elf.EI_CLASS]) != elf.ELFCLASS64 || elf.Data(code[elf.EI_DATA]) != elf.ELFDATA2LSB {
		return nil, nil
	}
	var header elf.Header64
	if _, err := binary.Decode(code, binary.LittleEndian, &header); err != nil {
		return nil, err
	}
	f := &deviceELF{data: code, machine: elf.Machine(header.Machine), left: 8*len(code) + 1<<20}
	if header.Shnum == 0 {
		return f, nil
	}
	const size = 64
	table, ok := f.slice(header.Shoff, uint64(header.Shnum)*size)
	if !ok || header.Shentsize != size {
		return nil, fmt.Errorf("malformed ELF file: its section headers do not lie in it")
	}
	f.sections = make([]elf.Section64, header.Shnum)
	if _, err := binary.Decode(table, binary.LittleEndian, f.sections); err != nil {
		return nil, err
	}
	if int(header.Shstrndx) < len(f.sections) {
		f.names, _ = f.sectionBytes(&f.sections[header.Shstrndx])
	}
	return f, nil
}

// slice returns a part of the file, false if it lies beyond its end.
func (f *deviceELF) slice(off, n uint64) ([]byte, bool) {
	if size := uint64(len(f.data)); off > size || n > size-off {
		return nil, false
	}
	return f.data[off : off+n], true
}

// sectionBytes returns the bytes of a section, or none if it is compressed or has no bytes in the
// file.
func (f *deviceELF) sectionBytes(s *elf.Section64) ([]byte, bool) {
	if elf.SectionType(s.Type) == elf.SHT_NOBITS || elf.SectionFlag(s.Flags)&elf.SHF_COMPRESSED != 0 {
		return nil, true
	}
	return f.slice(s.Off, s.Size)
}

// zebinKernels returns the names of the sections of code.
func (f *deviceELF) zebinKernels() []string {
	var names []string
	for i := range f.sections {
		name, ok := strings.CutPrefix(stringAt(f.names, f.sections[i].Name), zebinText)
		if ok && name != zebinTable {
			names = append(names, name)
		}
	}
	return names
}

// symbolKernels returns the kernels that a symbol table names.
func (f *deviceELF) symbolKernels(s *elf.Section64) ([]string, error) {
	table, ok := f.sectionBytes(s)
	if !ok || uint64(s.Link) >= uint64(len(f.sections)) {
		return nil, fmt.Errorf("malformed ELF file: a symbol table does not lie in it")
	}
	texts, ok := f.sectionBytes(&f.sections[s.Link])
	if !ok {
		return nil, fmt.Errorf("malformed ELF file: the names of symbols do not lie in it")
	}
	var names []string
	const size = 24
	f.left -= len(table)
	for ; len(table) >= size; table = table[size:] {
		if f.left < 0 {
			return nil, fmt.Errorf("malformed ELF file: its symbol tables name the same bytes many times over")
		}
		if elf.SectionIndex(binary.LittleEndian.Uint16(table[6:])) == elf.SHN_UNDEF {
			continue
		}
		name := stringAt(texts, binary.LittleEndian.Uint32(table))
		f.left -= len(name)
		if kernel, ok := f.symbolKernel(name, table[4], table[5]); ok {
			names = append(names, kernel)
		}
	}
	return names, nil
}

// symbolKernel returns the name of the kernel that a symbol belongs to.
func (f *deviceELF) symbolKernel(symbol string, info, other byte) (name string, ok bool) {
	switch f.machine {
	case elf.EM_AMDGPU:
		return strings.CutSuffix(symbol, amdDescriptor)
	case elf.EM_CUDA:
		return symbol, elf.ST_TYPE(info) == elf.STT_FUNC && other&ptx.SymbolEntry != 0
	}
	return symbol, elf.ST_TYPE(info) == elf.STT_FUNC && elf.ST_BIND(info) != elf.STB_LOCAL && strings.HasPrefix(symbol, openMPPrefix)
}

// stringAt returns the text at an offset of a string table, or "" if there is none. Many symbols
// can share the end of one long text, so a name is bounded.
func stringAt(table []byte, off uint32) string {
	if uint64(off) >= uint64(len(table)) {
		return ""
	}
	rest := table[off:]
	end := bytes.IndexByte(rest[:min(len(rest), maxKernelName)], 0)
	if end < 0 {
		return ""
	}
	return string(rest[:end])
}

// maxKernelName bounds the names of kernels: those of templates are long.
const maxKernelName = 1 << 16

package ptx

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
)

// Cubin is the facts that linking needs of an ELF file for NVIDIA's GPUs. Its format is not
// published; these are the ones that nvcc 13.0 and ptxas 12.9 write.
type Cubin struct {
	Architecture
	// Relocatable reports whether the file was made to be linked (nvcc -rdc=true -cubin, ptxas -c);
	// other files were linked, and share no symbols.
	Relocatable bool
	// Imports and Exports are the functions and variables that the file needs from others and
	// that it defines for them, without kernels, each once and sorted.
	Imports, Exports []string
}

// SymbolEntry is STO_CUDA_ENTRY, the bit of an ELF symbol's st_other in a cubin which tells that
// its function is a kernel.
const SymbolEntry = 0x10

const (
	cubinSymbolSize = 24      // of an ELF symbol of 64 bits
	cubinNameLimit  = 1 << 16 // bytes of a name; names of templates are long
	cubinTypeObject = 13      // STT_LOPROC: a variable that is addressed in another state space
)

// IsCubin reports whether code that begins so is an ELF file, which a cubin is.
func IsCubin(head []byte) bool { return bytes.HasPrefix(head, []byte(elf.ELFMAG)) }

// elfVersion is the place of e_version in the header, and its size.
const elfVersion, elfVersionSize = 20, 4

// versionOne is an ELF file whose e_version reads as 1, the only one that debug/elf takes: compilers
// up to CUDA 12 put their own version there.
type versionOne struct{ *bytes.Reader }

// ReadAt reads as bytes.Reader does, but for e_version.
func (r versionOne) ReadAt(p []byte, off int64) (int, error) {
	n, err := r.Reader.ReadAt(p, off)
	for i := range int64(elfVersionSize) {
		if at := elfVersion + i - off; at >= 0 && at < int64(n) {
			p[at] = 0
			if i == 0 {
				p[at] = byte(elf.EV_CURRENT)
			}
		}
	}
	return n, err
}

// openCubin reads the headers and checks that the sections lie in the file.
func openCubin(code []byte) (*elf.File, error) {
	reader := versionOne{bytes.NewReader(code)}
	file, err := elf.NewFile(reader)
	if err != nil {
		return nil, fmt.Errorf("not a whole cubin: %w", err)
	}
	if file.Machine != elf.EM_CUDA || file.Class != elf.ELFCLASS64 || file.ByteOrder != binary.LittleEndian {
		return nil, fmt.Errorf("an ELF file for %v of class %v, which is not a cubin", file.Machine, file.Class)
	}
	for _, s := range file.Sections {
		if size := uint64(len(code)); s.Type != elf.SHT_NOBITS && (s.Offset > size || s.FileSize > size-s.Offset) {
			return nil, fmt.Errorf("the cubin ends before its section %s does", s.Name)
		}
	}
	return file, nil
}

// ReadCubin reads the symbols of a cubin. It fails if a section does not lie in it.
func ReadCubin(code []byte) (*Cubin, error) {
	file, err := openCubin(code)
	if err != nil {
		return nil, err
	}
	c := &Cubin{Relocatable: file.Type == elf.ET_REL}
	c.Architecture, _ = CubinArchitecture(code)
	if !c.Relocatable {
		return c, nil
	}
	left := 8*len(code) + 1<<20 // of tables and names: they may overlap
	for _, s := range file.Sections {
		if s.Type != elf.SHT_SYMTAB {
			continue
		}
		if err := c.readSymbols(code, file, s, &left); err != nil {
			return nil, err
		}
	}
	c.Imports, c.Exports = sortedOnce(c.Imports), sortedOnce(c.Exports)
	return c, nil
}

func sortedOnce(names []string) []string {
	slices.Sort(names)
	return slices.Compact(names)
}

var errCubinSymbols = errors.New("malformed cubin: a symbol table or its names do not lie in it")

// readSymbols reads a symbol table. The sections are cut out of the file here, as debug/elf
// decompresses without a limit and copies each name.
func (c *Cubin) readSymbols(code []byte, file *elf.File, s *elf.Section, left *int) error {
	if uint64(s.Link) >= uint64(len(file.Sections)) {
		return errCubinSymbols
	}
	table, ok := sectionBytes(code, s)
	texts, alsoOK := sectionBytes(code, file.Sections[s.Link])
	if !ok || !alsoOK {
		return errCubinSymbols
	}
	for ; len(table) >= cubinSymbolSize; table = table[cubinSymbolSize:] {
		name := nameAt(texts, binary.LittleEndian.Uint32(table))
		if *left -= cubinSymbolSize + len(name); *left < 0 {
			return errors.New("malformed cubin: its symbols name the same bytes many times over")
		}
		c.addSymbol(string(name), table[4], table[5], elf.SectionIndex(binary.LittleEndian.Uint16(table[6:])))
	}
	return nil
}

func sectionBytes(code []byte, s *elf.Section) ([]byte, bool) {
	size := uint64(len(code))
	if s.Type == elf.SHT_NOBITS || s.Flags&elf.SHF_COMPRESSED != 0 || s.Offset > size || s.FileSize > size-s.Offset {
		return nil, false
	}
	return code[s.Offset : s.Offset+s.FileSize], true
}

func nameAt(texts []byte, at uint32) []byte {
	if uint64(at) >= uint64(len(texts)) {
		return nil
	}
	rest := texts[at:]
	return rest[:max(0, bytes.IndexByte(rest[:min(len(rest), cubinNameLimit)], 0))]
}

// addSymbol adds a symbol that is shared. Weak symbols without a definition are tables that the
// linker makes.
func (c *Cubin) addSymbol(name string, info, other byte, section elf.SectionIndex) {
	kind, binding := elf.ST_TYPE(info), elf.ST_BIND(info)
	shared := kind == elf.STT_FUNC || kind == elf.STT_OBJECT || kind == elf.STT_NOTYPE || kind == cubinTypeObject
	switch {
	case name == "" || binding == elf.STB_LOCAL || !shared || other&SymbolEntry != 0:
	case section != elf.SHN_UNDEF:
		c.Exports = append(c.Exports, name)
	case binding == elf.STB_GLOBAL:
		c.Imports = append(c.Imports, name)
	}
}

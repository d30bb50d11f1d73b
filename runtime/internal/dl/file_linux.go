package dl

import (
	"debug/elf"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
)

// machines are those of the usual processors; on others the loader alone judges.
var machines = map[string]elf.Machine{"386": elf.EM_386, "amd64": elf.EM_X86_64, "arm64": elf.EM_AARCH64, "riscv64": elf.EM_RISCV}

// checkFile refuses files that the system's loader handles badly: a truncated one ends the
// process with SIGBUS, one for another processor is reported as "no such file", and a pipe
// makes it wait. All others are left to the loader's own errors.
func checkFile(path string) error {
	if !strings.Contains(path, "/") {
		return nil // the loader looks it up
	}
	info, err := os.Stat(path)
	if err != nil || info.IsDir() {
		return nil
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s: not a regular file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	if err := checkELF(f, info.Size()); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// checkELF looks at the machine and at the segments of an ELF file of that size
// (System V ABI, ELF Header and Program Header). Bytes that are none are the
// loader's to refuse.
func checkELF(f io.ReaderAt, size int64) error {
	var head [64]byte
	if n, _ := f.ReadAt(head[:], 0); n < len(head) || string(head[:4]) != elf.ELFMAG || elf.Data(head[elf.EI_DATA]) != elf.ELFDATA2LSB {
		return nil
	}
	order := binary.LittleEndian
	own, known := machines[runtime.GOARCH]
	if machine := elf.Machine(order.Uint16(head[18:])); known && machine != own {
		return fmt.Errorf("it is for %v, and this process is %v", machine, own)
	}
	if elf.Class(head[elf.EI_CLASS]) != elf.ELFCLASS64 {
		return nil // of a 64-bit process; the cut files of 32-bit ones are not looked for
	}
	const entry = 56 // bytes of an Elf64_Phdr
	at, count := order.Uint64(head[32:]), int(order.Uint16(head[56:]))
	if order.Uint16(head[54:]) != entry || at > uint64(size) {
		return nil
	}
	table := make([]byte, entry*count)
	if n, _ := f.ReadAt(table, int64(at)); n < len(table) {
		return nil
	}
	for ; len(table) > 0; table = table[entry:] {
		offset, length := order.Uint64(table[8:]), order.Uint64(table[32:])
		if elf.ProgType(order.Uint32(table)) == elf.PT_LOAD && (offset > uint64(size) || length > uint64(size)-offset) {
			return fmt.Errorf("the file ends within a segment: it has %d bytes, and the segment ends at %d", size, offset+length)
		}
	}
	return nil
}

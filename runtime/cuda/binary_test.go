package cuda

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"strings"
	"testing"

	"offlink/runtime/driver"
)

// cubinOf is an ELF file with a table of two sections, the second of which has
// size bytes.
func cubinOf(machine elf.Machine, size uint64) []byte {
	const headers, names = 64, "\x00.text\x00"
	var b bytes.Buffer
	ident := [elf.EI_NIDENT]byte{0x7f, 'E', 'L', 'F', byte(elf.ELFCLASS64), byte(elf.ELFDATA2LSB), 1, 0x41, 8}
	for _, part := range []any{
		elf.Header64{Ident: ident, Type: uint16(elf.ET_EXEC), Machine: uint16(machine), Version: 1, Shoff: headers, Ehsize: headers, Shentsize: 64, Shnum: 2, Shstrndx: 1},
		elf.Section64{},
		elf.Section64{Name: 1, Type: uint32(elf.SHT_STRTAB), Off: headers + 128, Size: size},
		[]byte(names),
	} {
		if err := binary.Write(&b, binary.LittleEndian, part); err != nil {
			panic(err)
		}
	}
	return b.Bytes()
}

// TestWholeBinaries: the driver never sees code that its headers say is longer
// than it is, nor code for another machine.
func TestWholeBinaries(t *testing.T) {
	_, d := newFakeDevice(t)
	const textSize = 7
	fat := func(rest uint64) []byte {
		b := binary.LittleEndian.AppendUint16(append([]byte{}, fatBinaryMagic...), 1)
		return append(binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint16(b, fatBinaryHeader), rest), make([]byte, 32)...)
	}
	cubin := cubinOf(elf.EM_CUDA, textSize)
	for _, c := range []struct {
		name string
		code []byte
		want string // in the error; "" for none
	}{
		{"a cubin", cubin, ""},
		{"a cubin cut short", cubin[:100], "not a whole cubin"},
		{"a cubin of its magic number", cubin[:4], "not a whole cubin"},
		{"a section that ends after the file", cubinOf(elf.EM_CUDA, textSize+1), "not a whole cubin"},
		{"a host's object", cubinOf(elf.EM_X86_64, textSize), "not a cubin"},
		{"a fat binary", fatBinaryOf(testEntry{1, 50, ptxFor("sm_50"), false, false}), ""},
		{"a fat binary whose entry is cut short", fat(32), "entry"},
		{"a fat binary cut short", fat(33), "its header says"},
		{"a fat binary of most of 64 bits", fat(^uint64(0)), "its header says"},
		{"a fat binary's magic number", fatBinaryMagic, "within its header"},
	} {
		_, err := d.Compile(t.Context(), driver.Module{Name: "m", Image: driver.Image{Format: "native", Target: Target}, Code: c.code}, driver.CompileOptions{})
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v; want %q", c.name, err, c.want)
		}
	}
}

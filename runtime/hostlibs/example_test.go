package hostlibs_test

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"offlink/runtime/hostlibs"
)

// A library asks for another one. The loader finds the folder of the first in
// its RUNPATH, and lists those that it cannot find.
func ExampleLoader_Closure() {
	dir, err := os.MkdirTemp("", "hostlibs")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	for name, needed := range map[string]string{"libapp.so": "libhelpers.so", "libhelpers.so": "libgone.so"} {
		if err := os.WriteFile(filepath.Join(dir, name), sharedLibrary(needed, "$ORIGIN"), 0o666); err != nil {
			log.Fatal(err)
		}
	}
	loader := &hostlibs.Loader{CacheFile: filepath.Join(dir, "no cache"), DefaultFolders: []string{}}
	app, err := loader.Open(filepath.Join(dir, "libapp.so"))
	if err != nil {
		log.Fatal(err)
	}
	closure := loader.Closure(app)
	for _, m := range closure.Modules {
		fmt.Println(filepath.Base(m.Path), m.Dynamic.Needed)
	}
	for _, missing := range closure.Missing {
		fmt.Println(filepath.Base(missing.By.Path), "lacks", missing.Name)
	}
	// Output:
	// libapp.so [libhelpers.so]
	// libhelpers.so [libgone.so]
	// libhelpers.so lacks libgone.so
}

// sharedLibrary returns an ELF file that is a dynamic section alone.
func sharedLibrary(needed, runpath string) []byte {
	const base = 64 + 2*56
	strings := "\x00" + needed + "\x00" + runpath + "\x00"
	dynamic := []elf.Dyn64{
		{Tag: int64(elf.DT_NEEDED), Val: 1},
		{Tag: int64(elf.DT_RUNPATH), Val: uint64(2 + len(needed))},
		{Tag: int64(elf.DT_STRTAB), Val: base},
		{Tag: int64(elf.DT_STRSZ), Val: uint64(len(strings))},
		{},
	}
	at := uint64(base + (len(strings)+7)/8*8)
	end := at + uint64(16*len(dynamic))
	var b bytes.Buffer
	write := func(data any) {
		if err := binary.Write(&b, binary.LittleEndian, data); err != nil {
			log.Fatal(err)
		}
	}
	write(elf.Header64{
		Ident: [16]byte{0x7f, 'E', 'L', 'F', byte(elf.ELFCLASS64), byte(elf.ELFDATA2LSB), byte(elf.EV_CURRENT)},
		Type:  uint16(elf.ET_DYN), Machine: uint16(elf.EM_X86_64), Version: 1, Phoff: 64, Ehsize: 64, Phentsize: 56, Phnum: 2,
	})
	write(elf.Prog64{Type: uint32(elf.PT_LOAD), Filesz: end, Memsz: end, Align: 4096})
	write(elf.Prog64{Type: uint32(elf.PT_DYNAMIC), Off: at, Vaddr: at, Filesz: end - at, Memsz: end - at, Align: 8})
	b.WriteString(strings)
	b.Write(make([]byte, int(at)-b.Len()))
	write(dynamic)
	return b.Bytes()
}

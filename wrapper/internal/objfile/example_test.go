package objfile_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"log"

	"offlink/wrapper/internal/objfile"
)

// An object with a table of one pointer, in each format. A relocatable file has
// no addresses; the reader lays its sections out and applies the relocation.
func ExampleObject_Write() {
	for _, format := range []objfile.Format{objfile.ELF, objfile.COFF} {
		image := &objfile.ObjectSection{Name: ".image", Use: objfile.UseData, Align: 8, Pieces: []objfile.Content{objfile.Bytes("kernel")}}
		table := &objfile.ObjectSection{Name: ".table", Use: objfile.UseRelocatedData, Align: 8, Pieces: []objfile.Content{objfile.Bytes(make([]byte, 8))}}
		at := &objfile.ObjectSymbol{Name: "image", Section: image, Size: 6}
		table.Fixups = []objfile.Fixup{{Kind: objfile.FixupPointer, Symbol: at}}
		o := objfile.Object{
			Format: format, Machine: objfile.X86_64,
			Sections: []*objfile.ObjectSection{image, table}, Symbols: []*objfile.ObjectSymbol{at},
		}
		var b bytes.Buffer
		if err := o.Write(&b); err != nil {
			log.Fatal(err)
		}
		f, err := objfile.Read(b.Bytes(), nil)
		if err != nil {
			log.Fatal(err)
		}
		for i := range f.Sections {
			s := &f.Sections[i]
			if s.Name() != ".table" {
				continue
			}
			pointer, err := f.View(s.Addr, 8)
			if err != nil {
				log.Fatal(err)
			}
			data, err := f.View(binary.LittleEndian.Uint64(pointer), 6)
			fmt.Println(f.Format, f.Machine, f.Linked, string(data), err)
		}
	}
	// Output:
	// ELF x86_64 false kernel <nil>
	// COFF x86_64 false kernel <nil>
}

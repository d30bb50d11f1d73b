package container

import (
	"bytes"
	"encoding/binary"
	"errors"

	"offlink/wrapper/devimg"
)

// rebuildSYCLBIN makes a SYCLBIN of version 1 anew: its metadata stays, the
// table of code is written again.
func rebuildSYCLBIN(data []byte, n int, code devimg.Code) ([]devimg.Code, error) {
	f := &syclbinFile{reader: reader{form: SYCLBIN, data: data}}
	if err := f.readHeaders(); err != nil {
		return nil, err
	}
	index, native, ok := f.find(n)
	if !ok {
		return nil, errors.New("there is no such entry")
	}
	header := bytes.Clone(data[:syclbinHeaderSize])
	abstract, lists := bytes.Clone(f.abstract), [2][]byte{bytes.Clone(f.ir), bytes.Clone(f.native)}
	which := 0
	if native {
		which = 1
	}
	if code == nil {
		at := index * syclbinModuleSize
		lists[which] = append(lists[which][:at:at], lists[which][at+syclbinModuleSize:]...)
		dropIndex(abstract, 16+8*which, index)
		count := header[12+4*which:]
		binary.LittleEndian.PutUint32(count, binary.LittleEndian.Uint32(count)-1)
		index = -1
	}
	var table pieces
	for l, headers := range lists {
		for i := 0; i*syclbinModuleSize < len(headers); i++ {
			h := headers[i*syclbinModuleSize:]
			c := devimg.Bytes(data[f.code+u64(h, 16):][:u64(h, 24)])
			if l == which && i == index {
				c = code
			}
			table.pad(8)
			binary.LittleEndian.PutUint64(h[16:], uint64(table.size))
			binary.LittleEndian.PutUint64(h[24:], uint64(c.Size()))
			table.code(c)
		}
	}
	table.pad(8)
	binary.LittleEndian.PutUint64(header[32:], uint64(table.size))
	var out pieces
	for _, b := range [][]byte{header, abstract, lists[0], lists[1], data[f.metadata:][:f.metadataSize]} {
		out.bytes(b)
	}
	out.pad(8)
	return append(out.list, table.list...), nil
}

// find returns the place of image n, as module counts them, among the IR
// modules or the native images.
func (f *syclbinFile) find(n int) (index int, native, ok bool) {
	for b := f.abstract; len(b) > 0; b = b[syclbinAbstractSize:] {
		for i := range 2 {
			count, first := int(u32(b, 16+8*i)), int(u32(b, 20+8*i))
			if n < count {
				return first + n, i == 1, true
			}
			n -= count
		}
	}
	return 0, false, false
}

// dropIndex takes a header out of the ranges {number, first} that abstract
// modules have at an offset.
func dropIndex(abstract []byte, at, index int) {
	for b := abstract; len(b) > 0; b = b[syclbinAbstractSize:] {
		count, first := u32(b, at), u32(b, at+4)
		switch {
		case int(first) > index:
			binary.LittleEndian.PutUint32(b[at+4:], first-1)
		case index < int(first+count):
			binary.LittleEndian.PutUint32(b[at:], count-1)
		}
	}
}

package container

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"

	"offlink/wrapper/devimg"
)

// rebuildSYCLBIN makes a SYCLBIN of version 1 again: its metadata is copied, and the table of code
// is written anew.
func rebuildSYCLBIN(data []byte, n int, code devimg.Code) ([]devimg.Code, error) {
	f := &syclbinFile{reader: reader{form: SYCLBIN, data: data}}
	if err := f.readHeaders(); err != nil {
		return nil, err
	}
	index, native, ok := f.findModule(n)
	if !ok {
		return nil, errors.New("there is no such entry")
	}
	lists, err := f.moduleLists()
	if err != nil {
		return nil, err
	}
	changed := &lists[0]
	if native {
		changed = &lists[1]
	}
	header, abstract := bytes.Clone(data[:syclbinHeaderSize]), bytes.Clone(f.abstract)
	if code != nil {
		changed.codes[index] = code
	} else {
		changed.removeModule(index, header, abstract)
	}
	var table pieces
	for _, list := range lists {
		list.appendCode(&table)
	}
	table.appendPadding(8)
	binary.LittleEndian.PutUint64(header[32:], uint64(table.size))
	var out pieces
	for _, b := range [][]byte{header, abstract, lists[0].headers, lists[1].headers, data[f.metadata:][:f.metadataSize]} {
		out.appendBytes(b)
	}
	out.appendPadding(8)
	return append(out.list, table.list...), nil
}

// moduleList is the headers of the IR modules or of the native images, and
// their code.
type moduleList struct {
	headers []byte
	codes   []devimg.Code
	// countAt is where the file header has their number, rangeAt where an
	// abstract module has its range of them.
	countAt, rangeAt int
}

// moduleLists reads both lists, including modules that no abstract module has.
func (f *syclbinFile) moduleLists() ([2]moduleList, error) {
	lists := [2]moduleList{
		{headers: bytes.Clone(f.ir), countAt: 12, rangeAt: 16},
		{headers: bytes.Clone(f.native), countAt: 16, rangeAt: 24},
	}
	for i := range lists {
		for h := lists[i].headers; len(h) > 0; h = h[syclbinModuleSize:] {
			code, err := f.codeAt(u64(h, 16), u64(h, 24))
			if err != nil {
				return lists, err
			}
			lists[i].codes = append(lists[i].codes, devimg.Bytes(code))
		}
	}
	return lists, nil
}

// removeModule removes a module from the list, and from the counts and ranges that include it.
func (l *moduleList) removeModule(index int, header, abstract []byte) {
	at := index * syclbinModuleSize
	l.headers = slices.Delete(l.headers, at, at+syclbinModuleSize)
	l.codes = slices.Delete(l.codes, index, index+1)
	binary.LittleEndian.PutUint32(header[l.countAt:], uint32(len(l.codes)))
	dropIndex(abstract, l.rangeAt, index)
}

// appendCode appends the code to the table and puts its offset into the headers.
func (l *moduleList) appendCode(table *pieces) {
	for i, c := range l.codes {
		h := l.headers[i*syclbinModuleSize:]
		table.appendPadding(8)
		binary.LittleEndian.PutUint64(h[16:], uint64(table.size))
		binary.LittleEndian.PutUint64(h[24:], uint64(c.Size()))
		table.appendCode(c)
	}
}

// findModule returns the number of image n, as readModule counts them, among
// the IR modules or the native images.
func (f *syclbinFile) findModule(n int) (index int, native, ok bool) {
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

// dropIndex removes a header from the ranges {number, first} that abstract modules have at an
// offset.
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

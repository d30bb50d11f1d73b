package hostlibs

import (
	"bytes"
	"encoding/binary"
	"errors"
)

// The cache of the dynamic loader, ld.so.cache, has pairs of a library's name
// and its path. The format is that of glibc (sysdeps/generic/dl-cache.h),
// "glibc-ld.so.cache1.1"; an older table of other entries may precede it.
const (
	cacheMagic      = "glibc-ld.so.cache1.1"
	cacheHeaderSize = 48
	cacheEntrySize  = 24
)

var errCache = errors.New("not a cache of the dynamic loader (glibc-ld.so.cache1.1)")

// parseCache returns the paths of the libraries by name, in the order of the
// cache. Entries for processors with more features (glibc-hwcaps) are left
// out: their libraries hold the same device code.
func parseCache(data []byte) (map[string][]string, error) {
	start := bytes.Index(data, []byte(cacheMagic))
	if start < 0 || len(data)-start < cacheHeaderSize {
		return nil, errCache
	}
	table := data[start:] // offsets of strings count from here
	count := uint64(binary.LittleEndian.Uint32(table[20:]))
	if count > uint64(len(table)-cacheHeaderSize)/cacheEntrySize {
		return nil, errCache
	}
	paths := make(map[string][]string)
	for i := range count {
		entry := table[cacheHeaderSize+i*cacheEntrySize:]
		name, ok := cacheString(table, binary.LittleEndian.Uint32(entry[4:]))
		path, found := cacheString(table, binary.LittleEndian.Uint32(entry[8:]))
		if !ok || !found {
			return nil, errCache
		}
		if binary.LittleEndian.Uint64(entry[16:]) == 0 {
			paths[name] = append(paths[name], path)
		}
	}
	return paths, nil
}

func cacheString(table []byte, at uint32) (string, bool) {
	if uint64(at) >= uint64(len(table)) {
		return "", false
	}
	rest := table[at:]
	end := bytes.IndexByte(rest[:min(len(rest), maxStringLength)], 0)
	if end < 0 {
		return "", false
	}
	return string(rest[:end]), true
}

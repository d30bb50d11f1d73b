package hostdev

import (
	"testing"
	"testing/fstest"
)

// TestDataCache: the largest cache counts, those of instructions and sizes that are none do not.
func TestDataCache(t *testing.T) {
	folder := fstest.MapFS{}
	add := func(index, kind, size, line string) {
		for name, text := range map[string]string{"type": kind, "size": size, "coherency_line_size": line} {
			folder["index"+index+"/"+name] = &fstest.MapFile{Data: []byte(text + "\n")}
		}
	}
	check := func(want dataCache) {
		t.Helper()
		if got := largestDataCache(folder); got != want {
			t.Errorf("got %+v, want %+v", got, want)
		}
	}
	check(dataCache{})
	add("0", "Data", "48K", "64")
	check(dataCache{48 << 10, 64})
	add("1", "Instruction", "64K", "64")
	check(dataCache{48 << 10, 64})
	add("2", "Unified", "2048K", "128")
	add("3", "Unified", "-1K", "64")
	add("5", "Unified", "9999K", "64") // there is no index4
	check(dataCache{2048 << 10, 128})
	add("3", "Unified", "307200K", "a line")
	check(dataCache{307200 << 10, 0})
}

package live

import (
	"bytes"
	"os"
	"slices"
	"strconv"
	"sync"
)

// mappedMemory knows which memory of this process can be read, so that a wrong
// pointer of a descriptor is an error: a read through it would end the process.
type mappedMemory struct {
	mu     sync.Mutex
	ranges []memoryRange // sorted, apart
	told   bool          // the system has listed the ranges before
}

// memoryRange is the bytes from begin up to end.
type memoryRange struct{ begin, end uint64 }

var mapped mappedMemory

// holdsRange reports whether all n bytes at addr can be read. If the known ranges do not have
// them, the ranges are read again, as libraries come and go. On a system that does not list
// them, every pointer is trusted.
func (m *mappedMemory) holdsRange(addr, n uint64) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.findMapping(addr, n) {
		return true
	}
	text, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		return !m.told
	}
	m.ranges, m.told = parseMaps(text), true
	return m.findMapping(addr, n)
}

// forgetMappings drops the ranges: memory that could be read may be gone by now.
func (m *mappedMemory) forgetMappings() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.ranges = nil
}

func (m *mappedMemory) findMapping(addr, n uint64) bool {
	i, found := slices.BinarySearchFunc(m.ranges, addr, func(r memoryRange, addr uint64) int {
		switch {
		case r.end <= addr:
			return -1
		case r.begin > addr:
			return 1
		}
		return 0
	})
	return found && n <= m.ranges[i].end-addr
}

// parseMaps reads the lines "7f00-7f10 r-xp ..." of proc(5). Readable ranges
// that touch become one.
func parseMaps(text []byte) (list []memoryRange) {
	for line := range bytes.Lines(text) {
		span, rest, _ := bytes.Cut(line, []byte(" "))
		first, last, ok := bytes.Cut(span, []byte("-"))
		if !ok || len(rest) == 0 || rest[0] != 'r' {
			continue
		}
		begin, err := strconv.ParseUint(string(first), 16, 64)
		if err != nil {
			continue
		}
		end, err := strconv.ParseUint(string(last), 16, 64)
		if err != nil || end <= begin {
			continue
		}
		if n := len(list); n > 0 && list[n-1].end == begin {
			list[n-1].end = end
			continue
		}
		list = append(list, memoryRange{begin, end})
	}
	return list
}

package irtext

import (
	"strconv"
	"strings"
)

// namedSpace returns the address space that a name stands for: those of allocas, of
// variables and of functions, which every data layout has, or one that the data layout
// names as the LLVM Language Reference describes it, p7(name):64:64.
func namedSpace(layout, name string) (space uint32, ok bool) {
	switch name {
	case "A", "G", "P":
		for item := range strings.SplitSeq(layout, "-") {
			if number, found := strings.CutPrefix(item, name); found {
				return spaceNumber(number)
			}
		}
		return 0, true
	}
	for item := range strings.SplitSeq(layout, "-") {
		pointer, _, _ := strings.Cut(item, ":")
		number, label, named := strings.Cut(strings.TrimSuffix(pointer, ")"), "(")
		if named && label == name && strings.HasPrefix(number, "p") {
			return spaceNumber(strings.TrimLeft(number, "peu")) // flags come before the number
		}
	}
	return 0, false
}

// spaceNumber reads the number of an address space, 0 where none is written.
func spaceNumber(text string) (uint32, bool) {
	if text == "" {
		return 0, true
	}
	n, err := strconv.ParseUint(text, 10, 24)
	return uint32(n), err == nil
}

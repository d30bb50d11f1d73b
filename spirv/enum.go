package spirv

import (
	"fmt"
	"math/bits"
	"strings"
)

// enumName spells a value of an enumeration, "Kernel", or of a mask,
// "Aligned|Volatile", with "None" for the empty mask.
func enumName(kind operandKind, value uint32) string {
	info := enums[kind]
	if e := findEnumerant(kind, value); e != nil {
		return e.name
	}
	if !info.bits {
		return fmt.Sprint(value)
	}
	var parts []string
	for rest := value; rest != 0; rest &= rest - 1 {
		bit := uint32(1) << bits.TrailingZeros32(rest)
		if e := findEnumerant(kind, bit); e != nil {
			parts = append(parts, e.name)
		} else {
			parts = append(parts, fmt.Sprintf("%#x", bit))
		}
	}
	return strings.Join(parts, "|")
}

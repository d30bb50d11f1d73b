package spirv

import "encoding/binary"

// Capability is an operand of OpCapability.
type Capability uint32

// Capabilities of extensions that offlink looks for.
const (
	CapabilityWeakLinkageAMD                  Capability = 5181
	CapabilityAsmINTEL                        Capability = 5606
	CapabilityVectorComputeINTEL              Capability = 5617
	CapabilityArbitraryPrecisionIntegersINTEL Capability = 5844
	CapabilityMaskedGatherScatterINTEL        Capability = 6427
)

// Capabilities returns the capabilities that a module declares, in its order. They come first in a
// module, and Capabilities reads no further; in little-endian modules it does not even copy more.
func Capabilities(code []byte) ([]Capability, error) {
	end, one := 4*headerWords, 2<<16|uint32(OpCapability)
	for end+8 <= len(code) && binary.LittleEndian.Uint32(code[end:]) == one {
		end += 8
	}
	if HasMagic(code) {
		code = code[:min(len(code), end)]
	}
	words, err := toWords(code)
	if err != nil {
		return nil, err
	}
	if len(words) < headerWords {
		return nil, &FormatError{4 * len(words), OpNop, "the module ends within its header"}
	}
	var list []Capability
	for rest := words[headerWords:]; len(rest) > 1 && rest[0] == 2<<16|uint32(OpCapability); rest = rest[2:] {
		list = append(list, Capability(rest[1]))
	}
	return list, nil
}

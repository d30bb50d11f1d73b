package toolchain

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"offlink/spirv"
)

// SPIRVOptions are the options of a translation.
type SPIRVOptions struct {
	// Version is the SPIR-V version that every module gets, "1.0" to "1.4".
	Version string
	// Extensions is llvm-spirv's --spirv-ext; "" allows every extension that
	// the translator knows, except those that only carry hints.
	Extensions string
}

// DefaultSPIRVVersion is the version where none is asked for: the lowest that
// has the sub-group operations of SYCL (OpGroupNonUniform...). The rules for
// OpenCL kernels only grew from 1.0 to 1.3, so a module of an older version
// is one of 1.3; from 1.4 on they differ (entry points list the variables that
// they use), so nothing is raised to that.
const DefaultSPIRVVersion = "1.3"

// SPIRVVersions are the versions that can be asked for.
var SPIRVVersions = []string{"1.0", "1.1", "1.2", "1.3", "1.4"}

// hints are extensions that llvm-spirv uses wherever they are allowed, for purposes that a
// program can do without: promises to the optimizer, or a shorter form of other
// instructions. They are not allowed by default, as devices that lack one would refuse the
// module. The second column is the first LLVM version whose translator knows the name:
// llvm-spirv refuses names that it does not know.
var hints = []struct {
	extension string
	since     int
	what      string
}{
	{"SPV_KHR_expect_assume", 14, "llvm.assume and llvm.expect"},
	{"SPV_KHR_no_integer_wrap_decoration", 14, "nsw and nuw"},
	{"SPV_KHR_bit_instructions", 14, "bit reversal, written out otherwise"},
	{"SPV_INTEL_memory_access_aliasing", 14, "alias.scope and noalias"},
	{"SPV_INTEL_runtime_aligned", 14, "alignment of kernel arguments"},
	{"SPV_INTEL_fp_fast_math_mode", 14, "contract and reassoc"},
	{"SPV_INTEL_optnone", 14, "optnone"},
	{"SPV_INTEL_unstructured_loop_controls", 14, "loop unrolling"},
	{"SPV_INTEL_fp_max_error", 19, "allowed inaccuracy of functions"},
}

// TranslatorArgs are the arguments that make the route's llvm-spirv write the
// SPIR-V of the bitcode file input into output.
func (r *Route) TranslatorArgs(o SPIRVOptions, input, output string) []string {
	extensions := o.Extensions
	if extensions == "" {
		extensions = defaultExtensions(r.Translator)
	}
	return []string{"--spirv-max-version=" + o.Version, "--spirv-ext=" + extensions, input, "-o", output}
}

func defaultExtensions(t Tool) string {
	var b strings.Builder
	b.WriteString("+all")
	for _, h := range hints {
		if t.LLVM >= h.since {
			b.WriteString(",-" + h.extension)
		}
	}
	return b.String()
}

// FinishSPIRV corrects the output of llvm-spirv, in place. The module gets the
// version asked for where llvm-spirv chose a lower one: modules that are to be
// linked with spirv-link must have one version. Copies that are said to be
// aligned to 0 bytes, which is not a power of two, get an alignment of 1.
func FinishSPIRV(words []byte, version string) error {
	if len(words) < 20 || len(words)%4 != 0 || !spirv.HasMagic(words) {
		return fmt.Errorf("llvm-spirv wrote %d bytes that are not a SPIR-V module", len(words))
	}
	if err := RaiseVersion(words, version); err != nil {
		return err
	}
	err := spirv.EachInstruction(words, func(op spirv.Opcode, instruction []byte) {
		if op == spirv.OpCopyMemorySized {
			fixCopyAlignment(instruction)
		}
	})
	if err != nil {
		return fmt.Errorf("llvm-spirv wrote a module that cannot be read: %w", err)
	}
	return nil
}

// RaiseVersion gives a module the version where it has a lower one, in place.
// Version 1.4 has other rules than those before it, so that none is raised to that.
func RaiseVersion(words []byte, version string) error {
	major, minor, _ := strings.Cut(version, ".")
	majorNumber, err1 := strconv.ParseUint(major, 10, 8)
	minorNumber, err2 := strconv.ParseUint(minor, 10, 8)
	if err := errors.Join(err1, err2); err != nil {
		return fmt.Errorf("SPIR-V version %q: %w", version, err)
	}
	want := uint32(majorNumber<<16 | minorNumber<<8)
	if minorNumber <= 3 && binary.LittleEndian.Uint32(words[4:]) < want {
		binary.LittleEndian.PutUint32(words[4:], want)
	}
	return nil
}

// memoryAligned is a bit of the memory operands: an alignment follows.
const memoryAligned = 2

// fixCopyAlignment corrects the alignments of OpCopyMemorySized: target, source, size,
// then for one access or both memory operands and the alignment.
func fixCopyAlignment(instruction []byte) {
	for i := 16; i+8 <= len(instruction); i += 8 {
		operands := binary.LittleEndian.Uint32(instruction[i:])
		if operands&memoryAligned == 0 {
			return
		}
		if binary.LittleEndian.Uint32(instruction[i+4:]) == 0 {
			binary.LittleEndian.PutUint32(instruction[i+4:], 1)
		}
	}
}

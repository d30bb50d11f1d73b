package wrapper

import (
	"fmt"
	"runtime"
	"strconv"
	"strings"

	"offlink/lazy"
	"offlink/wrapper/internal/objfile"
)

// Host is the machine and system that a host object is for.
type Host struct {
	Triple string // as given: "x86_64-unknown-linux-gnu"

	format  *hostFormat
	machine objfile.Machine // 0 where only LLVM IR can be written
	pointer int             // bytes
	macOS   [2]uint8        // oldest version, for Mach-O
}

// DefaultHost returns the host that this program runs on.
func DefaultHost() Host {
	arch := map[string]string{"amd64": "x86_64", "arm64": "aarch64", "386": "i386"}[runtime.GOARCH]
	if arch == "" {
		arch = runtime.GOARCH
	}
	system := map[string]string{"windows": "pc-windows-msvc", "darwin": "apple-macosx11.0.0", "linux": "unknown-linux-gnu"}[runtime.GOOS]
	if system == "" {
		system = "unknown-" + runtime.GOOS
	}
	h, err := ParseHost(arch + "-" + system)
	if err != nil {
		h, _ = ParseHost("x86_64-unknown-linux-gnu")
	}
	return h
}

// architectures are the first parts of the triples that are known.
var architectures = lazy.Map[string, objfile.Machine]{New: func() map[string]objfile.Machine {
	return map[string]objfile.Machine{
		"x86_64": objfile.X86_64, "amd64": objfile.X86_64, "x86_64h": objfile.X86_64,
		"aarch64": objfile.AArch64, "arm64": objfile.AArch64, "arm64e": objfile.AArch64,
		"riscv64": objfile.RISCV64,
		"i386":    objfile.I386, "i486": objfile.I386, "i586": objfile.I386, "i686": objfile.I386, "x86": objfile.I386,
	}
}}

// irPointers are the sizes of pointers on machines for which only LLVM IR can be written.
var irPointers = lazy.Map[string, int]{New: func() map[string]int {
	return map[string]int{
		"loongarch64": 8, "powerpc64le": 8, "ppc64le": 8, "s390x": 8, "mips64el": 8, "wasm64": 8,
		"arm": 4, "armv7": 4, "armv7a": 4, "armv7l": 4, "thumbv7": 4, "riscv32": 4, "mipsel": 4, "wasm32": 4,
	}
}}

// ParseHost reads a target triple.
func ParseHost(triple string) (Host, error) {
	arch, system, _ := strings.Cut(triple, "-")
	h := Host{Triple: triple, format: formatOf(system), machine: architectures.Get()[arch], macOS: macOSVersion(system)}
	if h.machine == 0 {
		h.pointer = irPointers.Get()[arch]
		if h.pointer == 0 {
			return Host{}, fmt.Errorf("'%s': unsupported target triple", triple)
		}
		h.format = &elfFormat // names of sections in LLVM IR
		return h, nil
	}
	h.pointer = h.machine.PointerSize()
	if _, written := h.format.machines[h.machine]; !written {
		h.format, h.machine = &elfFormat, 0
	}
	return h, nil
}

// macOSVersion returns the version that a triple ends with, as in
// "apple-macosx12.3.0", or 11.0, the first version for both machines.
func macOSVersion(system string) [2]uint8 {
	digits := strings.IndexAny(system, "0123456789")
	if digits < 0 || !strings.Contains(system, "macos") {
		return [2]uint8{11, 0}
	}
	major, rest, _ := strings.Cut(system[digits:], ".")
	minor, _, _ := strings.Cut(rest, ".")
	a, err := strconv.ParseUint(major, 10, 8)
	if err != nil {
		return [2]uint8{11, 0}
	}
	b, _ := strconv.ParseUint(minor, 10, 8)
	return [2]uint8{uint8(a), uint8(b)}
}

// checkObjects returns an error if no objects can be written for the host.
func (h Host) checkObjects() error {
	if h.machine == 0 {
		return fmt.Errorf("'%s': no object file can be written for this target triple, only LLVM IR (-emit=llvm); objects are written for %s", h.Triple, writtenObjects())
	}
	return nil
}

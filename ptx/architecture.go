package ptx

import (
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"
)

// Architecture is the one that code was compiled for: sm_90, sm_90a, sm_100f. Its zero value
// is an unknown one.
type Architecture struct {
	SM int // 90
	// Exact: the code uses features that devices of this number alone have (sm_90a).
	Exact bool
	// Family: the PTX uses features that devices of this generation alone have (sm_100f).
	Family bool
}

// generation is how far native code, and that of a family, runs: sm_86 on sm_89, not on sm_90.
const generation = 10

// ParseArchitecture reads the name of a target.
func ParseArchitecture(name string) (a Architecture, ok bool) {
	digits, ok := strings.CutPrefix(name, "sm_")
	if !ok {
		return a, false
	}
	switch {
	case strings.HasSuffix(digits, "a"):
		a.Exact = true
	case strings.HasSuffix(digits, "f"):
		a.Family = true
	}
	number, err := strconv.ParseUint(strings.TrimRight(digits, "af"), 10, 16)
	a.SM = int(number)
	return a, err == nil && number > 0
}

// Architecture is that of the module's .target.
func (m *Module) Architecture() (a Architecture, ok bool) {
	if len(m.Targets) == 0 {
		return a, false
	}
	return ParseArchitecture(m.Targets[0])
}

// The fields of e_flags, by the ABI version in the header; ptxas 12.9 writes 7 for devices up to
// sm_90 and 8 for later ones. LLVM's ELF.h names them EF_CUDA_SM and EF_CUDA_ACCELERATORS.
const (
	cubinABI       = 8 // the place of the version
	cubinFlags     = 48
	cubinHead      = 52
	cubinNewABI    = 8
	cubinExactOld  = 0x800
	cubinExactNew  = 0x8
	cubinNewSMFrom = 8 // the first bit of the number
)

// CubinArchitecture reads the header of a cubin, of which the first bytes are enough.
func CubinArchitecture(head []byte) (a Architecture, ok bool) {
	if len(head) < cubinHead || !IsCubin(head) {
		return a, false
	}
	flags := binary.LittleEndian.Uint32(head[cubinFlags:])
	if head[cubinABI] >= cubinNewABI {
		a = Architecture{SM: int(flags >> cubinNewSMFrom & 0xff), Exact: flags&cubinExactNew != 0}
	} else {
		a = Architecture{SM: int(flags & 0xff), Exact: flags&cubinExactOld != 0}
	}
	return a, a.SM != 0
}

// RunsNative reports whether native code for the architecture runs on a device, 90 for sm_90.
func (a Architecture) RunsNative(device int) bool {
	return a.SM == device || a.SM < device && a.SM/generation == device/generation && !a.Exact
}

// Compiles reports whether a driver compiles PTX for the architecture for a device.
func (a Architecture) Compiles(device int) bool {
	return a.SM == device || a.SM < device && !a.Exact && (!a.Family || a.SM/generation == device/generation)
}

// String is the name of the target.
func (a Architecture) String() string {
	suffix := ""
	switch {
	case a.Exact:
		suffix = "a"
	case a.Family:
		suffix = "f"
	}
	return fmt.Sprintf("sm_%d%s", a.SM, suffix)
}

package props

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
)

// Describe says what the value of a property of a known set means, in a line
// for people; of others it shows the number, the text or the bytes. Bytes
// that do not have the form that the set gives them are shown as they are.
func Describe(set, name string, v Value) string {
	if v.Type() == TypeUint32 {
		return describeNumber(set, name, v.Uint32())
	}
	if form, ok := describers[set]; ok {
		if s, ok := form(name, v); ok {
			return s
		}
	}
	return describeBytes(v)
}

// describers are the forms of the byte arrays of the known sets (property
// names and layouts: PropertySetIO.h, sycl-post-link).
var describers = map[string]func(name string, v Value) (string, bool){
	SetSpecConstants:         describeSpecConstant,
	SetSpecConstantsDefaults: func(_ string, v Value) (string, bool) { return hex.EncodeToString(v.Data()), true },
	SetKernelParamOpt:        describeMask,
	SetDeviceGlobals:         describeDeviceGlobal,
	SetDeviceRequirements:    describeRequirement,
	SetProgramMetadata:       describeMetadata,
	SetHostPipes:             describeHostPipe,
	SetOfflinkImage:          describeImageFact,
}

func describeNumber(set, name string, n uint32) string {
	switch {
	case set == SetSYCLBINGlobalMetadata && name == "state" && n < 3:
		return [...]string{"input", "object", "executable"}[n]
	case set == SetSYCLBINModuleMetadata && name == "type" && n < 3:
		return [...]string{"SPIR-V", "PTX", "AMDGCN"}[n]
	}
	return strconv.FormatUint(uint64(n), 10)
}

// describeBytes shows printable bytes as text, others in hexadecimal.
func describeBytes(v Value) string {
	b := v.Data()
	for _, c := range b {
		if c < ' ' || c > '~' {
			return hex.EncodeToString(b)
		}
	}
	return strconv.Quote(string(b))
}

// numbers reads little-endian integers of 4 bytes, or of 8 bytes.
func numbers(b []byte, size int) ([]uint64, bool) {
	if len(b)%size != 0 {
		return nil, false
	}
	var ns []uint64
	for ; len(b) > 0; b = b[size:] {
		if size == 8 {
			ns = append(ns, binary.LittleEndian.Uint64(b))
		} else {
			ns = append(ns, uint64(binary.LittleEndian.Uint32(b)))
		}
	}
	return ns, true
}

func join(ns []uint64) string {
	words := make([]string, len(ns))
	for i, n := range ns {
		words[i] = strconv.FormatUint(n, 10)
	}
	return "[" + strings.Join(words, " ") + "]"
}

// paddingID marks a descriptor that only fills a composite up.
const paddingID = 0xFFFFFFFF

func describeSpecConstant(_ string, v Value) (string, bool) {
	ns, ok := numbers(v.Data(), 4)
	if !ok || len(ns)%3 != 0 {
		return "", false
	}
	var parts []string
	for ; len(ns) > 0; ns = ns[3:] {
		id := fmt.Sprintf("id %d", ns[0])
		if ns[0] == paddingID {
			id = "padding"
		}
		parts = append(parts, fmt.Sprintf("%s at %d, %d bytes", id, ns[1], ns[2]))
	}
	return strings.Join(parts, "; "), true
}

// describeMask tells which parameters of a kernel were removed.
func describeMask(_ string, v Value) (string, bool) {
	var removed []uint64
	for i := range v.BitLen() {
		if v.Data()[i/8]>>(i%8)&1 == 1 {
			removed = append(removed, i)
		}
	}
	return fmt.Sprintf("%d parameters, removed %s", v.BitLen(), join(removed)), true
}

// describeDeviceGlobal looks at the low byte of the flag only: old writers
// left the others undefined.
func describeDeviceGlobal(_ string, v Value) (string, bool) {
	b := v.Data()
	if len(b) != 8 {
		return "", false
	}
	s := fmt.Sprintf("%d bytes", binary.LittleEndian.Uint32(b))
	if b[4] != 0 {
		s += ", of the image (device_image_scope)"
	}
	return s, true
}

func describeRequirement(name string, v Value) (string, bool) {
	size := 4
	switch name {
	case "joint_matrix", "joint_matrix_mad", "compile_target":
		return "", false
	case "reqd_work_group_size_uint64_t":
		size = 8
	}
	ns, ok := numbers(v.Data(), size)
	return join(ns), ok
}

func describeMetadata(name string, v Value) (string, bool) {
	_, key, _ := strings.Cut(name, "@")
	switch key {
	case "reqd_work_group_size", "max_work_group_size":
		ns, ok := numbers(v.Data(), 4)
		return join(ns), ok
	}
	return "", false
}

func describeHostPipe(_ string, v Value) (string, bool) {
	ns, ok := numbers(v.Data(), 4)
	if !ok || len(ns) != 1 {
		return "", false
	}
	return fmt.Sprintf("%d bytes", ns[0]), true
}

func describeImageFact(name string, v Value) (string, bool) {
	switch name {
	case "size":
		ns, ok := numbers(v.Data(), 8)
		if !ok || len(ns) != 1 {
			return "", false
		}
		return fmt.Sprintf("%d bytes", ns[0]), true
	case "sha256":
		return hex.EncodeToString(v.Data()), true
	case ImageArch:
		return strconv.Quote(string(v.Data())), true
	}
	return "", false
}

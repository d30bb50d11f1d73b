package derive

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"offlink/props"
)

// Describe words the value of a property of a known set in a line for people. For other sets it
// shows the number, the text or the bytes. It does the same for bytes that do not have the form
// that the set gives them.
func Describe(set, name string, v props.Value) string {
	for i := range catalog {
		if form := catalog[i].describe; form != nil && catalog[i].Name == set {
			if text, ok := form(name, v); ok {
				return text
			}
			break
		}
	}
	if v.Type() == props.TypeUint32 {
		return strconv.FormatUint(uint64(v.Uint32()), 10)
	}
	return describeBytes(v)
}

// ofBytes restricts a form to byte arrays. A number under the name of one is shown as a number.
func ofBytes(form func(name string, v props.Value) (string, bool)) func(string, props.Value) (string, bool) {
	return func(name string, v props.Value) (string, bool) {
		if v.Type() != props.TypeByteArray {
			return "", false
		}
		return form(name, v)
	}
}

// describeHex shows bytes that are not text, such as digests, in hexadecimal, even if all of them
// happen to be printable.
func describeHex(_ string, v props.Value) (string, bool) { return hex.EncodeToString(v.Data()), true }

// describeState words the state of a SYCLBIN file (sycl::bundle_state).
func describeState(name string, v props.Value) (string, bool) {
	return describeEnumerator(name == "state", v, "input", "object", "executable")
}

// describeModuleType words the type of a module in a SYCLBIN file.
func describeModuleType(name string, v props.Value) (string, bool) {
	return describeEnumerator(name == "type", v, "SPIR-V", "PTX", "AMDGCN")
}

// describeEnumerator returns the word for a number that counts from 0. A number that has none is
// from a newer release, and is shown as it is.
func describeEnumerator(known bool, v props.Value, words ...string) (string, bool) {
	if !known || v.Type() != props.TypeUint32 || uint64(v.Uint32()) >= uint64(len(words)) {
		return "", false
	}
	return words[v.Uint32()], true
}

// describeBytes shows printable bytes as text, and others in hexadecimal.
func describeBytes(v props.Value) string {
	b := v.Data()
	for _, c := range b {
		if c < ' ' || c > '~' {
			return hex.EncodeToString(b)
		}
	}
	return strconv.Quote(string(b))
}

// littleEndians reads little-endian integers of size bytes, which is 4 or 8.
func littleEndians(b []byte, size int) ([]uint64, bool) {
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

// bracketList spells numbers as Go prints a slice.
func bracketList(ns []uint64) string {
	words := make([]string, len(ns))
	for i, n := range ns {
		words[i] = strconv.FormatUint(n, 10)
	}
	return "[" + strings.Join(words, " ") + "]"
}

// paddingID marks a descriptor that only fills up a composite. It is the largest ID, which no
// SPIR-V constant has (SpecConstants.cpp of intel/llvm).
const paddingID = 0xFFFFFFFF

// describeSpecConstant reads the descriptors of a specialization constant. Each scalar has three
// words: its ID, its offset in the composite, its size.
func describeSpecConstant(_ string, v props.Value) (string, bool) {
	ns, ok := littleEndians(v.Data(), 4)
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

// describeParameterMask lists which parameters of a kernel were removed.
func describeParameterMask(_ string, v props.Value) (string, bool) {
	var removed []uint64
	for i := range v.BitLen() {
		if v.Data()[i/8]>>(i%8)&1 == 1 {
			removed = append(removed, i)
		}
	}
	return fmt.Sprintf("%d parameters, removed %s", v.BitLen(), bracketList(removed)), true
}

// describeDeviceGlobal reads only the low byte of the flag: old writers left the others undefined.
func describeDeviceGlobal(_ string, v props.Value) (string, bool) {
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

// describeRequirement reads a list of numbers. The matrices and the target are text. The name of
// the property states if the numbers have 64 bits.
func describeRequirement(name string, v props.Value) (string, bool) {
	size := 4
	switch name {
	case "joint_matrix", "joint_matrix_mad", "compile_target":
		return "", false
	case "reqd_work_group_size_uint64_t":
		size = 8
	}
	ns, ok := littleEndians(v.Data(), size)
	return bracketList(ns), ok
}

// describeProgramMetadata reads the sizes of "KERNEL@KEY". Single numbers are UINT32 properties and
// names of variables are text, so neither needs a form.
func describeProgramMetadata(name string, v props.Value) (string, bool) {
	_, key, _ := strings.Cut(name, "@")
	switch key {
	case "reqd_work_group_size", "max_work_group_size":
		ns, ok := littleEndians(v.Data(), 4)
		return bracketList(ns), ok
	}
	return "", false
}

// describeHostPipe shows the size of one element of a pipe.
func describeHostPipe(_ string, v props.Value) (string, bool) {
	ns, ok := littleEndians(v.Data(), 4)
	if !ok || len(ns) != 1 {
		return "", false
	}
	return fmt.Sprintf("%d bytes", ns[0]), true
}

// describeNative shows the facts about a native image of the embedded device.
func describeNative(name string, v props.Value) (string, bool) {
	switch name {
	case props.NativeSPIRV:
		return hex.EncodeToString(v.Data()), true
	case props.NativeArch:
		return strconv.Quote(string(v.Data())), true
	}
	return "", false
}

// describeImageFact reads the properties that offload-wrap adds. They are in no set of DPC++.
func describeImageFact(name string, v props.Value) (string, bool) {
	switch name {
	case "size":
		ns, ok := littleEndians(v.Data(), 8)
		if !ok || len(ns) != 1 {
			return "", false
		}
		return fmt.Sprintf("%d bytes", ns[0]), true
	case "sha256":
		return hex.EncodeToString(v.Data()), true
	case props.ImageArch:
		return strconv.Quote(string(v.Data())), true
	}
	return "", false
}

package devimg

import "strconv"

var kindNames = [...]string{"unknown", "host", "openmp", "hip", "sycl", "cuda"}

// String returns the spelling of clang-offload-wrapper's -kind.
func (k Kind) String() string { return nameOf(kindNames[:], int(k)) }

// ParseKind returns the kind of that spelling of -kind. CUDA is not among them, as no descriptor
// tables carry its images.
func ParseKind(s string) (Kind, bool) {
	i, ok := indexOf(kindNames[:KindCUDA], s)
	return Kind(i), ok
}

var formatNames = [...]string{"none", "native", "spirv", "llvmbc", "compressed"}

// String returns the spelling of clang-offload-wrapper's -format.
func (f Format) String() string { return nameOf(formatNames[:], int(f)) }

// CodeName is an image's target and format in messages: "spir64, spirv", or the format
// alone where the image has no target.
func CodeName(target, format string) string {
	if target == "" {
		return format
	}
	return target + ", " + format
}

// ParseFormat returns the format of that spelling of -format. "compressed" is not an input format:
// the writer sets it.
func ParseFormat(s string) (Format, bool) {
	i, ok := indexOf(formatNames[:FormatCompressedNone], s)
	return Format(i), ok
}

func nameOf(names []string, i int) string {
	if i < len(names) {
		return names[i]
	}
	return strconv.Itoa(i)
}

func indexOf(names []string, s string) (int, bool) {
	for i, n := range names {
		if n == s {
			return i, true
		}
	}
	return 0, false
}

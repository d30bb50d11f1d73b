package wrapper

import (
	"bytes"
	"debug/elf"
	"slices"
	"strings"

	"offlink/ir"
	"offlink/ir/bitcode"
	"offlink/ir/sycl"
	"offlink/spirv"
	"offlink/wrapper/container"
	"offlink/wrapper/devimg"
)

// KernelNames returns the names of the kernels that the code of an image has,
// in its order and each once: of SPIR-V, LLVM bitcode, PTX, and the ELF files
// of AMD, NVIDIA and OpenMP on the host. Code of other forms, and code of
// FormatCompressedNone, gives none; compressed entries of CUDA fat binaries are
// inflated. It reads the whole code; an error says that the code is damaged.
func KernelNames(img *devimg.Image) ([]string, error) {
	if _, packed := container.PackedSize(img); packed {
		plain, err := container.Uncompress(img, container.NewBudget(0))
		if err != nil {
			return nil, err
		}
		img = plain
	}
	var head [64]byte
	n, _ := img.Code.ReadAt(head[:], 0)
	read := kernelReader(head[:n])
	if read == nil {
		return nil, nil
	}
	var code bytes.Buffer // grows with the content: compressed code may promise more than it has
	if err := devimg.Copy(&code, img.Code); err != nil {
		return nil, err
	}
	names, err := read(code.Bytes())
	if err != nil {
		return nil, err
	}
	return uniqueNames(names), nil
}

// kernelReader returns the function that reads the kernels of code with this beginning, or nil.
func kernelReader(head []byte) func([]byte) ([]string, error) {
	switch devimg.Sniff(devimg.Bytes(head)) {
	case devimg.FormatSPIRV:
		return spirvKernels
	case devimg.FormatLLVMBitcode:
		return bitcodeKernels
	}
	switch {
	case bytes.HasPrefix(head, []byte(elf.ELFMAG)):
		return elfKernels
	case IsPTX(head):
		return ptxKernels
	}
	return nil
}

// spirvKernels returns the entry points of a SPIR-V module.
func spirvKernels(code []byte) ([]string, error) {
	m, err := spirv.Parse(code)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range m.EntryPoints() {
		names = append(names, e.Name)
	}
	return names, nil
}

// openMPPrefix begins the names of the functions that OpenMP launches.
const openMPPrefix = "__omp_offloading_"

// bitcodeKernels returns the kernels of a bitcode module.
func bitcodeKernels(code []byte) ([]string, error) {
	m, err := bitcode.Read("", code)
	if err != nil {
		return nil, err
	}
	kernels, err := sycl.Kernels(m)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, id := range kernels {
		names = append(names, m.Values[id].Name)
	}
	for i := range m.Values { // on the host they have the C convention
		v := &m.Values[i]
		if v.Kind == ir.Function && !v.Declaration && !v.IsLocal() && strings.HasPrefix(v.Name, openMPPrefix) {
			names = append(names, v.Name)
		}
	}
	return names, nil
}

// IsPTX reports whether a text that begins so is PTX: comments, then a
// .version directive.
func IsPTX(head []byte) bool {
	return bytes.Contains(head, []byte(".version")) || bytes.HasPrefix(bytes.TrimLeft(head, "\r\n\t "), []byte("//"))
}

// ptxKernels finds the names after .entry directives.
func ptxKernels(code []byte) ([]string, error) {
	const directive = ".entry"
	var names []string
	for line := range bytes.Lines(code) {
		line, _, _ = bytes.Cut(line, []byte("//"))
		_, rest, ok := bytes.Cut(line, []byte(directive))
		if !ok {
			continue
		}
		if rest = bytes.TrimLeft(rest, " \t"); len(rest) == 0 {
			continue
		}
		end := bytes.IndexAny(rest, " \t(\r\n{;")
		if end < 0 {
			end = len(rest)
		}
		names = append(names, string(rest[:end]))
	}
	return names, nil
}

// uniqueNames drops empty names and repetitions.
func uniqueNames(names []string) []string {
	seen := make(map[string]bool, len(names))
	return slices.DeleteFunc(names, func(s string) bool {
		again := seen[s] || s == ""
		seen[s] = true
		return again
	})
}

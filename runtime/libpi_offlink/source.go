package main

import "C" // for the exports

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"offlink/ir/irfile"
	"offlink/privilege"
	"offlink/runtime/internal/dl"
	"offlink/spirv"
	"offlink/spirv/fromir"
)

// compilerVariable names the clang that compiles OpenCL C.
const compilerVariable = "OFFLINK_CLANG"

// oldestClang and newestClang bound the versions that distributions put into names.
const (
	oldestClang = 14
	newestClang = 23
)

// compilerTime is the time that a program's source may take.
const compilerTime = 5 * time.Minute

// clang is the path of the compiler of OpenCL C, "" for none. It writes LLVM IR, which is
// translated here: nothing else of LLVM is needed.
var clang = sync.OnceValue(func() string {
	if privilege.Raised() {
		return "" // the variable and PATH choose a program that runs with the rights of this one
	}
	names := []string{os.Getenv(compilerVariable)}
	if names[0] == "" {
		for version := newestClang; version >= oldestClang; version-- {
			names = append(names, fmt.Sprint("clang-", version))
		}
		names = append(names[1:], "clang")
	}
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
})

// The codes of OpenCL for sources.
const (
	compilerNotAvailable = -3
	invalidBuildOptions  = -43
)

// offlink_piclProgramCreateWithSource keeps a source in OpenCL C, which is compiled with the
// options of the build.
//
//export offlink_piclProgramCreateWithSource
func offlink_piclProgramCreateWithSource(contextHandle uintptr, count uint32, texts, lengths, out *uintptr) int32 {
	return perform(func() error {
		if clang() == "" {
			return failure(compilerNotAvailable, "OpenCL C needs clang, of version %d or newer, in PATH or named by %s", oldestClang, compilerVariable)
		}
		if count == 0 || texts == nil {
			return failure(invalidValue, "a program without a source")
		}
		var source bytes.Buffer
		sizes := wordsAt(lengths, int(count))
		for i, text := range wordsAt(texts, int(count)) {
			switch {
			case text == 0:
				return failure(invalidValue, "part %d of the source is missing", i)
			case sizes != nil && sizes[i] != 0:
				source.Write(dl.Bytes(text, int(sizes[i])))
			default:
				source.WriteString(dl.String(text))
			}
		}
		*out = newHandle(&program{source: source.Bytes(), constants: map[uint32][]byte{}}, contextHandle)
		return nil
	})
}

// enableHalf has sources use half without a pragma of their own, as other OpenCL drivers let them.
const enableHalf = "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n#line 1\n"

// compileSource makes the SPIR-V of a program's source. The log has the warnings.
func (p *program) compileSource(options string, headers map[string][]byte) error {
	flags, err := sourceFlags(options)
	if err != nil {
		return err
	}
	folder, err := headerFolder(headers)
	if err != nil {
		return err
	}
	if folder != "" {
		defer os.RemoveAll(folder)
		flags = append([]string{"-I" + folder}, flags...) // they come before those of the options
	}
	ctx, cancel := context.WithTimeout(context.Background(), compilerTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, clang(), append(flags, "-emit-llvm", "-c", "-o", "-", "-")...)
	cmd.WaitDelay = time.Second // a process that it has started may keep its output open
	var log bytes.Buffer
	cmd.Stdin, cmd.Stderr = io.MultiReader(strings.NewReader(enableHalf), bytes.NewReader(p.source)), &log
	bitcode, err := cmd.Output()
	p.log = log.String()
	if err != nil {
		return fmt.Errorf("%s: %w\n%s", clang(), err, &log)
	}
	code, err := spirvOf(bitcode, slices.Contains(flags, argInfoOption))
	if err != nil {
		return err
	}
	m, err := spirv.Parse(code)
	if err != nil {
		return err
	}
	p.code, p.kernels = code, kernelsOf(m)
	return nil
}

// headerFolder writes headers for clang; it is the caller's to remove, "" for no header.
func headerFolder(headers map[string][]byte) (folder string, err error) {
	if len(headers) == 0 {
		return "", nil
	}
	if folder, err = os.MkdirTemp("", "offlink-headers-"); err != nil {
		return "", err
	}
	for name, text := range headers {
		path := filepath.Join(folder, name)
		if !filepath.IsLocal(name) {
			err = failure(invalidValue, "the header %q has a name that leads elsewhere", name)
		}
		if err == nil {
			err = os.MkdirAll(filepath.Dir(path), 0o700)
		}
		if err == nil {
			err = os.WriteFile(path, text, 0o600)
		}
	}
	if err != nil {
		return "", errors.Join(err, os.RemoveAll(folder))
	}
	return folder, nil
}

// argInfoOption asks for the names and types of kernels' parameters.
const argInfoOption = "-cl-kernel-arg-info"

// spirvOf translates the compiler's output for the embedded device, which takes the instructions of
// bitfield_insert and bit_reverse besides the extensions of all devices.
func spirvOf(bitcode []byte, argInfo bool) ([]byte, error) {
	module, err := irfile.Parse("program", bitcode)
	if err != nil {
		return nil, err
	}
	options := fromir.PortableOptions()
	if err := options.AllowExtensions(fromir.PortableExtensions + ",+SPV_KHR_bit_instructions"); err != nil {
		return nil, err
	}
	options.KernelArgTypes = argInfo
	return fromir.Translate(module, options)
}

// fixedFlags are the flags of every source. Functions that are inline and not static have
// bodies, as in C before 1999: no other module has them.
var fixedFlags = []string{
	"--target=spir64-unknown-unknown", "-x", "cl", "-O2", "-fno-vectorize", "-fno-slp-vectorize", "-fgnu89-inline",
	"-D__ENDIAN_LITTLE__=1", "-Xclang", "-cl-ext=" + missingFeatures,
}

// missingFeatures are those that clang takes the device to have, as a target of SPIR-V, and that
// it lacks: programs test for their macros.
const missingFeatures = "-__opencl_c_pipes,-__opencl_c_device_enqueue,-cl_khr_gl_sharing,-cl_khr_gl_event,-cl_khr_gl_msaa_sharing," +
	"-cl_khr_gl_depth_images,-cl_khr_mipmap_image,-cl_khr_mipmap_image_writes,-cl_khr_d3d10_sharing,-cl_khr_d3d11_sharing," +
	"-cl_khr_dx9_media_sharing,-cl_khr_egl_event,-cl_khr_egl_image"

// compilerOptions are the options of OpenCL that clang knows.
var compilerOptions = []string{
	"-cl-denorms-are-zero", "-cl-fast-relaxed-math", "-cl-finite-math-only", "-cl-fp32-correctly-rounded-divide-sqrt",
	argInfoOption, "-cl-mad-enable", "-cl-no-signed-zeros", "-cl-opt-disable", "-cl-single-precision-constant",
	"-cl-strict-aliasing", "-cl-uniform-work-group-size", "-cl-unsafe-math-optimizations",
	"-w", "-Werror", "-g", "-O0", "-O1", "-O2", "-O3",
}

// sourceFlags are the compiler's flags for the options of a build. Other options than those of
// OpenCL are refused, as they could name files to write.
func sourceFlags(options string) ([]string, error) {
	words, err := splitOptions(options)
	if err != nil {
		return nil, failure(invalidBuildOptions, "options %q: %v", options, err)
	}
	flags := slices.Clone(fixedFlags)
	if slices.Contains(words, "-cl-opt-disable") {
		flags = append(flags, "-O0")
	}
	standard := "-cl-std=CL1.2" // where no option says another (OpenCL 3.0, 5.8.6.5)
	for i := 0; i < len(words); i++ {
		word := words[i]
		switch {
		case (word == "-D" || word == "-I") && i+1 < len(words):
			i++
			flags = append(flags, word+words[i])
		case len(word) > 2 && (strings.HasPrefix(word, "-D") || strings.HasPrefix(word, "-I")), slices.Contains(compilerOptions, word):
			flags = append(flags, word)
		case strings.HasPrefix(word, "-cl-std="):
			standard = word
		case strings.HasPrefix(word, "-cl-intel-"), word == "-cl-no-subgroup-ifp": // for other devices
		default:
			return nil, failure(invalidBuildOptions, "the option %s is not one of OpenCL", word)
		}
	}
	return append(flags, standard), nil
}

// splitOptions splits at spaces as a shell does: quotes of both kinds may stand in a word, and a
// backslash takes the meaning from the character after it.
func splitOptions(options string) (words []string, err error) {
	var word strings.Builder
	quote, begun, escaped := rune(0), false, false
	for _, c := range options {
		switch {
		case escaped:
			if quote == '"' && c != '"' && c != '\\' {
				word.WriteRune('\\')
			}
			word.WriteRune(c)
			escaped = false
		case c == '\\' && quote != '\'':
			escaped, begun = true, true
		case c == quote:
			quote = 0
		case quote == 0 && (c == '"' || c == '\''):
			quote, begun = c, true
		case quote == 0 && strings.ContainsRune(" \t\n", c):
			if begun {
				words = append(words, word.String())
			}
			word.Reset()
			begun = false
		default:
			word.WriteRune(c)
			begun = true
		}
	}
	if quote != 0 || escaped {
		return nil, errors.New("a quote is not closed")
	}
	if begun {
		words = append(words, word.String())
	}
	return words, nil
}

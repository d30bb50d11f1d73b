package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"offlink/ir/irfile"
	"offlink/spirv"
	"offlink/spirv/fromir"
)

// toolLimit is how long an external tool may take: some never end on modules
// that they do not expect.
const toolLimit = 60 * time.Second

// reference is a released translator to SPIR-V.
type reference struct {
	name, path string
	extensions string // the value of --spirv-ext
	typed      bool   // it reads only typed pointers
	newest     int    // LLVM whose bitcode it reads
}

// references returns the released translators that are installed. That of LLVM 15 also
// stands for LLVM 14, which has the same code for typed pointers.
func references(python string) (list []reference) {
	hints := func(names ...string) string {
		text := "+all"
		for _, name := range names {
			text += ",-SPV_" + name
		}
		return text
	}
	common := []string{
		"KHR_expect_assume", "KHR_no_integer_wrap_decoration", "KHR_bit_instructions", "INTEL_memory_access_aliasing",
		"INTEL_runtime_aligned", "INTEL_fp_fast_math_mode", "INTEL_optnone", "INTEL_unstructured_loop_controls",
	}
	if path, err := exec.LookPath("llvm-spirv-15"); err == nil {
		list = append(list, reference{"llvm-spirv-15", path, hints(common...), true, 15})
	}
	pattern := filepath.Join(python, "lib", "python3*", "site-packages", "dpcpp_llvm_spirv", "bin", "llvm-spirv")
	if found, err := filepath.Glob(pattern); err == nil && len(found) > 0 {
		list = append(list, reference{"dpcpp-llvm-spirv", found[0], hints(append(common, "INTEL_fp_max_error")...), false, 19})
	}
	return list
}

// runTool runs a program and returns all that it printed.
func runTool(name string, args ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(context.Background(), toolLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		first, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
		return out, fmt.Errorf("%s: %w: %s", filepath.Base(name), err, first)
	}
	return out, nil
}

// buildPostlink returns the postlink of this tree, which it builds into a folder
// once.
func buildPostlink(dir string) (string, error) {
	postlink := filepath.Join(dir, "postlink")
	if _, err := os.Stat(postlink); err == nil {
		return postlink, nil
	}
	out, err := exec.Command("go", "build", "-o", postlink, "./cmd/postlink").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("go build ./cmd/postlink: %w: %s", err, out)
	}
	return postlink, nil
}

// translate has a released translator make SPIR-V of bitcode.
func (r *reference) translate(bitcode, output string) error {
	_, err := runTool(r.path, "--spirv-max-version=1.4", "--spirv-ext="+r.extensions, bitcode, "-o", output)
	return err
}

// reverse has the translator make LLVM IR of SPIR-V, which LLVM's verifier must take.
func (r *reference) reverse(code string) error {
	out := code + ".reverse.bc"
	defer os.Remove(out)
	if message, err := runTool(r.path, "-r", code, "-o", out); err != nil {
		if findGap(readerGaps, message) != "" {
			return fmt.Errorf("%w: %w", errReaderGap, err)
		}
		return err
	}
	_, err := runTool(fmt.Sprintf("opt-%d", r.newest), "-passes=verify", "-disable-output", out)
	return err
}

// ourOptions are those of postlink -to=spirv.
func ourOptions() fromir.Options {
	o := fromir.PortableOptions()
	o.Version = spirv.Version1_4
	return o
}

// translateHere makes SPIR-V of a file with package fromir, and verifies it. A
// panic is an error of its own kind.
func translateHere(input string) (code []byte, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%w: %v", errPanic, r)
		}
	}()
	f, err := irfile.Open(input, nil)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if code, err = fromir.Translate(f.Module, ourOptions()); err != nil {
		return nil, err
	}
	m, err := spirv.Parse(code)
	if err == nil {
		err = m.Verify()
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errInvalid, err)
	}
	return code, nil
}

// errPanic and errInvalid are faults of our translator, as opposed to constructs that it
// refuses.
var (
	errPanic   = errors.New("the translator panics")
	errInvalid = errors.New("the output does not verify")
	// errReaderGap is a module that the released translator is too old for.
	errReaderGap = errors.New("a gap of the reader")
)

// findValidators lists spirv-val of PATH, and the newer one of the Python environment.
func findValidators(python string) (list []string) {
	if path, err := exec.LookPath("spirv-val"); err == nil {
		list = append(list, path)
	}
	pattern := filepath.Join(python, "lib", "python3*", "site-packages", "cmeel.prefix", "bin", "spirv-val")
	if found, err := filepath.Glob(pattern); err == nil {
		list = append(list, found...)
	}
	return list
}

// validate runs every validator over a module. Each must take it, or have a gap; the
// gap of the last one is returned if none takes it.
func (o *options) validate(path string) (gap string, err error) {
	taken := false
	for _, validator := range o.validators {
		out, err := runTool(validator, path)
		if err == nil {
			taken = true
			continue
		}
		if gap = findGap(validatorGaps, out); gap == "" {
			return "", fmt.Errorf("%s: %w", validator, err)
		}
	}
	if taken {
		gap = ""
	}
	return gap, nil
}

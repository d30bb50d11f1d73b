package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"offlink/cmd/internal/cli"
	"offlink/spirv/fromir"
)

// isSPIRVTarget reports whether a triple is one of SPIR or SPIR-V, of any width and
// version.
func isSPIRVTarget(triple string) bool {
	arch, _, _ := strings.Cut(triple, "-")
	version, ok := strings.CutPrefix(arch, "spir")
	if !ok {
		return false
	}
	version = strings.TrimPrefix(version, "v")
	version = strings.TrimPrefix(strings.TrimPrefix(version, "64"), "32")
	return version == "" || strings.HasPrefix(version, "v1.")
}

// setTripleVersion takes the version of SPIR-V that a triple names, as spirv64v1.3 does: the
// module has that one.
func (t *spirvTool) setTripleVersion(triple string) error {
	arch, _, _ := strings.Cut(triple, "-")
	rest, isSPIRV := strings.CutPrefix(arch, "spirv")
	number, named := strings.CutPrefix(strings.TrimPrefix(strings.TrimPrefix(rest, "64"), "32"), "v")
	if !isSPIRV || !named {
		return nil
	}
	v, err := spirvVersion(number)
	if err != nil {
		return tripleError(2, "InvalidSubArch: Expecting v1.0-v1.6. %s", arch)
	}
	if v > t.translation.Version {
		return tripleError(3, "TripleMaxVersionIncompatible: Triple version and maximum version are incompatible. %s with at most %v", arch, t.translation.Version)
	}
	t.translation.Version, t.translation.LeastVersion = v, v
	return nil
}

// tripleError is an error about a triple, with llvm-spirv's exit status.
func tripleError(status int, format string, args ...any) error {
	err := fmt.Errorf(format, args...)
	if !isSPIRVTool() {
		return err
	}
	return &cli.ExitError{Code: status, Err: err}
}

// setExtensions takes the extensions that may be used. An empty list, or an empty name in one, is
// an error, as it is for llvm-spirv.
func (t *spirvTool) setExtensions(list string) error {
	err := t.translation.AllowExtensions(list)
	if slices.Contains(strings.Split(list, ","), "") {
		err = errors.New("an empty name")
	}
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fromir.ErrUnknownExtension):
		name := strings.TrimPrefix(err.Error(), fromir.ErrUnknownExtension.Error()+" ")
		return badOption("%s '%s' was specified via --spirv-ext option", "Unknown extension", name)
	}
	return badOption("%s:\n\t--spirv-ext=+EXT_NAME,-EXT_NAME\n%w", "Invalid value of --spirv-ext, expected format is", err)
}

// setExtInst takes the set for intrinsics that are not emulated: OpenCL.std or none.
func (t *spirvTool) setExtInst(arg string) error {
	switch arg {
	case "OpenCL.std", "none":
		t.translation.SplitMulAdd = arg == "none"
		return nil
	}
	return fmt.Errorf("-spirv-ext-inst=%s: want none or OpenCL.std", arg)
}

// setMulAdd takes whether llvm.fmuladd becomes mad.
func (t *spirvTool) setMulAdd(arg string) error {
	t.translation.SplitMulAdd = arg == "false"
	return nil
}

// noteIgnored notes on standard error that an option is about the other direction, as
// llvm-spirv does. values are those that it takes, nil for any.
func noteIgnored(s cli.Streams, name string, values []string) func(string) error {
	return func(arg string) error {
		if values != nil && !slices.Contains(values, arg) {
			return fmt.Errorf("-%s=%s: want %s", name, arg, strings.Join(values, ", "))
		}
		fmt.Fprintf(s.Err, "Note: --%s option ignored as it only affects translation from SPIR-V to LLVM IR\n", name)
		return nil
	}
}

// otherDirection are the options that llvm-spirv has for modules of SPIR-V, with the
// value that each takes.
var otherDirection = map[string]string{
	"r": "", "s": "",
	"fnvar-spec-enable": "", "fnvar-spv-out": "FILE", "fnvar-category": "N", "fnvar-family": "N", "fnvar-arch": "N",
	"fnvar-target": "N", "fnvar-features": "LIST", "fnvar-capabilities": "LIST",
}

// otherFlags returns the options that are refused, and those without a meaning here, which
// are accepted.
func (t *spirvTool) otherFlags(s cli.Streams) (list []cli.Flag) {
	for name, value := range otherDirection {
		list = append(list, cli.Flag{Name: name, Value: value, Hidden: true, Set: func(string) error {
			return badOption("-%s: only IR is taken to SPIR-V; llvm-spirv of LLVM does that", name)
		}})
	}
	for _, name := range []string{
		"spirv-mem2reg", "spirv-verify-regularize-passes", "spirv-debug", "spirv-lower-const-expr", "spirv-erase-cl-md",
		"spirv-expand-step", "spirv-gen-kernel-arg-name-md", "spirv-emit-function-ptr-addr-space", "spirv-use-llvm-target",
		"opaque-pointers", "emit-opaque-pointers", "spirv-use-llvm-backend-target", "spirv-opt",
	} {
		list = append(list, cli.Flag{Name: name, Hidden: true, Set: ignoredOption})
	}
	// -spec-const has the values of constants for -r, and says nothing without it.
	for _, name := range []string{"spirv-temp-file", "spirv-error-handling", "spec-const"} {
		list = append(list, cli.Flag{Name: name, Value: "V", Hidden: true, Set: ignoredOption})
	}
	for _, name := range []string{"spirv-force-joint-matrix", "spirv-force-cooperative-matrix"} {
		list = append(list, cli.Flag{Name: name, Hidden: true, Set: noteIgnored(s, name, nil)})
	}
	for name, values := range map[string][]string{
		"spirv-target-env": {"CL1.2", "CL2.0", "SPV-IR"}, "spirv-builtin-format": {"function", "global"},
		"spirv-addrspace-map": nil, "spirv-function-program-addrspace": nil,
	} {
		list = append(list, cli.Flag{Name: name, Value: "V", Hidden: true, Set: noteIgnored(s, name, values)})
	}
	return list
}

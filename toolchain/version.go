package toolchain

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// probeTime bounds the time that a tool takes to print its version.
const probeTime = 20 * time.Second

// probeTool determines the version and build of a tool.
func probeTool(ctx context.Context, name Name, path string) (Tool, error) {
	t := Tool{Name: name, Path: path}
	if name == SPIRVVal || name == SPIRVOpt {
		return t, nil
	}
	if name == LLVMSPIRV {
		if release := wheelRelease(path); release != "" {
			return Tool{Name: name, Path: path, LLVM: wheelLLVM(release), Translator: DPCPP}, nil
		}
	}
	version, err := askVersion(ctx, path)
	switch {
	case err == nil:
		t.LLVM = version
	case name == LLVMSPIRV && errors.Is(err, errNoVersion):
		// A tool that runs but has no --version is one that was taken out of its wheel.
		t.LLVM, t.Translator = wheelLLVM(""), DPCPP
	default:
		return Tool{}, err
	}
	return t, nil
}

var errNoVersion = errors.New("its --version does not state an LLVM version")

// askVersion runs the tool with --version and returns LLVM's major version.
func askVersion(ctx context.Context, path string) (int, error) {
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, "--version")
	ownGroup(cmd)
	out, err := runKeeping(cmd)
	if _, exited := errors.AsType[*exec.ExitError](err); err != nil && !exited {
		return 0, err
	}
	if ctx.Err() != nil {
		return 0, fmt.Errorf("%s --version: %w", path, ctx.Err())
	}
	if version, ok := parseVersion(out.String()); ok {
		return version, nil
	}
	return 0, errNoVersion
}

// parseVersion finds "LLVM version 19.1.7" in the output of a tool.
func parseVersion(text string) (int, bool) {
	_, rest, found := strings.Cut(text, "LLVM version ")
	if !found {
		return 0, false
	}
	major, _, _ := strings.Cut(rest, ".")
	version, err := strconv.Atoi(major)
	return version, err == nil && version > 0
}

// wheelReleases are the releases of PyPI's dpcpp-llvm-spirv and the newest
// LLVM that each reads for certain. They are built on LLVM 17, 17, 18 and 19
// before those were released; the last one reads the bitcode of 19.1 (tried).
var wheelReleases = map[string]int{
	"2023.2.0": 16,
	"2024.0.0": 16,
	"2024.1.0": 17,
	"2024.2.0": 19,
}

// wheelLLVM returns the newest LLVM that the release reads; releases that are
// not in the table are taken for the last one known.
func wheelLLVM(release string) int {
	if llvm, ok := wheelReleases[release]; ok {
		return llvm
	}
	return wheelReleases["2024.2.0"]
}

// wheelRelease returns the release of dpcpp-llvm-spirv that the file
// .../site-packages/dpcpp_llvm_spirv/bin/llvm-spirv belongs to, "" if it is
// none.
func wheelRelease(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	pkg := filepath.Dir(filepath.Dir(path))
	if filepath.Base(pkg) != wheelPackage {
		return ""
	}
	infos, _ := filepath.Glob(escapeGlob(pkg) + "-*.dist-info")
	if len(infos) == 0 {
		return "unknown"
	}
	_, release, _ := strings.Cut(filepath.Base(infos[0]), "-")
	return strings.TrimSuffix(release, ".dist-info")
}

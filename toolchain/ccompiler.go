package toolchain

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// CCompiler is a C compiler that makes shared libraries in ELF for an architecture.
// It may be used from several goroutines.
type CCompiler struct {
	Tool   Tool
	Runner *Runner

	flags []string
}

// ErrNoCCompiler is wrapped by the error of a search that found none.
var ErrNoCCompiler = errors.New("no C compiler was found")

// gnuArch is the architecture in the names of GNU targets, by Go's name.
var gnuArch = map[string]string{"amd64": "x86_64", "arm64": "aarch64"}

// FindCCompiler looks for a compiler for Linux on an architecture, amd64 or arm64 in Go's
// names. It takes the path if that is not empty, otherwise gcc or clang, or a cross compiler
// if this machine is a different one. The error names the package to install.
func FindCCompiler(path, goarch string, r *Runner) (*CCompiler, error) {
	gnu := gnuArch[goarch]
	host := runtime.GOOS == "linux" && runtime.GOARCH == goarch
	if path != "" {
		found, err := exec.LookPath(path)
		if err != nil {
			return nil, fmt.Errorf("-cc=%s: %w", path, lookError(err))
		}
		return newCCompiler(found, gnu, host, r), nil
	}
	names := []string{gnu + "-linux-gnu-gcc"}
	if host {
		names = []string{"gcc", "cc"}
	}
	for version := newestLLVM; version >= oldestLLVM; version-- {
		names = append(names, fmt.Sprintf("clang-%d", version))
	}
	for _, name := range append(names, "clang") {
		if found, err := exec.LookPath(name); err == nil {
			return newCCompiler(found, gnu, host, r), nil
		}
	}
	if host {
		return nil, fmt.Errorf("%w: install gcc or clang, or name one with -cc=PATH", ErrNoCCompiler)
	}
	return nil, fmt.Errorf("%w for %s: install %s-linux-gnu-gcc (Debian: gcc-%s-linux-gnu), or clang and lld, or name one with -cc=PATH",
		ErrNoCCompiler, gnu, gnu, strings.ReplaceAll(gnu, "_", "-"))
}

func newCCompiler(path, gnu string, host bool, r *Runner) *CCompiler {
	c := &CCompiler{Tool: Tool{Name: "cc", Path: path}, Runner: r}
	if strings.Contains(filepath.Base(path), "clang") && !host {
		c.flags = append(c.flags, "--target="+gnu+"-linux-gnu", "-fuse-ld=lld")
	}
	if gnu == "aarch64" {
		c.flags = append(c.flags, "-mno-outline-atomics") // which are functions of libgcc
	}
	return c
}

// libraryFlags make a library that depends on no other one, and whose bytes do not
// depend on the folder.
var libraryFlags = []string{
	"-shared", "-ffreestanding", "-nostdlib", "-x", "c",
	"-Wl,--build-id=none", "-Wl,-s", "-Wl,-z,noexecstack", "-Wl,-z,noseparate-code", "-Wl,-z,max-page-size=4096",
}

// BuildLibrary compiles C files, name by name, into one shared library. It takes
// names without folders. A failure of the compiler is a *[ToolError].
func (c *CCompiler) BuildLibrary(ctx context.Context, names []string, text map[string]string, flags []string) (code []byte, err error) {
	dir, err := os.MkdirTemp("", "offlink")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	out := filepath.Join(dir, "library.so")
	args := append(append(append([]string{}, c.flags...), flags...), "-ffile-prefix-map="+dir+"=.")
	args = append(args, libraryFlags...)
	for _, name := range names {
		path := filepath.Join(dir, filepath.Base(name))
		if err := os.WriteFile(path, []byte(text[name]), 0o600); err != nil {
			return nil, err
		}
		args = append(args, path)
	}
	if err := c.Runner.Run(ctx, c.Tool, append(args, "-o", out)...); err != nil {
		return nil, err
	}
	return os.ReadFile(out)
}

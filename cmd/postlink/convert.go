package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"offlink/cmd/internal/cli"
	"offlink/ir/irfile"
	"offlink/toolchain"
)

// convertFormat takes a module to the other format, with an installed LLVM, and
// opens the result: partitions are written in the format that was read. It closes
// f.
func convertFormat(ctx context.Context, f *irfile.File, to irfile.Format, finder *toolchain.Finder) (*irfile.File, error) {
	defer f.Close()
	tool, option := toolchain.LLVMAs, "without -S the modules are written as bitcode"
	if to == irfile.Text {
		tool, option = toolchain.LLVMDis, "with -S the modules are written as text"
	}
	path := f.Module.Path
	input := toolInput(f.Module, f.Format)
	tools, err := finder.Readers(ctx, tool, input)
	if err != nil {
		return nil, fmt.Errorf("%s: %s, and the input is not: %w", path, option, err)
	}
	dir, removeDir, err := cli.TempDir(program)
	if err != nil {
		return nil, err
	}
	defer removeDir()
	in, out := filepath.Join(dir, "in"), filepath.Join(dir, "out")
	if err := writeTemporary(in, f.Data); err != nil {
		return nil, err
	}
	if err := runAny(ctx, tools, input, in, out); err != nil {
		return nil, fmt.Errorf("%s: %s, and the input is not: %w", path, option, err)
	}
	made, err := irfile.Open(out, nil)
	if err != nil {
		return nil, err
	}
	// The tool called the module after the temporary file if it had no name.
	if made.Module.SourceFilename == in {
		made.Module.SourceFilename = path
	}
	made.Module.Path = path
	return made, nil
}

// writeTemporary writes a file for a tool. The error names the folder, which the
// user can choose, and not the file, which is gone then.
func writeTemporary(path string, data []byte) error {
	err := os.WriteFile(path, data, 0o600)
	if failed, ok := errors.AsType[*fs.PathError](err); ok {
		return fmt.Errorf("writing a temporary file in %s (TMPDIR): %w", filepath.Dir(filepath.Dir(path)), failed.Err)
	}
	return err
}

// runAny runs the tools one after the other until one succeeds: if the module's version is
// not known, each may be too old. The error is that of the first tool, with advice.
func runAny(ctx context.Context, tools []toolchain.Tool, input toolchain.Input, in, out string) error {
	var first error
	for _, tool := range tools {
		args := append(tool.OpaquePointers(input), "-o", out, in)
		err := (&toolchain.Runner{}).Run(ctx, tool, args...)
		if err == nil || errors.Is(err, context.Canceled) {
			return err
		}
		if first == nil {
			first = fmt.Errorf("%w; if the module is newer than that, name a newer one: --%s=PATH", err, tool.Name)
		}
	}
	return first
}

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"offlink/cmd/internal/cli"
	"offlink/toolchain"
)

// spirvChecks are the installed SPIRV-Tools that look at each module; nil for
// those that are not asked for.
type spirvChecks struct {
	optimizer, validator *toolchain.Tool
}

// findChecks finds the tools that -spirv-opt and -spirv-val ask for.
func (t *translator) findChecks() (err error) {
	if len(t.options.optimize) > 0 {
		if t.checks.optimizer, err = t.findCheck(toolchain.SPIRVOpt); err != nil {
			return err
		}
	}
	if t.options.validate {
		if t.checks.validator, err = t.findCheck(toolchain.SPIRVVal); err != nil {
			return err
		}
	}
	if t.checks == (spirvChecks{}) {
		return nil
	}
	return t.makeDir()
}

// findCheck finds an installed tool of SPIRV-Tools, or says what to install.
func (t *translator) findCheck(name toolchain.Name) (*toolchain.Tool, error) {
	tools, err := t.options.toolFinder().All(t.ctx, name)
	if err == nil && len(tools) == 0 {
		err = fmt.Errorf("no %s was found in PATH: install SPIRV-Tools (Debian's spirv-tools)", name)
	}
	if err != nil {
		return nil, fmt.Errorf("-%s: %w", name, err)
	}
	return &tools[0], nil
}

// makeDir makes the folder of temporary files when it is first asked for.
func (t *translator) makeDir() (err error) {
	if t.removeDir == nil {
		t.dir, t.removeDir, err = cli.TempDir(program)
	}
	return err
}

// checkImage runs the optimizer, then the validator, over the module of image
// number n, and returns it as the optimizer left it.
func (t *translator) checkImage(n int, words []byte) ([]byte, error) {
	if t.checks == (spirvChecks{}) {
		return words, nil
	}
	path := filepath.Join(t.dir, strconv.Itoa(n)+".check.spv")
	defer os.Remove(path)
	if err := writeTemporary(path, words); err != nil {
		return nil, err
	}
	if tool := t.checks.optimizer; tool != nil {
		args := append(append([]string{}, t.options.optimize...), path, "-o", path)
		if err := t.runCheck(n, *tool, path, args); err != nil {
			return nil, err
		}
		var err error
		if words, err = os.ReadFile(path); err != nil {
			return nil, err
		}
	}
	if tool := t.checks.validator; tool != nil {
		if err := t.runCheck(n, *tool, path, []string{path}); err != nil {
			return nil, err
		}
	}
	return words, nil
}

// runCheck runs a tool. Its error has all that the tool printed, with the image
// in place of the temporary file.
func (t *translator) runCheck(n int, tool toolchain.Tool, path string, args []string) error {
	err := t.runner.Run(t.ctx, tool, args...)
	if err == nil {
		return nil
	}
	if errors.Is(err, context.Canceled) {
		return errors.New("-to=spirv: interrupted")
	}
	image := fmt.Sprintf("%s, image %d", t.path, n)
	text := err.Error()
	if failed, ok := errors.AsType[*toolchain.ToolError](err); ok {
		text = fmt.Sprintf("%s fails with exit code %d\n%s", failed.Tool.Path, failed.ExitCode, strings.TrimRight(failed.Output, "\n"))
	}
	return fmt.Errorf("-%s: %s: %s", tool.Name, image, strings.ReplaceAll(text, path, image))
}

package opencl

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"offlink/runtime/internal/cl"
	"offlink/spirv"
)

// buildBitcode makes a program for a driver that takes LLVM bitcode, already
// linked: SPIR-V was linked by offlink and is translated; one bitcode image is
// taken as it is.
func (d *Device) buildBitcode(ctx context.Context, own []*object, linked *spirv.Module, options string) (cl.Handle, error) {
	if linked == nil && len(own) > 1 {
		return 0, d.buildError(fmt.Errorf("%s: the driver links no bitcode; link it with %s before", own[0].name, own[1].name))
	}
	code := own[0].code
	if linked != nil {
		if err := d.checkRecursion(linked); err != nil {
			return 0, d.buildError(err)
		}
		m, err := d.withAccessors(linked)
		if err == nil {
			code, err = d.translateModule(ctx, m)
		}
		if err != nil {
			return 0, d.buildError(err)
		}
	}
	return d.buildBinary(code, options)
}

// translateModule makes bitcode of SPIR-V by the installed translator. llvm-spirv 15 aborts at
// NoReadWrite, which it writes itself and compilers give to pointers that are not used; it
// only helps optimizers.
func (d *Device) translateModule(ctx context.Context, m *spirv.Module) ([]byte, error) {
	m, err := m.WithoutDecoration(spirv.DecorationFuncParamAttr, spirv.FuncParamNoReadWrite)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "offlink-opencl-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	input, output := filepath.Join(dir, "linked.spv"), filepath.Join(dir, "linked.bc")
	if err := os.WriteFile(input, m.Bytes(), 0o600); err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, d.driver.options.Translator, "-r", "-o", output, input)
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("%s -r: %w: %s", cmd.Path, err, bytes.TrimSpace(said.Bytes()))
	}
	code, err := os.ReadFile(output)
	if err == nil && len(code) == 0 {
		err = errors.New("the translator wrote nothing")
	}
	return code, err
}

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"offlink/cmd/internal/cli"
	"offlink/ir"
	"offlink/ir/irfile"
	"offlink/ir/sycl"
	"offlink/lazyregexp"
	"offlink/ptx"
	"offlink/split"
	"offlink/toolchain"
)

// ptxOptions are the options that only -to=ptx has.
type ptxOptions struct {
	processor string // "sm_80"; "" for the one that the code was compiled for
}

// definePTXFlags adds the options.
func (o *ptxOptions) definePTXFlags(f *cli.FlagSet) {
	f.Flags = append(f.Flags, cli.Flag{Name: "ptx-arch", Value: "sm_NN", Usage: "with -to=ptx, the oldest GPU that the images are for (the one that the code was compiled for)", Set: o.setProcessor})
}

var processorName = lazyregexp.New(`^sm_[0-9]+[af]?$`)

// setProcessor takes the processor that the code is for.
func (o *ptxOptions) setProcessor(arg string) error {
	if !processorName().MatchString(arg) {
		return fmt.Errorf("-ptx-arch=%s: want sm_ and a number, such as sm_80", arg)
	}
	o.processor = arg
	return nil
}

// ptxCompiler takes images to PTX with an installed llc. Its methods may be
// called from several goroutines.
type ptxCompiler struct {
	options *ptxOptions
	path    string // the input's, for messages
	input   toolchain.Input
	tools   []toolchain.Tool
	runner  *toolchain.Runner
	dir     string
	remove  func()
	ctx     context.Context
}

// newPTXCompiler finds llc; nil if no PTX is wanted. The caller closes it.
func newPTXCompiler(ctx context.Context, input *irfile.File, o *options) (*ptxCompiler, error) {
	if !o.spirv.ptx {
		return nil, nil
	}
	m := input.Module
	if !strings.HasPrefix(m.Triple, "nvptx64") {
		return nil, locatedError(m, fmt.Errorf("-to=ptx: the module's target is %s; compile the device code with --target=nvptx64-nvidia-cuda", m.Triple))
	}
	if o.split.SpecConstants == split.SpecConstantsNative {
		return nil, errors.New("-to=ptx: PTX has no specialization constants: use -spec-const=emulation")
	}
	if o.libraries != "" {
		return nil, errors.New("-device-lib-dir has libraries for SPIR-V: leave it out for -to=ptx, and link libraries for nvptx64 into the module")
	}
	c := &ptxCompiler{options: &o.ptx, path: m.Path, input: toolInput(m, input.Format), ctx: ctx, runner: &toolchain.Runner{Launcher: o.spirv.launcher}}
	var err error
	if c.tools, err = o.spirv.toolFinder().Readers(ctx, toolchain.LLC, c.input); err != nil {
		return nil, fmt.Errorf("-to=ptx: %w", err)
	}
	if c.dir, c.remove, err = cli.TempDir(program); err != nil {
		return nil, err
	}
	return c, nil
}

// removeFolder removes the files of the external compiler; a nil compiler has
// none.
func (c *ptxCompiler) removeFolder() {
	if c != nil {
		c.remove()
	}
}

// writePTX writes an image as PTX.
func (w *imageWriter) writePTX(i *image, partition *split.Partition) error {
	var module bytes.Buffer
	if err := w.writer.WritePartition(&module, &partition.Partition); err != nil {
		return locatedError(w.module, err)
	}
	text, err := w.ptx.compileImage(i.number, module.Bytes(), partition)
	if err != nil {
		return err
	}
	return w.outputs.WriteFile(i.code, text)
}

// compileImage runs llc over the IR of image number n.
func (c *ptxCompiler) compileImage(n int, module []byte, partition *split.Partition) ([]byte, error) {
	stem := filepath.Join(c.dir, strconv.Itoa(n))
	in, out := stem+".ir", stem+".ptx"
	defer os.Remove(in)
	defer os.Remove(out)
	if err := writeTemporary(in, module); err != nil {
		return nil, err
	}
	name := fmt.Sprintf("%s, image %d", c.path, n)
	tool := c.tools[0]
	args := append(tool.OpaquePointers(c.input), "-march=nvptx64", "-mcpu="+c.targetProcessor(partition), "-o", out, in)
	if err := c.runner.Run(c.ctx, tool, args...); err != nil {
		return nil, fmt.Errorf("-to=ptx: %s%w", kernelNames(partition), explainTool(err, name, in, out))
	}
	text, err := os.ReadFile(out)
	if err != nil {
		return nil, err
	}
	marks, err := kernelMarks(partition)
	if err != nil {
		return nil, err
	}
	marked, err := ptx.MarkKernels(name, text, marks)
	if err != nil {
		return nil, fmt.Errorf("-to=ptx: the output of %s: %w", tool.Path, err)
	}
	return marked, nil
}

// explainTool names the image in place of the temporary files, and adds all
// that the tool printed.
func explainTool(err error, name string, files ...string) error {
	failed, ok := errors.AsType[*toolchain.ToolError](err)
	if !ok {
		if errors.Is(err, context.Canceled) {
			return errors.New("interrupted")
		}
		return err
	}
	text := name + ": " + failed.Error()
	if output := strings.TrimSpace(failed.Output); strings.Contains(output, "\n") {
		text += "\n" + output
	}
	for _, file := range files {
		text = strings.ReplaceAll(text, file, name)
	}
	return errors.New(text)
}

// oldestProcessor is for code that does not name its processor: the oldest
// one that all drivers compile for.
const oldestProcessor = "sm_75"

// targetProcessor returns the GPU that the code is for, as llc ignores the target-cpu
// attribute that clang gives to functions.
func (c *ptxCompiler) targetProcessor(partition *split.Partition) string {
	if c.options.processor != "" {
		return c.options.processor
	}
	for _, id := range partition.Group.Entries {
		if cpu, ok := partition.Module.Attribute(id, "target-cpu"); ok && processorName().MatchString(cpu) {
			return cpu
		}
	}
	return oldestProcessor
}

// ptxSpaces has the names that PTX has for the address spaces of NVPTX (NVPTXUsage). A
// kernel's pointer in the generic space 0 points to global memory in practice, but gets
// no name, as the code may use it as a generic one.
var ptxSpaces = map[uint32]string{1: "global", 3: "shared", 4: "const", 5: "local"}

// kernelMarks collects the facts about kernels that the module has and llc's
// output lacks: the parameters that are pointers, and the size of work-groups.
func kernelMarks(partition *split.Partition) (map[string]*ptx.Mark, error) {
	marks := map[string]*ptx.Mark{}
	m := partition.Module
	for _, id := range partition.Group.Entries {
		v := &m.Values[id]
		mark := &ptx.Mark{}
		for _, t := range m.Types[v.Type].Elements[1:] { // after the result
			mark.Pointers = append(mark.Pointers, pointerOf(&m.Types[t]))
		}
		sizes, err := sycl.Integers(m, v, sycl.KindWorkGroupSize)
		if err != nil {
			return nil, locatedError(m, err)
		}
		mark.Required = blockSize(sizes)
		marks[v.Name] = mark
	}
	return marks, nil
}

// blockSize extends the dimensions that the code gives to three. It returns zeros, for no
// required size, if the code gives none or sizes that no device has.
func blockSize(sizes []int64) (size [3]int) {
	const most = 1 << 16
	if len(sizes) == 0 || len(sizes) > len(size) {
		return size
	}
	size = [3]int{1, 1, 1}
	for i, n := range sizes {
		if n < 1 || n > most {
			return [3]int{}
		}
		size[i] = int(n)
	}
	return size
}

// pointerOf returns the space and alignment of a pointer parameter, nil for
// other types.
func pointerOf(t *ir.Type) *ptx.Pointer {
	if t.Kind != ir.TypePointer {
		return nil
	}
	return &ptx.Pointer{Space: ptxSpaces[t.AddressSpace], Align: 1}
}

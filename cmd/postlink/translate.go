package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"

	"offlink/ir"
	"offlink/ir/downgrade"
	"offlink/ir/irfile"
	"offlink/spirv/fromir"
	"offlink/toolchain"
)

// translator takes images to SPIR-V. Its methods may be called from several
// goroutines.
type translator struct {
	options   *spirvOptions
	path      string // the input's, for messages
	input     toolchain.Input
	route     *toolchain.Route
	runner    *toolchain.Runner
	jobserver *toolchain.Jobserver
	dir       string // of temporary files
	removeDir func()
	ctx       context.Context
	checks    spirvChecks
	oneJob    bool // make's jobserver cannot be reached

	here   *fromir.Translation // nil if external tools translate
	module *ir.Module          // of which here translates parts
}

// firstCollection is the memory in bytes at which a translation's first garbage
// collection begins. Most modules end before it.
const firstCollection = 64 << 20

// collectLater delays the first garbage collection until memory reaches firstCollection,
// and each later one until memory has grown by twice the part in use. Most memory of a
// translation stays in use, as images share it, so that each collection marks nearly all
// of it and frees little. GOGC and GOMEMLIMIT in the environment take precedence.
func collectLater() {
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(firstCollection)
	runtime.SetFinalizer(new([16]byte), func(*[16]byte) { // the first collection finds it unused
		debug.SetGCPercent(200)
		debug.SetMemoryLimit(math.MaxInt64) // no limit, whatever an earlier call set
	})
}

// newTranslator finds the tools for images of the input; nil if no SPIR-V is
// wanted. The caller closes it. The end of ctx ends the tools that run.
func newTranslator(ctx context.Context, input *irfile.File, o *options, warnings io.Writer) (*translator, error) {
	if !o.spirv.wanted {
		return nil, nil
	}
	t := &translator{ctx: ctx, options: &o.spirv, path: input.Module.Path, runner: &toolchain.Runner{Launcher: o.spirv.launcher}}
	if err := t.findChecks(); err != nil {
		t.removeFolder()
		return nil, err
	}
	if !o.spirv.external {
		o.spirv.wrappers = o.wrapsKernels(input.Module)
		return t, t.openHere(input.Module)
	}
	t.input = toolInput(input.Module, input.Format)
	var err error
	if t.route, err = o.spirv.toolFinder().ToSPIRV(t.ctx, t.input); err != nil {
		t.removeFolder()
		return nil, fmt.Errorf("-to=spirv: %w", err)
	}
	if t.jobserver, err = toolchain.OpenJobserver(os.Getenv("MAKEFLAGS")); err != nil && !o.hasJobs {
		fmt.Fprintf(warnings, "%s: warning: %v: one job at a time; -j N asks for more\n", program, err)
		t.oneJob = true
	}
	if err := t.makeDir(); err != nil {
		t.removeFolder()
		return nil, err
	}
	return t, nil
}

// limitJobs returns the number of images to make at the same time where jobs
// are allowed; t may be nil.
func (t *translator) limitJobs(jobs int) int {
	if t != nil && t.oneJob {
		return 1
	}
	return jobs
}

// failsOnAnnotations reports whether the translator stumbles over
// llvm.global.annotations.
func (t *translator) failsOnAnnotations() bool {
	return t.options.external && t.route.FailsOnAnnotations(t.options.SPIRVOptions)
}

// removeFolder removes the files of the external tools; a nil translator has
// none.
func (t *translator) removeFolder() {
	if t == nil {
		return
	}
	t.jobserver.Close()
	if t.removeDir != nil {
		t.removeDir()
	}
}

// translateImage returns the SPIR-V of image number n, whose IR is given. kernels
// are its kernels for messages, as kernelNames has them.
func (t *translator) translateImage(n int, kernels string, module []byte) ([]byte, error) {
	words, err := t.toWords(n, kernels, module)
	if err != nil {
		return nil, err
	}
	return t.checkImage(n, words)
}

// imageName names an image in messages.
func (t *translator) imageName(n int) string { return fmt.Sprintf("%s, image %d", t.path, n) }

// openHere makes the translation in the process ready for the parts of a module.
func (t *translator) openHere(m *ir.Module) error {
	options, err := t.options.fromIROptions()
	if err != nil {
		return err
	}
	t.module = m
	t.here, err = fromir.NewTranslation(m, options)
	return err
}

// toWords is translateImage without the checks of the result.
func (t *translator) toWords(n int, kernels string, module []byte) ([]byte, error) {
	if !t.options.external {
		return t.translateHere(t.imageName(n), kernels, module)
	}
	w := &translation{translator: t, name: t.imageName(n), stem: filepath.Join(t.dir, strconv.Itoa(n))}
	defer w.removeFiles()
	words, err := w.inSlot(module)
	switch {
	case errors.Is(err, context.Canceled):
		return nil, errors.New("-to=spirv: interrupted")
	case err != nil:
		return nil, fmt.Errorf("-to=spirv: %s%w", kernels, w.explainFailure(err))
	}
	return words, nil
}

// translation is the translation of one image by external tools.
type translation struct {
	*translator
	name  string   // of the image, for messages
	stem  string   // of its temporary files
	files []string // the temporary files that were named so far
}

// inSlot runs in one of make's job slots.
func (w *translation) inSlot(module []byte) ([]byte, error) {
	release, err := w.jobserver.Acquire(w.ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	return w.runTools(module)
}

// runTools goes the whole way: text, bitcode, bitcode that the translator reads,
// SPIR-V.
func (w *translation) runTools(module []byte) ([]byte, error) {
	bitcode, err := w.assembleModule(module)
	if err != nil {
		return nil, err
	}
	if llvm, snapshot, limited := w.route.BitcodeTarget(); limited {
		target := downgrade.Target{LLVM: llvm, Snapshot: snapshot}
		if bitcode, err = downgrade.Bitcode(w.name, bitcode, target); err != nil {
			return nil, err
		}
	}
	in, out := w.tempFile(".bc"), w.tempFile(".spv")
	if err := writeTemporary(in, bitcode); err != nil {
		return nil, err
	}
	if err := w.runner.Run(w.ctx, w.route.Translator, w.route.TranslatorArgs(w.options.SPIRVOptions, in, out)...); err != nil {
		return nil, err
	}
	words, err := os.ReadFile(out)
	if err == nil {
		err = toolchain.FinishSPIRV(words, w.options.Version)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", w.name, err)
	}
	return words, nil
}

// assembleModule returns the module as bitcode that the route made.
func (w *translation) assembleModule(module []byte) ([]byte, error) {
	text, err := w.disassembleModule(module)
	if err != nil || w.route.Assembler == nil {
		return text, err
	}
	if text, err = downgrade.Text(w.name, text, downgrade.Target{LLVM: w.route.Level}); err != nil {
		return nil, err
	}
	in, out := w.tempFile(".ll"), w.tempFile(".as.bc")
	if err := writeTemporary(in, text); err != nil {
		return nil, err
	}
	if err := w.runner.Run(w.ctx, *w.route.Assembler, w.route.AssemblerArgs(w.input, in, out)...); err != nil {
		return nil, err
	}
	return os.ReadFile(out)
}

// disassembleModule returns the module as text if the route has a disassembler, otherwise
// as it is.
func (w *translation) disassembleModule(module []byte) ([]byte, error) {
	dis := w.route.Disassembler
	if dis == nil {
		return module, nil
	}
	target := downgrade.Target{LLVM: 19}
	if dis.LLVM >= target.LLVM {
		var err error
		if module, err = downgrade.Bitcode(w.name, module, target); err != nil {
			return nil, err
		}
	}
	in, out := w.tempFile(".dis.bc"), w.tempFile(".dis.ll")
	if err := writeTemporary(in, module); err != nil {
		return nil, err
	}
	if err := w.runner.Run(w.ctx, *dis, in, "-o", out); err != nil {
		return nil, err
	}
	return os.ReadFile(out)
}

// tempFile names a temporary file.
func (w *translation) tempFile(suffix string) string {
	path := w.stem + suffix
	w.files = append(w.files, path)
	return path
}

// removeFiles removes the files between two tools.
func (w *translation) removeFiles() {
	for _, path := range w.files {
		os.Remove(path)
	}
}

// explainFailure words the error of a tool: the image's name replaces those of temporary
// files, and all that the tool printed follows the message.
func (w *translation) explainFailure(err error) error {
	failed, ok := errors.AsType[*toolchain.ToolError](err)
	if !ok {
		return err
	}
	text := w.name + ": " + failed.Error()
	if w.route.FailsOnOpaquePointers(failed, w.input) {
		text += "; this llvm-spirv fails on many modules with opaque pointers: use that of PyPI's dpcpp-llvm-spirv 2024.2.0 (--llvm-spirv=PATH)"
	}
	if strings.Count(strings.TrimSpace(failed.Output), "\n") > 0 {
		text += "\n" + strings.TrimRight(failed.Output, "\n")
	}
	for _, path := range w.files {
		text = strings.ReplaceAll(text, path, w.name)
	}
	return errors.New(text)
}

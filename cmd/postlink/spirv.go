package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"offlink/cmd/internal/cli"
	"offlink/ir"
	"offlink/ir/downgrade"
	"offlink/ir/irfile"
	"offlink/split"
	"offlink/toolchain"
)

// spirvOptions are the options of -to=spirv and of the tools that it runs.
type spirvOptions struct {
	wanted   bool
	tools    map[toolchain.Name]string
	launcher []string
	toolchain.SPIRVOptions
}

// flags adds the options.
func (o *spirvOptions) flags(f *cli.FlagSet) {
	o.Version = toolchain.DefaultSPIRVVersion
	o.tools = map[toolchain.Name]string{}
	f.Flags = append(f.Flags,
		cli.Flag{Name: "to", Value: "FORMAT", Usage: "take the images on to another format: spirv", Set: o.setFormat},
		cli.Flag{Name: "spirv-version", Value: "V", Usage: "version of every SPIR-V module: 1.0 to 1.4 (" + toolchain.DefaultSPIRVVersion + ")", Set: o.setVersion},
		cli.Flag{Name: "spirv-ext", Value: "LIST", Usage: "extensions that llvm-spirv may use, as its --spirv-ext has them (those that the code needs)", Set: cli.SetString(&o.Extensions)},
		cli.Flag{Name: "launcher", Value: "CMD", Usage: "command that is put in front of llvm-as and llvm-spirv", Set: o.setLauncher},
	)
	for _, name := range []toolchain.Name{toolchain.LLVMAs, toolchain.LLVMDis, toolchain.LLVMSPIRV} {
		set := func(path string) error { o.tools[name] = path; return nil }
		f.Flags = append(f.Flags, cli.Flag{Name: string(name), Value: "PATH", Usage: "the " + string(name) + " to use (the one found by version)", Set: set})
	}
}

func (o *spirvOptions) setFormat(arg string) error {
	o.wanted = arg == "spirv"
	if !o.wanted {
		return fmt.Errorf("-to=%s: want spirv", arg)
	}
	return nil
}

func (o *spirvOptions) setVersion(arg string) error {
	if !slices.Contains(toolchain.SPIRVVersions, arg) {
		return fmt.Errorf("-spirv-version=%s: want one of %s", arg, strings.Join(toolchain.SPIRVVersions, ", "))
	}
	o.Version = arg
	return nil
}

func (o *spirvOptions) setLauncher(arg string) error {
	o.launcher = cli.SplitWords(arg)
	return nil
}

// finder looks for the tools where the options say.
func (o *spirvOptions) finder() *toolchain.Finder { return &toolchain.Finder{Paths: o.tools} }

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
	ctx       context.Context
	stop      func()
}

// newTranslator finds the tools for images of the module; nil if no SPIR-V is
// wanted. The caller closes it. An interrupt ends the tools that run.
func newTranslator(m *ir.Module, o *options, s cli.Streams) (*translator, error) {
	if !o.spirv.wanted {
		return nil, nil
	}
	t := &translator{options: &o.spirv, path: m.Path, runner: &toolchain.Runner{Launcher: o.spirv.launcher}}
	t.ctx, t.stop = signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	t.input = toolInput(m, o.read)
	var err error
	if t.route, err = o.spirv.finder().ToSPIRV(t.ctx, t.input); err != nil {
		t.close()
		return nil, fmt.Errorf("-to=spirv: %w", err)
	}
	if t.jobserver, err = toolchain.OpenJobserver(os.Getenv("MAKEFLAGS")); err != nil && !o.hasJobs {
		fmt.Fprintf(s.Err, "%s: warning: %v: one job at a time; -j N asks for more\n", program, err)
		o.jobs = 1
	}
	if t.dir, err = os.MkdirTemp("", "postlink"); err != nil {
		t.close()
		return nil, err
	}
	return t, nil
}

func (t *translator) close() {
	if t == nil {
		return
	}
	t.stop()
	t.jobserver.Close()
	if t.dir != "" {
		os.RemoveAll(t.dir)
	}
}

// translate returns the SPIR-V of image number n, whose IR is given.
func (t *translator) translate(n int, module []byte) ([]byte, error) {
	release, err := t.jobserver.Acquire(t.ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	w := &translation{translator: t, name: fmt.Sprintf("%s, image %d", t.path, n), stem: filepath.Join(t.dir, strconv.Itoa(n))}
	defer w.clean()
	words, err := w.run(module)
	if err != nil {
		return nil, fmt.Errorf("-to=spirv: %w", w.explain(err))
	}
	return words, nil
}

// translation is that of one image.
type translation struct {
	*translator
	name  string   // of the image, for messages
	stem  string   // of its temporary files
	files []string // which there are
}

// run goes the whole way: text, bitcode, bitcode that the translator reads,
// SPIR-V.
func (w *translation) run(module []byte) ([]byte, error) {
	bitcode, err := w.assemble(module)
	if err != nil {
		return nil, err
	}
	if llvm, snapshot, limited := w.route.BitcodeTarget(); limited {
		target := downgrade.Target{LLVM: llvm, Snapshot: snapshot}
		if bitcode, err = downgrade.Bitcode(w.name, bitcode, target); err != nil {
			return nil, err
		}
	}
	in, out := w.file(".bc"), w.file(".spv")
	if err := os.WriteFile(in, bitcode, 0o600); err != nil {
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

// assemble returns the module as bitcode that the route made.
func (w *translation) assemble(module []byte) ([]byte, error) {
	text, err := w.disassemble(module)
	if err != nil || w.route.Assembler == nil {
		return text, err
	}
	if text, err = downgrade.Text(w.name, text, downgrade.Target{LLVM: w.route.Level}); err != nil {
		return nil, err
	}
	in, out := w.file(".ll"), w.file(".as.bc")
	if err := os.WriteFile(in, text, 0o600); err != nil {
		return nil, err
	}
	if err := w.runner.Run(w.ctx, *w.route.Assembler, w.route.AssemblerArgs(w.input, in, out)...); err != nil {
		return nil, err
	}
	return os.ReadFile(out)
}

// disassemble returns the module as text where it is bitcode that must become
// that, else as it is.
func (w *translation) disassemble(module []byte) ([]byte, error) {
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
	in, out := w.file(".dis.bc"), w.file(".dis.ll")
	if err := os.WriteFile(in, module, 0o600); err != nil {
		return nil, err
	}
	if err := w.runner.Run(w.ctx, *dis, in, "-o", out); err != nil {
		return nil, err
	}
	return os.ReadFile(out)
}

// file names a temporary file.
func (w *translation) file(suffix string) string {
	path := w.stem + suffix
	w.files = append(w.files, path)
	return path
}

func (w *translation) clean() {
	for _, path := range w.files {
		os.Remove(path)
	}
}

// explain words the error of a tool: temporary files are called after the
// image, and all that the tool printed comes behind the message.
func (w *translation) explain(err error) error {
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

// toolInput says what must be known of the module to choose tools for it.
func toolInput(m *ir.Module, format irfile.Format) toolchain.Input {
	return toolchain.Input{Text: format == irfile.Text, LLVM: llvmVersion(m), TypedPointers: hasTypedPointers(m)}
}

// llvmVersion returns the newest LLVM version that the module's producers
// name, 0 if none does.
func llvmVersion(m *ir.Module) int {
	newest := 0
	list := m.Named("llvm.ident")
	if list == nil {
		return 0
	}
	for _, o := range list.Operands {
		idents, err := m.Resolve(o)
		if err != nil || len(idents) == 0 {
			continue
		}
		newest = max(newest, versionOf(idents[0].String))
	}
	return newest
}

// versionOf reads "clang version 19.1.7 (...)", which may have a vendor's
// name before it. Other compilers that are built on LLVM count otherwise.
func versionOf(ident string) int {
	_, rest, found := strings.Cut(ident, "clang version ")
	if !found {
		return 0
	}
	major, _, _ := strings.Cut(rest, ".")
	version, err := strconv.Atoi(major)
	if err != nil {
		return 0
	}
	return version
}

func hasTypedPointers(m *ir.Module) bool {
	return slices.ContainsFunc(m.Types, func(t ir.Type) bool { return t.Kind == ir.TypePointer && len(t.Elements) > 0 })
}

// writeSPIRV writes an image as SPIR-V.
func (m *maker) writeSPIRV(i *image, slice *split.Slice) error {
	var module bytes.Buffer
	if err := m.writer.WriteSlice(&module, m.spirv.keep(slice)); err != nil {
		return located(m.graph.Module, err)
	}
	words, err := m.spirv.translate(i.number, module.Bytes())
	if err != nil {
		return err
	}
	return m.outputs.WriteFile(i.code, words)
}

// keep returns the slice without what has no place in SPIR-V: the lists of
// what compilers and linkers must keep, which llvm-spirv makes variables that
// every image exports; and annotations where it stumbles over them or over
// their strings, which it makes variables too, invalid ones in address space 0,
// where stock clang puts them.
func (t *translator) keep(slice *split.Slice) *ir.Slice {
	s := slice.Slice
	s.Definitions = slices.DeleteFunc(slices.Clone(s.Definitions), func(id ir.ValueID) bool {
		name := s.Module.Values[id].Name
		return name == "llvm.used" || name == "llvm.compiler.used"
	})
	annotations, ok := s.Module.Lookup("llvm.global.annotations")
	if !ok || !slices.Contains(s.Definitions, annotations) {
		return &s
	}
	strings := privateVariables(s.Module, annotations)
	if len(strings) > 0 || t.route.FailsOnAnnotations(t.options.SPIRVOptions) {
		dropAnnotations(&s, annotations, strings)
	}
	return &s
}

// privateVariables returns the variables in address space 0 that a value
// refers to.
func privateVariables(m *ir.Module, id ir.ValueID) map[ir.ValueID]bool {
	found := map[ir.ValueID]bool{}
	for _, ref := range m.Values[id].Refs {
		if ref.Kind() != ir.RefAddress {
			continue
		}
		if v := &m.Values[ref.Index()]; v.Kind == ir.Variable && v.AddressSpace == 0 {
			found[ir.ValueID(ref.Index())] = true
		}
	}
	return found
}

// dropAnnotations takes the annotations and those of their strings out that
// nothing else refers to.
func dropAnnotations(s *ir.Slice, annotations ir.ValueID, strings map[ir.ValueID]bool) {
	for _, id := range s.Definitions {
		if id == annotations {
			continue
		}
		for _, ref := range s.Module.Values[id].Refs {
			if ref.Kind() == ir.RefAddress {
				delete(strings, ir.ValueID(ref.Index()))
			}
		}
	}
	s.Definitions = slices.DeleteFunc(s.Definitions, func(id ir.ValueID) bool { return id == annotations || strings[id] })
}

package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"offlink/parallel"
	"offlink/runtime/driver"
	"offlink/runtime/hostdev"
	_ "offlink/runtime/hostdev/wazeroengine" // compiles its kernels
)

// emitted has the code that both emitters make of kernels compiled: WebAssembly by
// wazero, C by the C compiler, one of sixteen codes to its end and the others as far as
// it finds errors. Kernels that become the same code are compiled once.
type emitted struct {
	compiler string
	onlyC    bool // WebAssembly is not compiled, and C is checked only
	dir      string
	record   *os.File // nil if none is kept

	mu       sync.Mutex
	outcomes map[string]*emittedOutcome // by the digest of the code
}

// emittedOutcome is whether each emitter's code of a kernel compiles.
type emittedOutcome struct {
	once  sync.Once
	text  string // "" if both compile
	known bool   // from an earlier run
	met   bool   // in this run
}

// printEmitted prints how many kernels both emitters make code of that compiles, and the
// reasons for the rest.
func printEmitted(o options, files []string) (failed bool, err error) {
	list, err := readCandidates(files)
	if err != nil {
		return false, err
	}
	e := &emitted{compiler: o.compiler, onlyC: o.onlyC, outcomes: map[string]*emittedOutcome{}}
	if e.dir, err = os.MkdirTemp("", "devdiff"); err != nil {
		return false, err
	}
	defer os.RemoveAll(e.dir)
	if o.record != "" {
		if err := e.openRecord(o.record); err != nil {
			return false, err
		}
		defer e.record.Close()
	}
	reasons := make([]string, len(list))
	err = parallel.ForEach(len(list), runtime.GOMAXPROCS(0), func() func(int) error {
		devices, err := hostdev.New(hostdev.Options{Output: io.Discard}).Devices()
		engine := wazero.NewRuntimeWithConfig(context.Background(), wazero.NewRuntimeConfigCompiler().WithCoreFeatures(api.CoreFeaturesV2|experimental.CoreFeaturesThreads))
		return func(i int) error {
			if err == nil {
				reasons[i] = e.compile(devices[0], engine, list[i])
			}
			return err
		}
	})
	if err != nil {
		return false, err
	}
	return e.print(o, list, reasons), nil
}

// openRecord reads the digests of codes that an earlier run found to compile, and has
// those of this run added: a run over thousands of kernels lasts hours.
func (e *emitted) openRecord(file string) error {
	text, err := os.ReadFile(file)
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	for _, digest := range strings.Fields(string(text)) {
		e.outcomes[digest] = &emittedOutcome{known: true}
	}
	e.record, err = os.OpenFile(file, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
	return err
}

// print counts the kernels by the reason why they are not compiled. It reports whether a
// compiler refuses code that an emitter made.
func (e *emitted) print(o options, list []candidate, reasons []string) (failed bool) {
	counts := map[string]int{}
	for i, c := range list {
		first, _, _ := strings.Cut(reasons[i], "\n")
		counts[first]++
		failed = failed || strings.HasPrefix(first, faultyCode)
		if o.verbose && reasons[i] != "" {
			fmt.Printf("%s: %s\n", c.name, reasons[i])
		}
	}
	different := 0
	for _, outcome := range e.outcomes {
		if outcome.met {
			different++
		}
	}
	fmt.Printf("%6d of %d kernels are compiled by both emitters, of %d different ones\n", counts[""], len(list), different)
	delete(counts, "")
	for _, reason := range slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	}) {
		fmt.Printf("%6d: %s\n", counts[reason], reason)
	}
	return failed
}

// faultyCode starts the reason of a kernel whose code its compiler refuses.
const faultyCode = "faulty code: "

// compile returns the reason why a kernel is not compiled by both, "" if it is.
func (e *emitted) compile(device driver.Device, engine wazero.Runtime, c candidate) string {
	var code *hostdev.KernelCode
	err := withKernel(device, c, func(k driver.Kernel) (err error) {
		code, err = hostdev.EmitCode(k)
		if err != nil {
			return fmt.Errorf("interpreted: %s", hostdev.InterpretedReason(err))
		}
		return nil
	})
	if err != nil {
		return err.Error()
	}
	if code.RefusedC != nil {
		code.C = ""
	}
	digest := digestOf(code, c.name)
	outcome := e.outcomeOf(digest)
	outcome.once.Do(func() {
		if !outcome.known {
			outcome.text = e.compileCode(engine, code, digest[0] == '0' && !e.onlyC)
			e.keep(digest, outcome)
		}
	})
	if outcome.text == "" && code.RefusedC != nil {
		return "no C: " + hostdev.InterpretedReason(code.RefusedC)
	}
	return outcome.text
}

// keep adds the code to the record if it compiles. The record only saves work, so it is
// no fault if that fails.
func (e *emitted) keep(digest string, outcome *emittedOutcome) {
	if e.record != nil && outcome.text == "" {
		_, _ = fmt.Fprintln(e.record, digest)
	}
}

// digestOf tells codes apart, whatever the kernels' names.
func digestOf(code *hostdev.KernelCode, name string) string {
	text := code.C
	if text == "" {
		text = string(code.WebAssembly)
	}
	return fmt.Sprintf("%x", sha256.Sum256([]byte(strings.ReplaceAll(text, name, ""))))
}

func (e *emitted) outcomeOf(digest string) *emittedOutcome {
	e.mu.Lock()
	defer e.mu.Unlock()
	outcome := e.outcomes[digest]
	if outcome == nil {
		outcome = new(emittedOutcome)
		e.outcomes[digest] = outcome
	}
	outcome.met = true
	return outcome
}

// compileCode has the C compiler make whole code, or read and check it only: faults of
// the emitter are found by that, at a tenth of the time.
func (e *emitted) compileCode(engine wazero.Runtime, code *hostdev.KernelCode, whole bool) string {
	if !e.onlyC {
		ctx := context.Background()
		module, err := engine.CompileModule(ctx, code.WebAssembly)
		if err != nil {
			return faultyCode + "WebAssembly: " + err.Error()
		}
		module.Close(ctx)
	}
	if code.C == "" {
		return ""
	}
	f, err := os.CreateTemp(e.dir, "*.c")
	if err != nil {
		return faultyCode + err.Error()
	}
	defer os.Remove(f.Name())
	_, err = f.WriteString(code.C)
	f.Close()
	if err != nil {
		return faultyCode + err.Error()
	}
	object := strings.TrimSuffix(f.Name(), filepath.Ext(f.Name())) + ".o"
	defer os.Remove(object)
	args := append(hostdev.NativeFlags("native"), "-x", "c", "-c", f.Name(), "-o", object)
	if !whole {
		args = append(args, "-fsyntax-only")
	}
	if out, err := exec.Command(e.compiler, args...).CombinedOutput(); err != nil {
		return faultyCode + "C: " + err.Error() + "\n" + string(out)
	}
	return ""
}

// withKernel builds the program of a kernel, and lets do see the kernel.
func withKernel(device driver.Device, c candidate, do func(driver.Kernel) error) error {
	code, err := c.readCode()
	if err != nil {
		return err
	}
	modules := []driver.Module{{Name: "image", Image: driver.Image{Format: "spirv", Target: "spir64"}, Code: code}}
	if c.imported != nil {
		more, err := c.imported(device)
		if err != nil {
			return err
		}
		modules = append(modules, more...)
	}
	p, err := driver.Build(context.Background(), device, modules, driver.BuildOptions{})
	if err != nil {
		return fmt.Errorf("refused: %w", err)
	}
	defer p.Close()
	k, err := p.Kernel(c.name)
	if err != nil {
		return err
	}
	return do(k)
}

// Package wazeroengine compiles the kernels of the embedded device with wazero. A program that runs
// kernels imports it for this effect alone; without it they are interpreted.
package wazeroengine

import (
	"context"
	"fmt"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"offlink/runtime/hostdev/internal/emitwasm"
	"offlink/runtime/hostdev/internal/engine"
	"offlink/runtime/hostdev/internal/wasm"
)

func init() { engine.Register(open) }

// open creates a runtime. It fails where wazero has no compiler for the system.
func open(memory []byte, host engine.Host) (r engine.Runtime, err error) {
	defer func() {
		if p := recover(); p != nil { // how wazero says that it has no compiler for the system
			r, err = nil, fmt.Errorf("%v", p)
		}
	}()
	ctx := context.Background()
	config := wazero.NewRuntimeConfigCompiler().WithCoreFeatures(api.CoreFeaturesV2 | experimental.CoreFeaturesThreads)
	w := compiler{wazero.NewRuntimeWithConfig(ctx, config)}
	if err := w.provideImports(ctx, memory, host); err != nil {
		w.Close()
		return nil, err
	}
	return w, nil
}

type compiler struct{ runtime wazero.Runtime }

// provideImports makes the two modules that kernels import from: a host module with the
// functions, and one with the memory alone, as a host module cannot have a memory.
func (w compiler) provideImports(ctx context.Context, memory []byte, host engine.Host) error {
	i32 := api.ValueTypeI32
	_, err := w.runtime.NewHostModuleBuilder(emitwasm.ImportModule).
		NewFunctionBuilder().WithGoFunction(hostFunction(host.Tick), []api.ValueType{i32}, nil).Export(emitwasm.ImportTick).
		NewFunctionBuilder().WithGoFunction(hostFunction(host.Call), []api.ValueType{i32, i32, i32}, nil).Export(emitwasm.ImportHost).
		Instantiate(ctx)
	if err != nil {
		return err
	}
	own := experimental.WithMemoryAllocator(ctx, experimental.MemoryAllocatorFunc(func(_, _ uint64) experimental.LinearMemory {
		return fixedMemory(memory)
	}))
	code := wasm.EncodeMemory(emitwasm.ImportMemory, uint32(len(memory)/wasm.PageSize))
	_, err = w.runtime.InstantiateWithConfig(own, code, wazero.NewModuleConfig().WithName(emitwasm.MemoryModule))
	return err
}

func hostFunction(f func(stack []uint64)) api.GoFunc {
	return func(_ context.Context, stack []uint64) { f(stack) }
}

// Instantiate implements engine.Runtime.
func (w compiler) Instantiate(code []byte) (engine.Module, error) {
	m, err := w.runtime.InstantiateWithConfig(context.Background(), code, wazero.NewModuleConfig().WithName(""))
	if err != nil {
		return nil, err
	}
	return module{m}, nil
}

// Close implements engine.Runtime.
func (w compiler) Close() { _ = w.runtime.Close(context.Background()) }

type module struct{ instance api.Module }

// Function implements engine.Module.
func (m module) Function(name string) engine.Function {
	return function{m.instance.ExportedFunction(name)}
}

// Close implements engine.Module.
func (m module) Close() { _ = m.instance.Close(context.Background()) }

type function struct{ exported api.Function }

// Call implements engine.Function.
func (f function) Call(stack []uint64) error {
	return f.exported.CallWithStack(context.Background(), stack)
}

// fixedMemory lets a module have memory that is there already.
type fixedMemory []byte

// Reallocate implements wazero's LinearMemory: the memory is the device's, and
// neither grows nor moves, as pointers of the host lead into it.
func (m fixedMemory) Reallocate(size uint64) []byte {
	if size > uint64(len(m)) {
		return nil
	}
	return m[:size:size]
}

// Free implements wazero's LinearMemory; the device frees its region.
func (m fixedMemory) Free() {}

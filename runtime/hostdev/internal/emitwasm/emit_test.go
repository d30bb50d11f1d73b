package emitwasm

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"offlink/internal/testtool"
	"offlink/runtime/hostdev/internal/emitc"
	"offlink/runtime/hostdev/internal/lanes"
)

// everyOperation is a kernel with each operation on each kind, once on values that
// vary and once on values that are the same for all lanes.
func everyOperation() *lanes.Function {
	f := lanes.NewFunction("kernel")
	b := f.Blocks[0]
	base, size := f.Arg(lanes.I32, lanes.RecordWords), f.Arg(lanes.I32, lanes.RecordWords+4)
	bounds := &lanes.Bounds{Base: base, Len: size}
	id := b.ID(lanes.OpLocalID, 0)
	address := func(n uint64) *lanes.Value {
		return b.Add(lanes.OpAdd, lanes.I32, base, b.Add(lanes.OpMul, lanes.I32, id, f.Const(lanes.I32, n)))
	}
	keep := func(v *lanes.Value) {
		if v.Kind == lanes.Bool {
			v = b.Add(lanes.OpInt, lanes.I32, v)
		}
		n := 4
		if v.Kind.Wide() {
			n = 8
		}
		b.Store(n, address(uint64(n)), v, bounds)
	}
	for _, vary := range []bool{true, false} {
		value := func(k lanes.Kind) *lanes.Value {
			at := base
			n := 4
			if k.Wide() {
				n = 8
			}
			if vary {
				at = address(uint64(n))
			}
			return b.Load(k, n, at, bounds)
		}
		for _, k := range []lanes.Kind{lanes.I32, lanes.I64} {
			for op := lanes.OpAdd; op <= lanes.OpAShr; op++ {
				keep(b.Add(op, k, value(k), value(k)))
			}
			for op := lanes.OpClz; op <= lanes.OpSExt16; op++ {
				keep(b.Add(op, k, value(k)))
			}
			for op := lanes.OpEq; op <= lanes.OpSLe; op++ {
				keep(b.Add(op, lanes.Bool, value(k), value(k)))
			}
			for _, to := range []lanes.Kind{lanes.F32, lanes.F64} {
				keep(b.Add(lanes.OpSToF, to, value(k)))
				keep(b.Add(lanes.OpUToF, to, value(k)))
				keep(b.Add(lanes.OpFToS, k, value(to)))
				keep(b.Add(lanes.OpFToU, k, value(to)))
			}
		}
		for _, k := range []lanes.Kind{lanes.F32, lanes.F64} {
			for op := lanes.OpFAdd; op <= lanes.OpFDiv; op++ {
				keep(b.Add(op, k, value(k), value(k)))
			}
			for op := lanes.OpFNeg; op <= lanes.OpFNearest; op++ {
				keep(b.Add(op, k, value(k)))
			}
			keep(b.Add(lanes.OpFMin, k, value(k), value(k)))
			keep(b.Add(lanes.OpFMax, k, value(k), value(k)))
			for _, op := range []lanes.Op{lanes.OpEq, lanes.OpNe, lanes.OpFLt, lanes.OpFLe} {
				keep(b.Add(op, lanes.Bool, value(k), value(k)))
			}
		}
		keep(b.Add(lanes.OpZExt, lanes.I64, value(lanes.I32)))
		keep(b.Add(lanes.OpSExt, lanes.I64, value(lanes.I32)))
		keep(b.Add(lanes.OpWrap, lanes.I32, value(lanes.I64)))
		keep(b.Add(lanes.OpHigh, lanes.I32, value(lanes.I64)))
		keep(b.Add(lanes.OpPair, lanes.I64, value(lanes.I32), value(lanes.I32)))
		keep(b.Add(lanes.OpFWiden, lanes.F64, value(lanes.F32)))
		keep(b.Add(lanes.OpFNarrow, lanes.F32, value(lanes.F64)))
		keep(b.Add(lanes.OpCast, lanes.F64, value(lanes.I64)))
		keep(b.Add(lanes.OpCast, lanes.I32, value(lanes.F32)))
		for _, k := range []lanes.Kind{lanes.I32, lanes.I64, lanes.F32, lanes.F64} {
			flag := b.Add(lanes.OpBool, lanes.Bool, value(lanes.I32))
			keep(b.Add(lanes.OpSelect, k, flag, value(k), value(k)))
			keep(b.Load(k, map[bool]int{false: 4, true: 8}[k.Wide()], address(64), bounds))
			b.Store(map[bool]int{false: 4, true: 8}[k.Wide()], address(64), value(k), bounds)
		}
		for _, n := range []int{1, 2} {
			keep(b.Load(lanes.I32, n, address(uint64(n)), bounds))
			b.Store(n, address(uint64(n)), value(lanes.I32), bounds)
		}
		keep(b.Load(lanes.F32, 4, address(8), bounds))
		for op := lanes.AtomicAdd; op <= lanes.AtomicUMax; op++ {
			for _, n := range []int{1, 2, 4} {
				keep(b.AddAtomic(op, lanes.I32, n, bounds, address(uint64(n)), value(lanes.I32)))
			}
			keep(b.AddAtomic(op, lanes.I64, 8, bounds, address(8), value(lanes.I64)))
		}
		f.PrivateSize = 64
		array := &lanes.Bounds{Base: f.Const(lanes.I32, 0), Len: f.Const(lanes.I32, 16)}
		b.PrivateStore(0, value(lanes.I32), value(lanes.F32), array)
		keep(b.PrivateLoad(lanes.F32, 0, value(lanes.I32), array))
	}
	return f
}

// divergent puts a function's only block under a condition that varies, so that all of it
// is emitted under a mask too.
func divergent(f *lanes.Function) *lanes.Function {
	body := f.Blocks[0]
	then, end := f.NewBlock(), f.NewBlock()
	id := body.ID(lanes.OpLocalID, 0)
	cond := body.Add(lanes.OpEq, lanes.Bool, body.Add(lanes.OpAnd, lanes.I32, id, f.Const(lanes.I32, 3)), f.Const(lanes.I32, 1))
	at := body.Add(lanes.OpAdd, lanes.I32, f.Arg(lanes.I32, lanes.RecordWords), body.Add(lanes.OpMul, lanes.I32, id, f.Const(lanes.I32, 4)))
	bounds := &lanes.Bounds{Base: f.Arg(lanes.I32, lanes.RecordWords), Len: f.Arg(lanes.I32, lanes.RecordWords+4)}
	body.Term, body.Cond, body.Succs = lanes.Branch, cond, []*lanes.Block{then, end}
	for _, stride := range []uint64{4, 8, 12} {
		far := then.Add(lanes.OpAdd, lanes.I32, at, then.Add(lanes.OpMul, lanes.I32, id, f.Const(lanes.I32, stride-4)))
		then.Store(4, at, then.Load(lanes.F32, 4, far, bounds), bounds)
		then.Store(4, far, then.Load(lanes.F32, 4, at, bounds), bounds)
		then.Store(1, far, then.Load(lanes.I32, 1, at, bounds), bounds)
	}
	then.Term, then.Succs = lanes.Jump, []*lanes.Block{end}
	return f
}

// TestModulesAreValid: a WebAssembly validator and a C compiler take all that the
// emitters write, at every width.
func TestModulesAreValid(t *testing.T) {
	ctx := context.Background()
	r := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfigInterpreter().
		WithCoreFeatures(api.CoreFeaturesV2|experimental.CoreFeaturesThreads))
	defer r.Close(ctx)
	f := divergent(everyOperation())
	if err := f.Finish(); err != nil {
		t.Fatal(err)
	}
	for _, width := range []int{1, 4, 16} {
		c, err := lanes.Compile(f, width, lanes.AnyRows)
		if err != nil {
			t.Fatal(err)
		}
		module := Emit(c, 16)
		if again := Emit(c, 16); !bytes.Equal(module, again) {
			t.Errorf("width %d: two runs differ", width)
		}
		if _, err := r.CompileModule(ctx, module); err != nil {
			t.Errorf("width %d: %v", width, err)
		}
		checkAvoided(t, width, module)
		checkC(t, c)
	}
}

// checkAvoided: i64x2.mul is not there, and floats are chosen by their bits, as wazero's
// code for the plain forms can lose a value (multiplyWide, emitSelect).
func checkAvoided(t *testing.T, width int, module []byte) {
	t.Helper()
	if bytes.Contains(module, []byte{0xfd, 0xd5, 0x01}) {
		t.Errorf("width %d: i64x2.mul", width)
	}
	for _, toFloat := range []byte{0xbe, 0xbf} { // f32.reinterpret_i32, f64.reinterpret_i64
		if width == 1 && !bytes.Contains(module, []byte{opSelect, toFloat}) {
			t.Errorf("width %d: no bits are chosen for a float", width)
		}
	}
}

func checkC(t *testing.T, c *lanes.Code) {
	source, _, err := emitc.Emit(c)
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "kernel.c")
	if err := os.WriteFile(name, []byte(source), 0o666); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(testtool.Path(t, "gcc"), "-std=gnu11", "-fsyntax-only", "-w", name).CombinedOutput()
	if err != nil {
		t.Errorf("width %d: gcc: %v\n%s", c.Width, err, out)
	}
}

// TestSplatsHaveOneLocal: a vector of one value has one local for all its parts, unless
// something else is written to it too.
func TestSplatsHaveOneLocal(t *testing.T) {
	vector, scalar := lanes.Type{Kind: lanes.F64, Lanes: 8}, lanes.Type{Kind: lanes.F64, Lanes: 1}
	regs := make([]lanes.Type, lanes.NumParams, lanes.NumParams+3)
	for i := range regs {
		regs[i] = lanes.Type{Kind: lanes.I32, Lanes: 1}
	}
	one, splat, mixed := lanes.Reg(len(regs)), lanes.Reg(len(regs)+1), lanes.Reg(len(regs)+2)
	e := &emitter{code: &lanes.Code{Regs: append(regs, scalar, vector, vector), Insts: []lanes.Inst{
		{Op: lanes.OpSplat, Type: vector, Dst: splat, Args: []lanes.Reg{one}},
		{Op: lanes.OpSplat, Type: vector, Dst: mixed, Args: []lanes.Reg{one}},
		{Op: lanes.OpFAdd, Type: vector, Dst: mixed, Args: []lanes.Reg{mixed, splat}},
	}}}
	e.declareLocals()
	distinct := func(r lanes.Reg) int {
		seen := map[uint32]bool{}
		for _, l := range e.locals[r] {
			seen[l] = true
		}
		return len(seen)
	}
	if len(e.locals[splat]) != 4 || distinct(splat) != 1 {
		t.Errorf("a splat of 4 parts has locals %v", e.locals[splat])
	}
	if distinct(mixed) != 4 {
		t.Errorf("a vector that is written twice has locals %v", e.locals[mixed])
	}
}

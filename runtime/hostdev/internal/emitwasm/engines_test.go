package emitwasm

import (
	"bytes"
	"context"
	"encoding/binary"
	"flag"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
)

var (
	engineSeeds   = flag.Int("engines", 60, "how many random modules TestEngines runs; each has its number as seed")
	faultyEngines = flag.Bool("engines-faulty", false, "random modules have the instructions that the emitter avoids")
)

// TestEngines: wazero's compiler and its interpreter leave the same memory after random
// modules. A compiler that takes a branch the wrong way, as that of 1.12 did
// (comparison.go), is found here before a kernel meets it.
func TestEngines(t *testing.T) {
	for seed := range uint64(*engineSeeds) {
		checkEngines(t, seed)
	}
}

func checkEngines(t *testing.T, seed uint64) {
	t.Helper()
	code, memory := randomModule(seed)
	compiled := runEngine(t, wazero.NewRuntimeConfigCompiler(), code, memory)
	interpreted := runEngine(t, wazero.NewRuntimeConfigInterpreter(), code, memory)
	for at := range compiled {
		if compiled[at] != interpreted[at] {
			t.Errorf("seed %d: byte %d is %#x compiled, %#x interpreted", seed, at, compiled[at], interpreted[at])
			return
		}
	}
}

// runEngine runs a module on a copy of the memory, and returns that afterwards.
func runEngine(t *testing.T, config wazero.RuntimeConfig, code, memory []byte) []byte {
	t.Helper()
	ctx := context.Background()
	r := wazero.NewRuntimeWithConfig(ctx, config.WithCoreFeatures(api.CoreFeaturesV2|experimental.CoreFeaturesThreads))
	defer r.Close(ctx)
	m, err := r.Instantiate(ctx, code)
	if err != nil {
		t.Fatal(err)
	}
	m.Memory().Write(0, memory)
	if _, err := m.ExportedFunction("f").Call(ctx); err != nil {
		t.Fatal(err)
	}
	after, _ := m.Memory().Read(0, engineMemory)
	return bytes.Clone(after)
}

const (
	engineMemory = 1 << 12 // bytes that a module reads and writes
	localsEach   = 9       // local variables of each type
)

// engineType is a type of values.
type engineType byte

const (
	typeI32 engineType = iota
	typeI64
	typeF32
	typeF64
	typeV128
	typeCount
)

// randomModule returns a module with one function and the memory that it begins with,
// in which numbers at the ends of the ranges are common.
func randomModule(seed uint64) (code, memory []byte) {
	g := &engineGenerator{rand: rand.New(rand.NewPCG(seed, 0x0ff11))}
	g.function()
	memory = make([]byte, engineMemory)
	for at := 0; at < len(memory); at += 8 {
		binary.LittleEndian.PutUint64(memory[at:], g.number())
	}
	return g.module(), memory
}

func (g *engineGenerator) module() (code []byte) {
	section := func(id byte, content ...byte) {
		code = append(append(append(code, id), unsignedLEB(uint64(len(content)))...), content...)
	}
	code = []byte("\x00asm\x01\x00\x00\x00")
	section(1, 1, 0x60, 0, 0)                 // () -> ()
	section(3, 1, 0)                          // one function
	section(5, 1, 0, 1)                       // a page of memory
	section(7, 2, 1, 'f', 0, 0, 1, 'm', 2, 0) // exports
	body := append(append([]byte{byte(typeCount) + 1}, g.locals()...), g.code...)
	section(10, append(append([]byte{1}, unsignedLEB(uint64(len(body)))...), body...)...)
	return code
}

func unsignedLEB(n uint64) (out []byte) {
	for n >= 0x80 {
		out = append(out, byte(n)|0x80)
		n >>= 7
	}
	return append(out, byte(n))
}

func signedLEB(n int64) (out []byte) {
	for n < -64 || n > 63 {
		out = append(out, byte(n)|0x80)
		n >>= 7
	}
	return append(out, byte(n)&0x7f)
}

// engineGenerator writes the code of a function. NaNs are not the same in all engines,
// so they become zero before their bits can be seen.
type engineGenerator struct {
	rand    *rand.Rand
	code    []byte
	depth   int // of blocks
	loops   int // counters in use
	budget  int // of statements
	counted int // loops so far
}

// loopCounters are the local variables after the others, of type i32.
const loopCounters = 4

func (g *engineGenerator) locals() (out []byte) {
	for _, t := range []byte{0x7f, 0x7e, 0x7d, 0x7c, 0x7b} {
		out = append(out, localsEach, t)
	}
	return append(out, loopCounters, 0x7f)
}

func (g *engineGenerator) number() uint64 {
	switch g.rand.IntN(8) {
	case 0:
		return 0
	case 1:
		return uint64(g.rand.IntN(5)) - 2
	case 2:
		list := []uint64{1 << 31, 1<<31 - 1, 1 << 63, 1<<63 - 1, 1<<32 - 1, 0xff, 0x8000, 0x7fff80008000ff7f}
		return list[g.rand.IntN(len(list))]
	case 3:
		return math.Float64bits(g.float())
	case 4:
		return uint64(math.Float32bits(float32(g.float()))) | uint64(math.Float32bits(float32(g.float())))<<32
	case 5:
		return 1 << g.rand.IntN(64)
	}
	return g.rand.Uint64() >> g.rand.IntN(64)
}

func (g *engineGenerator) float() float64 {
	list := []float64{0, math.Copysign(0, -1), 1, -1, 0.5, 1.5, 2.5, -2.5, 1e10, -1e10, 1e300, 1e-300, math.Inf(1), math.Inf(-1), 2147483647, 2147483648, -2147483649, 4294967296, 9223372036854775808, math.SmallestNonzeroFloat32, math.MaxFloat32}
	if g.rand.IntN(3) > 0 {
		return list[g.rand.IntN(len(list))]
	}
	return (g.rand.Float64() - 0.5) * math.Pow(10, float64(g.rand.IntN(20)))
}

func (g *engineGenerator) put(b ...byte) { g.code = append(g.code, b...) }

func (g *engineGenerator) simd(op uint32) { g.put(append([]byte{0xfd}, unsignedLEB(uint64(op))...)...) }

func (g *engineGenerator) local(t engineType) byte {
	return byte(t)*localsEach + byte(g.rand.IntN(localsEach))
}

// function fills the local variables from memory, writes statements, and stores the
// variables.
func (g *engineGenerator) function() {
	g.budget = 20 + g.rand.IntN(60)
	for t := range typeCount {
		for i := range byte(localsEach) {
			g.load(t, func() { g.put(0x41, 0) })
			g.put(0x21, byte(t)*localsEach+i)
		}
	}
	for g.budget > 0 {
		g.statement()
	}
	for t := range typeCount {
		for i := range byte(localsEach) {
			g.store(t, func() { g.put(0x41, 0) }, func() { g.put(0x20, byte(t)*localsEach+i) })
		}
	}
	g.put(0x0b)
}

func (g *engineGenerator) statements() {
	for range 1 + g.rand.IntN(4) {
		g.statement()
	}
}

func (g *engineGenerator) statement() {
	g.budget--
	t := engineType(g.rand.IntN(int(typeCount)))
	kind := g.rand.IntN(12)
	if g.depth > 4 && kind > 6 {
		kind = 0
	}
	switch kind {
	case 7, 8: // if
		g.condition()
		g.put(0x04, 0x40)
		g.depth++
		g.statements()
		if g.rand.IntN(2) == 0 {
			g.put(0x05)
			g.statements()
		}
		g.depth--
		g.put(0x0b)
	case 9: // block with a way out in the middle
		g.put(0x02, 0x40)
		g.depth++
		g.statements()
		g.condition()
		g.put(0x0d, 0)
		g.statements()
		g.depth--
		g.put(0x0b)
	case 10:
		g.loop()
	case 11:
		g.table()
	case 4, 5, 6:
		g.store(t, g.address, func() { g.value(t, 3) })
	default:
		g.value(t, 4)
		g.put(0x21, g.local(t))
	}
}

// loop runs at most some times, and leaves at a condition too.
func (g *engineGenerator) loop() {
	if g.loops == loopCounters || g.counted > 6 {
		g.put(0x01)
		return
	}
	counter := byte(typeCount)*localsEach + byte(g.loops)
	g.loops++
	g.counted++
	g.depth++
	g.put(0x41, byte(1+g.rand.IntN(6)), 0x21, counter)
	g.put(0x02, 0x40, 0x03, 0x40)
	g.statements()
	if g.rand.IntN(2) == 0 {
		g.condition()
		g.put(0x0d, 1)
	}
	g.put(0x20, counter, 0x41, 1, 0x6b, 0x22, counter)
	g.put(0x0d, 0, 0x0b, 0x0b)
	g.depth--
	g.loops--
}

// table branches by a number.
func (g *engineGenerator) table() {
	g.put(0x02, 0x40, 0x02, 0x40, 0x02, 0x40)
	g.value(typeI32, 2)
	g.put(0x0e, 3, 0, 1, 2, byte(g.rand.IntN(3)), 0x0b)
	g.depth += 2
	g.statement()
	g.put(0x0b)
	g.statement()
	g.put(0x0b)
	g.depth -= 2
}

// condition writes a number that a branch takes, a comparison most often.
func (g *engineGenerator) condition() {
	switch g.rand.IntN(4) {
	case 0:
		g.value(typeI32, 2)
	case 1:
		g.compareBits()
	default:
		g.comparison(2)
	}
}

// compareBits compares conjunctions with zero, in both orders.
func (g *engineGenerator) compareBits() {
	t := engineType(g.rand.IntN(2))
	zero := func() { g.constant(t, 0) }
	bits := func() {
		g.value(t, 1)
		g.value(t, 1)
		g.put([]byte{0x71, 0x83}[t])
	}
	if *faultyEngines && g.rand.IntN(2) == 0 { // comparison.go
		zero()
		bits()
	} else {
		bits()
		zero()
	}
	g.put([]byte{0x46, 0x51}[t] + byte(g.rand.IntN(10)))
}

func (g *engineGenerator) comparison(depth int) {
	t := engineType(g.rand.IntN(4))
	if t < 2 && g.rand.IntN(6) == 0 {
		g.value(t, depth)
		g.put([]byte{0x45, 0x50}[t])
		return
	}
	g.value(t, depth)
	g.value(t, depth)
	first, count := []byte{0x46, 0x51, 0x5b, 0x61}[t], []int{10, 10, 6, 6}[t]
	g.put(first + byte(g.rand.IntN(count)))
}

func (g *engineGenerator) address() {
	g.value(typeI32, 2)
	g.put(0x41)
	g.put(signedLEB(0x7f0)...)
	g.put(0x71)
}

func (g *engineGenerator) offset() []byte { return unsignedLEB(uint64(g.rand.IntN(0x800))) }

func (g *engineGenerator) load(t engineType, address func()) {
	address()
	ops := [][]byte{{0x28, 0x2c, 0x2d, 0x2e, 0x2f}, {0x29, 0x30, 0x31, 0x32, 0x33, 0x34, 0x35}, {0x2a}, {0x2b}}
	if t < typeV128 {
		g.put(ops[t][g.rand.IntN(len(ops[t]))], 0)
		g.put(g.offset()...)
		g.canonical(t)
		return
	}
	list := []uint32{0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 0x5c, 0x5d}
	g.simd(list[g.rand.IntN(len(list))])
	g.put(0)
	g.put(g.offset()...)
}

func (g *engineGenerator) store(t engineType, address, value func()) {
	address()
	value()
	g.canonical(t)
	ops := [][]byte{{0x36, 0x3a, 0x3b}, {0x37, 0x3c, 0x3d, 0x3e}, {0x38}, {0x39}}
	if t < typeV128 {
		g.put(ops[t][g.rand.IntN(len(ops[t]))], 0)
	} else {
		g.simd(11)
		g.put(0)
	}
	g.put(g.offset()...)
}

// canonical makes zero of a NaN.
func (g *engineGenerator) canonical(t engineType) {
	switch t {
	case typeF32:
		g.canonicalBits(g.local(t), 0xbc, 0x5b, 0xbe, func() { g.put(0x41, 0) })
	case typeF64:
		g.canonicalBits(g.local(t), 0xbd, 0x61, 0xbf, func() { g.put(0x42, 0) })
	}
}

func (g *engineGenerator) canonicalBits(scratch, toInt, equal, toFloat byte, zero func()) {
	g.put(0x22, scratch, toInt)
	zero()
	g.put(0x20, scratch, 0x20, scratch, equal, 0x1b, toFloat)
}

// canonicalLanes makes zero of the NaNs of a vector.
func (g *engineGenerator) canonicalLanes(double bool) {
	scratch := g.local(typeV128)
	g.put(0x22, scratch, 0x20, scratch, 0x20, scratch)
	if double {
		g.simd(0x47)
	} else {
		g.simd(0x41)
	}
	g.simd(0x4e) // v128.and
	g.put(0x22, scratch)
}

func (g *engineGenerator) constant(t engineType, n uint64) {
	switch t {
	case typeI32:
		g.put(0x41)
		g.put(signedLEB(int64(int32(n)))...)
	case typeI64:
		g.put(0x42)
		g.put(signedLEB(int64(n))...)
	case typeF32:
		g.put(0x43)
		g.code = binary.LittleEndian.AppendUint32(g.code, uint32(n))
	case typeF64:
		g.put(0x44)
		g.code = binary.LittleEndian.AppendUint64(g.code, n)
	default:
		g.simd(12)
		g.code = binary.LittleEndian.AppendUint64(g.code, n)
		g.code = binary.LittleEndian.AppendUint64(g.code, g.number())
	}
}

func (g *engineGenerator) anyConstant(t engineType) {
	switch t {
	case typeF32:
		g.constant(t, uint64(math.Float32bits(float32(g.float()))))
	case typeF64:
		g.constant(t, math.Float64bits(g.float()))
	default:
		g.constant(t, g.number())
	}
}

// value writes an expression.
func (g *engineGenerator) value(t engineType, depth int) {
	if depth == 0 || g.rand.IntN(6) == 0 {
		if g.rand.IntN(3) == 0 {
			g.anyConstant(t)
		} else {
			g.put(0x20, g.local(t))
		}
		return
	}
	switch g.rand.IntN(10) {
	case 0:
		g.load(t, g.address)
		return
	case 1:
		if t > typeI64 && !*faultyEngines { // emitSelect
			break
		}
		g.value(t, depth-1)
		g.value(t, depth-1)
		g.condition()
		if t == typeV128 {
			g.put(0x1c, 1, 0x7b)
		} else {
			g.put(0x1b)
		}
		return
	case 2:
		g.value(t, depth-1)
		g.put(0x22, g.local(t))
		return
	}
	switch t {
	case typeI32, typeI64:
		g.integer(t, depth-1)
	case typeF32, typeF64:
		g.floating(t, depth-1)
	default:
		g.vector(depth - 1)
	}
}

func (g *engineGenerator) pick(list ...byte) byte { return list[g.rand.IntN(len(list))] }

func (g *engineGenerator) integer(t engineType, depth int) {
	wide := byte(t) // 0 or 1
	switch g.rand.IntN(12) {
	case 0: // clz, ctz, popcnt
		g.value(t, depth)
		g.put([]byte{0x67, 0x79}[wide] + byte(g.rand.IntN(3)))
	case 1: // a division: by an odd number that is positive
		g.value(t, depth)
		g.value(t, depth)
		g.constant(t, []uint64{0x7fffffff, 1<<63 - 1}[wide])
		g.put([]byte{0x71, 0x83}[wide])
		g.constant(t, 1)
		g.put([]byte{0x72, 0x84}[wide])
		g.put([]byte{0x6d, 0x7f}[wide] + byte(g.rand.IntN(4)))
	case 2: // sign extensions
		g.value(t, depth)
		if t == typeI32 {
			g.put(g.pick(0xc0, 0xc1))
		} else {
			g.put(g.pick(0xc2, 0xc3, 0xc4))
		}
	case 3: // from the other width
		if t == typeI32 {
			g.value(typeI64, depth)
			g.put(0xa7)
		} else {
			g.value(typeI32, depth)
			g.put(g.pick(0xac, 0xad))
		}
	case 4: // from floating point, saturating
		from := typeF32 + engineType(g.rand.IntN(2))
		g.value(from, depth)
		g.put(0xfc, wide*4+byte(from-typeF32)*2+byte(g.rand.IntN(2)))
	case 5: // the bits of a number
		g.value(t+2, depth)
		g.canonical(t + 2)
		g.put([]byte{0xbc, 0xbd}[wide])
	case 6:
		if t == typeI32 {
			g.comparison(depth)
		} else {
			g.comparison(depth)
			g.put(0xad)
		}
	case 7:
		g.extract(t, depth)
	default:
		g.value(t, depth)
		g.value(t, depth)
		list := []byte{0x6a, 0x6b, 0x6c, 0x71, 0x72, 0x73, 0x74, 0x75, 0x76, 0x77, 0x78}
		g.put(list[g.rand.IntN(len(list))] + wide*0x12)
	}
}

// extract takes a number out of a vector.
func (g *engineGenerator) extract(t engineType, depth int) {
	g.value(typeV128, depth)
	if t == typeI64 {
		if g.rand.IntN(2) == 0 {
			g.simd(0x1d)
			g.put(g.pick(0, 1))
			return
		}
		g.simd([]uint32{0x53, 0x63, 0x64, 0x83, 0x84, 0xa3, 0xa4, 0xc3, 0xc4}[g.rand.IntN(9)])
		g.put(0xad)
		return
	}
	switch g.rand.IntN(4) {
	case 0:
		g.simd(0x1b)
		g.put(byte(g.rand.IntN(4)))
	case 1:
		g.simd(0x15 + uint32(g.rand.IntN(2)))
		g.put(byte(g.rand.IntN(16)))
	case 2:
		g.simd(0x18 + uint32(g.rand.IntN(2)))
		g.put(byte(g.rand.IntN(8)))
	default:
		g.simd([]uint32{0x53, 0x63, 0x64, 0x83, 0x84, 0xa3, 0xa4, 0xc3, 0xc4}[g.rand.IntN(9)])
	}
}

func (g *engineGenerator) floating(t engineType, depth int) {
	double := byte(t - typeF32)
	switch g.rand.IntN(8) {
	case 0: // abs to sqrt
		g.value(t, depth)
		g.put([]byte{0x8b, 0x99}[double] + byte(g.rand.IntN(7)))
	case 1: // from integers
		from := engineType(g.rand.IntN(2))
		g.value(from, depth)
		g.put([]byte{0xb2, 0xb7}[double] + 2*byte(from) + byte(g.rand.IntN(2)))
	case 2: // the other width
		g.value(typeF32+typeF64-t, depth)
		g.put([]byte{0xb6, 0xbb}[double])
	case 3: // copysign, of a number that is not a NaN
		g.value(t, depth)
		g.value(t, depth)
		g.canonical(t)
		g.put([]byte{0x98, 0xa6}[double])
	case 4:
		g.value(typeV128, depth)
		if double == 0 {
			g.simd(0x1f)
			g.put(byte(g.rand.IntN(4)))
		} else {
			g.simd(0x21)
			g.put(byte(g.rand.IntN(2)))
		}
		g.canonical(t)
	case 5:
		g.value(t-2, depth)
		g.put([]byte{0xbe, 0xbf}[double])
		g.canonical(t)
	default: // add to max
		g.value(t, depth)
		g.value(t, depth)
		g.put([]byte{0x92, 0xa0}[double] + byte(g.rand.IntN(6)))
	}
}

// Instructions of vectors by the operands that they take.
var (
	vectorUnary = []uint32{
		0x4d, 0x60, 0x61, 0x62, 0x7c, 0x7d, 0x7e, 0x7f, 0x80, 0x81, 0x87, 0x88, 0x89, 0x8a, 0xa0, 0xa1, 0xa7, 0xa8, 0xa9, 0xaa,
		0xc0, 0xc1, 0xc7, 0xc8, 0xc9, 0xca, 0xf8, 0xf9, 0xfc, 0xfd,
	}
	vectorBinary = []uint32{
		0x0e, 0x23, 0x24, 0x25, 0x26, 0x27, 0x28, 0x29, 0x2a, 0x2b, 0x2c, 0x2d, 0x2e, 0x2f, 0x30, 0x31, 0x32, 0x33, 0x34, 0x35, 0x36,
		0x37, 0x38, 0x39, 0x3a, 0x3b, 0x3c, 0x3d, 0x3e, 0x3f, 0x40, 0x41, 0x42, 0x43, 0x44, 0x45, 0x46, 0x47, 0x48, 0x49, 0x4a, 0x4b, 0x4c,
		0x4e, 0x4f, 0x50, 0x51, 0x65, 0x66, 0x6e, 0x6f, 0x70, 0x71, 0x72, 0x73, 0x76, 0x77, 0x78, 0x79, 0x7b, 0x82, 0x85, 0x86,
		0x8e, 0x8f, 0x90, 0x91, 0x92, 0x93, 0x95, 0x96, 0x97, 0x98, 0x99, 0x9b, 0x9c, 0x9d, 0x9e, 0x9f, 0xae, 0xb1, 0xb5, 0xb6, 0xb7, 0xb8, 0xb9,
		0xba, 0xbc, 0xbd, 0xbe, 0xbf, 0xce, 0xd1, 0xd6, 0xd7, 0xd8, 0xd9, 0xda, 0xdb, 0xdc, 0xdd, 0xde, 0xdf,
	}
	vectorShift  = []uint32{0x6b, 0x6c, 0x6d, 0x8b, 0x8c, 0x8d, 0xab, 0xac, 0xad, 0xcb, 0xcc, 0xcd}
	singleUnary  = []uint32{0x67, 0x68, 0x69, 0x6a, 0xe0, 0xe1, 0xe3, 0x5e, 0xfa, 0xfb}
	doubleUnary  = []uint32{0x74, 0x75, 0x7a, 0x94, 0xec, 0xed, 0xef, 0x5f, 0xfe, 0xff}
	singleBinary = []uint32{0xe4, 0xe5, 0xe6, 0xe7, 0xe8, 0xe9, 0xea, 0xeb}
	doubleBinary = []uint32{0xf0, 0xf1, 0xf2, 0xf3, 0xf4, 0xf5, 0xf6, 0xf7}
)

func (g *engineGenerator) pickVector(list []uint32) { g.simd(list[g.rand.IntN(len(list))]) }

// vector writes an operation whose result is a vector.
func (g *engineGenerator) vector(depth int) {
	switch g.rand.IntN(12) {
	case 0:
		g.value(typeV128, depth)
		g.pickVector(vectorUnary)
	case 1:
		g.value(typeV128, depth)
		g.value(typeI32, depth)
		g.pickVector(vectorShift)
	case 2, 3:
		unary, binary, double := singleUnary, singleBinary, g.rand.IntN(2) == 1
		if double {
			unary, binary = doubleUnary, doubleBinary
		}
		g.value(typeV128, depth)
		if g.rand.IntN(3) == 0 {
			g.pickVector(unary)
		} else {
			g.value(typeV128, depth)
			g.pickVector(binary)
		}
		g.canonicalLanes(double)
	case 4:
		g.value(typeV128, depth)
		g.value(typeV128, depth)
		g.value(typeV128, depth)
		if *faultyEngines {
			g.simd(0x52) // v128.bitselect: selectLanes
			return
		}
		g.simd(0x4f)
		g.simd(0x50)
	case 5:
		g.value(typeV128, depth)
		g.value(typeV128, depth)
		g.simd(0x0d) // i8x16.shuffle
		for range 16 {
			g.put(byte(g.rand.IntN(32)))
		}
	case 6:
		t := engineType(g.rand.IntN(4))
		g.value(t, depth)
		g.canonical(t)
		switch t {
		case typeI32:
			g.simd(0x0f + uint32(g.rand.IntN(3)))
		default:
			g.simd([]uint32{0, 0x12, 0x13, 0x14}[t])
		}
	case 7:
		g.replace(depth)
	default:
		g.value(typeV128, depth)
		g.value(typeV128, depth)
		if *faultyEngines && g.rand.IntN(20) == 0 {
			g.simd(0xd5) // i64x2.mul: multiplyWide
			return
		}
		g.pickVector(vectorBinary)
	}
}

// replace writes a number into a vector.
func (g *engineGenerator) replace(depth int) {
	t := engineType(g.rand.IntN(4))
	g.value(typeV128, depth)
	g.value(t, depth)
	g.canonical(t)
	row := []struct {
		op    uint32
		lanes int
	}{{0x1c, 4}, {0x1e, 2}, {0x20, 4}, {0x22, 2}}[t]
	if t == typeI32 && g.rand.IntN(2) == 0 {
		row.op, row.lanes = 0x17, 16
		if g.rand.IntN(2) == 0 {
			row.op, row.lanes = 0x1a, 8
		}
	}
	g.simd(row.op)
	g.put(byte(g.rand.IntN(row.lanes)))
}

package spirv

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func readTestdata(t testing.TB, name string) []byte {
	t.Helper()
	code, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return code
}

func parseTestdata(t testing.TB, name string) *Module {
	t.Helper()
	m, err := Parse(readTestdata(t, name))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return m
}

func TestLinkage(t *testing.T) {
	app, lib := parseTestdata(t, "app.spv"), parseTestdata(t, "lib.spv")
	want := []Symbol{{Name: "LibDeviceFunc", ID: 8, Linkage: LinkageImport, Function: true, Type: "int (int)"}}
	if diff := cmp.Diff(want, app.Imports()); diff != "" {
		t.Errorf("imports of app (-want +got):\n%s", diff)
	}
	want = []Symbol{{Name: "app", ID: 13, Function: true, Type: "void (int * CrossWorkgroup)"}}
	if diff := cmp.Diff(want, app.Exports()); diff != "" {
		t.Errorf("exports of app (-want +got):\n%s", diff)
	}
	want = []Symbol{{Name: "LibDeviceFunc", ID: 4, Function: true, Type: "int (int)"}}
	if diff := cmp.Diff(want, lib.Exports()); diff != "" {
		t.Errorf("exports of lib (-want +got):\n%s", diff)
	}
	if got := lib.Imports(); got != nil {
		t.Errorf("imports of lib = %v, want none", got)
	}
}

func TestEntryPoints(t *testing.T) {
	want := []EntryPoint{{Name: "app", Model: ExecutionModelKernel, Function: 21, Interface: []ID{5}}}
	if diff := cmp.Diff(want, parseTestdata(t, "app.spv").EntryPoints()); diff != "" {
		t.Errorf("entry points of app (-want +got):\n%s", diff)
	}
	if got := parseTestdata(t, "lib.spv").EntryPoints(); len(got) != 0 {
		t.Errorf("entry points of lib = %v, want none", got)
	}
}

func TestBytes(t *testing.T) {
	for _, name := range []string{"app.spv", "lib.spv"} {
		code := readTestdata(t, name)
		if got := parseTestdata(t, name).Bytes(); !bytes.Equal(got, code) {
			t.Errorf("%s: the module is written as other bytes than it was read from", name)
		}
	}
}

// inst encodes an instruction.
func inst(op Opcode, operands ...uint32) []uint32 {
	return append([]uint32{uint32(len(operands)+1)<<16 | uint32(op)}, operands...)
}

// words encodes a module.
func words(v Version, bound uint32, instructions ...[]uint32) []byte {
	list := []uint32{Magic, uint32(v), 0, bound, 0}
	for _, in := range instructions {
		list = append(list, in...)
	}
	code, err := binary.Append(nil, binary.LittleEndian, list)
	if err != nil {
		panic(err)
	}
	return code
}

func TestParseErrors(t *testing.T) {
	model := inst(OpMemoryModel, 2, 2)
	for _, test := range []struct {
		name string
		code []byte
		want string
	}{
		{"nothing", nil, "not a SPIR-V module"},
		{"bitcode", []byte("BC\xc0\xde1234"), "not a SPIR-V module"},
		{"short header", words(Version1_0, 1)[:16], "SPIR-V at byte 16: the module ends within its header"},
		{"half a word", append(words(Version1_0, 1), 1, 2), "SPIR-V at byte 20: the module ends within a word"},
		{"version", words(0x20000, 1), "SPIR-V at byte 4: version word 0x00020000; 1.0 to 1.6 can be read"},
		{"bound", words(Version1_0, 0), "SPIR-V at byte 12: the bound of identifiers is 0"},
		{"empty instruction", words(Version1_0, 1, []uint32{0}), "SPIR-V at byte 20: 0 words long with 1 words left"},
		{"long instruction", words(Version1_0, 1, model, []uint32{9<<16 | uint32(OpCapability)}), "SPIR-V at byte 32: OpCapability: 9 words long with 1 words left"},
		{"operand missing", words(Version1_0, 1, inst(OpMemoryModel, 2)), "OpMemoryModel: operand 2 is missing"},
		{"operand too much", words(Version1_0, 1, inst(OpMemoryModel, 2, 2, 2)), "OpMemoryModel: 1 words too many"},
		{"string without an end", words(Version1_0, 5, inst(OpExtInstImport, 1, 0x41414141)), "OpExtInstImport: operand 2: string without an end"},
		{"order", words(Version1_0, 5, inst(OpTypeVoid, 1), inst(OpCapability, 6)), "OpCapability: stands after instructions that it must precede"},
		{"not below the bound", words(Version1_0, 5, model, inst(OpTypeVoid, 5)), "OpTypeVoid: result %5 is not below the bound 5"},
		{"defined twice", words(Version1_0, 5, model, inst(OpTypeVoid, 1), inst(OpTypeBool, 1)), "OpTypeBool: %1 is defined twice"},
		{"not defined", words(Version1_0, 5, model, inst(OpTypeVector, 1, 2, 4)), "OpTypeVector: %2 is not defined"},
		{"type that is none", words(Version1_0, 9, model, inst(OpTypeInt, 1, 32, 0), inst(OpConstant, 1, 2, 7), inst(OpConstant, 2, 3, 7)), "OpConstant: %2 is not a type"},
		{"outside of a function", words(Version1_0, 5, model, inst(OpReturn)), "OpReturn: stands outside of a function"},
		{"function without an end", words(Version1_0, 5, model, inst(OpTypeVoid, 1), inst(OpTypeFunction, 2, 1), inst(OpFunction, 1, 3, 0, 2)), "OpFunction: the function has no end"},
		{"type in a function", words(Version1_0, 9, model, inst(OpTypeVoid, 1), inst(OpTypeFunction, 2, 1), inst(OpFunction, 1, 3, 0, 2), inst(OpLabel, 4), inst(OpTypeBool, 5)), "OpTypeBool: stands within function %3"},
		{"too many decorations", tooManyDecorations(), "OpGroupDecorate: its groups make more decorations than the size of the module allows"},
	} {
		t.Run(test.name, func(t *testing.T) {
			m, err := Parse(test.code)
			if m != nil || err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("Parse = %v, %v; want the error %s", m, err, test.want)
			}
		})
	}
}

// TestAimless: names and decorations of identifiers without a definition are left out.
func TestAimless(t *testing.T) {
	model, void := inst(OpMemoryModel, 2, 2), inst(OpTypeVoid, 1)
	m, err := Parse(words(Version1_0, 5, model, inst(OpName, 1, 'v'), inst(OpName, 2, 'x'),
		inst(OpDecorate, 3, uint32(DecorationConstant)), inst(OpDecorate, 1, uint32(DecorationConstant)), void))
	if err != nil {
		t.Fatal(err)
	}
	want := words(Version1_0, 5, model, inst(OpName, 1, 'v'), inst(OpDecorate, 1, uint32(DecorationConstant)), void)
	if !bytes.Equal(m.Bytes(), want) {
		t.Errorf("the module is % x; want % x", m.Bytes(), want)
	}
	if m, err := Parse(words(Version1_0, 5, model, inst(OpName, 5, 'x'), void)); err == nil {
		t.Errorf("a name beyond the bound is read: %v", m)
	}
}

// tooManyDecorations doubles the decorations of a group again and again.
func tooManyDecorations() []byte {
	list := [][]uint32{inst(OpMemoryModel, 2, 2), inst(OpDecorate, 1, 22)}
	for id := uint32(1); id < 40; id++ {
		list = append(list, inst(OpDecorationGroup, id), inst(OpGroupDecorate, id, id+1, id+1))
	}
	return words(Version1_0, 41, append(list, inst(OpDecorationGroup, 40))...)
}

// TestBigEndian reads a module of the other byte order, as the same module.
func TestBigEndian(t *testing.T) {
	code := readTestdata(t, "app.spv")
	swapped := make([]byte, 0, len(code))
	for i := 0; i < len(code); i += 4 {
		swapped = binary.BigEndian.AppendUint32(swapped, binary.LittleEndian.Uint32(code[i:]))
	}
	m, err := Parse(swapped)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(m.Bytes(), code) {
		t.Error("the module is read as another one")
	}
}

// TestSparse has a bound that takes no memory.
func TestSparse(t *testing.T) {
	code := words(Version1_0, 0xffffffff, inst(OpMemoryModel, 2, 2), inst(OpTypeVoid, 0xfffffffe))
	m, err := Parse(code)
	if err != nil {
		t.Fatal(err)
	}
	if in := m.Def(0xfffffffe); in == nil || in.Op != OpTypeVoid {
		t.Errorf("Def = %v; want OpTypeVoid", in)
	}
	if _, err := Link([]Input{{"sparse", m}}, LinkOptions{}); err != nil {
		t.Error(err)
	}
}

// TestUnknownInstruction: it is read, and refused by Link.
func TestUnknownInstruction(t *testing.T) {
	code := words(Version1_0, 9, inst(OpMemoryModel, 2, 2), inst(Opcode(0x7000), 1, 2, 3), inst(OpTypeVector, 2, 1, 4))
	m, err := Parse(code)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(m.Bytes(), code) {
		t.Error("the module is written as another one")
	}
	_, err = Link([]Input{{"new", m}}, LinkOptions{})
	if want := "new: instruction 28672 at byte 32 is not known and cannot be linked"; err == nil || err.Error() != want {
		t.Errorf("Link: %v; want %s", err, want)
	}
}

// TestUnknownAmongKnown: in the section of entry points, say, it is not taken for one of them.
func TestUnknownAmongKnown(t *testing.T) {
	unknown := inst(Opcode(0x7000))
	entry := appendString([]uint32{uint32(ExecutionModelKernel), 4}, "k")
	m, err := Parse(words(Version1_0, 9, unknown, inst(OpCapability, 6), unknown, inst(OpExtension, appendString(nil, "x")...), unknown,
		inst(OpMemoryModel, 2, 2), unknown, inst(OpEntryPoint, entry...), unknown, inst(OpExecutionMode, 4, 31), unknown,
		inst(OpTypeVoid, 1), inst(OpTypeFunction, 2, 1), inst(OpFunction, 1, 4, 0, 2), inst(OpLabel, 5), inst(OpReturn), inst(OpFunctionEnd)))
	if err != nil {
		t.Fatal(err)
	}
	if e := m.EntryPoints(); len(e) != 1 || e[0].Name != "k" {
		t.Errorf("EntryPoints = %v; want k", e)
	}
	if modes := m.ExecutionModes(4); len(modes) != 1 || modes[0].Mode != 31 {
		t.Errorf("ExecutionModes = %v; want 31", modes)
	}
	if m.Declares(0) || !m.Declares(6) || !slices.Equal(m.Extensions(), []string{"x"}) || m.AddressingModel() != AddressingPhysical64 {
		t.Errorf("extensions %v, addressing model %v; want x and Physical64", m.Extensions(), m.AddressingModel())
	}
	_ = m.Verify() // it may refuse the module, and nothing else
}

// TestHostAccess reads the name of a device global in either numbering.
func TestHostAccess(t *testing.T) {
	for _, kind := range []DecorationKind{DecorationHostAccessINTEL, DecorationHostAccessOldINTEL} {
		name := appendString([]uint32{3, uint32(kind), 1}, "dg_name")
		m, err := Parse(words(Version1_0, 9, inst(OpMemoryModel, 2, 2), inst(OpDecorate, name...),
			inst(OpTypeInt, 1, 32, 0), inst(OpTypePointer, 2, uint32(StorageCrossWorkgroup), 1),
			inst(OpVariable, 2, 3, uint32(StorageCrossWorkgroup))))
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := m.HostAccessName(3); !ok || got != "dg_name" {
			t.Errorf("decoration %d: HostAccessName = %q, %v; want dg_name", kind, got, ok)
		}
	}
}

// TestParseTranslatorDebug reads instructions of OpenCL.DebugInfo.100 in the form of the
// specification and in that of the Khronos translator.
func TestParseTranslatorDebug(t *testing.T) {
	name := func(n uint32) []uint32 { return inst(OpString, n, 'x') }
	debug := func(n, number uint32, operands ...uint32) []uint32 {
		return inst(OpExtInst, append([]uint32{8, n, 1, number}, operands...)...)
	}
	module := func(instructions ...[]uint32) []byte {
		return words(Version1_0, 20, append([][]uint32{
			inst(OpExtInstImport, append([]uint32{1}, appendString(nil, "OpenCL.DebugInfo.100")...)...),
			inst(OpMemoryModel, 2, 2), name(2), name(3), inst(OpTypeVoid, 8), debug(4, 35, 2),
		}, instructions...)...)
	}
	for _, test := range []struct {
		name string
		code []byte
		want string // the operands that are identifiers
	}{
		{"template", module(debug(5, 16, 2, 3, 4, 0, 0)), "[8 1 2 3 4]"},
		{"the translator's template", module(debug(5, 17, 2, 3, 4, 0, 0)), "[8 1 2 3 4]"},
		{"pack", module(debug(5, 17, 2, 4, 0, 0, 3)), "[8 1 2 4 3]"},
		{"the translator's pack", module(debug(5, 16, 2, 4, 0, 0, 3)), "[8 1 2 4 3]"},
		{"the translator's pack of two", module(debug(5, 16, 2, 4, 0, 0, 3, 3)), "[8 1 2 4 3 3]"},
		{"the translator's empty pack", module(debug(5, 16, 2, 4, 0, 0)), "[8 1 2 4]"},
		{"empty pack", module(debug(5, 17, 2, 4, 0, 0)), "[8 1 2 4]"},
		{"import", module(debug(5, 34, 2, 1, 4, 3, 7, 0, 4)), "[8 1 2 4 3 4]"},
		{"module", module(debug(5, 36, 2, 4, 4, 9, 2, 2, 2, 0)), "[8 1 2 4 4 2 2 2]"},
		{"the translator's module", module(debug(5, 36, 2, 4, 9, 4, 2, 2, 2, 0)), "[8 1 2 4 4 2 2 2]"},
		{"the translator's import", module(debug(5, 34, 2, 1, 0, 4, 3, 7, 0, 4)), "[8 1 2 4 3 4]"},
	} {
		m, err := Parse(test.code)
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		if got := fmt.Sprint(m.Operands(m.Def(5))); got != test.want {
			t.Errorf("%s: the identifiers are %s; want %s", test.name, got, test.want)
		}
	}
}

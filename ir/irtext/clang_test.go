package irtext_test

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"offlink/ir"
	"offlink/ir/irtext"
)

// programs are the sources in testdata/clang and how they are compiled.
var programs = []struct{ file, flags string }{
	{"kernels.cl", "--target=spir64-unknown-unknown -cl-std=CL2.0"},
	{"kernels.cl", "--target=nvptx64-nvidia-cuda -cl-std=CL2.0 -DNO_BUILTINS"},
	{"kernels.cl", "--target=amdgcn-amd-amdhsa -nogpulib -cl-std=CL2.0"},
	{"shapes.clcpp", "--target=spir-unknown-unknown -cl-std=clc++2021"},
	{"host.c", "--target=x86_64-linux-gnu -w"},
	{"host.cpp", "--target=x86_64-linux-gnu"},
	{"host.cpp", "--target=x86_64-pc-windows-msvc -fexceptions -fcxx-exceptions"},
}

// modes are compiler versions and options. The last of 15 prints typed
// pointers, as do all of 14.
var modes = []struct{ version, flags string }{
	{"14", "-O0 -g"},
	{"14", "-O2"},
	{"15", "-O2 -g"},
	{"15", "-O1 -Xclang -no-opaque-pointers"},
	{"16", "-O0"},
	{"16", "-O2 -g"},
	{"19", "-O0 -g"},
	{"19", "-O3"},
}

func compile(t testing.TB, version, flags, file string) []byte {
	t.Helper()
	args := append(strings.Fields(flags), "-S", "-emit-llvm", "-o", "-", filepath.Join("../../testdata/clang", file))
	return filter(t, nil, llvmTool(t, "clang", version), args...)
}

// The output of clang is read, written as a whole without a difference, and
// written in partitions that LLVM accepts.
func TestClang(t *testing.T) {
	for _, mode := range modes {
		for _, program := range programs {
			name := fmt.Sprintf("%s%s/%s%s", mode.version, mode.flags, program.file, program.flags)
			t.Run(strings.ReplaceAll(name, " ", ""), func(t *testing.T) {
				t.Parallel()
				data := compile(t, mode.version, mode.flags+" "+program.flags, program.file)
				m, err := irtext.Parse(program.file, data)
				if err != nil {
					t.Fatal(err)
				}
				sameModule(t, mode.version, clean(t, mode.version, data), write(t, whole(m)))
				for seed := range uint64(3) {
					verify(t, mode.version, write(t, randomPartition(m, seed)))
				}
			})
		}
	}
}

// clean drops debug information of values that the module does not have, as writing a
// partition does.
func clean(t testing.TB, version string, module []byte) []byte {
	bitcode := filter(t, module, llvmTool(t, "llvm-as", version), "-o", "-")
	return filter(t, bitcode, llvmTool(t, "opt", version), "-passes=strip-dead-debug-info", "-S", "-o", "-")
}

// randomPartition returns a partition with some of the definitions and those that they
// need, of which some are changed in every way that an edit can.
func randomPartition(m *ir.Module, seed uint64) *ir.Partition {
	r := rand.New(rand.NewPCG(seed, 1))
	s := &ir.Partition{Module: m}
	declared := func(id ir.ValueID) bool { return m.Values[id].Declaration }
	cut := make(map[ir.ValueID]bool)
	for i := range m.Values {
		if v := &m.Values[i]; v.Kind == ir.Function && !v.Declaration && !v.IsLocal() && r.IntN(4) == 0 && !hasLabelAddress(m, ir.ValueID(i)) {
			cut[ir.ValueID(i)] = true
		}
	}
	seen := make(map[ir.ValueID]bool)
	var visit func(id ir.ValueID)
	visit = func(id ir.ValueID) {
		if seen[id] {
			return
		}
		seen[id] = true
		v := &m.Values[id]
		if declared(id) || cut[id] {
			s.Declarations = append(s.Declarations, id)
			if !declared(id) {
				return
			}
		} else {
			s.Definitions = append(s.Definitions, id)
		}
		for _, ref := range m.Refs(v) {
			if k := ref.Kind(); k == ir.RefCallee || k == ir.RefAddress {
				if to := ir.ValueID(ref.Index()); (v.Kind == ir.Alias || v.Kind == ir.IFunc) && cut[to] && !seen[to] {
					delete(cut, to)
				}
				visit(ir.ValueID(ref.Index()))
			}
		}
	}
	for i := range m.Values {
		if v := &m.Values[i]; v.Kind == ir.Alias || v.Kind == ir.IFunc {
			for _, ref := range m.Refs(v) { // an aliasee stays defined
				delete(cut, ir.ValueID(ref.Index()))
			}
		}
	}
	for i := range m.Values {
		if v := &m.Values[i]; v.Kind == ir.Function && !v.Declaration && r.IntN(3) == 0 {
			visit(ir.ValueID(i))
		}
	}
	used := func(name string) {
		if id, ok := m.Lookup(name); ok {
			keepElements(m, s, id, seen)
		}
	}
	used("llvm.used")
	used("llvm.compiler.used")
	slices.Sort(s.Definitions)
	slices.Sort(s.Declarations)
	for _, id := range s.Definitions {
		randomEdit(m, s, id, r)
	}
	node := ir.NewNode{Operands: []ir.Operand{
		{Kind: ir.OperandString, String: "te\"xt\x01"},
		{Kind: ir.OperandInt, Int: -7, Bits: 32},
		{},
		{Kind: ir.OperandTuple, Elements: []ir.Operand{{Kind: ir.OperandInt, Int: 1, Bits: 8}}},
	}}
	for i := range m.Values {
		node.Operands = append(node.Operands, ir.Operand{Kind: ir.OperandValue, Value: ir.ValueID(i)})
	}
	s.Named = append(s.Named, ir.NamedEdit{Name: "added", New: []ir.NewNode{node}})
	return s
}

// hasLabelAddress reports whether blocks of the function may be named
// elsewhere, so that it must stay defined.
func hasLabelAddress(m *ir.Module, id ir.ValueID) bool {
	return m.Values[id].Name == "interpret"
}

// keepElements adds a list of values, with those of them that are there.
func keepElements(m *ir.Module, s *ir.Partition, id ir.ValueID, seen map[ir.ValueID]bool) {
	list, err := m.Initializer(id)
	if err != nil {
		panic(err)
	}
	keep := []int{}
	for i, e := range list.Elements {
		if e.Kind == ir.ConstantValue && seen[e.Value] {
			keep = append(keep, i)
		}
	}
	s.Definitions = append(s.Definitions, id)
	s.Edit(id).KeepElements = keep
}

func randomEdit(m *ir.Module, s *ir.Partition, id ir.ValueID, r *rand.Rand) {
	v := &m.Values[id]
	if v.Kind != ir.Function {
		return
	}
	if r.IntN(3) == 0 && v.Linkage != ir.AvailableExternally {
		e := s.Edit(id)
		e.SetLinkage, e.Linkage, e.DropComdat = true, ir.Internal, true
	}
	if r.IntN(3) == 0 {
		e := s.Edit(id)
		e.Add = append(e.Add, ir.Attribute{Key: "added"}, ir.Attribute{Key: "also", Value: "a \"value\""})
		e.Remove = append(e.Remove, "min-legal-vector-width", "stack-protector-buffer-size")
		e.Attach = append(e.Attach, ir.NewAttachment{Kind: "attached", Node: ir.NewNode{Operands: []ir.Operand{{Kind: ir.OperandInt, Int: 3, Bits: 32}}}})
	}
}

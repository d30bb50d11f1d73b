package bitcode_test

import (
	"bytes"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"offlink/internal/testtool"
	"offlink/ir"
	"offlink/ir/bitcode"
)

// llvmTool returns the path of a tool of that LLVM version. The test is
// skipped when it is missing, unless tools are required.
func llvmTool(t testing.TB, tool, version string) string {
	t.Helper()
	return testtool.Path(t, tool+"-"+version)
}

// filter runs a command over data and returns its standard output.
func filter(t testing.TB, data []byte, name string, args ...string) []byte {
	t.Helper()
	out, err := testtool.Filter(data, name, args...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// module is a module of the tests in bitcode, and how the LLVM that made it is
// called.
type module struct {
	name    string
	version string
	// opaque says that tools of LLVM 14 need an option for its pointers.
	opaque  bool
	bitcode []byte
}

// options returns the options that tools need for the module's pointers.
func (m *module) options() []string {
	if m.opaque {
		return []string{"-opaque-pointers"}
	}
	return nil
}

func (m *module) with(data []byte) *module {
	return &module{m.name, m.version, m.opaque, data}
}

// tool runs a tool of the module's version over its bitcode.
func (m *module) tool(t testing.TB, tool string, args ...string) []byte {
	t.Helper()
	return filter(t, m.bitcode, llvmTool(t, tool, m.version), append(m.options(), args...)...)
}

// text returns the module as its LLVM prints it.
func (m *module) text(t testing.TB) string {
	t.Helper()
	return string(m.tool(t, "llvm-dis", "-o", "-"))
}

// verify fails unless LLVM accepts the module.
func (m *module) verify(t testing.TB) {
	t.Helper()
	m.tool(t, "opt", "-passes=verify", "-o", os.DevNull)
}

// assemble makes a module of text, nil if that LLVM does not take it.
func assemble(t testing.TB, name, version string, opaque bool, text []byte) *module {
	t.Helper()
	m := &module{name: name, version: version, opaque: opaque}
	var err error
	if m.bitcode, err = testtool.Filter(text, llvmTool(t, "llvm-as", version), append(m.options(), "-o", "-")...); err != nil {
		return nil
	}
	return m
}

// read reads the module.
func (m *module) read(t testing.TB) *ir.Module {
	t.Helper()
	read, err := bitcode.Read(m.name, m.bitcode)
	if err != nil {
		t.Fatal(err)
	}
	return read
}

// write returns a partition as its codec writes it.
func write(t testing.TB, s *ir.Partition) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := s.Module.Source.NewWriter().WritePartition(&b, s); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// same fails unless the texts are the same.
func same(t testing.TB, what, want, got string) {
	t.Helper()
	if want != got {
		t.Errorf("%s (-want +got):\n%s", what, cmp.Diff(want, got))
	}
}

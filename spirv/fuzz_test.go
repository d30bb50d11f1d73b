package spirv

import (
	"bytes"
	"encoding/binary"
	"io"
	"path/filepath"
	"slices"
	"testing"
)

// addModules seeds a fuzz target with the modules of testdata.
func addModules(f *testing.F, add func(code []byte)) {
	names, err := filepath.Glob("testdata/*.spv")
	if err != nil || len(names) == 0 {
		f.Fatalf("no modules in testdata: %v", err)
	}
	for _, name := range names {
		add(readTestdata(f, filepath.Base(name)))
	}
	add(words(Version1_4, 9, inst(OpMemoryModel, 2, 2), inst(OpTypeForwardPointer, 2, 7),
		inst(OpTypeStruct, 1, 2), inst(OpTypePointer, 2, 7, 1)))
}

// use asks a module everything.
func use(m *Module) {
	m.Imports()
	m.Exports()
	m.SpecConstants()
	for _, e := range m.EntryPoints() {
		m.ExecutionModes(e.Function)
		m.KernelArgTypes(e.Name)
	}
	for _, f := range m.Functions() {
		if !f.IsDeclaration() {
			_, _ = m.CFG(f)
		}
	}
	_ = m.Verify()
	_ = m.Dump(io.Discard)
}

// checkExportNames holds ExportNames to the exports of the parsed module.
func checkExportNames(t *testing.T, m *Module, code []byte) {
	t.Helper()
	names, err := ExportNames(code)
	if err != nil {
		t.Fatalf("Parse takes the module, ExportNames does not: %v", err)
	}
	for _, s := range m.Exports() {
		if !slices.Contains(names, s.Name) {
			t.Errorf("%q is exported and not among %q", s.Name, names)
		}
	}
}

// FuzzParse: bytes are a module, which is written as a module that reads as
// the same, or they are an error.
func FuzzParse(f *testing.F) {
	addModules(f, func(code []byte) { f.Add(code) })
	f.Fuzz(func(t *testing.T, code []byte) {
		m, err := Parse(code)
		if (m == nil) == (err == nil) {
			t.Fatalf("Parse = %v, %v", m, err)
		}
		if err != nil {
			return
		}
		use(m)
		checkExportNames(t, m, code)
		written := m.Bytes()
		again, err := Parse(written)
		if err != nil {
			t.Fatalf("the module is written as something else: %v", err)
		}
		if !bytes.Equal(again.Bytes(), written) {
			t.Fatal("the module is read back as another one")
		}
	})
}

// mutate changes words of a module: every four bytes of edits are the place of
// a word, counted from the header on, and the number to add to it.
func mutate(code, edits []byte) []byte {
	code = bytes.Clone(code)
	for ; len(edits) >= 4; edits = edits[4:] {
		at := 20 + 4*int(binary.LittleEndian.Uint16(edits))
		if at+4 <= len(code) {
			v := binary.LittleEndian.Uint32(code[at:])
			binary.LittleEndian.PutUint32(code[at:], v+uint32(int16(binary.LittleEndian.Uint16(edits[2:]))))
		}
	}
	return code
}

// FuzzLink: two modules, both with changed words, are a module or an error.
func FuzzLink(f *testing.F) {
	names, err := filepath.Glob("testdata/*.spv")
	if err != nil || len(names) < 2 {
		f.Fatalf("no modules in testdata: %v", err)
	}
	var modules [][]byte
	for i, name := range names {
		modules = append(modules, readTestdata(f, filepath.Base(name)))
		for k := range i {
			f.Add(uint8(i), uint8(k), []byte{40, 0, 1, 0}, []byte{50, 0, 1, 0}, uint8(i))
		}
	}
	f.Fuzz(func(t *testing.T, x, y uint8, editsX, editsY []byte, options uint8) {
		first := mutate(modules[int(x)%len(modules)], editsX)
		second := mutate(modules[int(y)%len(modules)], editsY)
		a, err := Parse(first)
		if err != nil {
			return
		}
		b, err := Parse(second)
		if err != nil {
			return
		}
		inputs := []Input{{"first", a}, {"second", b}}
		opts := LinkOptions{AllowUnresolved: options&1 != 0, KeepExports: options&2 != 0}
		m, err := Link(inputs, opts)
		if (m == nil) == (err == nil) {
			t.Fatalf("Link = %v, %v", m, err)
		}
		if err != nil {
			return
		}
		use(m)
		code := m.Bytes()
		if _, err := Parse(code); err != nil {
			t.Fatalf("the result cannot be read: %v", err)
		}
		again, err := Link(inputs, opts)
		if err != nil || !bytes.Equal(again.Bytes(), code) {
			t.Fatalf("the result is another one when linked again: %v", err)
		}
	})
}

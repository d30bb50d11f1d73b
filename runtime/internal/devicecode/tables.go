package devicecode

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"offlink/runtime/driver"
	"offlink/spirv"
)

// Tables describe the kernels and variables of a program. Drivers do not: they have no
// argument information for SPIR-V, and do not know the host's names. The JSON is part of
// stored programs.
type Tables struct {
	Kernels   map[string][]driver.Param `json:"kernels"`
	Variables map[string]Variable       `json:"variables"`           // by linkage name and host name
	Functions []string                  `json:"functions,omitempty"` // exported
	Uneven    bool                      `json:"uneven,omitempty"`    // spirv.Module.AllowsUneven
}

// Variable is a program-scope variable by linkage name or host name.
type Variable struct {
	Linkage string `json:"linkage"`
	Size    int64  `json:"size"` // bytes
}

// NewTables reads a linked module, nil for none.
func NewTables(m *spirv.Module) Tables {
	t := Tables{Kernels: map[string][]driver.Param{}, Variables: map[string]Variable{}}
	if m == nil {
		return t
	}
	t.Uneven = m.AllowsUneven()
	for _, e := range m.EntryPoints() {
		if e.Model == spirv.ExecutionModelKernel {
			t.Kernels[e.Name] = kernelParams(m, e)
		}
	}
	for _, in := range m.Globals() {
		if in.Op == spirv.OpVariable {
			t.addVariable(m, in)
		}
	}
	for _, s := range m.Exports() {
		if s.Function {
			t.Functions = append(t.Functions, s.Name)
		}
	}
	return t
}

// KernelNotFound is the error of a kernel that the program does not have.
func (t *Tables) KernelNotFound(name string) error {
	names := slices.Sorted(maps.Keys(t.Kernels))
	if len(names) == 0 {
		return fmt.Errorf("kernel %s: %w", name, driver.ErrNotFound)
	}
	return fmt.Errorf("kernel %s: %w; the program has %s", name, driver.ErrNotFound, strings.Join(names, ", "))
}

func (t *Tables) addVariable(m *spirv.Module, in *spirv.Instruction) {
	name, linked := m.LinkageName(in.Result())
	if _, builtin := m.IsBuiltIn(in.Result()); !linked || builtin {
		return
	}
	pointer := m.Def(in.Type())
	size, ok := m.ByteSize(spirv.ID(pointer.Words[2]))
	if !ok {
		return
	}
	info := Variable{name, int64(size)}
	t.Variables[name] = info
	if host, ok := m.HostAccessName(in.Result()); ok {
		t.Variables[host] = info
	}
}

// kernelParams returns the parameters as the code has them, with the names and types of the
// source if the module states them.
func kernelParams(m *spirv.Module, e spirv.EntryPoint) []driver.Param {
	params := []driver.Param{}
	types := m.KernelArgTypes(e.Name)
	for _, f := range m.Functions() {
		if f.ID() != e.Function {
			continue
		}
		for i, in := range f.Params {
			p := paramOf(m, in.Type())
			if i < len(types) {
				p.Type = types[i]
			}
			if name := m.Name(in.Result()); name != fmt.Sprintf("%%%d", in.Result()) {
				p.Name = name
			}
			params = append(params, p)
		}
	}
	return params
}

func paramOf(m *spirv.Module, id spirv.ID) driver.Param {
	t := m.Def(id)
	if t == nil || t.Op != spirv.OpTypePointer {
		return valueParam(m, id)
	}
	switch spirv.StorageClass(t.Words[1]) {
	case spirv.StorageFunction: // a struct by value
		return valueParam(m, spirv.ID(t.Words[2]))
	case spirv.StorageWorkgroup:
		return driver.Param{Kind: driver.ParamLocal}
	}
	return driver.Param{Kind: driver.ParamBuffer}
}

func valueParam(m *spirv.Module, id spirv.ID) driver.Param {
	size, ok := m.ByteSize(id)
	if !ok {
		return driver.Param{Kind: driver.ParamOther}
	}
	return driver.Param{Kind: driver.ParamValue, Size: size}
}

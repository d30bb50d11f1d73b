package ptx

import (
	"fmt"
	"slices"
	"strings"
)

// Pointer says that a parameter is a pointer.
type Pointer struct {
	// Space is the state space that it points to: "global", "shared", "const";
	// "" for any.
	Space string
	// Align is the alignment of the memory that it points to, in bytes; at least 1.
	Align int
}

// Mark has the facts about a kernel that its compiler knew but that PTX written by older
// LLVM does not state.
type Mark struct {
	// Pointers has an entry for each parameter, nil if it is not a pointer.
	Pointers []*Pointer
	// Required is the size of a block that the code asks for; 0: any.
	Required [3]int
}

// edit puts text in place of a part of another.
type edit struct {
	from, to int
	text     string
}

// applyEdits makes the edits, which do not overlap.
func applyEdits(text []byte, edits []edit) []byte {
	slices.SortFunc(edits, func(a, b edit) int { return a.from - b.from })
	size, done := len(text), 0
	for _, e := range edits {
		size += len(e.text)
	}
	out := make([]byte, 0, size)
	for _, e := range edits {
		out = append(append(out, text[done:e.from]...), e.text...)
		done = e.to
	}
	return append(out, text[done:]...)
}

// MarkKernels adds the attribute .ptr to the parameters of the kernels, by name, as compilers
// from LLVM 20 on do: a reader can then distinguish a pointer from a number, and knows the
// space that it points to. It also adds the directive .reqntid. Attributes and directives
// that the text has already stay.
func MarkKernels(name string, text []byte, kernels map[string]*Mark) ([]byte, error) {
	m, err := Parse(name, text)
	if err != nil {
		return nil, err
	}
	var edits []edit
	for i := range m.Entries {
		e := &m.Entries[i]
		mark := kernels[e.Name]
		if mark == nil {
			continue
		}
		if len(mark.Pointers) != len(e.Params) {
			return nil, fmt.Errorf("%s: kernel %s has %d parameters, and %d in the module that it was compiled from", name, e.Name, len(e.Params), len(mark.Pointers))
		}
		edits = append(edits, mark.entryEdits(e)...)
	}
	return applyEdits(text, edits), nil
}

// entryEdits are those of one kernel.
func (k *Mark) entryEdits(e *Entry) (list []edit) {
	for i, pointer := range k.Pointers {
		if p := &e.Params[i]; pointer != nil && p.takesPointer() {
			list = append(list, edit{p.typeEnd, p.typeEnd, pointer.pointerAttribute()})
		}
	}
	if none := [3]int{}; k.Required != none && e.Required == none {
		list = append(list, edit{e.headEnd, e.headEnd, fmt.Sprintf("\n.reqntid %d, %d, %d\n", k.Required[0], k.Required[1], k.Required[2])})
	}
	return list
}

// PlainShared returns the text of the module without the attribute .ptr of parameters that
// point to shared memory, which kernels of OpenCL have. CUDA's driver compiles such kernels,
// but then refuses the result as an invalid image (seen with driver 580).
func (m *Module) PlainShared(text []byte) []byte {
	var edits []edit
	for i := range m.Entries {
		for _, p := range m.Entries[i].Params {
			if p.Pointer && p.Space == "shared" {
				edits = append(edits, edit{p.typeEnd, p.nameAt, " "})
			}
		}
	}
	if edits == nil {
		return text
	}
	return applyEdits(text, edits)
}

// DefineVariable returns the text of the module with a variable in global memory
// that is the module's own and has those bytes, at least one.
func (m *Module) DefineVariable(text []byte, name string, value []byte) []byte {
	var definition strings.Builder
	fmt.Fprintf(&definition, ".global .align 16 .b8 %s[%d] = {", name, len(value))
	for i, b := range value {
		if i > 0 {
			definition.WriteString(", ")
		}
		fmt.Fprint(&definition, b)
	}
	definition.WriteString("};\n")
	at := m.headEnd
	if at == 0 { // nothing is declared
		at = len(text)
	}
	return applyEdits(text, []edit{{at, at, definition.String()}})
}

func (p *Pointer) pointerAttribute() string {
	space := ""
	if p.Space != "" {
		space = " ." + p.Space
	}
	return fmt.Sprintf(" .ptr%s .align %d", space, max(p.Align, 1))
}

// takesPointer reports whether the parameter is a number that can be a pointer:
// a struct of its size that is passed by value is an array of bytes.
func (p *Param) takesPointer() bool { return !p.Pointer && (p.Type == "u64" || p.Type == "b64") }

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
	// Align is the alignment of what it points to, in bytes; at least 1.
	Align int
}

// Mark is what a compiler knew of a kernel and PTX of older ones does not say.
type Mark struct {
	// Pointers are the parameters that are pointers, by their number; nil is a
	// parameter that is none.
	Pointers []*Pointer
	// Required is the size of a block that the code asks for; 0: any.
	Required [3]int
}

// insertion is text that goes in at a place.
type insertion struct {
	at   int
	text string
}

// MarkKernels writes the attribute .ptr to kernels' parameters, as compilers
// from LLVM 20 on do, so that a reader can tell a pointer from a number, and
// where it points to; and the directive .reqntid. Kernels are named. What the
// text has already stays.
func MarkKernels(name string, text []byte, kernels map[string]*Mark) ([]byte, error) {
	m, err := Parse(name, text)
	if err != nil {
		return nil, err
	}
	var insertions []insertion
	for i := range m.Entries {
		e := &m.Entries[i]
		mark := kernels[e.Name]
		if mark == nil {
			continue
		}
		if len(mark.Pointers) != len(e.Params) {
			return nil, fmt.Errorf("%s: kernel %s has %d parameters, and %d in the module that it was compiled from", name, e.Name, len(e.Params), len(mark.Pointers))
		}
		insertions = append(insertions, mark.insertions(e)...)
	}
	slices.SortFunc(insertions, func(a, b insertion) int { return a.at - b.at })
	var out strings.Builder
	done := 0
	for _, i := range insertions {
		out.Write(text[done:i.at])
		out.WriteString(i.text)
		done = i.at
	}
	out.Write(text[done:])
	return []byte(out.String()), nil
}

// insertions are those of one kernel.
func (k *Mark) insertions(e *Entry) (list []insertion) {
	for i, pointer := range k.Pointers {
		if pointer != nil && e.Params[i].takesPointer() {
			list = append(list, insertion{e.Params[i].typeEnd, pointer.attribute()})
		}
	}
	if none := [3]int{}; k.Required != none && e.Required == none {
		list = append(list, insertion{e.headEnd, fmt.Sprintf("\n.reqntid %d, %d, %d\n", k.Required[0], k.Required[1], k.Required[2])})
	}
	return list
}

func (p *Pointer) attribute() string {
	space := ""
	if p.Space != "" {
		space = " ." + p.Space
	}
	return fmt.Sprintf(" .ptr%s .align %d", space, max(p.Align, 1))
}

// takesPointer tells whether the parameter is a number that can be a pointer:
// a struct of its size that is passed by value is an array of bytes.
func (p *Param) takesPointer() bool { return !p.Pointer && (p.Type == "u64" || p.Type == "b64") }

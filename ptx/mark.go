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

// MarkPointers writes the attribute .ptr to kernels' parameters, as compilers
// from LLVM 20 on do, so that a reader can tell a pointer from a number, and
// where it points to. The map has the pointers of a kernel by the number of the
// parameter; nil is a parameter that is none. Parameters that have the
// attribute keep it.
func MarkPointers(name string, text []byte, pointers map[string][]*Pointer) ([]byte, error) {
	m, err := Parse(name, text)
	if err != nil {
		return nil, err
	}
	type insertion struct {
		at   int
		text string
	}
	var insertions []insertion
	for _, e := range m.Entries {
		marks := pointers[e.Name]
		if marks != nil && len(marks) != len(e.Params) {
			return nil, fmt.Errorf("%s: kernel %s has %d parameters, and %d in the module that it was compiled from", name, e.Name, len(e.Params), len(marks))
		}
		for i, mark := range marks {
			if mark != nil && e.Params[i].takesPointer() {
				insertions = append(insertions, insertion{e.Params[i].typeEnd, mark.attribute()})
			}
		}
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

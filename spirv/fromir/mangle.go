package fromir

import (
	"strings"

	"offlink/ir"
)

// mangledType is a parameter as an Itanium-mangled name spells it, as far as
// built-ins have such.
type mangledType struct {
	scalar  byte // the letter of a builtin type; 'H' for half, 'B' for bfloat16; 0 for a named type
	name    string
	length  int // of a vector, else 1
	pointer int // levels
	space   uint32
	unknown bool
}

func (m *mangledType) unsigned() bool { return strings.IndexByte("hjtmybo", m.scalar) >= 0 }

func (m *mangledType) floating() bool { return strings.IndexByte("fdH", m.scalar) >= 0 }

// demangler reads a mangled name.
type demangler struct {
	text          string
	substitutions []mangledType
	failed        bool
	depth         int
}

// demangle splits a name into the name that was mangled and its parameters.
// It returns false for a name that is not mangled. Parameters of forms that
// are not known end the list.
func demangle(mangled string) (name string, parameters []mangledType, ok bool) {
	if !strings.HasPrefix(mangled, "_Z") {
		return mangled, nil, false
	}
	d := &demangler{text: mangled[2:]}
	if strings.HasPrefix(d.text, "N") {
		return mangled, nil, false
	}
	if name = d.sourceName(); name == "" {
		return mangled, nil, false
	}
	if strings.HasPrefix(d.text, "I") {
		d.skipArguments()
		if d.text != "" {
			d.typ() // the result, which templates spell
		}
	}
	for d.text != "" && !d.failed {
		p := d.typ()
		if d.failed {
			break
		}
		if p.scalar != 'v' || p.pointer > 0 {
			parameters = append(parameters, p)
		}
	}
	return name, parameters, true
}

// sourceName takes a length and as many letters.
func (d *demangler) sourceName() string {
	n, i := 0, 0
	for i < len(d.text) && d.text[i] >= '0' && d.text[i] <= '9' && n < 1<<16 {
		n = n*10 + int(d.text[i]-'0')
		i++
	}
	if i == 0 || n == 0 || n > len(d.text)-i {
		return ""
	}
	name := d.text[i : i+n]
	d.text = d.text[i+n:]
	return name
}

func (d *demangler) accept(prefix string) bool {
	if strings.HasPrefix(d.text, prefix) {
		d.text = d.text[len(prefix):]
		return true
	}
	return false
}

func (d *demangler) fail() mangledType {
	d.failed = true
	return mangledType{unknown: true, length: 1}
}

// typ takes a type.
func (d *demangler) typ() mangledType {
	if d.depth++; d.depth > 64 || d.text == "" {
		return d.fail()
	}
	defer func() { d.depth-- }()
	switch c := d.text[0]; {
	case c == 'P':
		d.text = d.text[1:]
		t := d.typ()
		t.pointer++
		return d.remember(t)
	case c == 'K' || c == 'V' || c == 'r' || c == 'U':
		return d.remember(d.qualified())
	case c == 'D':
		return d.extended()
	case c == 'S':
		return d.substitution()
	case c >= '0' && c <= '9':
		return d.remember(mangledType{name: d.sourceName(), length: 1})
	case c == 'N' || c == 'T':
		return d.nested()
	case c >= 'a' && c <= 'z':
		d.text = d.text[1:]
		return mangledType{scalar: c, length: 1}
	}
	return d.fail()
}

func (d *demangler) remember(t mangledType) mangledType {
	d.substitutions = append(d.substitutions, t)
	return t
}

// qualified takes qualifiers, of which the address space counts, and the type.
func (d *demangler) qualified() mangledType {
	space := uint32(0)
	for d.text != "" {
		switch {
		case d.accept("U"):
			if name := d.sourceName(); strings.HasPrefix(name, "AS") && len(name) == 3 {
				space = uint32(name[2] - '0')
			}
			continue
		case d.accept("K"), d.accept("V"), d.accept("r"):
			continue
		}
		break
	}
	t := d.typ()
	if space != 0 {
		t.space = space
	}
	return t
}

// extended takes types that begin with D: vectors, half, bfloat16.
func (d *demangler) extended() mangledType {
	switch {
	case d.accept("Dv"):
		n := 0
		for d.text != "" && d.text[0] >= '0' && d.text[0] <= '9' && n < 1<<10 {
			n = n*10 + int(d.text[0]-'0')
			d.text = d.text[1:]
		}
		if !d.accept("_") {
			return d.fail()
		}
		t := d.typ()
		t.length = n
		return d.remember(t)
	case d.accept("DF16_"), d.accept("Dh"):
		return mangledType{scalar: 'H', length: 1}
	case d.accept("DF16b"):
		return mangledType{scalar: 'B', length: 1}
	}
	return d.fail()
}

// substitution takes S_, S0_, ... and the abbreviations of the standard library.
func (d *demangler) substitution() mangledType {
	d.text = d.text[1:]
	index := 0
	if d.text != "" && d.text[0] != '_' {
		for d.text != "" && d.text[0] != '_' {
			c := d.text[0]
			switch {
			case c >= '0' && c <= '9':
				index = index*36 + int(c-'0')
			case c >= 'A' && c <= 'Z':
				index = index*36 + int(c-'A') + 10
			default:
				return d.fail()
			}
			if index > 1<<16 {
				return d.fail()
			}
			d.text = d.text[1:]
		}
		index++
	}
	if !d.accept("_") || index >= len(d.substitutions) {
		return d.fail()
	}
	return d.substitutions[index]
}

// nested takes a name in a namespace and template parameters.
func (d *demangler) nested() mangledType {
	depth := 0
	for i := 0; i < len(d.text); i++ {
		switch d.text[i] {
		case 'N', 'I':
			depth++
		case 'E':
			if depth--; depth == 0 {
				d.text = d.text[i+1:]
				return d.remember(mangledType{name: "?", length: 1, unknown: true})
			}
		case '_':
			if depth == 0 {
				d.text = d.text[i+1:]
				return mangledType{length: 1, unknown: true}
			}
		}
	}
	return d.fail()
}

// skipArguments steps over template arguments.
func (d *demangler) skipArguments() {
	depth := 0
	for i := 0; i < len(d.text); i++ {
		switch d.text[i] {
		case 'I', 'L', 'X', 'J', 'N':
			depth++
		case 'E':
			if depth--; depth == 0 {
				d.text = d.text[i+1:]
				return
			}
		}
	}
	d.failed = true
}

// mangledTerm returns the pointee of a parameter, noTerm if its name does not
// say.
func (t *translator) mangledTerm(m *mangledType) term {
	found, known := t.mangled[*m]
	if !known {
		found = t.makeMangledTerm(m)
		t.mangled[*m] = found
	}
	return found
}

func (t *translator) makeMangledTerm(m *mangledType) term {
	if m.pointer == 0 && strings.HasPrefix(m.name, "ocl_") {
		return t.opaqueTerm(mangledOpaque(m.name[len("ocl_"):]))
	}
	if m.pointer == 1 && strings.HasPrefix(m.name, "ocl_") {
		name := mangledOpaque(m.name[len("ocl_"):])
		if found := t.opaqueTerm(name); found != noTerm {
			return t.terms.add(termNode{kind: termPointer, space: opaqueSpace(name), elem: found})
		}
	}
	if m.pointer != 1 || m.unknown || m.scalar == 0 || m.scalar == 'v' {
		return noTerm
	}
	want := ir.Type{Kind: ir.TypeInteger, Bits: 32}
	switch m.scalar {
	case 'a', 'c', 'h', 'b':
		want.Bits = 8
	case 's', 't':
		want.Bits = 16
	case 'l', 'm', 'x', 'y':
		want.Bits = 64
	case 'f':
		want = ir.Type{Kind: ir.TypeFloat, Bits: 32, Name: "float"}
	case 'd':
		want = ir.Type{Kind: ir.TypeFloat, Bits: 64, Name: "double"}
	case 'H':
		want = ir.Type{Kind: ir.TypeFloat, Bits: 16, Name: "half"}
	}
	for i := range t.types {
		if e := &t.types[i]; e.Kind == want.Kind && e.Bits == want.Bits && e.Name == want.Name {
			if m.length == 1 {
				return t.exact(ir.TypeID(i))
			}
			for j := range t.types {
				if v := &t.types[j]; v.Kind == ir.TypeVector && v.Length == uint64(m.length) && v.Elements[0] == ir.TypeID(i) {
					return t.exact(ir.TypeID(j))
				}
			}
		}
	}
	made := id(0)
	if want.Kind == ir.TypeInteger {
		made = t.intType(want.Bits)
	} else {
		made = t.floatType(want.Bits)
	}
	if m.length > 1 {
		made = t.vectorType(made, uint32(m.length))
	}
	return t.madeTerm(termMade, made)
}

// mangledOpaque returns the name of the opaque struct of OpenCL that a mangled
// name means: image2d_ro, sampler, event, ...
func mangledOpaque(name string) string {
	switch name {
	case "clkevent":
		return "clk_event_t"
	case "reserveid":
		return "reserve_id_t"
	}
	return name + "_t"
}

// opaqueSpace returns the address space of the pointers that stand for a type
// of OpenCL.
func opaqueSpace(name string) uint32 {
	switch {
	case strings.HasPrefix(name, "image"), strings.HasPrefix(name, "pipe"):
		return 1
	case name == "sampler_t":
		return 2
	}
	return 0
}

// opaqueTerm returns the term of pointers that stand for a type of OpenCL,
// noTerm if it is not known.
func (t *translator) opaqueTerm(name string) term {
	made := t.openclStruct(name)
	if made == 0 {
		return noTerm
	}
	return t.madeTerm(termOpaque, made)
}

// madeTerm returns the term of a SPIR-V type.
func (t *translator) madeTerm(kind termKind, made id) term {
	return t.terms.add(termNode{kind: kind, typ: made})
}

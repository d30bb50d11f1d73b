package fromir

import (
	"strings"

	"offlink/ir"
	"offlink/lazy"
)

// mangledType is the type of a parameter as an Itanium-mangled name spells it, as far as
// built-in functions have such types.
type mangledType struct {
	scalar  byte // the letter of a builtin type; 'H' for half, 'B' for bfloat16; 0 for a named type
	name    string
	length  int // of a vector, else 1
	pointer int // levels of indirection
	space   uint32
	unknown bool
}

func (m *mangledType) isUnsigned() bool { return strings.IndexByte("hjtmybo", m.scalar) >= 0 }

func (m *mangledType) isFloating() bool { return strings.IndexByte("fdH", m.scalar) >= 0 }

// bits returns the width of a scalar, or 0 for those whose width the target decides.
func (m *mangledType) bits() uint32 {
	switch m.scalar {
	case 'c', 'h', 'a':
		return 8
	case 's', 't', 'H':
		return 16
	case 'i', 'j', 'f':
		return 32
	case 'x', 'y', 'd':
		return 64
	}
	return 0
}

// demangler reads a mangled name.
type demangler struct {
	text          string
	substitutions []mangledType
	failed        bool
	depth         int
}

// demangleName splits a mangled name into the function's name and its parameters. The list
// ends before a parameter of a form that is not known. Names in namespaces are not
// demangled: no built-in function has one.
func demangleName(mangled string) (name string, parameters []mangledType, form mangledForm) {
	if !strings.HasPrefix(mangled, "_Z") {
		return mangled, nil, notMangled
	}
	d := &demangler{text: mangled[2:]}
	if strings.HasPrefix(d.text, "N") {
		return mangled, nil, notMangled
	}
	if name = d.sourceName(); name == "" {
		return mangled, nil, notMangled
	}
	if strings.HasPrefix(d.text, "I") {
		d.rememberType(unknownType) // the template's name
		d.templateArguments()
		if d.text != "" {
			d.takeType() // the result: names of templates spell it
		}
	}
	for d.text != "" && !d.failed {
		p := d.takeType()
		if d.failed {
			break
		}
		if p.scalar == 'z' { // any number of arguments
			return name, parameters, partOfName
		}
		if p.scalar != 'v' || p.pointer > 0 {
			parameters = append(parameters, p)
		}
	}
	if d.failed {
		return name, parameters, partOfName
	}
	return name, parameters, wholeName
}

// mangledForm says how much of a name was understood.
type mangledForm uint8

const (
	notMangled mangledForm = iota
	partOfName             // there may be more parameters
	wholeName
)

// sourceName takes a decimal length and that many bytes, "" if they are not there.
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

// acceptPrefix takes a prefix if it is there.
func (d *demangler) acceptPrefix(prefix string) bool {
	if strings.HasPrefix(d.text, prefix) {
		d.text = d.text[len(prefix):]
		return true
	}
	return false
}

// failType ends the demangling: the rest of the name is not understood.
func (d *demangler) failType() mangledType {
	d.failed = true
	return mangledType{unknown: true, length: 1}
}

// takeType takes a type. The bound of its depth is for hostile names.
func (d *demangler) takeType() mangledType {
	if d.depth++; d.depth > 64 || d.text == "" {
		return d.failType()
	}
	defer func() { d.depth-- }()
	switch c := d.text[0]; {
	case c == 'P':
		d.text = d.text[1:]
		t := d.takeType()
		t.pointer++
		return d.rememberType(t)
	case c == 'K' || c == 'V' || c == 'r' || c == 'U':
		return d.rememberType(d.qualifiedType())
	case c == 'D':
		return d.extendedType()
	case c == 'S':
		return d.specialization(d.substitutedType())
	case c >= '0' && c <= '9':
		name := d.sourceName()
		if name == "" { // a length beyond the end: nothing was taken
			return d.failType()
		}
		return d.specialization(d.rememberType(mangledType{name: name, length: 1}))
	case c == 'N':
		return d.nestedName()
	case c == 'T':
		return d.templateParameter()
	case c >= 'a' && c <= 'z':
		d.text = d.text[1:]
		return mangledType{scalar: c, length: 1}
	}
	return d.failType()
}

// rememberType notes a type that substitutions may name.
func (d *demangler) rememberType(t mangledType) mangledType {
	d.substitutions = append(d.substitutions, t)
	return t
}

// qualifiedType takes qualifiers and the type that follows. Only the address space is
// kept; U3AS1 is number 1.
func (d *demangler) qualifiedType() mangledType {
	space := uint32(0)
	for d.text != "" {
		switch {
		case d.acceptPrefix("U"):
			if name := d.sourceName(); strings.HasPrefix(name, "AS") && len(name) == 3 {
				space = uint32(name[2] - '0')
			}
			continue
		case d.acceptPrefix("K"), d.acceptPrefix("V"), d.acceptPrefix("r"):
			continue
		}
		break
	}
	t := d.takeType()
	if space != 0 {
		t.space = space
	}
	return t
}

// extendedType takes types that begin with D: vectors, half, bfloat16.
func (d *demangler) extendedType() mangledType {
	switch {
	case d.acceptPrefix("Dv"):
		n := 0
		for d.text != "" && d.text[0] >= '0' && d.text[0] <= '9' && n < 1<<10 {
			n = n*10 + int(d.text[0]-'0')
			d.text = d.text[1:]
		}
		if !d.acceptPrefix("_") {
			return d.failType()
		}
		t := d.takeType()
		t.length = n
		return d.rememberType(t)
	case d.acceptPrefix("DF16_"), d.acceptPrefix("Dh"):
		return mangledType{scalar: 'H', length: 1}
	case d.acceptPrefix("DF16b"):
		return mangledType{scalar: 'B', length: 1}
	}
	return d.failType()
}

// substitutedType takes S_, S0_, ..., whose numbers have base 36. The abbreviations of the
// standard library, such as St, are not understood.
func (d *demangler) substitutedType() mangledType {
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
				return d.failType()
			}
			if index > 1<<16 {
				return d.failType()
			}
			d.text = d.text[1:]
		}
		index++
	}
	if !d.acceptPrefix("_") || index >= len(d.substitutions) {
		return d.failType()
	}
	return d.substitutions[index]
}

// unknownType is a type of which nothing but its place among the substitutions matters.
var unknownType = mangledType{name: "?", length: 1, unknown: true}

// nestedName takes a name in a namespace. Each prefix of it is a substitution.
func (d *demangler) nestedName() mangledType {
	d.text = strings.TrimLeft(d.text[1:], "rVK")
	for !d.failed && !d.acceptPrefix("E") {
		switch {
		case d.acceptPrefix("St"): // std is not a substitution
		case strings.HasPrefix(d.text, "S"):
			d.substitutedType()
		case strings.HasPrefix(d.text, "T"):
			d.templateParameter()
		case strings.HasPrefix(d.text, "I"):
			d.templateArguments()
			d.rememberType(unknownType)
		case d.sourceName() != "":
			d.rememberType(unknownType)
		default:
			return d.failType()
		}
	}
	return unknownType
}

// templateParameter takes T_, T0_, ...: a type that the arguments tell.
func (d *demangler) templateParameter() mangledType {
	d.text = strings.TrimLeft(d.text[1:], "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ")
	if !d.acceptPrefix("_") {
		return d.failType()
	}
	return d.rememberType(mangledType{length: 1, unknown: true})
}

// specialization takes the arguments of a template, if t is one.
func (d *demangler) specialization(t mangledType) mangledType {
	if d.failed || !strings.HasPrefix(d.text, "I") {
		return t
	}
	d.templateArguments()
	return d.rememberType(unknownType)
}

// templateArguments takes I...E, or a pack of arguments J...E: types, whose parts are
// substitutions, and constants. Expressions are not understood.
func (d *demangler) templateArguments() {
	if d.depth++; d.depth > 64 {
		d.failed = true
	}
	defer func() { d.depth-- }()
	d.text = d.text[1:]
	for !d.failed && !d.acceptPrefix("E") {
		switch {
		case strings.HasPrefix(d.text, "J"):
			d.templateArguments()
		case strings.HasPrefix(d.text, "L_"):
			d.failed = true
		case d.acceptPrefix("L"):
			d.takeType()
			_, rest, found := strings.Cut(d.text, "E")
			d.text, d.failed = rest, d.failed || !found
		default:
			d.takeType()
		}
	}
}

// byteType is a byte, as terms of kind termMade spell it.
var byteType = mangledType{scalar: 'c', length: 1}

// numberLetters maps the letters of mangled names to those by which terms of kind termMade
// spell numbers: one for each width, since SPIR-V's integers have no sign.
var numberLetters = lazy.Map[byte, byte]{New: func() map[byte]byte {
	return map[byte]byte{
		'a': 'c', 'c': 'c', 'h': 'c', 'b': 'c', 's': 's', 't': 's', 'i': 'i', 'j': 'i', 'w': 'i', 'l': 'l', 'm': 'l', 'x': 'l', 'y': 'l',
		'f': 'f', 'd': 'd', 'H': 'H',
	}
}}

// numberType spells a number, or a vector of numbers, as mangled names have it;
// false for other types.
func (t *translator) numberType(n ir.TypeID) (m mangledType, ok bool) {
	typ := t.moduleType(n)
	m.length = 1
	if typ.Kind == ir.TypeVector {
		if m.length = int(typ.Length); m.length < 2 || m.length > 16 {
			return m, false
		}
		typ = t.moduleType(typ.Elements[0])
	}
	switch {
	case typ.Kind == ir.TypeInteger:
		m.scalar = map[uint32]byte{8: 'c', 16: 's', 32: 'i', 64: 'l'}[typ.Bits]
	case typ.Kind == ir.TypeFloat:
		m.scalar = map[string]byte{"half": 'H', "float": 'f', "double": 'd'}[typ.Name]
	}
	return m, m.scalar != 0
}

// numberID returns the type of a made term.
func (t *translator) numberID(m *mangledType) id {
	made := id(0)
	switch m.scalar {
	case 'c':
		made = t.intType(8)
	case 's':
		made = t.intType(16)
	case 'l':
		made = t.intType(64)
	case 'H':
		made = t.floatType(16)
	case 'f':
		made = t.floatType(32)
	case 'd':
		made = t.floatType(64)
	default:
		made = t.intType(32)
	}
	if m.length > 1 {
		made = t.vectorType(made, uint32(m.length))
	}
	return made
}

// mangledShape returns the pointee of a parameter as a shape, or nil if the name does not
// tell it.
func mangledShape(m *mangledType) *shape {
	if name, ok := strings.CutPrefix(m.name, "ocl_"); ok && m.pointer < 2 && isOpenCLType(mangledOpaque(name)) {
		name = mangledOpaque(name)
		found := &shape{kind: termOpaque, made: mangledType{name: name}}
		if m.pointer == 1 {
			return &shape{kind: termPointer, space: opaqueSpace(name), elem: found}
		}
		return found
	}
	if m.pointer != 1 || m.unknown || numberLetters.Get()[m.scalar] == 0 {
		return nil
	}
	return &shape{kind: termMade, made: mangledType{scalar: numberLetters.Get()[m.scalar], length: m.length}}
}

// mangledTerm is mangledShape as a term.
func (t *translator) mangledTerm(m *mangledType) term { return t.shapeTerm(mangledShape(m)) }

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

// opaqueSpace returns the address space of the pointers by which clang spelled an opaque
// type of OpenCL.
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
	if !isOpenCLType(name) {
		return noTerm
	}
	return t.madeTerm(termOpaque, mangledType{name: name})
}

// madeTerm returns the term of a type of OpenCL or of numbers.
func (t *translator) madeTerm(kind termKind, m mangledType) term {
	if known, ok := t.terms.byMade[m]; ok {
		return known
	}
	made := t.terms.addTerm(termNode{kind: kind, made: &m})
	t.terms.byMade[m] = made
	return made
}

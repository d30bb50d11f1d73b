package irtext

import (
	"encoding/binary"
	"math"

	"offlink/ir"
)

// typeShape is the little that the grammar itself asks of a type: does a call have a result, does
// metadata follow. Bodies are checked by their shapes without building types, which nothing
// would read.
type typeShape uint8

const (
	shapePlain typeShape = iota
	shapeVoid
	shapeLabel
	shapeMetadata
	shapeFunction
)

// typeTable interns the types of a module while signatures are parsed.
type typeTable struct {
	text    *text
	byShape map[string]ir.TypeID
	// firstUse is the position of the first use of an identified struct that
	// has no definition yet, by TypeID.
	firstUse map[ir.TypeID]int
	key      []byte
	// frozen says that the module may not change any more; a type that it
	// lacks is then ir.NoType.
	frozen bool
	// extra, if set, takes the types that a frozen table lacks.
	extra *extraTypes
}

// frozenCopy returns a table for one goroutine that only looks types up.
// The map is shared: nobody writes to it after the first pass.
func (t *typeTable) frozenCopy() *typeTable {
	return &typeTable{text: t.text, byShape: t.byShape, frozen: true}
}

func newTypeTable(t *text) *typeTable {
	return &typeTable{text: t, byShape: make(map[string]ir.TypeID), firstUse: make(map[ir.TypeID]int)}
}

// internType returns the ID of a type that has no name. All that tells such types apart is in
// the key, lengths before their contents, so that no two types share a key. The Name of a
// target type is its spelling, which the white space in it does not make another type.
func (t *typeTable) internType(p *parser, want ir.Type) ir.TypeID {
	k := append(t.key[:0], byte(want.Kind), boolBits(want.Packed, want.Opaque, want.Scalable, want.Variadic))
	k = binary.AppendUvarint(k, uint64(want.Bits))
	k = binary.AppendUvarint(k, uint64(want.AddressSpace))
	k = binary.AppendUvarint(k, want.Length)
	name := want.Name
	if want.Kind == ir.TypeTarget {
		name = want.Target
	}
	k = binary.AppendUvarint(k, uint64(len(name)))
	k = append(k, name...)
	k = binary.AppendUvarint(k, uint64(len(want.Numbers)))
	for _, n := range want.Numbers {
		k = binary.AppendUvarint(k, uint64(n))
	}
	for _, e := range want.Elements {
		k = binary.AppendUvarint(k, uint64(e))
	}
	t.key = k
	if id, ok := t.byShape[string(k)]; ok {
		return id
	}
	if t.extra != nil {
		return t.extra.internType(k, want)
	}
	if t.frozen {
		return ir.NoType
	}
	id := t.addType(p, want)
	t.byShape[string(k)] = id
	return id
}

// addType appends a type to the module.
func (t *typeTable) addType(p *parser, new ir.Type) ir.TypeID {
	m := t.text.module
	if len(m.Types) >= ir.MaxIndex {
		p.failAt(p.pos, "too many types")
	}
	m.Types = append(m.Types, new)
	t.text.types = append(t.text.types, span{})
	return ir.TypeID(len(m.Types) - 1)
}

// identifiedType returns the ID of the struct of that name, adding one that is not defined yet.
// A use may come before the definition, as recursive structs need; firstUse remembers where,
// for the message when no definition follows.
func (t *typeTable) identifiedType(p *parser, n name, pos int) ir.TypeID {
	if id, ok := t.text.lookupType(n); ok {
		return id
	}
	if t.frozen {
		p.failAt(pos, "use of undefined type '%"+n.String()+"'")
	}
	id := t.addType(p, ir.Type{Kind: ir.TypeStruct, Name: string(n.text), Identified: true, Opaque: true})
	if n.numbered {
		t.text.typeByNum[n.number] = id
	} else {
		t.text.typeByName[string(n.text)] = id
	}
	t.firstUse[id] = pos
	return id
}

// lookupType returns the identified type of a name or number.
func (t *text) lookupType(n name) (id ir.TypeID, ok bool) {
	if n.numbered {
		id, ok = t.typeByNum[n.number]
	} else {
		id, ok = t.typeByName[string(n.text)]
	}
	return id, ok
}

// boolBits packs flags into the key of a type.
func boolBits(bits ...bool) (b byte) {
	for i, set := range bits {
		if set {
			b |= 1 << i
		}
	}
	return b
}

// parseType steps over a type. It builds the type if p.types is set; otherwise the TypeID means
// nothing, and identified structs are noted as references.
func (p *parser) parseType() (ir.TypeID, typeShape) {
	p.enterNesting()
	// Suffixes are a loop, not a recursion: a megabyte of `i8******` from hostile input does
	// not nest.
	id, shape := p.baseType()
	for {
		switch p.peekByte() {
		case '*':
			p.pos++
			id, shape = p.pointerTo(id, 0), shapePlain
			continue
		case 'a':
			if shape != shapeLabel && p.acceptWord("addrspace") {
				space := p.addressSpace()
				p.expectByte('*')
				id, shape = p.pointerTo(id, space), shapePlain
				continue
			}
		case '(':
			id, shape = p.functionType(id), shapeFunction
			continue
		}
		p.leaveNesting()
		return id, shape
	}
}

// skipType is parseType for callers that only need the shape. While types are not built, it
// recognizes iN and ptr in front of a name or number by their bytes: most types of a body are
// one of these.
func (p *parser) skipType() typeShape {
	if p.types == nil {
		if c := p.peekByte(); c == 'i' && class[p.byteAt(1)]&classDigit != 0 {
			n := 2
			for class[p.byteAt(n)]&classDigit != 0 {
				n++
			}
			if p.byteAt(n) == ' ' && isSimpleFollower[p.byteAt(n+1)] {
				p.pos += n + 1
				return shapePlain
			}
		} else if c == 'p' && p.byteAt(3) == ' ' && p.byteAt(1) == 't' && p.byteAt(2) == 'r' && isSimpleFollower[p.byteAt(4)] {
			p.pos += 4
			return shapePlain
		}
	}
	_, shape := p.parseType()
	return shape
}

// isSimpleFollower is true for the bytes that begin a value and cannot continue a type.
var isSimpleFollower = [256]bool{
	'%': true, '@': true, '-': true, '0': true, '1': true, '2': true, '3': true, '4': true,
	'5': true, '6': true, '7': true, '8': true, '9': true,
}

// baseType parses a type without its suffixes: an address space, '*', or the
// parameters of a function type.
func (p *parser) baseType() (ir.TypeID, typeShape) {
	switch c := p.peekByte(); c {
	case '%':
		return p.identifiedType()
	case '[':
		return p.arrayType(), shapePlain
	case '<':
		return p.vectorType(), shapePlain
	case '{':
		return p.structType(false), shapePlain
	default:
		w := p.peekWord()
		if w == nil {
			p.failUnexpected("a type")
		}
		if bits, ok := sizedType(w, 'i'); ok {
			return p.wordType(w, ir.Type{Kind: ir.TypeInteger, Bits: bits}), shapePlain
		}
		if bits, ok := sizedType(w, 'b'); ok { // bytes (LLVM 23)
			return p.wordType(w, ir.Type{Name: string(w), Bits: bits}), shapePlain
		}
		return p.keywordType(w)
	}
}

// sizedType returns the width of a type that is a letter and a number, such as iN. LLVM's widths
// end at 2^23 (IntegerType::MAX_INT_BITS), so eight digits are enough.
func sizedType(w []byte, letter byte) (bits uint32, ok bool) {
	if w[0] != letter || len(w) < 2 || len(w) > 9 {
		return 0, false
	}
	for _, c := range w[1:] {
		if class[c]&classDigit == 0 {
			return 0, false
		}
		bits = bits*10 + uint32(c-'0')
	}
	return bits, true
}

// wordType steps over the word and builds the type.
func (p *parser) wordType(w []byte, t ir.Type) ir.TypeID {
	p.pos += len(w)
	return p.builtType(t)
}

// builtType returns the number of a type, or 0 while bodies are only checked. That 0 is not a
// type that anyone may look at; callers use the shape.
func (p *parser) builtType(t ir.Type) ir.TypeID {
	if p.types == nil {
		return 0
	}
	return p.types.internType(p, t)
}

// keywordType parses a type that begins with a word.
func (p *parser) keywordType(w []byte) (ir.TypeID, typeShape) {
	float := func(bits uint32) (ir.TypeID, typeShape) {
		return p.wordType(w, ir.Type{Kind: ir.TypeFloat, Name: string(w), Bits: bits}), shapePlain
	}
	switch string(w) {
	case "ptr":
		p.pos += len(w)
		space := uint32(0)
		if p.acceptWord("addrspace") {
			space = p.addressSpace()
		}
		return p.builtType(ir.Type{Kind: ir.TypePointer, AddressSpace: space}), shapePlain
	case "void":
		return p.wordType(w, ir.Type{Name: "void"}), shapeVoid
	case "half", "bfloat":
		return float(16)
	case "float":
		return float(32)
	case "double":
		return float(64)
	case "x86_fp80":
		return float(80)
	case "fp128", "ppc_fp128":
		return float(128)
	case "label":
		return p.wordType(w, ir.Type{Name: "label"}), shapeLabel
	case "metadata":
		return p.wordType(w, ir.Type{Name: "metadata"}), shapeMetadata
	case "token", "x86_mmx", "x86_amx":
		return p.wordType(w, ir.Type{Name: string(w)}), shapePlain
	case "target":
		return p.targetType(), shapePlain
	}
	p.failUnexpected("a type")
	return 0, 0
}

// isTypeWord reports whether the word begins a type.
func isTypeWord(w []byte) bool {
	switch string(w) {
	case "ptr", "void", "half", "bfloat", "float", "double", "x86_fp80", "fp128", "ppc_fp128",
		"label", "metadata", "token", "x86_mmx", "x86_amx", "target":
		return true
	}
	_, integer := sizedType(w, 'i')
	_, byte := sizedType(w, 'b')
	return integer || byte
}

// startsType reports whether a type is next.
func (p *parser) startsType() bool {
	switch c := p.peekByte(); {
	case c == '%', c == '[', c == '<', c == '{':
		return true
	case class[c]&classLetter != 0:
		return isTypeWord(p.peekWord())
	}
	return false
}

// addressSpace steps over the number in parentheses, or the quoted name that stands for one in
// the data layout, which comes before everything that it is about.
func (p *parser) addressSpace() (space uint32) {
	p.expectByte('(')
	if start := p.pos; p.peekByte() == '"' {
		name := string(p.readDecoded())
		found, ok := namedSpace(p.text.module.DataLayout, name)
		if !ok {
			p.failAt(start, "the data layout has no address space '"+name+"'")
		}
		space = found
	} else {
		space = p.number32()
	}
	p.expectByte(')')
	return space
}

// pointerTo returns the type of a typed pointer. One typed pointer makes the module one of typed
// pointers: LLVM 14 has both forms and never mixes them in a module.
func (p *parser) pointerTo(pointee ir.TypeID, space uint32) ir.TypeID {
	if p.types == nil {
		p.typedPointers = true
		return 0
	}
	if !p.types.frozen {
		p.text.typed = true
	}
	return p.types.internType(p, ir.Type{Kind: ir.TypePointer, AddressSpace: space, Elements: []ir.TypeID{pointee}})
}

// identifiedType steps over the name of a struct, or of another type.
func (p *parser) identifiedType() (ir.TypeID, typeShape) {
	start := p.pos
	p.pos++
	n := p.readName()
	if p.types != nil {
		id := p.types.identifiedType(p, n, start)
		if p.typesNamed != nil {
			*p.typesNamed = append(*p.typesNamed, id)
		}
		return id, p.shapeOf(id)
	}
	if !p.resolve {
		return 0, shapePlain
	}
	id, ok := p.text.lookupType(n)
	if !ok {
		p.failAt(start, "use of undefined type '%"+n.String()+"'")
	}
	// A value of such a type has no size. LLVM accepts the definition and refuses the use.
	if p.text.endless[id] {
		p.failAt(start, "the type '%"+n.String()+"' contains itself")
	}
	if p.refs != nil {
		p.refs.addRef(ir.RefType, uint32(id))
	}
	return id, p.shapeOf(id)
}

// shapeOf returns the shape of a type that has a name. Only an alias can have a shape other than
// plain: structs never do.
func (p *parser) shapeOf(id ir.TypeID) typeShape {
	t := &p.text.module.Types[id]
	switch {
	case !t.Alias:
	case t.Kind == ir.TypeFunction:
		return shapeFunction
	case t.Kind == ir.TypeOther && t.Name == "label":
		return shapeLabel
	case t.Kind == ir.TypeOther && t.Name == "metadata":
		return shapeMetadata
	}
	return shapePlain
}

// arrayType parses `[4 x i32]`.
func (p *parser) arrayType() ir.TypeID {
	p.expectByte('[')
	n := p.readInteger()
	p.expectWord("x")
	element, _ := p.parseType()
	p.expectByte(']')
	if p.types == nil {
		return 0
	}
	return p.types.internType(p, ir.Type{Kind: ir.TypeArray, Length: n, Elements: []ir.TypeID{element}})
}

// vectorType parses `<4 x i32>`, `<vscale x 4 x i32>`, or a packed struct `<{ ... }>`.
func (p *parser) vectorType() ir.TypeID {
	p.expectByte('<')
	if p.peekByte() == '{' {
		id := p.structType(true)
		p.expectByte('>')
		return id
	}
	scalable := p.acceptWord("vscale")
	if scalable {
		p.expectWord("x")
	}
	n := p.readInteger()
	p.expectWord("x")
	element, _ := p.parseType()
	p.expectByte('>')
	if p.types == nil {
		return 0
	}
	return p.types.internType(p, ir.Type{Kind: ir.TypeVector, Length: n, Scalable: scalable, Elements: []ir.TypeID{element}})
}

// structType parses a literal struct.
func (p *parser) structType(packed bool) ir.TypeID {
	p.expectByte('{')
	elements := p.typeList('}')
	return p.builtType(ir.Type{Kind: ir.TypeStruct, Packed: packed, Elements: elements})
}

// typeList steps over types up to the closing byte.
func (p *parser) typeList(closing byte) (elements []ir.TypeID) {
	for more := p.peekByte() != closing; more; more = p.acceptByte(',') {
		id, _ := p.parseType()
		if p.types != nil {
			elements = append(elements, id)
		}
	}
	p.expectByte(closing)
	return elements
}

// functionType steps over the parameter types after a result type.
func (p *parser) functionType(result ir.TypeID) ir.TypeID {
	p.expectByte('(')
	t := ir.Type{Kind: ir.TypeFunction, Elements: []ir.TypeID{result}}
	for more := p.peekByte() != ')'; more; more = p.acceptByte(',') {
		if p.acceptDots() {
			t.Variadic = true
			break
		}
		id, _ := p.parseType()
		if p.types != nil {
			t.Elements = append(t.Elements, id)
		}
	}
	p.expectByte(')')
	return p.builtType(t)
}

// acceptDots steps over "..." and reports whether it was next.
func (p *parser) acceptDots() bool {
	if p.peekByte() == '.' && p.byteAt(1) == '.' && p.byteAt(2) == '.' {
		p.pos += 3
		return true
	}
	return false
}

// targetType steps over target("name", types and numbers).
func (p *parser) targetType() ir.TypeID {
	p.expectWord("target")
	p.expectByte('(')
	start := p.pos
	t := ir.Type{Kind: ir.TypeTarget}
	t.Target = string(p.readDecoded())
	for p.acceptByte(',') {
		if class[p.peekByte()]&classDigit != 0 {
			t.Numbers = append(t.Numbers, p.number32())
		} else if id, _ := p.parseType(); p.types != nil {
			t.Elements = append(t.Elements, id)
		}
	}
	t.Name = string(p.data[start:p.endOfToken()])
	p.expectByte(')')
	return p.builtType(t)
}

// typeDefinition steps over "%name = type ...". LLVM prints definitions only of structs. Its
// parser also takes `%name = type i32`, which hand-written modules have; ir.Type.Alias marks
// those.
func (p *parser) typeDefinition() {
	start := p.pos
	p.expectByte('%')
	n := p.readName()
	p.expectByte('=')
	p.expectWord("type")
	_, used := p.text.lookupType(n)
	id := p.types.identifiedType(p, n, start)
	if p.text.types[id] != (span{}) {
		p.failAt(start, "redefinition of type '%"+n.String()+"'")
	}
	delete(p.types.firstUse, id)
	if p.startsStruct() {
		p.structBody(id)
	} else {
		if used {
			p.failAt(start, "the type '%"+n.String()+"' is used before its definition, which only structs may be")
		}
		p.aliasBody(id)
	}
	p.text.types[id] = p.spanFrom(start)
}

// startsStruct reports whether a struct or 'opaque' is next.
func (p *parser) startsStruct() bool {
	switch p.peekByte() {
	case '{':
		return true
	case '<':
		ahead := p.scanner
		// A vector begins with the same bracket.
		ahead.pos++
		return ahead.peekByte() == '{'
	}
	return string(p.peekWord()) == "opaque"
}

// aliasBody defines the named type as an alias of the type that follows.
func (p *parser) aliasBody(id ir.TypeID) {
	start := p.pos
	of, shape := p.parseType()
	if shape == shapeVoid {
		p.failAt(start, "void is the result of functions only")
	}
	m := p.text.module
	t := m.Types[of]
	// The kinds without fields of their own are told apart by their names.
	if t.Kind != ir.TypeOther && t.Kind != ir.TypeFloat && t.Kind != ir.TypeTarget {
		t.Name = m.Types[id].Name
	}
	t.Identified, t.Alias, t.Of = true, true, of
	m.Types[id] = t
	p.text.aliases = true
}

// structBody fills in the identified struct from the next tokens.
func (p *parser) structBody(id ir.TypeID) {
	types := p.text.module
	if p.acceptWord("opaque") {
		return
	}
	packed := p.acceptByte('<')
	if p.peekByte() != '{' {
		p.failUnexpected("a struct, or 'opaque'")
	}
	p.pos++
	elements := p.typeList('}')
	if packed {
		p.expectByte('>')
	}
	t := &types.Types[id]
	t.Elements, t.Packed, t.Opaque = elements, packed, false
}

// firstUndefined returns the position of the first use of a struct that was never defined.
// The smallest position is taken since a map has no order, and messages have to be the same
// for the same input.
func (t *typeTable) firstUndefined() (pos int, name string, found bool) {
	pos = math.MaxInt
	for id, use := range t.firstUse {
		if use < pos {
			pos, name, found = use, t.text.typeText(id), true
		}
	}
	return pos, name, found
}

// typeText returns the name of an identified struct as it is written.
func (t *text) typeText(id ir.TypeID) string {
	if name := t.module.Types[id].Name; name != "" {
		return "%" + string(appendName(nil, []byte(name)))
	}
	for number, other := range t.typeByNum {
		if other == id {
			return "%" + formatNumber(number)
		}
	}
	return "%?"
}

package irtext

import (
	"bytes"
	"math"

	"offlink/ir"
)

// maxNesting limits how deep types, constants and metadata are nested in one
// another.
const maxNesting = 1000

// parser parses pieces of a module. Its work beside checking the grammar
// depends on which of its tables are set.
type parser struct {
	scanner
	text  *text
	depth int

	// resolve says that names are looked up; the first pass does not.
	resolve bool
	// types, if set, builds the types that are parsed; the first pass over
	// signatures sets it.
	types *typeTable
	// typesNamed, if set beside types, collects the identified structs that
	// are named.
	typesNamed *[]ir.TypeID
	// refs, if set beside resolve, collects references.
	refs *refSink
	// locals, if set, are the local values and labels of the function.
	locals *locals
	// globals, if set beside resolve, collects the places where globals are
	// named.
	globals *[]globalName
	// operands, if set, collects the places of typed operands of metadata.
	operands *[]span
	// namesUnnamed is set when an unnamed global was named.
	namesUnnamed bool
	// declaresIntrinsics says that calls of intrinsics that the module does not
	// declare are noted in intrinsics; undeclared is the name of the one being
	// parsed.
	declaresIntrinsics bool
	undeclared         []byte
	intrinsics         []intrinsic
	// localNames, if set, collects the places of local names in a body.
	localNames *[]localName
	// onInstruction, if set, sees the instructions of a body.
	onInstruction func(*instructionSite)

	header    header
	argTypes  []int           // positions of the argument types of the call being parsed
	site      instructionSite // of the instruction being parsed
	indirects []indirectCall
	function  ir.ValueID
	labels    []labelUse
	// typedPointers is set when a typed pointer was stepped over.
	typedPointers bool
	strings       map[string]string // names of attachments and calling conventions; see internString
}

// globalName is a place where a global value is named, after the '@'.
type globalName struct {
	span
	value    ir.ValueID
	numbered bool
}

// indirectCall is a call without known callee, noted until its type is built.
type indirectCall struct {
	caller ir.ValueID
	result int   // position of the type in front of the callee
	args   []int // positions of the argument types; nil if that is a function type
}

// labelUse is the use of a label by blockaddress.
type labelUse struct {
	function ir.ValueID
	label    name
	pos      int
}

// enterNesting counts the nesting of constants and metadata: the parser
// recurses, and the stack must not grow with the input.
func (p *parser) enterNesting() {
	p.depth++
	if p.depth > maxNesting {
		p.failAt(p.pos, "nested too deep")
	}
}

func (p *parser) leaveNesting() { p.depth-- }

func (p *parser) spanFrom(start int) span { return span{uint32(start), uint32(p.endOfToken())} }

// globalUse steps over the name of a global value and notes the reference.
func (p *parser) globalUse(kind ir.RefKind) (ir.ValueID, bool) {
	p.expectByte('@')
	start := p.pos
	n := p.readName()
	if !p.resolve {
		return 0, false
	}
	id, ok := p.text.lookupValue(n)
	if !ok && kind == ir.RefCallee && p.declaresIntrinsics && bytes.HasPrefix(n.text, []byte("llvm.")) {
		p.undeclared = n.text
		return 0, false
	}
	if !ok {
		p.failAt(start-1, "use of undefined value '@"+n.String()+"'")
	}
	if n.numbered {
		p.namesUnnamed = true
	}
	if p.globals != nil {
		*p.globals = append(*p.globals, globalName{p.spanFrom(start), id, n.numbered})
	}
	if p.refs != nil {
		p.refs.addRef(kind, uint32(id))
	}
	return id, true
}

// lookupValue returns the global value of a name or number.
func (t *text) lookupValue(n name) (ir.ValueID, bool) {
	if n.numbered {
		id, ok := t.unnamed[n.number]
		return id, ok
	}
	return t.module.LookupBytes(n.text)
}

// groupUse steps over #N.
func (p *parser) groupUse() uint32 {
	p.expectByte('#')
	number := p.number32()
	if p.refs != nil {
		if id, ok := p.text.groupByNum[number]; ok {
			p.refs.addRef(ir.RefAttributes, uint32(id))
		}
	}
	return number
}

// nodeUse steps over the number after '!'.
func (p *parser) nodeUse() (ir.NodeID, bool) {
	start := p.pos
	number := p.number32()
	if !p.resolve {
		return 0, false
	}
	id, ok := p.text.nodeIndex.findNumber(number)
	if !ok {
		p.failAt(start-1, "use of undefined metadata '!"+formatNumber(number)+"'")
	}
	if p.refs != nil {
		p.refs.addRef(ir.RefNode, uint32(id))
	}
	return id, true
}

// parseAlign steps over the number after "align", which newer text may put in
// parentheses.
func (p *parser) parseAlign() {
	if p.acceptByte('(') {
		p.parseAlignment()
		p.expectByte(')')
		return
	}
	p.parseAlignment()
}

// parseAlignment steps over a number of bytes, a power of two.
func (p *parser) parseAlignment() {
	p.peekByte()
	start := p.pos
	if n := p.readInteger(); n == 0 || n&(n-1) != 0 || n > maxAlignment {
		p.failAt(start, "the alignment is not a power of two up to 2^32")
	}
}

const maxAlignment = 1 << 32

// MaxSize is the largest input in bytes that [Parse] takes.
const MaxSize = math.MaxUint32 >> 1

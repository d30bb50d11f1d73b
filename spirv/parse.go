package spirv

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"

	"offlink/lazy"
)

// headerWords is the length of the header: magic number, version, generator, bound, schema.
const headerWords = 5

// ErrNotSPIRV is the error of Parse for bytes that do not start with the magic
// number of SPIR-V in either byte order.
var ErrNotSPIRV = errors.New("not a SPIR-V module")

// FormatError reports bytes that are not a valid module.
type FormatError struct {
	Offset int    // in bytes, of the instruction
	Op     Opcode // of the instruction; OpNop in the header
	Msg    string
}

func (e *FormatError) Error() string {
	if e.Op == OpNop {
		return fmt.Sprintf("SPIR-V at byte %d: %s", e.Offset, e.Msg)
	}
	return fmt.Sprintf("SPIR-V at byte %d: %v: %s", e.Offset, e.Op, e.Msg)
}

func (in *Instruction) errorf(format string, args ...any) error {
	return &FormatError{in.offset, in.Op, fmt.Sprintf(format, args...)}
}

// Parse reads a module of either byte order. It checks the layout, every
// instruction's operands against the grammar, and that each identifier is
// defined exactly once. Instructions that the grammar does not have are kept.
// The module does not keep a reference to code.
func Parse(code []byte) (*Module, error) {
	words, err := toWords(code)
	if err != nil {
		return nil, err
	}
	m, err := parseHeader(words)
	if err != nil {
		return nil, err
	}
	list, err := splitInstructions(words)
	if err != nil {
		return nil, err
	}
	if err := m.sortIntoSections(list); err != nil {
		return nil, err
	}
	if err := m.buildIndexes(list, len(words)); err != nil {
		return nil, err
	}
	return m, nil
}

// toWords returns the words of a module in host order.
func toWords(code []byte) ([]uint32, error) {
	order, err := byteOrder(code)
	if err != nil {
		return nil, err
	}
	words := make([]uint32, len(code)/4)
	for i := range words {
		words[i] = order.Uint32(code[4*i:])
	}
	return words, nil
}

// byteOrder finds the byte order of a module, which its magic number tells (SPIR-V, "Magic
// Number"), and checks that it consists of words.
func byteOrder(code []byte) (binary.ByteOrder, error) {
	if len(code) < 4 {
		return nil, ErrNotSPIRV
	}
	var order binary.ByteOrder = binary.LittleEndian
	if order.Uint32(code) != Magic {
		order = binary.BigEndian
	}
	if order.Uint32(code) != Magic {
		return nil, ErrNotSPIRV
	}
	if len(code)%4 != 0 {
		return nil, &FormatError{len(code) &^ 3, OpNop, "the module ends within a word"}
	}
	return order, nil
}

// parseHeader checks the header. A version must be known, since the grammar is that of 1.0 to 1.6;
// its lowest byte is reserved.
func parseHeader(words []uint32) (*Module, error) {
	if len(words) < headerWords {
		return nil, &FormatError{4 * len(words), OpNop, "the module ends within its header"}
	}
	m := &Module{Version: Version(words[1]), Generator: words[2], Bound: words[3]}
	switch {
	case m.Version < Version1_0 || m.Version > Version1_6 || m.Version&0xff != 0:
		return nil, &FormatError{4, OpNop, fmt.Sprintf("version word %#08x; 1.0 to 1.6 can be read", words[1])}
	case m.Bound == 0:
		return nil, &FormatError{12, OpNop, "the bound of identifiers is 0"}
	case words[4] != 0:
		return nil, &FormatError{16, OpNop, fmt.Sprintf("schema %d; only 0 is defined", words[4])}
	}
	return m, nil
}

// splitInstructions divides the words into instructions, which share them. It counts the
// instructions first, so that all of them take one allocation.
func splitInstructions(words []uint32) ([]*Instruction, error) {
	count := 0
	for at := headerWords; at < len(words); count++ {
		op, n := Opcode(words[at]), int(words[at]>>16)
		// A length of 0 would never end.
		if n == 0 || n > len(words)-at {
			return nil, &FormatError{4 * at, op, fmt.Sprintf("%d words long with %d words left", n, len(words)-at)}
		}
		at += n
	}
	all := make([]Instruction, count)
	list := make([]*Instruction, count)
	at := headerWords
	for i := range all {
		n := int(words[at] >> 16)
		all[i] = Instruction{Opcode(words[at]), words[at+1 : at+n : at+n], 4 * at}
		list[i] = &all[i]
		at += n
	}
	return list, nil
}

// sortIntoSections distributes the instructions among the sections and
// functions, and checks their order.
func (m *Module) sortIntoSections(list []*Instruction) error {
	p := sectionSorter{m: m}
	for _, in := range list {
		if err := p.addInstruction(in); err != nil {
			return err
		}
	}
	if p.function != nil {
		return p.function.Def.errorf("the function has no end")
	}
	return nil
}

// sectionSorter distributes instructions. section is the one of the last instruction: the
// next must not belong to an earlier one. function is the one that is open, or nil.
type sectionSorter struct {
	m        *Module
	section  section
	function *Function
}

// addInstruction adds an instruction to its section, or to the function that is open. Sections
// must follow each other in the order of the logical layout. OpNop and lines may be among the
// globals or between functions.
func (p *sectionSorter) addInstruction(in *Instruction) error {
	if p.function != nil {
		return p.addToFunction(in)
	}
	s, ok := sectionOf.Get()[in.Op]
	switch {
	case !ok && in.Op.grammarInfo() == nil:
		s = min(p.section, sectionGlobal) // an unknown instruction stays in its section
	case !ok:
		s = sectionGlobal
	}
	if in.Op == OpNop || isLine(in.Op) {
		s = max(p.section, sectionGlobal)
	}
	switch {
	case s < p.section:
		return in.errorf("stands after instructions that it must precede")
	case s == sectionGlobal && (!isGlobal(in.Op) || in.Op == OpVariable && isLocal(in)):
		return in.errorf("stands outside of a function")
	}
	p.section = s
	if s == sectionFunctions {
		return p.beginFunction(in)
	}
	p.m.sections[s] = append(p.m.sections[s], in)
	return nil
}

func isLine(op Opcode) bool { return op == OpLine || op == OpNoLine }

// isGlobal reports whether an instruction may be among the types.
func isGlobal(op Opcode) bool {
	switch op {
	case OpVariable, OpUndef, OpPoisonKHR, OpExtInst, OpExtInstWithForwardRefsKHR, OpLine, OpNoLine, OpNop:
		return true
	}
	info := op.grammarInfo()
	return info == nil || op == OpTypeForwardPointer || extensionGlobals.Get()[info.name] ||
		strings.HasPrefix(info.name, "OpType") ||
		strings.HasPrefix(info.name, "OpConstant") ||
		strings.HasPrefix(info.name, "OpSpecConstant")
}

// extensionGlobals are instructions of extensions that may be among the types.
var extensionGlobals = lazy.Map[string, bool]{New: func() map[string]bool {
	return map[string]bool{
		"OpAsmTargetINTEL": true, "OpAsmINTEL": true,
		"OpAliasDomainDeclINTEL": true, "OpAliasScopeDeclINTEL": true, "OpAliasScopeListDeclINTEL": true,
	}
}}

// isLocal reports whether an instruction may be in a function.
func isLocal(in *Instruction) bool {
	switch in.Op {
	case OpVariable:
		return len(in.Words) > 2 && StorageClass(in.Words[2]) == StorageFunction
	case OpUndef, OpPoisonKHR, OpExtInst, OpExtInstWithForwardRefsKHR, OpLine, OpNoLine, OpNop:
		return true
	}
	return in.Op.grammarInfo() == nil || !isGlobal(in.Op)
}

// beginFunction starts a function. Line instructions and OpNop between functions are dropped.
func (p *sectionSorter) beginFunction(in *Instruction) error {
	switch {
	case isLine(in.Op) || in.Op == OpNop:
		return nil // without effect: each function starts without a line
	case in.Op != OpFunction:
		return in.errorf("stands outside of a function")
	case len(in.Words) < 4:
		return in.errorf("operands are missing")
	}
	p.function = &Function{Def: in}
	p.m.functions = append(p.m.functions, p.function)
	return nil
}

// addToFunction adds an instruction to the open function. IsDeclaration is true until the first
// label: up to there only parameters, lines and OpNop are allowed.
func (p *sectionSorter) addToFunction(in *Instruction) error {
	f := p.function
	_, placed := sectionOf.Get()[in.Op]
	switch {
	case in.Op == OpFunctionEnd:
		p.function = nil
		return nil
	case in.Op == OpFunctionParameter && f.IsDeclaration():
		f.Params = append(f.Params, in)
		return nil
	case placed && in.Op != OpLabel:
		return in.errorf("stands within function %%%d", f.ID())
	case in.Op != OpLabel && f.IsDeclaration():
		if isLine(in.Op) || in.Op == OpNop {
			return nil
		}
		return in.errorf("stands before the first block of function %%%d", f.ID())
	case !isLocal(in):
		return in.errorf("stands within function %%%d", f.ID())
	}
	f.Body = append(f.Body, in)
	return nil
}

// buildIndexes fills the tables of definitions, decorations and names, and checks the operands
// of all instructions. words is the size of the module, which bounds the memory of the tables.
func (m *Module) buildIndexes(list []*Instruction, words int) error {
	m.defs = newIDTable[*Instruction](m.Bound, words)
	known := true
	for _, in := range list {
		if err := m.defineResult(in); err != nil {
			return err
		}
		known = known && in.Op.grammarInfo() != nil
	}
	// If an unknown instruction may define identifiers, none can be said to be undefined.
	if known {
		list = m.dropAimless(list)
	}
	var refs []operandRef
	for _, in := range list {
		if in.Op.grammarInfo() == nil {
			continue
		}
		var err error
		if refs, err = m.operands(in, refs[:0]); err != nil {
			return in.errorf("%v", err)
		}
		if err := m.checkIDs(in, refs, known); err != nil {
			return err
		}
	}
	return m.indexAnnotations(words)
}

// dropAimless leaves out names and decorations of identifiers that nothing defines.
// llvm-spirv 15 writes such a decoration for a saturating conversion that a phi before
// it uses: the conversion gets the identifier that the phi has. Drivers take the module.
func (m *Module) dropAimless(list []*Instruction) []*Instruction {
	aimless := func(in *Instruction) bool {
		switch in.Op {
		case OpName, OpDecorate, OpDecorateId, OpDecorateString:
			return len(in.Words) > 0 && in.Words[0] != 0 && in.Words[0] < m.Bound && m.Def(ID(in.Words[0])) == nil
		}
		return false
	}
	if !slices.ContainsFunc(list, aimless) {
		return list
	}
	for _, s := range []section{sectionDebug, sectionAnnotation} {
		m.sections[s] = slices.DeleteFunc(m.sections[s], aimless)
	}
	return slices.DeleteFunc(slices.Clone(list), aimless)
}

// defineResult enters the result of an instruction into the table. The bound is checked first: it
// is the size of the table.
func (m *Module) defineResult(in *Instruction) error {
	_, r := in.Op.resultWords()
	if r < 0 {
		return nil
	}
	if r >= len(in.Words) {
		return in.errorf("operands are missing")
	}
	id := ID(in.Words[r])
	switch {
	case id == 0 || uint32(id) >= m.Bound:
		return in.errorf("result %%%d is not below the bound %d", id, m.Bound)
	case m.defs.get(id) != nil:
		return in.errorf("%%%d is defined twice", id)
	}
	m.defs.set(id, in)
	return nil
}

// checkIDs checks that the identifiers in an instruction are defined. In a module with unknown
// instructions they only have to be below the bound: these may define any of them.
func (m *Module) checkIDs(in *Instruction, refs []operandRef, allKnown bool) error {
	for _, r := range refs {
		if !r.kind.isID() {
			continue
		}
		id := ID(in.Words[r.at])
		def := m.Def(id)
		switch {
		case id == 0 || uint32(id) >= m.Bound || def == nil && allKnown:
			return in.errorf("%%%d is not defined", id)
		case r.kind == kindIdResultType && def != nil && !isType(def.Op):
			return in.errorf("%%%d is not a type", id)
		}
	}
	return nil
}

// isType reports whether an instruction defines a type. An unknown one may.
func isType(op Opcode) bool {
	info := op.grammarInfo()
	return info == nil || strings.HasPrefix(info.name, "OpType") && op != OpTypeForwardPointer
}

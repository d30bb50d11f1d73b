package spirv

import (
	"fmt"
	"math/bits"
	"sort"

	"offlink/lazy"
)

// Opcode is the number of an instruction, the low half of its first word.
type Opcode uint16

// String returns the instruction's name, "OpIAdd", or "Op4242" if the grammar does not
// have it.
func (op Opcode) String() string {
	if info := op.grammarInfo(); info != nil {
		return info.name
	}
	return fmt.Sprintf("Op%d", uint16(op))
}

// operandKind is a kind of operands of the grammar; the generated constants list them.
type operandKind uint8

// quantifier tells how often an operand occurs: once, at most once, or any number of times
// up to the end of the instruction.
type quantifier uint8

const (
	one quantifier = iota
	optional
	many
)

type operand struct {
	kind  operandKind
	quant quantifier
}

// instructionInfo is one row of the grammar: of the core instructions or of
// an extended instruction set.
// extendedSet is a set of extended instructions.
type extendedSet struct {
	name         string
	instructions []instructionInfo
}

// extendedInstructions returns the instructions of a set, none for one that the linker need not
// know.
func extendedInstructions(set string) []instructionInfo {
	for i := range extendedSets {
		if extendedSets[i].name == set {
			return extendedSets[i].instructions
		}
	}
	return nil
}

type instructionInfo struct {
	number   uint32
	name     string
	operands []operand
}

type enumInfo struct {
	bits   bool // a mask: parameters of each set bit follow, lowest first
	values []enumerant
}

type enumerant struct {
	value  uint32
	name   string
	params []operand
}

func (op Opcode) grammarInfo() *instructionInfo { return coreInstruction(uint32(op)) }

func coreInstruction(number uint32) *instructionInfo {
	return findInstruction(coreInstructions, number)
}

// findInstruction looks a number up in rows that are sorted by number, as the
// generator writes them.
func findInstruction(rows []instructionInfo, number uint32) *instructionInfo {
	i := sort.Search(len(rows), func(i int) bool { return rows[i].number >= number })
	if i < len(rows) && rows[i].number == number {
		return &rows[i]
	}
	return nil
}

func (e *enumInfo) findEnumerant(value uint32) *enumerant {
	i := sort.Search(len(e.values), func(i int) bool { return e.values[i].value >= value })
	if i < len(e.values) && e.values[i].value == value {
		return &e.values[i]
	}
	return nil
}

func findEnumerant(k operandKind, value uint32) *enumerant {
	return coreEnums[k].findEnumerant(value)
}

// isID reports whether an operand of this kind is an identifier.
func (k operandKind) isID() bool {
	switch k {
	case kindIdResultType, kindIdResult, kindIdRef, kindIdScope, kindIdMemorySemantics:
		return true
	}
	return false
}

// resultWords returns the indexes of an instruction's result type and result among its
// operand words, or -1 for those that it does not have. Both come before other operands.
func (op Opcode) resultWords() (typ, result int) {
	typ, result = -1, -1
	info := op.grammarInfo()
	if info == nil {
		return
	}
	for i, o := range info.operands[:min(2, len(info.operands))] {
		switch o.kind {
		case kindIdResultType:
			typ = i
		case kindIdResult:
			result = i
		}
	}
	return
}

// operandRef is one operand of an instruction: its kind, and words [at, at+words) of the
// instruction's operand words.
type operandRef struct {
	at, words int
	kind      operandKind
}

// operandWalk reads the operands of one instruction according to the grammar.
type operandWalk struct {
	m     *Module
	in    *Instruction
	at    int
	found []operandRef
}

// operands appends the operands of an instruction to buf, in order, and returns it: pairs as
// their two parts, and the parameters of an enumerant after it. It is an error if the words do
// not fit the grammar; those that were read are lost then.
func (m *Module) operands(in *Instruction, buf []operandRef) ([]operandRef, error) {
	info := in.Op.grammarInfo()
	if info == nil {
		return nil, fmt.Errorf("unknown instruction %d", uint16(in.Op))
	}
	w := operandWalk{m: m, in: in, found: buf}
	if err := w.readOperands(info.operands); err != nil {
		return nil, err
	}
	if w.at != len(in.Words) {
		return nil, fmt.Errorf("%d words too many", len(in.Words)-w.at)
	}
	return w.found, nil
}

func (w *operandWalk) wordsLeft() int { return len(w.in.Words) - w.at }

// readOperands reads operands in the order of the grammar. Optional and repeated ones are there if
// words are left: the grammar has them only at the end.
func (w *operandWalk) readOperands(ops []operand) error {
	for _, o := range ops {
		if o.quant == one {
			if err := w.readOperand(o.kind); err != nil {
				return err
			}
			continue
		}
		for w.wordsLeft() > 0 {
			if err := w.readOperand(o.kind); err != nil {
				return err
			}
			if o.quant == optional {
				break
			}
		}
	}
	return nil
}

// takeWords adds an operand of that many words, which must be there.
func (w *operandWalk) takeWords(kind operandKind, words int) error {
	if words > w.wordsLeft() {
		return fmt.Errorf("operand %d is missing", len(w.found)+1)
	}
	w.found = append(w.found, operandRef{w.at, words, kind})
	w.at += words
	return nil
}

func (w *operandWalk) readOperand(kind operandKind) error {
	if special := specialKinds[kind]; special != nil {
		return special(w)
	}
	if info := coreEnums[kind]; info != nil {
		return w.readEnum(kind, info)
	}
	return w.takeWords(kind, 1)
}

// specialKinds have the readers of the kinds of operands that take more than one word or are
// followed by operands of their own. Enumerations are not among them.
var specialKinds [kindCount]func(w *operandWalk) error

func init() {
	specialKinds = [kindCount]func(w *operandWalk) error{
		kindLiteralString:                 (*operandWalk).readString,
		kindLiteralContextDependentNumber: (*operandWalk).readContextNumber,
		kindLiteralExtInstInteger:         (*operandWalk).readExtInst,
		kindLiteralSpecConstantOpInteger:  (*operandWalk).readSpecConstantOp,
		kindPairLiteralIntegerIdRef:       (*operandWalk).switchCase,
		kindPairIdRefLiteralInteger:       readPair(kindIdRef, kindLiteralInteger),
		kindPairIdRefIdRef:                readPair(kindIdRef, kindIdRef),
	}
}

func readPair(first, second operandKind) func(w *operandWalk) error {
	return func(w *operandWalk) error {
		if err := w.takeWords(first, 1); err != nil {
			return err
		}
		return w.takeWords(second, 1)
	}
}

// readString reads a literal string, which ends with the word that has its zero byte.
func (w *operandWalk) readString() error {
	n := stringWords(w.in.Words[w.at:])
	if n == 0 {
		return fmt.Errorf("operand %d: string without an end", len(w.found)+1)
	}
	return w.takeWords(kindLiteralString, n)
}

// readContextNumber reads a number whose type decides its length. It is always the last operand
// of a constant, so it takes all words that are left.
func (w *operandWalk) readContextNumber() error {
	return w.takeWords(kindLiteralContextDependentNumber, max(1, w.wordsLeft()))
}

// readExtInst reads the number of an extended instruction and then that instruction's
// operands. Those of an unknown instruction are left to the grammar of OpExtInst, which takes
// them for identifiers: non-semantic sets have no others, and Link refuses other sets.
func (w *operandWalk) readExtInst() error {
	if err := w.takeWords(kindLiteralExtInstInteger, 1); err != nil {
		return err
	}
	words := w.in.Words
	set := w.m.ExtInstSet(ID(words[w.at-2]))
	rows := extendedInstructions(set)
	info := findInstruction(rows, words[w.at-1])
	if info == nil {
		return nil
	}
	if set == translatorDebugSet {
		info = w.m.translatorForm(rows, info, words[w.at:])
	}
	return w.readOperands(info.operands)
}

// readSpecConstantOp reads the opcode in an OpSpecConstantOp and the operands of that
// instruction, which has no type and result there. Nesting is refused, as it would recurse.
func (w *operandWalk) readSpecConstantOp() error {
	if err := w.takeWords(kindLiteralSpecConstantOpInteger, 1); err != nil {
		return err
	}
	info := coreInstruction(w.in.Words[w.at-1])
	if info == nil || len(info.operands) < 2 || Opcode(info.number) == OpSpecConstantOp {
		return fmt.Errorf("unknown operation %d", w.in.Words[w.at-1])
	}
	return w.readOperands(info.operands[2:])
}

// switchCase reads a case of an OpSwitch: a literal as wide as the selector, and a label.
func (w *operandWalk) switchCase() error {
	n := w.m.switchWords(w.in)
	if n == 0 {
		return fmt.Errorf("the selector is not an integer")
	}
	if err := w.takeWords(kindLiteralContextDependentNumber, n); err != nil {
		return err
	}
	return w.takeWords(kindIdRef, 1)
}

// switchWords returns the number of words of a case literal of an OpSwitch, which has the
// width of the selector, or 0 if the selector is not an integer of at most 64 bits.
func (m *Module) switchWords(in *Instruction) int {
	if len(in.Words) == 0 {
		return 0
	}
	t := m.Def(m.TypeOf(ID(in.Words[0])))
	if t == nil || t.Op != OpTypeInt || len(t.Words) < 2 || t.Words[1] > 64 {
		return 0
	}
	return int(t.Words[1]+31) / 32
}

// readEnum reads a value of an enumeration and its parameters: in a mask, those of each bit
// that is set, from the lowest on.
func (w *operandWalk) readEnum(kind operandKind, info *enumInfo) error {
	if err := w.takeWords(kind, 1); err != nil {
		return err
	}
	value := w.in.Words[w.at-1]
	if !info.bits {
		return w.readParameters(kind, value)
	}
	for value != 0 {
		bit := uint32(1) << bits.TrailingZeros32(value)
		value &^= bit
		if err := w.readParameters(kind, bit); err != nil {
			return err
		}
	}
	return nil
}

// readParameters reads the parameters of an enumerant. An unknown decoration
// or execution mode is taken to have literals up to the end of the instruction.
func (w *operandWalk) readParameters(kind operandKind, value uint32) error {
	e := findEnumerant(kind, value)
	switch {
	case kind == kindLoopControl && value == loopDependencyArray:
		return w.readDependencies()
	case kind == kindLoopControl && value == loopCount:
		return w.readLoopCounts()
	case e != nil:
		return w.readOperands(e.params)
	case (kind == kindDecoration || kind == kindExecutionMode) && w.wordsLeft() > 0:
		return w.takeWords(kindLiteralContextDependentNumber, w.wordsLeft())
	}
	return nil
}

// Loop controls of SPV_INTEL_fpga_loop_controls that have several operands, while the grammar
// lists one number for each.
const (
	loopDependencyArray = 1 << 18
	loopCount           = 1 << 24
)

// readDependencies reads the number of arrays, then each array with its safe length.
func (w *operandWalk) readDependencies() error {
	if err := w.takeWords(kindLiteralInteger, 1); err != nil {
		return err
	}
	for range w.in.Words[w.at-1] {
		if err := readPair(kindIdRef, kindLiteralInteger)(w); err != nil {
			return err
		}
	}
	return nil
}

// readLoopCounts reads the least, the most and the average number of iterations, of 64 bits
// each.
func (w *operandWalk) readLoopCounts() error {
	for range 6 {
		if err := w.takeWords(kindLiteralInteger, 1); err != nil {
			return err
		}
	}
	return nil
}

// OpcodeByName returns the opcode with a name such as "OpIAdd", or OpNop if
// the grammar does not have it.
func OpcodeByName(name string) Opcode { return opcodesByName.Get()[name] }

// opcodesByName is made on first use: most programs never look a name up.
var opcodesByName = lazy.Value[map[string]Opcode]{New: func() map[string]Opcode {
	table := make(map[string]Opcode, len(coreInstructions))
	for i := range coreInstructions {
		table[coreInstructions[i].name] = Opcode(coreInstructions[i].number)
	}
	return table
}}

// HasResult reports whether the instruction defines an identifier, and whether that has a
// type.
func (op Opcode) HasResult() (result, typed bool) {
	t, r := op.resultWords()
	return r >= 0, t >= 0
}

// ExtInstNumber returns the number of the instruction with a name in a set; ok
// is false if the set has none of that name.
func ExtInstNumber(set, name string) (uint32, bool) {
	for _, info := range extendedInstructions(set) {
		if info.name == name {
			return info.number, true
		}
	}
	return 0, false
}

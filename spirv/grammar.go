package spirv

import (
	"fmt"
	"math/bits"
	"sort"
	"sync"
)

// Opcode is the number of an instruction.
type Opcode uint16

// String is the instruction's name, "OpIAdd", or "Op4242" for one that the
// grammar does not have.
func (op Opcode) String() string {
	if info := op.info(); info != nil {
		return info.name
	}
	return fmt.Sprintf("Op%d", uint16(op))
}

type operandKind uint8

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

// extraEnumerants are numbers that the published grammar does not have (yet):
// the first and the second numbering of host access to device globals
// (SPV_INTEL_global_variable_decorations, which llvm-spirv 14 and 15 write;
// SPV_INTEL_global_variable_host_access and
// SPV_INTEL_global_variable_fpga_decorations).
var extraEnumerants = map[operandKind][]enumerant{
	kindDecoration: {
		{6147, "HostAccessINTEL", hostAccessOperands},
		{6148, "InitModeINTEL", literalOperand},
		{6149, "ImplementInCSRINTEL", literalOperand},
		{6188, "HostAccessINTEL", hostAccessOperands},
		{6190, "InitModeINTEL", literalOperand},
		{6191, "ImplementInRegisterMapINTEL", literalOperand},
	},
	kindCapability: {
		{6146, "GlobalVariableDecorationsINTEL", nil},
		{6187, "GlobalVariableHostAccessINTEL", nil},
		{6189, "GlobalVariableFPGADecorationsINTEL", nil},
	},
}

// Instructions that the published grammar does not have (yet)
// (SPV_INTEL_bfloat16_conversion).
const (
	OpConvertFToBF16INTEL Opcode = 6116
	OpConvertBF16ToFINTEL Opcode = 6117
)

var extraInstructions = []instructionInfo{
	{4456, "OpTypeCooperativeMatrixKHR", []operand{{kindIdResult, one}, {kindIdRef, one}, {kindIdScope, one}, {kindIdRef, one}, {kindIdRef, one}, {kindIdRef, one}}},
	{4457, "OpCooperativeMatrixLoadKHR", []operand{{kindIdResultType, one}, {kindIdResult, one}, {kindIdRef, one}, {kindIdRef, one}, {kindIdRef, optional}, {kindMemoryAccess, optional}}},
	{4458, "OpCooperativeMatrixStoreKHR", []operand{{kindIdRef, one}, {kindIdRef, one}, {kindIdRef, one}, {kindIdRef, optional}, {kindMemoryAccess, optional}}},
	{4459, "OpCooperativeMatrixMulAddKHR", []operand{{kindIdResultType, one}, {kindIdResult, one}, {kindIdRef, one}, {kindIdRef, one}, {kindIdRef, one}, {kindLiteralInteger, optional}}},
	{4460, "OpCooperativeMatrixLengthKHR", []operand{{kindIdResultType, one}, {kindIdResult, one}, {kindIdRef, one}}},
	{6116, "OpConvertFToBF16INTEL", conversionOperands},
	{6117, "OpConvertBF16ToFINTEL", conversionOperands},
	{6119, "OpTypeJointMatrixINTEL", []operand{{kindIdResult, one}, {kindIdRef, one}, {kindIdRef, many}}},
	{6120, "OpJointMatrixLoadINTEL", []operand{{kindIdResultType, one}, {kindIdResult, one}, {kindIdRef, one}, {kindIdRef, one}, {kindIdRef, one}, {kindIdScope, optional}, {kindMemoryAccess, optional}}},
	{6121, "OpJointMatrixStoreINTEL", []operand{{kindIdRef, one}, {kindIdRef, one}, {kindIdRef, one}, {kindIdRef, one}, {kindIdScope, optional}, {kindMemoryAccess, optional}}},
	{6122, "OpJointMatrixMadINTEL", []operand{{kindIdResultType, one}, {kindIdResult, one}, {kindIdRef, one}, {kindIdRef, one}, {kindIdRef, one}, {kindIdScope, optional}}},
	{6145, "OpArithmeticFenceEXT", conversionOperands},
}

var (
	conversionOperands = []operand{{kindIdResultType, one}, {kindIdResult, one}, {kindIdRef, one}}
	literalOperand     = []operand{{kindLiteralInteger, one}}
	hostAccessOperands = []operand{{kindLiteralInteger, one}, {kindLiteralString, one}}
)

func (op Opcode) info() *instructionInfo { return coreInstruction(uint32(op)) }

func coreInstruction(number uint32) *instructionInfo {
	if info := findInstruction(coreInstructions, number); info != nil {
		return info
	}
	return findInstruction(extraInstructions, number)
}

// findInstruction looks a number up in rows sorted by number. The first
// numbers of every table have few gaps, so the row is close below the index.
func findInstruction(rows []instructionInfo, number uint32) *instructionInfo {
	i := sort.Search(len(rows), func(i int) bool { return rows[i].number >= number })
	if i < len(rows) && rows[i].number == number {
		return &rows[i]
	}
	return nil
}

func (e *enumInfo) find(value uint32) *enumerant {
	i := sort.Search(len(e.values), func(i int) bool { return e.values[i].value >= value })
	if i < len(e.values) && e.values[i].value == value {
		return &e.values[i]
	}
	return nil
}

func findEnumerant(k operandKind, value uint32) *enumerant {
	if e := enums[k].find(value); e != nil {
		return e
	}
	for i := range extraEnumerants[k] {
		if e := &extraEnumerants[k][i]; e.value == value {
			return e
		}
	}
	return nil
}

// isID tells whether an operand of this kind is the number of an identifier.
func (k operandKind) isID() bool {
	switch k {
	case kindIdResultType, kindIdResult, kindIdRef, kindIdScope, kindIdMemorySemantics:
		return true
	}
	return false
}

// resultWords tells where an instruction keeps its type and its result among
// its operand words: -1 where it has none.
func (op Opcode) resultWords() (typ, result int) {
	typ, result = -1, -1
	info := op.info()
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

// operandRef is one operand of an instruction: words at to at+words.
type operandRef struct {
	at, words int
	kind      operandKind
}

// operandWalk goes over the operands of one instruction by its grammar.
type operandWalk struct {
	m     *Module
	in    *Instruction
	at    int
	found []operandRef
}

// operands returns the operands of an instruction in order, appended to buf:
// composite kinds as their parts, parameters of enumerants after them. It is
// an error if the words do not fit the grammar.
func (m *Module) operands(in *Instruction, buf []operandRef) ([]operandRef, error) {
	info := in.Op.info()
	if info == nil {
		return nil, fmt.Errorf("unknown instruction %d", uint16(in.Op))
	}
	w := operandWalk{m: m, in: in, found: buf}
	if err := w.list(info.operands); err != nil {
		return nil, err
	}
	if w.at != len(in.Words) {
		return nil, fmt.Errorf("%d words too many", len(in.Words)-w.at)
	}
	return w.found, nil
}

func (w *operandWalk) left() int { return len(w.in.Words) - w.at }

func (w *operandWalk) list(ops []operand) error {
	for _, o := range ops {
		if o.quant == one {
			if err := w.one(o.kind); err != nil {
				return err
			}
			continue
		}
		for w.left() > 0 {
			if err := w.one(o.kind); err != nil {
				return err
			}
			if o.quant == optional {
				break
			}
		}
	}
	return nil
}

func (w *operandWalk) take(kind operandKind, words int) error {
	if words > w.left() {
		return fmt.Errorf("operand %d is missing", len(w.found)+1)
	}
	w.found = append(w.found, operandRef{w.at, words, kind})
	w.at += words
	return nil
}

func (w *operandWalk) one(kind operandKind) error {
	if special := specialKinds[kind]; special != nil {
		return special(w)
	}
	if info := enums[kind]; info != nil {
		return w.enum(kind, info)
	}
	return w.take(kind, 1)
}

// enums has the rows of coreEnums by kind.
var enums [kindPairIdRefIdRef + 1]*enumInfo

// specialKinds are the kinds of operands that are more than one word or have
// other operands behind them.
var specialKinds [kindPairIdRefIdRef + 1]func(w *operandWalk) error

func init() {
	for kind, info := range coreEnums {
		enums[kind] = &info
	}
	specialKinds = [...]func(w *operandWalk) error{
		kindLiteralString:                 (*operandWalk).str,
		kindLiteralContextDependentNumber: (*operandWalk).number,
		kindLiteralExtInstInteger:         (*operandWalk).extended,
		kindLiteralSpecConstantOpInteger:  (*operandWalk).embedded,
		kindPairLiteralIntegerIdRef:       (*operandWalk).switchCase,
		kindPairIdRefLiteralInteger:       pair(kindIdRef, kindLiteralInteger),
		kindPairIdRefIdRef:                pair(kindIdRef, kindIdRef),
	}
}

func pair(first, second operandKind) func(w *operandWalk) error {
	return func(w *operandWalk) error {
		if err := w.take(first, 1); err != nil {
			return err
		}
		return w.take(second, 1)
	}
}

func (w *operandWalk) str() error {
	n := stringWords(w.in.Words[w.at:])
	if n == 0 {
		return fmt.Errorf("operand %d: string without an end", len(w.found)+1)
	}
	return w.take(kindLiteralString, n)
}

func (w *operandWalk) number() error {
	return w.take(kindLiteralContextDependentNumber, max(1, w.left()))
}

// extended reads the number of an extended instruction and then what that
// instruction has; the operands of sets that are not known are identifiers,
// which non-semantic sets promise and Link refuses of others.
func (w *operandWalk) extended() error {
	if err := w.take(kindLiteralExtInstInteger, 1); err != nil {
		return err
	}
	words := w.in.Words
	rows := extendedSets[w.m.ExtInstSet(ID(words[w.at-2]))]
	info := findInstruction(rows, words[w.at-1])
	if info == nil {
		return nil
	}
	return w.list(info.operands)
}

// embedded reads the opcode in an OpSpecConstantOp and that instruction's
// operands, without its type and result.
func (w *operandWalk) embedded() error {
	if err := w.take(kindLiteralSpecConstantOpInteger, 1); err != nil {
		return err
	}
	info := coreInstruction(w.in.Words[w.at-1])
	if info == nil || len(info.operands) < 2 || Opcode(info.number) == OpSpecConstantOp {
		return fmt.Errorf("unknown operation %d", w.in.Words[w.at-1])
	}
	return w.list(info.operands[2:])
}

func (w *operandWalk) switchCase() error {
	n := w.m.switchWords(w.in)
	if n == 0 {
		return fmt.Errorf("the selector is no integer")
	}
	if err := w.take(kindLiteralContextDependentNumber, n); err != nil {
		return err
	}
	return w.take(kindIdRef, 1)
}

// switchWords is the number of words of a case of an OpSwitch: the width of
// its selector; 0 if that is no integer.
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

func (w *operandWalk) enum(kind operandKind, info *enumInfo) error {
	if err := w.take(kind, 1); err != nil {
		return err
	}
	value := w.in.Words[w.at-1]
	if !info.bits {
		return w.params(kind, value)
	}
	for value != 0 {
		bit := uint32(1) << bits.TrailingZeros32(value)
		value &^= bit
		if err := w.params(kind, bit); err != nil {
			return err
		}
	}
	return nil
}

// params reads the parameters of an enumerant. Those of a decoration or an
// execution mode that is not known are literals, to the end.
func (w *operandWalk) params(kind operandKind, value uint32) error {
	e := findEnumerant(kind, value)
	switch {
	case e != nil:
		return w.list(e.params)
	case (kind == kindDecoration || kind == kindExecutionMode) && w.left() > 0:
		return w.take(kindLiteralContextDependentNumber, w.left())
	}
	return nil
}

// OpcodeByName returns the opcode of that name, "OpIAdd"; OpNop for one that
// the grammar does not have.
func OpcodeByName(name string) Opcode { return opcodesByName()[name] }

// opcodesByName makes the table when it is first asked for.
var opcodesByName = sync.OnceValue(func() map[string]Opcode {
	table := make(map[string]Opcode, len(coreInstructions))
	for _, list := range [][]instructionInfo{coreInstructions, extraInstructions} {
		for i := range list {
			table[list[i].name] = Opcode(list[i].number)
		}
	}
	return table
})

// HasResult tells whether the instruction defines a value, and whether that
// has a type.
func (op Opcode) HasResult() (result, typed bool) {
	t, r := op.resultWords()
	return r >= 0, t >= 0
}

// ExtInstNumber is the number of an instruction of a set by its name; false if
// the set has none of that name.
func ExtInstNumber(set, name string) (uint32, bool) {
	for _, info := range extendedSets[set] {
		if info.name == name {
			return info.number, true
		}
	}
	return 0, false
}

package spirv

import (
	"bufio"
	"io"
	"strconv"
	"strings"
)

// WriteTranslatorText writes the module in the text form of the Khronos translator, that of
// llvm-spirv -spirv-text: the numbers of the header on the first line, then for each instruction
// its length in words, its name without Op, and its operands, each followed by a space. Operands
// are decimal words, except for strings and the names of capabilities, decorations, linkage types
// and extended instructions (SPIRVStream.cpp of SPIRV-LLVM-Translator). The form is not the
// assembly text of SPIRV-Tools, which Dump writes.
func (m *Module) WriteTranslatorText(w io.Writer) error {
	t := translatorText{Writer: bufio.NewWriter(w), m: m}
	for _, word := range []uint32{Magic, uint32(m.Version), m.Generator, m.Bound, 0} {
		t.writeWord(word)
	}
	t.WriteByte('\n')
	for in := range m.allInstructions {
		t.writeInstruction(in)
	}
	return t.Flush()
}

type translatorText struct {
	*bufio.Writer
	m        *Module
	refs     []operandRef
	inBodies bool // a function was seen
}

// writeInstruction writes a line with its blank lines. An instruction that does not fit the
// grammar has only numbers after its name.
func (t *translatorText) writeInstruction(in *Instruction) {
	t.separateParts(in.Op)
	t.writeWord(uint32(len(in.Words)) + 1)
	t.writeToken(strings.TrimPrefix(in.Op.String(), "Op"))
	refs, err := t.m.operands(in, t.refs[:0])
	t.refs = refs
	if err != nil {
		t.writeWords(in.Words)
	} else {
		t.writeOperands(in, refs)
	}
	t.WriteByte('\n')
	switch in.Op {
	case OpTypeStruct, OpConstantComposite, OpSpecConstantComposite, OpFunctionEnd:
		// The translator ends these with their continuation, which is empty.
		t.WriteByte('\n')
	}
}

// separateParts writes the blank lines before the first function, after the
// parameters of a function and after each block.
func (t *translatorText) separateParts(op Opcode) {
	switch op {
	case OpFunction:
		if !t.inBodies {
			t.WriteString("\n\n")
		}
		t.inBodies = true
	case OpLabel, OpFunctionEnd:
		t.WriteByte('\n')
	}
}

// writeOperands writes the operands: those few kinds by name that the translator does, all others
// as words. Byte-for-byte agreement with it is the purpose, up to a doubled space.
func (t *translatorText) writeOperands(in *Instruction, refs []operandRef) {
	decoration := DecorationKind(0)
	for i, r := range refs {
		words := in.Words[r.at : r.at+r.words]
		switch {
		case r.kind == kindDecoration:
			decoration = DecorationKind(words[0])
			t.writeToken(enumName(r.kind, words[0]))
		case r.kind == kindHostAccessQualifier || r.kind == kindInitializationModeQualifier || r.kind == kindNamedMaximumNumberOfRegisters:
			t.writeToken(enumName(r.kind, words[0]))
		case r.kind == kindLiteralString:
			text, _ := getString(words)
			t.writeToken(`"` + strings.ReplaceAll(text, `"`, `\"`) + `"`)
			if i+1 < len(refs) && decoration == decorationMergeINTEL {
				t.WriteByte(' ') // SPIRVDecorateMergeINTELAttr writes one more
			}
		case r.kind == kindCapability || r.kind == kindLinkageType:
			t.writeToken(enumName(r.kind, words[0]))
		case r.kind == kindLiteralExtInstInteger:
			t.writeExtInst(in, r.at)
		default:
			t.writeWords(words)
		}
	}
}

const decorationMergeINTEL DecorationKind = 5834

func (t *translatorText) writeExtInst(in *Instruction, at int) {
	switch name := ExtInstName(t.m.ExtInstSet(ID(in.Words[at-1])), in.Words[at]); name {
	case "":
		t.writeWord(in.Words[at])
	default:
		t.writeToken(name)
	}
}

func (t *translatorText) writeWords(words []uint32) {
	for _, w := range words {
		t.writeWord(w)
	}
}

func (t *translatorText) writeWord(w uint32) { t.writeToken(strconv.FormatUint(uint64(w), 10)) }

func (t *translatorText) writeToken(text string) {
	t.WriteString(text)
	t.WriteByte(' ')
}

package spirv

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// Dump writes the module as assembly text, one instruction a line, with
// numbers for identifiers: the text of spirv-dis --raw-id --no-header
// --no-indent.
func (m *Module) Dump(w io.Writer) error {
	d := dumper{Writer: bufio.NewWriter(w), m: m}
	for in := range m.allInstructions {
		d.writeInstruction(in)
	}
	return d.Flush()
}

// GeneratorName returns the name of the tool in the upper half of Generator, as spirv-dis prints
// it (spir-v.xml of SPIRV-Headers). It knows the tools that make modules with kernels.
func (m *Module) GeneratorName() string {
	names := map[uint32]string{
		6:  "Khronos LLVM/SPIR-V Translator",
		7:  "Khronos SPIR-V Tools Assembler",
		14: "Khronos SPIR-V Tools Linker",
		21: "Google Clspv",
		30: "Google rspirv",
		43: "LLVM LLVM SPIR-V Backend",
	}
	number := m.Generator >> 16
	if name := names[number]; name != "" {
		return name
	}
	return fmt.Sprintf("Unknown(%d)", number)
}

type dumper struct {
	*bufio.Writer
	m    *Module
	refs []operandRef
}

// writeInstruction writes a line. An instruction that does not fit the grammar has its words as
// numbers.
func (d *dumper) writeInstruction(in *Instruction) {
	if id := in.Result(); id != 0 {
		fmt.Fprintf(d, "%%%d = ", id)
	}
	fmt.Fprint(d, in.Op)
	refs, err := d.m.operands(in, d.refs[:0])
	d.refs = refs
	for _, r := range refs {
		if r.kind != kindIdResult {
			d.writeOperand(in, r)
		}
	}
	if err != nil {
		fmt.Fprintf(d, " %v", in.Words)
	}
	d.WriteByte('\n')
}

func (d *dumper) writeOperand(in *Instruction, r operandRef) {
	words := in.Words[r.at : r.at+r.words]
	d.WriteByte(' ')
	switch {
	case r.kind.isID():
		fmt.Fprintf(d, "%%%d", words[0])
	case r.kind == kindLiteralString:
		text, _ := getString(words)
		d.WriteString(quoteString(text))
	case r.kind == kindLiteralContextDependentNumber:
		d.writeNumber(in, words)
	case r.kind == kindLiteralExtInstInteger:
		d.writeExtInst(in, r.at)
	case r.kind == kindLiteralSpecConstantOpInteger:
		d.WriteString(strings.TrimPrefix(Opcode(words[0]).String(), "Op"))
	case coreEnums[r.kind] != nil:
		d.WriteString(enumName(r.kind, words[0]))
	default:
		fmt.Fprint(d, words[0])
	}
}

func quoteString(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}

// writeExtInst writes the name of an extended instruction, or its number if the set or the number
// is not known. The set is the word before.
func (d *dumper) writeExtInst(in *Instruction, at int) {
	name := ExtInstName(d.m.ExtInstSet(ID(in.Words[at-1])), in.Words[at])
	if name == "" {
		name = fmt.Sprint(in.Words[at])
	}
	d.WriteString(name)
}

// writeNumber writes a constant in the notation of its instruction's type, or
// of the selector's type for the cases of an OpSwitch.
func (d *dumper) writeNumber(in *Instruction, words []uint32) {
	t := d.m.Def(in.Type())
	if in.Op == OpSwitch {
		t = d.m.Def(d.m.TypeOf(ID(in.Words[0])))
	}
	v := uint64(words[0])
	if len(words) > 1 {
		v |= uint64(words[1]) << 32
	}
	switch {
	case len(words) > 2 || t == nil:
		d.WriteString(strings.Trim(fmt.Sprint(words), "[]"))
	case t.Op == OpTypeFloat:
		d.WriteString(floatText(v, t.Words[1]))
	case t.Op == OpTypeInt && t.Words[2] == 1:
		fmt.Fprint(d, signExtend(v, t.Words[1]))
	default:
		fmt.Fprint(d, v)
	}
}

func signExtend(v uint64, width uint32) int64 {
	if width == 0 || width > 64 {
		return int64(v)
	}
	return int64(v<<(64-width)) >> (64 - width)
}

// floatText writes zeros and normal numbers in decimal with enough digits to
// read them back, the others in hexadecimal, as spirv-dis does.
func floatText(v uint64, width uint32) string {
	switch {
	case width == 32 && isPlain(v, 23, 8):
		return strconv.FormatFloat(float64(math.Float32frombits(uint32(v))), 'g', 9, 32)
	case width == 64 && isPlain(v, 52, 11):
		return strconv.FormatFloat(math.Float64frombits(v), 'g', 17, 64)
	}
	return hexFloat(v, width)
}

// isPlain reports whether the bits are those of a zero or a normal number.
func isPlain(v uint64, fraction, exponent int) bool {
	e := v >> fraction & (1<<exponent - 1)
	return e != 1<<exponent-1 && (e != 0 || v<<(64-fraction) == 0)
}

// hexFloat writes a number with its fraction in hexadecimal. Infinities and NaNs are written as
// if their exponent were an ordinary one, and denormal numbers are normalized.
func hexFloat(v uint64, width uint32) string {
	fraction, ok := map[uint32]uint32{16: 10, 32: 23, 64: 52}[width]
	if !ok {
		return fmt.Sprintf("%#x", v)
	}
	exponentBits := width - 1 - fraction
	bias := int64(1)<<(exponentBits-1) - 1
	exponent := int64(v>>fraction&(1<<exponentBits-1)) - bias
	mantissa := v & (1<<fraction - 1)
	text := ""
	if v>>(width-1)&1 == 1 {
		text = "-"
	}
	if exponent == -bias { // zero or denormal: as a normal number
		if mantissa == 0 {
			return text + "0x0p+0"
		}
		exponent++
		for mantissa>>fraction == 0 {
			mantissa <<= 1
			exponent--
		}
		mantissa &= 1<<fraction - 1
	}
	digits := (fraction + 3) / 4
	hex := strings.TrimRight(fmt.Sprintf("%0*x", int(digits), mantissa<<(4*digits-fraction)), "0")
	if hex != "" {
		hex = "." + hex
	}
	return fmt.Sprintf("%s0x1%sp%+d", text, hex, exponent)
}

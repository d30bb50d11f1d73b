package spirv

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"
)

// ParseTranslatorText turns the text form of the Khronos translator, as WriteTranslatorText
// writes it, into the bytes of a module, little-endian. It only reads words: Parse checks
// whether they are a module. Errors name the line.
func ParseTranslatorText(text []byte) ([]byte, error) {
	r := &translatorReader{rest: text, line: 1, sets: map[uint32]string{}}
	// The text begins with the five words of the header as numbers.
	for range headerWords {
		w, err := r.readWord()
		if err != nil {
			return nil, r.wrapError(err)
		}
		r.words = append(r.words, w)
	}
	if r.words[0] != Magic {
		return nil, r.wrapError(fmt.Errorf("%d is not the magic number %d", r.words[0], uint32(Magic)))
	}
	for r.skipSpace(); len(r.rest) > 0; r.skipSpace() {
		if err := r.readInstruction(); err != nil {
			return nil, r.wrapError(err)
		}
	}
	code := make([]byte, 0, 4*len(r.words))
	for _, w := range r.words {
		code = binary.LittleEndian.AppendUint32(code, w)
	}
	return code, nil
}

// translatorReader reads the text from rest on; line is the number of its first line, for errors.
type translatorReader struct {
	rest  []byte
	line  int
	words []uint32
	sets  map[uint32]string // extended instruction sets by identifier
}

func (r *translatorReader) wrapError(err error) error { return fmt.Errorf("line %d: %w", r.line, err) }

func (r *translatorReader) skipSpace() {
	n := 0
	for n < len(r.rest) && bytes.IndexByte([]byte(" \t\r\n"), r.rest[n]) >= 0 {
		if r.rest[n] == '\n' {
			r.line++
		}
		n++
	}
	r.rest = r.rest[n:]
}

// readToken returns a number, a name, or a string with its quotes but without the backslashes
// before quotes in it.
func (r *translatorReader) readToken() (string, error) {
	r.skipSpace()
	if len(r.rest) == 0 {
		return "", fmt.Errorf("the text ends within an instruction")
	}
	if r.rest[0] == '"' {
		return r.readQuoted()
	}
	n := bytes.IndexAny(r.rest, " \t\r\n")
	if n < 0 {
		n = len(r.rest)
	}
	token := string(r.rest[:n])
	r.rest = r.rest[n:]
	return token, nil
}

// readQuoted returns a string with its quotes. It may span lines.
func (r *translatorReader) readQuoted() (string, error) {
	for n := 1; n < len(r.rest); n++ {
		// The translator escapes quotes alone: a backslash before another
		// character stands for itself.
		if r.rest[n] == '"' && r.rest[n-1] != '\\' {
			token := strings.ReplaceAll(string(r.rest[:n+1]), `\"`, `"`)
			r.line += strings.Count(token, "\n")
			r.rest = r.rest[n+1:]
			return token, nil
		}
	}
	return "", fmt.Errorf("a string without its end")
}

func (r *translatorReader) readWord() (uint32, error) {
	token, err := r.readToken()
	if err != nil {
		return 0, err
	}
	w, err := strconv.ParseUint(token, 10, 32)
	if err != nil {
		return 0, fmt.Errorf("%q is not a word", token)
	}
	return uint32(w), nil
}

// readInstruction appends the words of the next instruction. The text states its length first;
// each token is one word of it, except that a string is several.
func (r *translatorReader) readInstruction() error {
	count, err := r.readWord()
	if err != nil {
		return err
	}
	name, err := r.readToken()
	if err != nil {
		return err
	}
	op := OpcodeByName("Op" + name)
	if op == OpNop && name != "Nop" {
		return fmt.Errorf("unknown instruction %q", name)
	}
	// A length has 16 bits in a module.
	if count == 0 || count > 0xffff {
		return fmt.Errorf("%s: %d is not a length", name, count)
	}
	start := len(r.words)
	r.words = append(r.words, count<<16|uint32(op))
	for len(r.words)-start < int(count) {
		if err := r.readOperand(op, start); err != nil {
			return err
		}
	}
	// A string takes as many words as it needs, which the count in the text
	// must agree with.
	if got := len(r.words) - start; got != int(count) {
		return fmt.Errorf("%s: %d words where the first number says %d", name, got, count)
	}
	if op == OpExtInstImport && count > 2 {
		// The names of extended instructions depend on their set, which the
		// module imports before it uses them.
		r.sets[r.words[start+1]], _ = getString(r.words[start+2:])
	}
	return nil
}

// readOperand appends the words of one token: a string, a decimal word, or a name. start is where
// the instruction begins, whose earlier operands decide the meaning of a name.
func (r *translatorReader) readOperand(op Opcode, start int) error {
	token, err := r.readToken()
	if err != nil {
		return err
	}
	if token[0] == '"' {
		r.words = appendString(r.words, token[1:len(token)-1])
		return nil
	}
	if w, err := strconv.ParseUint(token, 10, 32); err == nil {
		r.words = append(r.words, uint32(w))
		return nil
	}
	w, ok := r.nameValue(op, r.words[start+1:], token)
	if !ok {
		return fmt.Errorf("%v: unknown name %q", op, token)
	}
	r.words = append(r.words, w)
	return nil
}

// nameValue returns the number of a name among the operands of an instruction. before are the
// operands that were read already, among which is the set of an extended instruction. Only the
// enumerations that the translator spells by name are searched.
func (r *translatorReader) nameValue(op Opcode, before []uint32, name string) (uint32, bool) {
	if op == OpExtInst && len(before) == 3 {
		// The name that llvm-spirv had for the instruction before LLVM 15.
		if name == "DebugCompileUnit" {
			name = "DebugCompilationUnit"
		}
		return ExtInstNumber(r.sets[before[2]], name)
	}
	for _, kind := range []operandKind{
		kindCapability, kindDecoration, kindLinkageType, kindHostAccessQualifier, kindInitializationModeQualifier, kindNamedMaximumNumberOfRegisters,
	} {
		if isCapability := op == OpCapability; isCapability != (kind == kindCapability) {
			continue
		}
		for _, e := range coreEnums[kind].values {
			if e.name == name {
				return e.value, true
			}
		}
	}
	return 0, false
}

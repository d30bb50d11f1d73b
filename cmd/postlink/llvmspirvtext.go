package main

import (
	"bytes"
	"fmt"
	"io"

	"offlink/cmd/internal/cli"
	"offlink/ir/irfile"
	"offlink/spirv"
)

// outputForm is the form in which llvm-spirv's command line writes a module.
type outputForm int

const (
	formBinary outputForm = iota
	formTranslatorText
	formAssembly
)

// fileExtension is the extension of an output next to the input. The tool gives assembly
// text that of modules.
func (f outputForm) fileExtension() string {
	if f == formTranslatorText {
		return ".spt"
	}
	return ".spv"
}

// writeAs returns a module's bytes in the form.
func (f outputForm) writeAs(code []byte) ([]byte, error) {
	if f == formBinary {
		return code, nil
	}
	m, err := spirv.Parse(code)
	if err != nil {
		return nil, err
	}
	var text bytes.Buffer
	if f == formTranslatorText {
		err = m.WriteTranslatorText(&text)
		return text.Bytes(), err
	}
	fmt.Fprintf(&text, "; SPIR-V\n; Version: %v\n; Generator: %s; %d\n; Bound: %d\n; Schema: 0\n",
		m.Version, m.GeneratorName(), m.Generator&0xffff, m.Bound)
	err = m.Dump(&text)
	return text.Bytes(), err
}

// setForm returns the function of an option that chooses the form of the
// output.
func (t *spirvTool) setForm(f outputForm) func(string) error {
	return func(on string) error {
		if on == "true" {
			t.form = f
		} else if t.form == f {
			t.form = formBinary
		}
		return nil
	}
}

func textOfModule(input []byte) ([]byte, error) { return formTranslatorText.writeAs(input) }

func moduleOfText(input []byte) ([]byte, error) { return spirv.ParseTranslatorText(input) }

// setConversion is for the options that translate nothing: -to-text and
// -to-binary, of which one can be given.
func (t *spirvTool) setConversion(option string, convert func([]byte) ([]byte, error)) func(string) error {
	return func(on string) error {
		if on == "false" {
			return nil
		}
		if t.convert != nil {
			return badOption("%s with -to-binary, -r, -s", "Cannot use -to-text")
		}
		if t.convert = convert; option == "-to-text" {
			t.form = formTranslatorText
		}
		return nil
	}
}

// setListing is for -spec-const-info, whose listing goes to standard output whatever
// -o says.
func (t *spirvTool) setListing(arg string) error {
	t.listing = t.listing || arg == "true"
	return t.setConversion("-spec-const-info", listSpecConstants)(arg)
}

// listSpecConstants lists the scalar specialization constants of a module, in the words
// of llvm-spirv.
func listSpecConstants(input []byte) ([]byte, error) {
	m, err := spirv.Parse(input)
	if err != nil {
		return nil, err
	}
	constants := m.SpecConstants()
	var list bytes.Buffer
	fmt.Fprintf(&list, "Number of scalar specialization constants in the module = %d\n", len(constants))
	for _, c := range constants {
		bits, kind := uint32(1), "i"
		switch typ := m.Def(c.Type); typ.Op {
		case spirv.OpTypeInt:
			bits = typ.Words[1]
		case spirv.OpTypeFloat:
			bits, kind = typ.Words[1], "f"
		}
		fmt.Fprintf(&list, "Spec const id = %d, size in bytes = %d, type = %s%d\n", c.SpecID, (bits+7)/8, kind, bits)
	}
	return list.Bytes(), nil
}

// maxConvertedBytes bounds an input of -to-text and -to-binary.
const maxConvertedBytes = 1 << 30

// convertFile converts between the binary and the text forms of SPIR-V,
// without a module of LLVM.
func (t *spirvTool) convertFile(s cli.Streams) error {
	input, err := t.readInput(s.In)
	if err != nil {
		return err
	}
	code, err := t.convert(input)
	if err != nil {
		return conversionError(fmt.Errorf("%s: %w", t.input, err))
	}
	if t.listing {
		_, err := s.Out.Write(code)
		return err
	}
	return t.writeModule(code, s)
}

// readInput reads the input, bounded, as it is held in memory at once.
func (t *spirvTool) readInput(stdin io.Reader) ([]byte, error) {
	if t.input != irfile.Stdin {
		return cli.ReadFile(t.input, maxConvertedBytes)
	}
	data, err := io.ReadAll(io.LimitReader(stdin, maxConvertedBytes+1))
	if err == nil && len(data) > maxConvertedBytes {
		err = fmt.Errorf("standard input is larger than %d bytes", maxConvertedBytes)
	}
	return data, err
}

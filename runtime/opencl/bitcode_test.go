package opencl

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"testing"

	"offlink/internal/testtool"
	"offlink/spirv"
)

// TestTranslateUnusedPointer: llvm-spirv 15 aborts at the decoration that translators give to
// parameters which a kernel does not use.
func TestTranslateUnusedPointer(t *testing.T) {
	testtool.Need(t, "llvm-spirv-15")
	code, err := os.ReadFile("../drivertest/testdata/app.spv")
	if err != nil {
		t.Fatal(err)
	}
	m, err := spirv.Parse(decorateParameters(code, spirv.FuncParamNoReadWrite))
	if err != nil {
		t.Fatal(err)
	}
	d := &Device{driver: &Driver{options: Options{Translator: translatorPath()}}}
	if _, err := d.translateModule(t.Context(), m); err != nil {
		t.Error(err)
	}
}

// TestWithoutDecoration: nothing but the decorations goes.
func TestWithoutDecoration(t *testing.T) {
	code, err := os.ReadFile("../drivertest/testdata/app.spv")
	if err != nil {
		t.Fatal(err)
	}
	plain, err1 := spirv.Parse(code)
	m, err2 := spirv.Parse(decorateParameters(code, spirv.FuncParamNoReadWrite))
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	if bytes.Equal(m.Bytes(), plain.Bytes()) {
		t.Fatal("the module has no parameters")
	}
	m, err = m.WithoutDecoration(spirv.DecorationFuncParamAttr, spirv.FuncParamNoReadWrite)
	if err != nil || !bytes.Equal(m.Bytes(), plain.Bytes()) {
		t.Errorf("the module differs by more than the decorations: %v", err)
	}
}

// decorateParameters gives an attribute to every parameter of a module.
func decorateParameters(code []byte, attribute uint32) []byte {
	const header = 20
	types, decorations := 0, []byte(nil)
	for at := header; at < len(code); {
		word := binary.LittleEndian.Uint32(code[at:])
		switch op := spirv.Opcode(word & 0xffff); {
		case op == spirv.OpFunctionParameter:
			id := binary.LittleEndian.Uint32(code[at+8:])
			for _, w := range []uint32{4<<16 | uint32(spirv.OpDecorate), id, uint32(spirv.DecorationFuncParamAttr), attribute} {
				decorations = binary.LittleEndian.AppendUint32(decorations, w)
			}
		case op >= spirv.OpTypeVoid && types == 0:
			if op <= spirv.OpTypePointer {
				types = at
			}
		}
		at += 4 * int(word>>16)
	}
	return append(append(append([]byte(nil), code[:types]...), decorations...), code[types:]...)
}

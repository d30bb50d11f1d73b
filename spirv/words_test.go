package spirv

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"
	"testing"
)

// TestEachInstruction compares the walk over bytes with Parse's over words.
func TestEachInstruction(t *testing.T) {
	code := readTestdata(t, "app.spv")
	m, err := Parse(code)
	if err != nil {
		t.Fatal(err)
	}
	var want, got []Opcode
	for in := range m.allInstructions {
		want = append(want, in.Op)
	}
	if err := EachInstruction(code, func(op Opcode, _ []byte) { got = append(got, op) }); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %v\nwant %v", got, want)
	}
}

// TestEachInstructionChanges changes an operand in place.
func TestEachInstructionChanges(t *testing.T) {
	code := bytes.Clone(readTestdata(t, "app.spv"))
	err := EachInstruction(code, func(op Opcode, instruction []byte) {
		if op == OpMemoryModel {
			binary.LittleEndian.PutUint32(instruction[4:], uint32(AddressingPhysical32))
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	m, err := Parse(code)
	if err != nil {
		t.Fatal(err)
	}
	if got := m.AddressingModel(); got != AddressingPhysical32 {
		t.Errorf("addressing model %v", got)
	}
}

func TestEachInstructionErrors(t *testing.T) {
	whole := readTestdata(t, "app.spv")
	empty := bytes.Clone(whole)
	binary.LittleEndian.PutUint32(empty[20:], uint32(OpCapability))
	for name, code := range map[string][]byte{
		"nothing":               nil,
		"another file":          []byte("\x7fELF and more than a header of words"),
		"half a header":         whole[:12],
		"half an instruction":   whole[:24],
		"half a word":           append(bytes.Clone(whole), 1, 0),
		"empty instruction":     empty,
		"big-endian first word": {0x07, 0x23, 0x02, 0x03},
	} {
		err := EachInstruction(code, func(Opcode, []byte) {})
		var format *FormatError
		if !errors.Is(err, ErrNotSPIRV) && !errors.As(err, &format) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

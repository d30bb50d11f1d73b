package main

import (
	"bytes"
	"fmt"

	"offlink/spirv"
)

// setReport is for -spirv-print-report, whose report goes to standard output whatever -o says.
func (t *spirvTool) setReport(arg string) error {
	t.listing = t.listing || arg == "true"
	return t.setConversion("-spirv-print-report", reportModule)(arg)
}

// reportModule describes the head of a module in the words of llvm-spirv.
func reportModule(input []byte) ([]byte, error) {
	m, err := spirv.Parse(input)
	if err != nil {
		return nil, badOption("%s: %w", "Invalid SPIR-V binary", err)
	}
	var out bytes.Buffer
	fmt.Fprintf(&out, "SPIR-V module report:\n Version: %v\n Memory model: %s\n Addressing model: %v\n", m.Version, m.MemoryModel(), m.AddressingModel())
	for _, part := range []struct {
		plural, singular string
		names            []string
	}{
		{"capabilities", "Capability", m.Capabilities()},
		{"extensions", "Extension", m.Extensions()},
		{"extended instruction sets", "Extended Instruction Set", m.InstructionSets()},
	} {
		fmt.Fprintf(&out, " Number of %s: %d\n", part.plural, len(part.names))
		for _, name := range part.names {
			fmt.Fprintf(&out, "  %s: %s\n", part.singular, name)
		}
	}
	return out.Bytes(), nil
}

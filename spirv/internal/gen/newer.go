package main

import (
	_ "embed"
	"fmt"
	"strings"
)

//go:embed newer.txt
var newerRows string

// mergeNewer puts the rows of newer.txt into the grammar. They come before its own rows, since the
// first of several rows with the same number counts.
func (g *grammar) mergeNewer(rows string) error {
	var instructions []instruction
	for i, line := range strings.Split(rows, "\n") {
		fields := strings.Fields(line)
		if len(fields) == 0 || fields[0] == "#" {
			continue
		}
		switch {
		case fields[0] == "kind" && len(fields) == 3:
			g.Kinds = append(g.Kinds, kind{Category: fields[1], Kind: fields[2]})
		case fields[0] == "enumerant" && len(fields) >= 4 && g.findKind(fields[1]) != nil:
			k := g.findKind(fields[1])
			e := enumerant{Value: []byte(fields[2]), Name: fields[3], Parameters: parseOperands(fields[4:])}
			k.Enumerants = append([]enumerant{e}, k.Enumerants...)
		case fields[0] == "instruction" && len(fields) >= 3:
			in := instruction{Name: fields[2], Operands: parseOperands(fields[3:])}
			if _, err := fmt.Sscan(fields[1], &in.Opcode); err != nil {
				return fmt.Errorf("newer.txt:%d: %w", i+1, err)
			}
			instructions = append(instructions, in)
		default:
			return fmt.Errorf("newer.txt:%d: not a kind, an enumerant of a known kind or an instruction: %s", i+1, line)
		}
	}
	g.Instructions = append(instructions, g.Instructions...)
	return nil
}

func (g *grammar) findKind(name string) *kind {
	for i := range g.Kinds {
		if g.Kinds[i].Kind == name {
			return &g.Kinds[i]
		}
	}
	return nil
}

// parseOperands reads "IdRef", "IdRef?" and "IdRef*".
func parseOperands(fields []string) (list []operand) {
	for _, f := range fields {
		name := strings.TrimRight(f, "?*")
		list = append(list, operand{Kind: name, Quantifier: strings.TrimPrefix(f, name)})
	}
	return list
}

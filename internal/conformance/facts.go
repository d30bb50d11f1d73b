package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"offlink/spirv"
)

// moduleFacts returns all of a module that a driver or a runtime reads beside the
// instructions, a line each, sorted: version, capabilities, extensions, entry
// points, execution modes, linkage, specialization constants, decorations.
// Identifiers have the names of their functions or variables, so that modules of two
// translators compare.
func moduleFacts(code []byte) ([]string, error) {
	m, err := spirv.Parse(code)
	if err != nil {
		return nil, err
	}
	var text bytes.Buffer
	if err := m.Dump(&text); err != nil {
		return nil, err
	}
	f := &factFinder{module: m, counts: map[string]int{}}
	f.nameOwners()
	for line := range strings.Lines(text.String()) {
		f.addLine(strings.Fields(line))
	}
	f.counts[fmt.Sprintf("version %v", m.Version)] = 1
	list := make([]string, 0, len(f.counts))
	for fact, n := range f.counts {
		if n > 1 {
			fact = fmt.Sprintf("%s (%d)", fact, n)
		}
		list = append(list, fact)
	}
	slices.Sort(list)
	return list, nil
}

// factFinder counts facts.
type factFinder struct {
	module *spirv.Module
	owners map[string]string // %N, named
	counts map[string]int
}

// nameOwners names every identifier: functions and variables by their names, others
// by the function that they are in.
func (f *factFinder) nameOwners() {
	f.owners = map[string]string{}
	spell := func(n spirv.ID) string { return fmt.Sprintf("%%%d", n) }
	name := func(n spirv.ID) string {
		if linkage, ok := f.module.LinkageName(n); ok {
			return linkage
		}
		return f.module.Name(n)
	}
	for _, e := range f.module.EntryPoints() {
		f.owners[spell(e.Function)] = "kernel " + e.Name
	}
	for _, g := range f.module.Globals() {
		f.owners[spell(g.Result())] = "global " + name(g.Result())
	}
	for _, function := range f.module.Functions() {
		owner := f.owners[spell(function.ID())]
		if owner == "" {
			owner = "function " + name(function.ID())
		}
		f.owners[spell(function.ID())] = owner
		for i, p := range function.Params {
			f.owners[spell(p.Result())] = fmt.Sprintf("parameter %d of %s", i, owner)
		}
		for _, in := range function.Body {
			if in.Result() != 0 {
				f.owners[spell(in.Result())] = "value of " + owner
			}
		}
	}
}

// addLine takes a line of the module's text.
func (f *factFinder) addLine(words []string) {
	if len(words) > 2 && words[1] == "=" {
		if strings.HasPrefix(words[2], "OpSpecConstant") && words[2] != "OpSpecConstantOp" {
			f.counts["specialization constant "+words[2]]++
		}
		return
	}
	switch words[0] {
	case "OpCapability", "OpExtension", "OpMemoryModel", "OpSource":
		f.counts[strings.Join(words, " ")]++
	case "OpEntryPoint":
		f.counts["OpEntryPoint "+words[1]+" "+words[3]]++
	case "OpExecutionMode", "OpDecorate", "OpGroupDecorate":
		owner := f.owners[words[1]]
		if owner == "" {
			owner = "other"
		}
		f.counts[fmt.Sprintf("%s %s: %s", words[0], owner, strings.Join(words[2:], " "))]++
	}
}

// factKind returns the part of a fact by which differences are grouped: for a decoration the
// kind of its target and its first words, without the number of times that it is there.
func factKind(fact string) string {
	head, rest, decorated := strings.Cut(fact, ": ")
	if i := strings.LastIndex(fact, " ("); !decorated && i > 0 {
		return fact[:i]
	}
	if !decorated {
		return fact
	}
	fields, words := strings.Fields(head), strings.Fields(rest)
	kind := fields[0] + " of a " + fields[1] + ": " + words[0]
	if len(words) > 1 && !strings.HasPrefix(words[1], "(") {
		kind += " " + words[1]
	}
	return kind
}

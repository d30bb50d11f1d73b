package fromir

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the table in docs/to-spirv.md")

const (
	supportBegin = "<!-- support: written by \"go generate ./spirv/fromir\" -->\n"
	supportEnd   = "<!-- end of support -->\n"
)

// TestDocumentation: the support table of docs/to-spirv.md is that of the code.
func TestDocumentation(t *testing.T) {
	const path = "../../docs/to-spirv.md"
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, begins := strings.Cut(string(text), supportBegin)
	_, after, ends := strings.Cut(rest, supportEnd)
	if !begins || !ends {
		t.Fatalf("%s has no place for the table", path)
	}
	want := before + supportBegin + supportTable(t) + supportEnd + after
	switch {
	case want == string(text):
	case *update:
		if err := os.WriteFile(path, []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("the table of %s is not that of the code: run go generate ./spirv/fromir", path)
	}
}

// supportTable lists the intrinsics, the functions of OpenCL C and the extensions.
func supportTable(t *testing.T) string {
	var b strings.Builder
	row := func(what string, names []string) {
		slices.Sort(names)
		fmt.Fprintf(&b, "| %s | %s |\n", what, strings.Join(names, ", "))
	}
	b.WriteString("\n| Kind | Names |\n|---|---|\n")
	instructions := map[string][]string{}
	for name, instruction := range extendedIntrinsics.Get() {
		instructions["`"+instruction+"`"] = append(instructions["`"+instruction+"`"], "`llvm."+name+"`")
	}
	var mapped []string
	for instruction, names := range instructions {
		slices.Sort(names)
		mapped = append(mapped, strings.Join(names, " and ")+" ("+instruction+")")
	}
	row("intrinsics that an instruction of OpenCL.std does", mapped)
	row("intrinsics that other instructions do", quoted("llvm.", append(slices.Collect(maps.Keys(intrinsicWriters.Get())), "preserve.array.access.index", "preserve.struct.access.index")))
	row("intrinsics that give their first argument", quoted("llvm.", slices.Collect(maps.Keys(passedIntrinsics.Get()))))
	row("intrinsics that are left out", quoted("llvm.", slices.Collect(maps.Keys(droppedIntrinsics.Get()))))
	row("work-item functions, which read a built-in variable", quoted("", slices.Collect(maps.Keys(workItemVariables.Get()))))
	row("functions of OpenCL C that one instruction does, beside those of OpenCL.std", quoted("", slices.Collect(maps.Keys(plainFunctions.Get()))))
	row("functions of pipes", quoted("", slices.Collect(maps.Keys(pipeFunctions.Get()))))
	row("extensions that are used where they are allowed", quoted("", usedExtensions(t)))
	b.WriteString("\n")
	return b.String()
}

func quoted(prefix string, names []string) []string {
	for i := range names {
		names[i] = "`" + prefix + names[i] + "`"
	}
	return names
}

// usedExtensions finds the names of extensions in the sources.
func usedExtensions(t *testing.T) []string {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	name := regexp.MustCompile(`"(SPV_[A-Z]+_[a-z0-9_]+)"`)
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") || file == "knownextensions.go" {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range name.FindAllSubmatch(text, -1) {
			found[string(m[1])] = true
		}
	}
	return slices.Collect(maps.Keys(found))
}

package main

import (
	"bytes"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"offlink/internal/testtool"
)

// A listing has the facts about a module that a consumer of an image depends on,
// a line for each symbol: testdata/postlink has them for the modules that the reference tool
// wrote. The module is assembled and disassembled with LLVM 19 first, which
// has then accepted it.
//
//	define  @name linkage [calling convention] [comdat] [sycl-entry-point] insts=N [refs=@a,@b] [md=!kind]
//	declare @name linkage [calling convention] ...
//	global  @name linkage [addrspace(N)] global|constant [comdat] [refs=...] [md=...]
//	extern  @name ...                      a variable without initialiser
//	alias   @name linkage refs=...
//	named   !name N                        named metadata with N operands

// listings returns the listings of the modules in files, text or bitcode, by
// file. One llvm-dis reads them all: starting it costs more than its work.
func listings(t testing.TB, files []string) (map[string]string, error) {
	out := map[string]string{}
	var missing, bitcode []string
	dir := t.TempDir()
	for i, file := range files {
		module := readFile(t, file)
		if list, known := knownListings.Load(string(module)); known {
			out[file] = list.(string)
			continue
		}
		if !bytes.HasPrefix(module, []byte("BC")) {
			var err error
			if module, err = pipe(t, "llvm-as-19", module); err != nil {
				return nil, fmt.Errorf("%s: %w\n%s", file, err, readFile(t, file))
			}
		}
		path := filepath.Join(dir, strconv.Itoa(i)+".bc")
		writeFile(t, path, module)
		missing, bitcode = append(missing, file), append(bitcode, path)
	}
	if len(missing) == 0 {
		return out, nil
	}
	if said, err := exec.Command(testtool.Path(t, "llvm-dis-19"), bitcode...).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%v: %w\n%s", missing, err, said)
	}
	for i, file := range missing {
		list := listText(string(readFile(t, strings.TrimSuffix(bitcode[i], ".bc")+".ll")))
		knownListings.Store(string(readFile(t, file)), list)
		out[file] = list
	}
	return out, nil
}

// knownListings has the listings by module: many images of one input are the
// same whatever the options.
var knownListings sync.Map

// pipe runs a tool over data.
func pipe(t testing.TB, tool string, data []byte) ([]byte, error) {
	cmd := exec.Command(testtool.Path(t, tool), "-o", "-")
	cmd.Stdin = bytes.NewReader(data)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("%s: %w\n%s", tool, err, stderr.Bytes())
	}
	return out, err
}

const symbol = `(?:"[^"]*"|[-a-zA-Z$._0-9]+)`

var (
	quoted        = regexp.MustCompile(`"[^"]*"`)
	attributeLine = regexp.MustCompile(`(?m)^attributes #(\d+) = \{(.*)\}$`)
	functionName  = regexp.MustCompile(`@` + symbol + `\(`)
	variableName  = regexp.MustCompile(`^@` + symbol)
	reference     = regexp.MustCompile(`@"[^"]*"|@[-a-zA-Z$._0-9]+|"[^"]*"`)
	numbered      = regexp.MustCompile(`^@\d+$`)
	attachedKind  = regexp.MustCompile(`(![a-zA-Z$._\\][\w$.\\-]*) !`)
	groupNumber   = regexp.MustCompile(`(?:^|[^!])#(\d+)`)
	comdatWord    = regexp.MustCompile(`(?:^|[^%@$\w".])comdat\b`)
	globalWord    = regexp.MustCompile(`\b(global|constant)\b`)
	spaceWord     = regexp.MustCompile(`addrspace\((\d+)\)`)
	aliasWord     = regexp.MustCompile(`^(?:[\w.()]+ )*?(alias|ifunc) `)
	namedMetadata = regexp.MustCompile(`^![a-zA-Z$._"\\]`)
)

func listText(text string) string {
	entryGroups := map[string]bool{}
	for _, m := range attributeLine.FindAllStringSubmatch(text, -1) {
		entryGroups[m[1]] = strings.Contains(m[2], `"sycl-entry-point"`)
	}
	var out []string
	lines := strings.Split(text, "\n")
	for i := 0; i < len(lines); i++ {
		l := lines[i]
		switch {
		case strings.HasPrefix(l, "define "):
			end := i + slices.Index(lines[i:], "}")
			out = append(out, listFunction(l, lines[i+1:end], entryGroups))
			i = end
		case strings.HasPrefix(l, "declare "):
			out = append(out, listFunction(l, nil, entryGroups))
		case strings.HasPrefix(l, "@"):
			out = append(out, listVariable(l))
		case namedMetadata.MatchString(l):
			out = append(out, listNamed(l))
		case strings.HasPrefix(l, "target triple"), strings.HasPrefix(l, "source_filename"), strings.HasPrefix(l, "module asm"):
			out = append(out, l)
		}
	}
	slices.Sort(out)
	for _, kind := range []string{"DICompileUnit", "DISubprogram", "DIGlobalVariable"} {
		if n := len(regexp.MustCompile(`(?m)^!\d+ = (?:distinct )?!`+kind+`\(`).FindAllString(text, -1)); n > 0 {
			out = append(out, fmt.Sprintf("debug %s %d", kind, n))
		}
	}
	return strings.Join(out, "\n") + "\n"
}

func listFunction(head string, body []string, entryGroups map[string]bool) string {
	at := functionName.FindStringIndex(head)
	before, tail := strings.Fields(head[:at[0]]), head[at[1]:]
	line := []string{before[0], plainName(head[at[0] : at[1]-1]), linkageOf(before[1:])}
	for _, w := range before {
		switch w {
		case "spir_kernel", "spir_func", "amdgpu_kernel", "ptx_kernel", "fastcc", "coldcc", "ccc":
			line = append(line, w)
		}
	}
	unquoted := quoted.ReplaceAllString(tail, `""`)
	if comdatWord.MatchString(unquoted) {
		line = append(line, "comdat")
	}
	for _, m := range groupNumber.FindAllStringSubmatch(unquoted, -1) {
		if entryGroups[m[1]] {
			line = append(line, "sycl-entry-point")
		}
	}
	if before[0] == "define" {
		line = append(line, fmt.Sprintf("insts=%d", countInstructions(body)))
		line = append(line, references(strings.Join(body, "\n"))...)
	}
	return strings.Join(append(line, attachments(tail)...), " ")
}

// countInstructions counts a switch, which takes several lines, as one.
func countInstructions(body []string) (n int) {
	inTable := false
	for _, l := range body {
		trimmed := strings.TrimSpace(l)
		switch {
		case inTable:
			inTable = !strings.HasPrefix(trimmed, "]")
		case strings.HasPrefix(l, "  ") && trimmed != "" && !strings.HasPrefix(trimmed, "#dbg_") && trimmed[0] != ';':
			n++
			inTable = (strings.HasPrefix(trimmed, "switch ") || strings.HasPrefix(trimmed, "indirectbr ")) && strings.HasSuffix(trimmed, "[")
		}
	}
	return n
}

func listVariable(l string) string {
	name := variableName.FindString(l)
	_, rest, _ := strings.Cut(l[len(name):], "=")
	rest = strings.TrimSpace(rest)
	words := strings.Fields(rest)
	before, _, _ := strings.Cut(rest, `"`)
	if aliasWord.MatchString(rest) && !strings.Contains(before+" ", " global ") {
		return strings.Join(append([]string{"alias", plainName(name), linkageOf(words[:1])}, references(rest)...), " ")
	}
	kind := globalWord.FindStringIndex(rest)
	line := []string{"global", plainName(name), linkageOf(words[:1])}
	if words[0] == "external" || words[0] == "extern_weak" {
		line[0] = "extern"
	}
	if m := spaceWord.FindString(rest[:kind[0]]); m != "" {
		line = append(line, m)
	}
	line = append(line, rest[kind[0]:kind[1]])
	if comdatWord.MatchString(quoted.ReplaceAllString(rest[kind[1]:], `""`)) {
		line = append(line, "comdat")
	}
	line = append(line, references(rest)...)
	return strings.Join(append(line, attachments(rest)...), " ")
}

func listNamed(l string) string {
	name, operands, _ := strings.Cut(l, " = ")
	inner := strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(operands), "!{"), "}")
	n := 0
	switch {
	case strings.Contains(operands, "("):
		n = strings.Count(operands, "!DI")
	case inner != "":
		n = len(strings.Split(inner, ", "))
	}
	return fmt.Sprintf("named %s %d", name, n)
}

func plainName(name string) string {
	if numbered.MatchString(name) {
		return "@<unnamed>"
	}
	return name
}

func linkageOf(words []string) string {
	for _, w := range words {
		switch w {
		case "private", "internal", "available_externally", "linkonce", "linkonce_odr", "weak", "weak_odr",
			"common", "appending", "extern_weak", "external":
			return w
		}
	}
	return "external"
}

func references(text string) []string {
	return sortedList("refs=", reference.FindAllString(text, -1), func(m string) (string, bool) {
		return plainName(m), m[0] == '@'
	})
}

func attachments(text string) []string {
	var kinds []string
	for _, m := range attachedKind.FindAllStringSubmatch(text, -1) {
		kinds = append(kinds, m[1])
	}
	return sortedList("md=", kinds, func(m string) (string, bool) { return m, true })
}

func sortedList(label string, found []string, keep func(string) (string, bool)) []string {
	var list []string
	for _, m := range found {
		if name, ok := keep(m); ok {
			list = append(list, name)
		}
	}
	if list == nil {
		return nil
	}
	slices.Sort(list)
	return []string{label + strings.Join(slices.Compact(list), ",")}
}

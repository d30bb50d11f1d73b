// Command prose reads the comments and messages of the sources and the text of
// the pages and reports phrases that the style sheet (words.txt) advises against.
//
//	go run ./internal/prose [FILE...]      default: every file of the tree
//	go run ./internal/prose -figures [DIR] lines, comments, names by package
//
// It exits with 1 if it found something.
package main

import (
	"bufio"
	_ "embed"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

//go:embed words.txt
var wordList string

// rule is one line of the style sheet.
type rule struct {
	phrase *regexp.Regexp
	except *regexp.Regexp // may follow the phrase; nil if nothing may
	advice string
}

func main() {
	rules, err := parseRules(wordList)
	exitOn(err)
	files := os.Args[1:]
	if len(files) > 0 && files[0] == "-figures" {
		exitOn(printFigures(os.Stdout, append(files, ".")[1]))
		return
	}
	if len(files) == 0 {
		files = treeFiles(".")
	}
	found := 0
	for _, file := range files {
		source, err := os.ReadFile(file)
		exitOn(err)
		for _, f := range checkFile(file, string(source), rules) {
			fmt.Println(f)
			found++
		}
	}
	if found > 0 {
		fmt.Printf("prose: %d findings\n", found)
		os.Exit(1)
	}
}

// exitOn ends the program if something went wrong.
func exitOn(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "prose:", err)
		os.Exit(2)
	}
}

// parseRules reads the style sheet. RE2 has no look-ahead, so a phrase that
// ends in "(?!X)" is split into the phrase and its exception.
func parseRules(list string) ([]rule, error) {
	var rules []rule
	lines := bufio.NewScanner(strings.NewReader(list))
	for lines.Scan() {
		line := lines.Text()
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		pattern, advice, ok := strings.Cut(line, "\t")
		if !ok {
			return nil, fmt.Errorf("words.txt: %q has no advice", line)
		}
		var r rule
		r.advice = advice
		pattern, except, hasExcept := strings.Cut(pattern, "(?!")
		var err error
		if r.phrase, err = regexp.Compile("(?i)" + pattern); err != nil {
			return nil, fmt.Errorf("words.txt: %w", err)
		}
		if hasExcept {
			if r.except, err = regexp.Compile("(?i)^(" + except); err != nil {
				return nil, fmt.Errorf("words.txt: %w", err)
			}
		}
		rules = append(rules, r)
	}
	return rules, nil
}

// treeFiles lists the files whose prose counts, in order.
func treeFiles(root string) []string {
	var files []string
	filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() {
			if file != root && (strings.HasPrefix(name, ".") || slices.Contains([]string{"testdata", "build", "bin"}, name)) {
				return filepath.SkipDir
			}
			return nil
		}
		if commentOf(file) != nil {
			files = append(files, file)
		}
		return nil
	})
	return files
}

// The languages by how their prose is found: the first submatch is the prose
// of a line.
var (
	goComment    = regexp.MustCompile(`(?:^|\s)//\s?(.*)$`)
	cComment     = regexp.MustCompile(`^\s*(?:/\*+|//|\*)\s?(.*?)(?:\*/)?$`)
	shellComment = regexp.MustCompile(`(?:^|\s)#\s(.*)$`)
	pageText     = regexp.MustCompile(`^(\S.*|  ?\S.*)$`)
)

func commentOf(file string) *regexp.Regexp {
	switch filepath.Ext(file) {
	case ".go":
		return goComment
	case ".c", ".h", ".hpp", ".cpp", ".cl":
		return cComment
	case ".md":
		return pageText
	case ".cmake", ".mk":
		return shellComment
	}
	if base := filepath.Base(file); base == "Makefile" || filepath.Base(filepath.Dir(file)) == "scripts" {
		return shellComment
	}
	return nil
}

// quoted is text that is not our prose, as it is somebody's words or code, and
// a phrase that the style sheet would take for another: "there is no file".
var quoted = regexp.MustCompile("`[^`]*`|\"[^\"]*\"|(?i:there (?:is|are|was|were) no)\\b")

func checkFile(file, source string, rules []rule) []string {
	comment := commentOf(file)
	if comment == nil || strings.Contains(source, "Code generated") {
		return nil
	}
	lines := commentLines(source, comment)
	if filepath.Ext(file) == ".go" && !strings.HasSuffix(file, "_test.go") {
		lines = append(lines, messageLines(source)...)
	}
	var found []string
	for _, line := range lines {
		prose := quoted.ReplaceAllString(line.text, "Q")
		for _, r := range rules {
			if at := r.phrase.FindStringIndex(prose); at != nil && (r.except == nil || !r.except.MatchString(prose[at[1]:])) {
				found = append(found, fmt.Sprintf("%s:%d: %q: %s", file, line.number, strings.TrimSpace(prose[at[0]:at[1]]), r.advice))
			}
		}
	}
	return found
}

// commentLines returns the prose of a file's comments, or of a page outside of
// its fenced code.
func commentLines(source string, comment *regexp.Regexp) []textLine {
	var lines []textLine
	fenced := false
	for i, line := range strings.Split(source, "\n") {
		if strings.HasPrefix(line, "```") {
			fenced = !fenced
		}
		if m := comment.FindStringSubmatch(line); m != nil && !fenced {
			lines = append(lines, textLine{i + 1, m[1]})
		}
	}
	return lines
}

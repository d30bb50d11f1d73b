package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// figures are the measures of readability of one package, or of all.
type figures struct {
	lines, comments   int   // without blank lines
	functions, oneish int   // oneish: named by one lower-case word
	lengths           []int // of the functions, in lines
	whats, behinds    int   // the words "what" and "behind" in comments
}

// oneWord is a name that a search finds everywhere: add, run, value.
var oneWord = regexp.MustCompile(`^[a-z][a-z0-9]*$`)

var (
	wordWhat   = regexp.MustCompile(`(?i)\bwhat\b`)
	wordBehind = regexp.MustCompile(`(?i)\bbehind\b`)
)

// printFigures prints a row for each package of the tree, tests and generated
// files left out, and one for all.
func printFigures(w io.Writer, root string) error {
	packages := map[string]*figures{}
	var all figures
	for _, file := range treeFiles(root) {
		if filepath.Ext(file) != ".go" || strings.HasSuffix(file, "_test.go") {
			continue
		}
		var f figures
		if err := f.addFile(file); err != nil {
			return err
		}
		dir := filepath.Dir(file)
		if packages[dir] == nil {
			packages[dir] = &figures{}
		}
		packages[dir].addFigures(&f)
		all.addFigures(&f)
	}
	fmt.Fprintln(w, "lines  comments  functions  one word  median  longest  \"what\", \"behind\" per 1000 comment lines  package")
	for _, dir := range slices.Sorted(maps.Keys(packages)) {
		packages[dir].printRow(w, dir)
	}
	all.printRow(w, "all")
	return nil
}

func (f *figures) addFigures(other *figures) {
	f.lines += other.lines
	f.comments += other.comments
	f.functions += other.functions
	f.oneish += other.oneish
	f.whats += other.whats
	f.behinds += other.behinds
	f.lengths = append(f.lengths, other.lengths...)
}

// addFile measures a file. Generated files count for nothing, as nobody writes
// their names or comments.
func (f *figures) addFile(name string) error {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, name, nil, parser.ParseComments)
	if err != nil || ast.IsGenerated(file) {
		return err
	}
	used := map[int]bool{} // lines with code or a comment
	ast.Inspect(file, func(n ast.Node) bool {
		if n != nil {
			used[set.Position(n.Pos()).Line], used[set.Position(n.End()).Line] = true, true
		}
		return true
	})
	for _, group := range file.Comments {
		for _, c := range group.List {
			f.comments++
			used[set.Position(c.Pos()).Line] = true
			f.whats += len(wordWhat.FindAllString(c.Text, -1))
			f.behinds += len(wordBehind.FindAllString(c.Text, -1))
		}
	}
	f.lines = len(used)
	for _, d := range file.Decls {
		if d, ok := d.(*ast.FuncDecl); ok && d.Name.Name != "main" && d.Name.Name != "init" {
			f.addFunction(d.Name.Name, set.Position(d.End()).Line-set.Position(d.Pos()).Line+1)
		}
	}
	return nil
}

func (f *figures) addFunction(name string, lines int) {
	f.functions++
	f.lengths = append(f.lengths, lines)
	if oneWord.MatchString(name) {
		f.oneish++
	}
}

func (f *figures) printRow(w io.Writer, name string) {
	if f.lines == 0 {
		return
	}
	median, longest := 0, 0
	if slices.Sort(f.lengths); len(f.lengths) > 0 {
		median, longest = f.lengths[len(f.lengths)/2], f.lengths[len(f.lengths)-1]
	}
	percent := func(n, of int) float64 { return 100 * float64(n) / float64(max(of, 1)) }
	perThousand := func(n int) float64 { return 1000 * float64(n) / float64(max(f.comments, 1)) }
	fmt.Fprintf(w, "%5d  %6.1f %%  %9d  %6.1f %%  %6d  %7d  %27.1f  %5.1f  %s\n", f.lines, percent(f.comments, f.lines), f.functions,
		percent(f.oneish, f.functions), median, longest, perThousand(f.whats), perThousand(f.behinds), name)
}

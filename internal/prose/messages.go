package main

import (
	"go/scanner"
	"go/token"
	"strconv"
	"strings"
)

// textLine is a line of prose with its number in the source.
type textLine struct {
	number int
	text   string
}

// messageLines returns the lines of the string literals of a Go file that read
// as prose: error messages and help texts. Those of fewer than three words are
// names, keys or code. A file that is not valid Go has none; the compiler says
// so.
func messageLines(source string) []textLine {
	var s scanner.Scanner
	files := token.NewFileSet()
	file := files.AddFile("", -1, len(source))
	s.Init(file, []byte(source), func(token.Position, string) {}, 0)
	var lines []textLine
	for {
		pos, kind, literal := s.Scan()
		if kind == token.EOF {
			return lines
		}
		if kind != token.STRING {
			continue
		}
		text, err := strconv.Unquote(literal)
		if err != nil {
			continue
		}
		first := file.Line(pos)
		for i, line := range strings.Split(text, "\n") {
			if literal[0] == '"' {
				i = 0 // the literal stands on one line, whatever lines it spells
			}
			if len(strings.Fields(line)) >= 3 {
				lines = append(lines, textLine{first + i, line})
			}
		}
	}
}

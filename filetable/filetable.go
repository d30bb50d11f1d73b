// Package filetable reads and writes the .table files that name the files of
// each device image, a row for each image (LLVM, SimpleTable.cpp), and the .sym
// files that name its entry points, a line for each.
//
// A table is how a splitter hands images to the tools after it: each of them
// replaces a column (Code, from IR to SPIR-V) and leaves the others alone. The
// format has no quoting, so that a name with a '|' or a line end cannot be
// written; [Table.Bytes] reports it instead of writing a table that reads
// differently.
package filetable

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// MaxSize is the size in bytes up to which programs read tables and symbol
// files. A row of a module of a million kernels takes less than 200 bytes.
const MaxSize = 256 << 20

// The columns that tools know.
const (
	ColumnCode       = "Code"
	ColumnProperties = "Properties"
	ColumnSymbols    = "Symbols"
	ColumnManifest   = "Manifest"
	ColumnArch       = "Arch" // ours: the processor of the target

	// Ours: the target and the form of a row's code; an empty cell leaves them to
	// the command line.
	ColumnTarget = "Target"
	ColumnFormat = "Format"
)

// Table is a table of file names. Every row has as many cells as Columns;
// cells may be empty.
type Table struct {
	Columns []string
	Rows    [][]string

	lines []int // of the rows; nil for a table that was not read
}

// Line returns the line of the text that a row was read from, counted from 1,
// or 0 for a row that was not read.
func (t *Table) Line(row int) int {
	if row >= len(t.lines) {
		return 0
	}
	return t.lines[row]
}

// Column returns the index of the column, or -1.
func (t *Table) Column(name string) int { return slices.Index(t.Columns, name) }

// Cell returns the cell of the row in that column, or an empty string if the
// table lacks the column.
func (t *Table) Cell(row int, column string) string {
	if i := t.Column(column); i >= 0 {
		return t.Rows[row][i]
	}
	return ""
}

// Bytes returns the table as text. It fails on a cell that the format cannot
// hold: '|' and line ends cannot be quoted, and empty lines are skipped.
func (t *Table) Bytes() ([]byte, error) {
	var b bytes.Buffer
	if err := writeRow(&b, "[", t.Columns, "]\n"); err != nil {
		return nil, err
	}
	for _, row := range t.Rows {
		if len(row) != len(t.Columns) {
			return nil, fmt.Errorf("a row of %d cells in a table of %d columns", len(row), len(t.Columns))
		}
		if len(row) == 1 && row[0] == "" {
			return nil, errors.New("a row of one empty cell would be an empty line, which readers skip")
		}
		if err := writeRow(&b, "", row, "\n"); err != nil {
			return nil, err
		}
	}
	return b.Bytes(), nil
}

func writeRow(b *bytes.Buffer, prefix string, cells []string, suffix string) error {
	for _, cell := range cells {
		if strings.ContainsAny(cell, "|\n\r") {
			return fmt.Errorf("the file name %q has a '|' or a line end, which a table cannot hold: rename the file", cell)
		}
	}
	b.WriteString(prefix + strings.Join(cells, "|") + suffix)
	return nil
}

// Error is a fault of a table, at a line counted from 1.
type Error struct {
	Line int
	Msg  string
}

func (e *Error) Error() string { return fmt.Sprintf("%d: %s", e.Line, e.Msg) }

// Parse reads a table. Without a title line the columns are named "0", "1"
// and so on. Errors are of type *[Error].
func Parse(data []byte) (*Table, error) {
	t := &Table{}
	number := 0
	for line := range strings.Lines(string(data)) {
		number++
		line = trimLineEnd(line)
		if line == "" {
			continue
		}
		if err := t.addLine(number, line); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// trimLineEnd takes "\n" or "\r\n" off the end of a line.
func trimLineEnd(line string) string {
	line, ended := strings.CutSuffix(line, "\n")
	if ended {
		line = strings.TrimSuffix(line, "\r")
	}
	return line
}

func (t *Table) addLine(number int, line string) error {
	if t.Columns == nil && line[0] == '[' {
		return t.addTitle(number, line)
	}
	row := strings.Split(line, "|")
	if t.Columns == nil {
		for i := range row {
			t.Columns = append(t.Columns, fmt.Sprint(i))
		}
	}
	if len(row) != len(t.Columns) {
		return &Error{number, fmt.Sprintf("row size mismatch at line %d: %d cells, the table has %d columns", number, len(row), len(t.Columns))}
	}
	t.Rows, t.lines = append(t.Rows, row), append(t.lines, number)
	return nil
}

func (t *Table) addTitle(number int, line string) error {
	if !strings.HasSuffix(line, "]") {
		return &Error{number, "malformed title line: it has no closing ']'"}
	}
	known := map[string]bool{}
	for _, name := range strings.Split(line[1:len(line)-1], "|") {
		if known[name] {
			return &Error{number, "column already exists " + name}
		}
		known[name] = true
		t.Columns = append(t.Columns, name)
	}
	return nil
}

// ParseSymbols reads a .sym file: a name in each line, raw bytes, not escaped. Empty
// lines are skipped.
func ParseSymbols(data []byte) []string {
	var names []string
	for line := range strings.Lines(string(data)) {
		if name := trimLineEnd(line); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// FormatSymbols writes a .sym file. The names must have no line ends in them.
func FormatSymbols(names []string) []byte {
	var b bytes.Buffer
	for _, name := range names {
		b.WriteString(name + "\n")
	}
	return b.Bytes()
}

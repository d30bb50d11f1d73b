package main

import (
	"bufio"
	"io"
	"slices"
	"strconv"
	"strings"

	"offlink/props"
	"offlink/wrapper"
)

// A row of the table is a string of cells with a NUL behind each: there may be
// tens of thousands of rows.

var tableHead = strings.Join([]string{"IMAGE", "KIND", "TARGET", "FORMAT", "SIZE", "ENTRIES", "EXPORTS", "IMPORTS", "SETS", "WHERE", ""}, "\x00")

const tableColumns = 10

// appendRow appends the row of image i. Nothing in it holds a NUL.
func appendRow(row []byte, f *wrapper.File, i int, inside string) []byte {
	img := &f.Images()[i]
	number := func(n int64) { row = append(strconv.AppendInt(row, n, 10), 0) }
	text := func(s string) { row = append(append(row, s...), 0) }
	number(int64(i))
	text(img.Kind.String())
	text(quoteOdd(img.Target))
	text(formatCell(img.Format.String(), inside))
	number(img.Code.Size())
	number(int64(len(img.Entries)))
	number(int64(setSize(img.Properties.Get(props.SetExportedSymbols))))
	number(int64(setSize(img.Properties.Get(props.SetImportedSymbols))))
	if img.Properties == nil {
		number(0)
	} else {
		number(int64(len(img.Properties.All)))
	}
	row = append(append(row, f.Name()...), ": "...)
	return append(img.Place.Append(row), 0)
}

func setSize(set *props.Set) int {
	if set == nil {
		return 0
	}
	return len(set.Properties)
}

// formatCell is the format and what is inside.
func formatCell(format, inside string) string {
	if inside == "" {
		return format
	}
	return format + " (" + inside + ")"
}

// quoteOdd quotes text that would be empty or break a line of the listing.
func quoteOdd(s string) string {
	if s == "" || strings.ContainsFunc(s, func(c rune) bool { return c <= ' ' || c == 0x7f }) {
		return strconv.Quote(s)
	}
	return s
}

// printTable prints rows with aligned columns, the last as it comes.
func printTable(out io.Writer, rows []string) error {
	var widths [tableColumns]int
	rows = slices.Insert(rows, 0, tableHead)
	for _, row := range rows {
		for i := range widths {
			end := strings.IndexByte(row, 0)
			widths[i], row = max(widths[i], end), row[end+1:]
		}
	}
	w := bufio.NewWriterSize(out, 1<<16)
	blanks := strings.Repeat(" ", slices.Max(widths[:])+2)
	for _, row := range rows {
		for _, width := range widths[:tableColumns-1] {
			end := strings.IndexByte(row, 0)
			w.WriteString(row[:end])
			w.WriteString(blanks[:width-end+2])
			row = row[end+1:]
		}
		w.WriteString(row[:len(row)-1])
		w.WriteByte('\n')
	}
	return w.Flush()
}

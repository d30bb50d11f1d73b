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

// tableHead is the first row of the table. A row is one string of cells with a NUL after
// each, which takes less memory than slices: there may be tens of thousands of rows. No cell
// is empty or has a blank in it, so that awk and cut split rows as they are printed.

var tableHead = strings.Join([]string{
	"IMAGE", "KIND", "TARGET", "ARCH", "FORMAT", "SIZE", "ENTRIES", "EXPORTS", "IMPORTS", "SETS", "OFFSET", "WHERE", "FILE", "",
}, "\x00")

const tableColumns = 13

// appendRow appends the row of image i. Nothing in it holds a NUL.
func appendRow(row []byte, f *wrapper.File, i int, found finding) []byte {
	img := &f.Images()[i]
	appendNumber := func(n int) { row = append(strconv.AppendInt(row, int64(n), 10), 0) }
	appendText := func(s string) { row = append(append(row, tableCell(s)...), 0) }
	appendNumber(i)
	appendText(img.Kind.String())
	appendText(img.Target)
	appendText(img.Arch)
	appendText(formatCell(img.Format.String(), found.inside))
	row = append(strconv.AppendInt(row, img.Code.Size(), 10), 0)
	appendNumber(len(found.kernels))
	appendNumber(setSize(img.Properties.Get(props.SetExportedSymbols)))
	appendNumber(setSize(img.Properties.Get(props.SetImportedSymbols)))
	if img.Properties == nil {
		appendNumber(0)
	} else {
		appendNumber(len(img.Properties.All))
	}
	if img.Offset >= 0 {
		row = append(strconv.AppendInt(append(row, "0x"...), img.Offset, 16), 0)
	} else {
		appendText("")
	}
	appendText(whereCell(&img.Location))
	appendText(f.Name())
	return row
}

// whereCell is the path to an image within its file: members of archives,
// entries of bundles, sections.
func whereCell(p *wrapper.Location) string {
	section := p.Section
	if section == "" && len(p.Path) == 0 {
		return strings.ReplaceAll(string(p.Envelope), " ", "-")
	}
	if section == "" {
		return strings.Join(p.Path, "!")
	}
	if len(p.Path) == 0 {
		return section
	}
	return strings.Join(p.Path, "!") + "!" + section
}

// setSize returns the number of properties of a set, or of none.
func setSize(set *props.Set) int {
	if set == nil {
		return 0
	}
	return len(set.Properties)
}

// formatCell is the format and the form inside.
func formatCell(format, inside string) string {
	if inside == "" {
		return format
	}
	return format + "/" + inside
}

// tableCell is a text as a cell of a table: a dash for an empty one, and quoted,
// without blanks, if it has blanks or characters that could move a terminal's
// cursor.
func tableCell(s string) string {
	if s == "" {
		return "-"
	}
	if strings.ContainsFunc(s, isOdd) {
		return strings.ReplaceAll(strconv.Quote(s), " ", `\x20`)
	}
	return s
}

func isOdd(c rune) bool { return c <= ' ' || c > '~' && !strconv.IsPrint(c) }

// quoteOdd quotes text that would be empty or break a line of the listing.
func quoteOdd(s string) string {
	if s == "" || strings.ContainsFunc(s, isOdd) {
		return strconv.Quote(s)
	}
	return s
}

// quoteControls quotes text with characters that could move a terminal's
// cursor; blanks stay.
func quoteControls(s string) string {
	if strings.ContainsFunc(s, func(c rune) bool { return !strconv.IsPrint(c) }) {
		return strconv.Quote(s)
	}
	return s
}

// The heading is bold on a terminal (ECMA-48, SGR).
const bold, plain = "\x1b[1m", "\x1b[m"

// printTable prints rows with aligned columns, except for the last, which is not padded.
func printTable(out io.Writer, rows []string, coloured bool) error {
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
	for i, row := range rows {
		if i == 0 && coloured {
			w.WriteString(bold)
		}
		for _, width := range widths[:tableColumns-1] {
			end := strings.IndexByte(row, 0)
			w.WriteString(row[:end])
			w.WriteString(blanks[:width-end+2])
			row = row[end+1:]
		}
		w.WriteString(row[:len(row)-1])
		if i == 0 && coloured {
			w.WriteString(plain)
		}
		w.WriteByte('\n')
	}
	return w.Flush()
}

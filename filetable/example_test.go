package filetable_test

import (
	"fmt"
	"log"
	"strings"

	"offlink/filetable"
)

// A tool replaces the files of one column and keeps the others.
func Example() {
	table, err := filetable.Parse([]byte("[Code|Properties|Symbols]\napp_0.bc|app_0.prop|app_0.sym\n"))
	if err != nil {
		log.Fatal(err)
	}
	code := table.Column(filetable.ColumnCode)
	for _, row := range table.Rows {
		row[code] = strings.TrimSuffix(row[code], ".bc") + ".spv"
	}
	text, err := table.Bytes()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s", text)
	// Output:
	// [Code|Properties|Symbols]
	// app_0.spv|app_0.prop|app_0.sym
}

// Irgen writes a generated module to standard output.
package main

import (
	"flag"
	"fmt"
	"os"

	"offlink/internal/irgen"
)

func main() {
	var c irgen.Config
	flag.IntVar(&c.Kernels, "kernels", 100, "number of kernels")
	flag.BoolVar(&c.Debug, "g", false, "with debug information")
	flag.Parse()
	if err := irgen.Write(os.Stdout, c); err != nil {
		fmt.Fprintln(os.Stderr, "irgen:", err)
		os.Exit(1)
	}
}

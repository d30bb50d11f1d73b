package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"offlink/cmd/internal/cli"
	"offlink/ir"
	"offlink/ir/irtext"
)

// openModule reads the input. The module is good until the returned function
// is called.
func openModule(o *options, s cli.Streams) (*ir.Module, func(), error) {
	name, data, err := readInput(o.input, s)
	if err != nil {
		return nil, nil, err
	}
	m, err := irtext.Parse(name, data)
	if err != nil {
		return nil, nil, err
	}
	if m.SourceFilename == "" {
		m.SourceFilename = m.Path
	}
	return m, func() {}, nil
}

func readInput(path string, s cli.Streams) (name string, data []byte, err error) {
	if path == "-" {
		data, err = io.ReadAll(s.In)
		return "<stdin>", data, err
	}
	data, err = os.ReadFile(path)
	var pe *os.PathError
	if errors.As(err, &pe) {
		err = fmt.Errorf("%s: error: Could not open input file: %w", path, pe.Err)
	}
	return path, data, err
}

package bitcode

import (
	"errors"
	"io"

	"offlink/ir"
)

var errUnwritten = errors.New("bitcode: not implemented")

// Calls is still missing.
func (s *source) Calls(ir.ValueID, map[ir.ValueID]bool) ([]ir.Call, error) { return nil, errUnwritten }

// RefsWithout is still missing.
func (s *source) RefsWithout(ir.ValueID, []int) ([]ir.Ref, error) { return nil, errUnwritten }

// NewWriter is still missing.
func (s *source) NewWriter() ir.SliceWriter { return noWriter{} }

type noWriter struct{}

func (noWriter) WriteSlice(io.Writer, *ir.Slice) error { return errUnwritten }

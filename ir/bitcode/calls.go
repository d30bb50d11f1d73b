package bitcode

import (
	"errors"

	"offlink/ir"
)

var errUnwritten = errors.New("bitcode: not implemented")

// Calls is still missing.
func (s *source) Calls(ir.ValueID, map[ir.ValueID]bool) ([]ir.Call, error) { return nil, nil }

// RefsWithout is still missing.
func (s *source) RefsWithout(ir.ValueID, []int) ([]ir.Ref, error) { return nil, errUnwritten }

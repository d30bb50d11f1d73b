package irtext

import "offlink/ir"

// ValueSize implements [ir.Sizer].
func (t *text) ValueSize(id ir.ValueID) int64 {
	at := t.values[id].span
	return int64(at.end) - int64(at.start)
}

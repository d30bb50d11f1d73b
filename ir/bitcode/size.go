package bitcode

import "offlink/ir"

// ValueSize implements [ir.Sizer]: the bytes of the records of a function's
// body as they are held here, a little more than in the input, where records
// are packed to bits; of other values, those of their own record and, for a
// variable with an initialiser, of that constant's.
func (s *source) ValueSize(id ir.ValueID) int64 {
	rec := s.headerRecord(id)
	size := int64(4 * rec.count)
	if body := s.values.entryOf(id).body(); body >= 0 {
		b := &s.bodies[body]
		size += int64(len(b.constants.arena) + len(b.metadata.arena) + len(b.code) + len(b.symbols) + len(b.attached))
	}
	if s.module.Values[id].Kind == ir.Variable && rec.fieldAt(varInit) > 0 {
		size += s.constantSize(rec.fieldAt(varInit) - 1)
	}
	return size
}

// constantSize returns the bytes of the record of a constant of the module,
// without those of its operands. Constants are numbered after the values.
func (s *source) constantSize(id uint64) int64 {
	if first := uint64(s.values.count()); id >= first && id-first < uint64(s.constants.count()) {
		return int64(len(s.constants.openRecord(int(id - first)).data))
	}
	return 0
}

package emitwasm

import "offlink/runtime/hostdev/internal/lanes"

// wazero 1.12 makes one instruction of a comparison with zero, an i32.and that is
// the other operand, and the branch that takes the result: it tests the bits of the
// conjunction. Where zero is the left operand it forgets that the order is turned,
// so that 0 < (x & 7) is never true (tryLowerBandToFlag, on amd64 and arm64).
//
// A comparison is emitted in the order in which that cannot be; it sees values
// through locals, so that every register counts that may have one of the two.

// comparisonSides tells of each register whether wazero may find it to be zero, or
// a conjunction.
type comparisonSides struct{ zero, conjunction []bool }

// findSides finds the registers that are set to zero or to a conjunction, and those
// that they are copied to.
func (e *emitter) findSides() {
	n := len(e.code.Regs)
	e.sides = comparisonSides{make([]bool, n), make([]bool, n)}
	copies := map[lanes.Reg][]lanes.Reg{}
	var found []lanes.Reg
	for i := range e.code.Insts {
		in := &e.code.Insts[i]
		switch {
		case in.Dst == lanes.NoReg || in.Type.Lanes != 1:
			continue
		case in.Op == lanes.OpConst && in.Imm == 0:
			e.sides.zero[in.Dst] = true
		case in.Op == lanes.OpAnd, in.Op == lanes.OpExtract:
			e.sides.conjunction[in.Dst] = true
		case in.Op == lanes.OpCopy, in.Op == lanes.OpCast, in.Op == lanes.OpInt: // the same local value
			copies[in.Args[0]] = append(copies[in.Args[0]], in.Dst)
			continue
		default:
			continue
		}
		found = append(found, in.Dst)
	}
	for len(found) > 0 {
		from := found[len(found)-1]
		found = found[:len(found)-1]
		for _, to := range copies[from] {
			if e.sides.copyTo(to, from) {
				found = append(found, to)
			}
		}
	}
}

// copyTo notes a copy, and tells whether that told something new.
func (s *comparisonSides) copyTo(to, from lanes.Reg) bool {
	zero, conjunction := s.zero[to] || s.zero[from], s.conjunction[to] || s.conjunction[from]
	changed := zero != s.zero[to] || conjunction != s.conjunction[to]
	s.zero[to], s.conjunction[to] = zero, conjunction
	return changed
}

// isTurned tells whether wazero may take a comparison of these operands the wrong way
// round.
func (s *comparisonSides) isTurned(left, right lanes.Reg) bool {
	return s.zero[left] && s.conjunction[right]
}

// turnedCode is from the instruction of a comparison (lt, le) to that with the operands
// exchanged (gt, ge).
const turnedCode = 2

// emitOrder compares two integers by their order.
func (e *emitter) emitOrder(in *lanes.Inst) {
	left, right := in.Args[0], in.Args[1]
	code := codesOf(e.kindOf(left))[in.Op]
	turned := e.sides.isTurned(left, right)
	if turned {
		left, right, code = right, left, code+turnedCode
	}
	e.pushReg(left, 0)
	e.pushReg(right, 0)
	e.appendBytes(code)
	if turned && e.sides.isTurned(left, right) {
		e.pushI32(1)
		e.appendBytes(opI32And) // keeps the comparison apart from a branch
	}
	e.popReg(in.Dst, 0)
}

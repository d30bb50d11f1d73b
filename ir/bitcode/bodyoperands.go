package bitcode

import "offlink/ir"

// takeOperands takes operands of those kinds (see [llvmschema.Instruction]) from the list
// and returns the rest. Operands that name something go into the compact record with the
// kind of the thing, so that writing a partition needs no knowledge of instructions.
func (r *bodyReader) takeOperands(name, kinds string, list []uint64) ([]uint64, error) {
	for i := range len(kinds) {
		if len(list) == 0 {
			return nil, r.cursor.Errorf("instruction %s is cut short", name)
		}
		v := list[0]
		list = list[1:]
		var err error
		switch kinds[i] {
		case '.':
			r.out.appendLiteral(v)
		case 'p':
			list, err = r.relativePair(v, list)
		case 'v':
			err = r.relativeOperand(v)
		case 't':
			err = r.valueType(v)
		default:
			err = r.otherOperand(kinds[i], v)
		}
		if err != nil {
			return nil, err
		}
	}
	return list, nil
}

// otherOperand takes an operand of one of the rarer kinds.
func (r *bodyReader) otherOperand(kind byte, v uint64) error {
	switch kind {
	case 's':
		return r.signedOperand(v)
	case 'a':
		return r.absoluteOperand(v)
	case 'g':
		return r.orderHint(v)
	case 'l':
		return r.listOperand(v)
	case 'b':
		return r.basicBlock(v)
	case 'N':
		return r.nodeOperand(&r.out, v, opNode, opFunNode)
	}
	if v == 0 { // 'n'
		r.out.appendLiteral(0)
		return nil
	}
	return r.nodeOperand(&r.out, v-1, opNodePlus1, opFunNodePlus1)
}

// relativePair takes a relative value, and the type after it if the value is not defined yet.
func (r *bodyReader) relativePair(v uint64, list []uint64) ([]uint64, error) {
	id := r.next - uint32(v)
	if err := r.relativeOperand(v); err != nil || id < r.next {
		return list, err
	}
	if len(list) == 0 {
		return nil, r.cursor.Errorf("value that follows is named without its type")
	}
	return list[1:], r.typeOperand(opForwardType, list[0])
}

// relativeOperand takes a value by its distance back from the next one. The subtraction wraps
// around in 32 bits, as LLVM's does: a value that is defined later has a negative distance. Global
// values become absolute, as a partition numbers them anew.
func (r *bodyReader) relativeOperand(v uint64) error {
	id := r.next - uint32(v)
	if id < r.globals {
		r.out.appendOperand(opGlobalRel, uint64(id))
		return r.useValue(id, ir.RefAddress)
	}
	r.highest = max(r.highest, uint64(id)+1)
	r.out.localRel(uint64(uint32(v)))
	return nil
}

// signedOperand is relativeOperand for phi, which names later values so often that LLVM writes its
// distances with a sign.
func (r *bodyReader) signedOperand(v uint64) error {
	id := r.next - uint32(decodeSigned(v))
	if id < r.globals {
		r.out.appendOperand(opGlobalSigned, uint64(id))
		return r.useValue(id, ir.RefAddress)
	}
	r.highest = max(r.highest, uint64(id)+1)
	// 34 bits hold the sign and every 32-bit distance; more are of no valid record.
	r.out.appendOperand(opLocalSigned, v&(1<<34-1))
	return nil
}

// absoluteOperand takes a value by its number: the cases of a switch, which are
// constants.
func (r *bodyReader) absoluteOperand(v uint64) error {
	if v < uint64(r.globals) {
		r.out.appendOperand(opGlobal, v)
		return r.useValue(uint32(v), ir.RefAddress)
	}
	if v > ir.MaxIndex {
		return r.cursor.Errorf("value %d is named", v)
	}
	r.highest = max(r.highest, v+1)
	r.out.appendOperand(opLocal, v-uint64(r.globals))
	return nil
}

// orderHint takes a function that names addresses of this function's blocks. LLVM chooses the order
// in which it reads bodies by these; they are not references.
func (r *bodyReader) orderHint(v uint64) error {
	if v >= uint64(r.source.values.count()) {
		return r.cursor.Errorf("user of block addresses %d is not a function", v)
	}
	r.out.appendOperand(opGlobal, v)
	return nil
}

// valueType takes the type of an instruction, such as the one that a load has.
func (r *bodyReader) valueType(v uint64) error { return r.typeOperand(opType, v) }

// typeOperand takes a type as an operand of that kind.
func (r *bodyReader) typeOperand(kind operandKind, v uint64) error {
	if v >= uint64(len(r.source.types)) {
		return r.cursor.Errorf("instruction names type %d of %d", v, len(r.source.types))
	}
	r.useType(v)
	r.out.appendOperand(kind, v)
	return nil
}

// listOperand takes an attribute list plus one, 0 for none.
func (r *bodyReader) listOperand(v uint64) error {
	if v > uint64(len(r.source.lists)) {
		return r.cursor.Errorf("call with attribute list %d of %d", v, len(r.source.lists))
	}
	if v == 0 {
		r.out.appendLiteral(0)
		return nil
	}
	r.out.appendOperand(opList, v)
	r.useList(uint32(v - 1))
	return nil
}

// basicBlock takes a block of the function. Its number stays a literal: blocks keep their
// order in every partition.
func (r *bodyReader) basicBlock(v uint64) error {
	if v >= r.blocks {
		return r.cursor.Errorf("basic block %d of %d", v, r.blocks)
	}
	r.out.appendLiteral(v)
	return nil
}

// nodeOperand adds an operand that names metadata.
func (r *bodyReader) nodeOperand(out *encoder, id uint64, module, function operandKind) error {
	n := uint64(len(r.source.metadata.entries))
	if id > ir.MaxIndex {
		return r.cursor.Errorf("metadata %d is named", id)
	}
	// A node of the function may follow its use, so that only the highest is checked, at the
	// end of the body.
	r.nodes = max(r.nodes, id+1)
	if id < n {
		out.appendOperand(module, id)
		return r.useNode(id)
	}
	out.appendOperand(function, id-n)
	if id -= n; id < uint64(len(r.body.metadata.entries)) {
		return r.useOwnNode(id, n)
	}
	return nil
}

package bitcode

import "offlink/ir/llvmschema"

// instruction is a record of a body taken apart so that instructions can go
// and come. Operands that name the function's own values hold symbols: the
// numbers that the values had, and higher ones for values that are new. They
// are of the kinds opLocalRel, opLocalSigned and opLocal, which say how they
// are written.
type instruction struct {
	code     uint32
	abbrev   int
	defines  bool
	symbol   uint32 // of the value that it defines
	operands []operand
}

func (in *instruction) recordLayout() *llvmschema.Instruction {
	return llvmschema.Instructions[in.code]
}

// isDebugRecord reports whether the record is debug information. Such a record follows the
// instruction in front of which it stands in the program.
func (in *instruction) isDebugRecord() bool {
	return in.code >= llvmschema.FunctionRecordValue && in.code <= llvmschema.FunctionRecordDeclareValue
}

// decodeInstructions takes the body apart. A debug location that repeats the last one becomes a
// copy of that, so that either may move.
func (s *source) decodeInstructions(b *body) []instruction {
	next := uint32(b.arguments + b.constants.count())
	var list []instruction
	var location []operand
	for d := (decoder{data: b.code}); !d.atEnd(); {
		rec := d.takeHead()
		in := instruction{
			code: rec.code, abbrev: rec.abbrev, defines: rec.defines,
			operands: absoluteOperands(d.takeOperands(rec, nil), next),
		}
		switch rec.code {
		case llvmschema.FunctionDebugLoc:
			location = in.operands
		case llvmschema.FunctionDebugLocAgain:
			if location != nil {
				in.code, in.abbrev, in.operands = llvmschema.FunctionDebugLoc, -1, location
			}
		}
		if rec.defines {
			in.symbol = next
			next++
		}
		list = append(list, in)
	}
	return list
}

// absoluteOperands turns operands that are relative to next into symbols.
func absoluteOperands(operands []operand, next uint32) []operand {
	for i := range operands {
		switch o := &operands[i]; o.kind {
		case opLocalRel:
			o.value = uint64(next - uint32(o.value))
		case opLocalSigned:
			o.value = uint64(next - uint32(decodeSigned(o.value)))
		default:
			continue
		}
		operands[i].value = uint64(uint32(operands[i].value))
	}
	return operands
}

// calleeIndex returns which operand of a call, invoke or callbr is the callee, or -1 for other
// instructions. The function type stands before the callee, and before that come the operands that
// readCall, readInvoke and callBr read.
func (in *instruction) calleeIndex() int {
	switch in.code {
	case llvmschema.FunctionCall:
		if in.operands[1].value&llvmschema.CallFMF != 0 {
			return 4
		}
		return 3
	case llvmschema.FunctionInvoke:
		return 5
	case llvmschema.FunctionCallBr:
		return 5 + int(in.operands[3].value)
	}
	return -1
}

// rewriter makes a body anew from instructions.
type rewriter struct {
	source   *source
	old      *body
	replaced map[uint32]uint32 // results that are constants now: symbol to value of the module's numbering
	index    []uint32          // by symbol: the number in the new body
	live     []bool            // constants that are still used
	names    []newName
}

// newName is the name of a value that is new.
type newName struct {
	symbol uint32
	name   string
}

// rebuildBody returns the body that consists of the instructions. kept has, for each instruction of
// the old body that attachments count, its number among those of the new body, or -1.
func (r *rewriter) rebuildBody(list []instruction, symbols int, kept []int) *body {
	r.markLive(list)
	b := &body{function: r.old.function, base: r.old.base, arguments: r.old.arguments}
	r.numberValues(list, symbols)
	r.copyConstants(b)
	r.copyMetadata(b)
	r.encodeCode(b, list)
	r.copySymbols(b)
	r.copyAttachments(b, kept)
	return b
}

// markLive marks the constants of the function that the instructions and the
// function's metadata still name.
func (r *rewriter) markLive(list []instruction) {
	r.live = make([]bool, r.old.constants.count())
	for i := range list {
		r.markOperands(list[i].operands)
	}
	for d := (decoder{data: r.old.metadata.arena}); !d.atEnd(); {
		r.markOperands(d.takeOperands(d.takeHead(), nil))
	}
}

// markOperands marks the function's constants that operands name, and those
// that they are made of.
func (r *rewriter) markOperands(operands []operand) {
	var work []int
	mark := func(o operand) {
		i := int(o.value) - r.old.arguments
		if (o.kind == opLocal || o.kind == opLocalRel || o.kind == opLocalSigned) && i >= 0 && i < len(r.live) && !r.live[i] {
			r.live[i] = true
			work = append(work, i)
		}
	}
	for _, o := range operands {
		mark(o)
	}
	for len(work) > 0 {
		d := r.old.constants.openRecord(work[len(work)-1])
		work = work[:len(work)-1]
		for _, o := range d.takeOperands(d.takeHead(), nil) {
			mark(o)
		}
	}
}

// numberValues gives values their numbers in the new body.
func (r *rewriter) numberValues(list []instruction, symbols int) {
	r.index = make([]uint32, symbols)
	for i := range r.old.arguments {
		r.index[i] = uint32(i)
	}
	next := uint32(r.old.arguments)
	for i, live := range r.live {
		if live {
			r.index[r.old.arguments+i] = next
			next++
		}
	}
	for i := range list {
		if list[i].defines {
			r.index[list[i].symbol] = next
			next++
		}
	}
}

// copyConstants copies the constants that are still used, in their order.
func (r *rewriter) copyConstants(b *body) {
	t := &r.old.constants
	var e encoder
	for i, live := range r.live {
		if !live {
			continue
		}
		d := t.openRecord(i)
		r.copyRecord(&e, &d)
		b.constants.ends = append(b.constants.ends, uint32(len(e.arena)))
		b.constants.types = append(b.constants.types, t.types[i])
	}
	b.constants.arena = e.arena
}

// copyRecord copies a record that has no operand relative to the next value.
func (r *rewriter) copyRecord(e *encoder, d *decoder) {
	rec := d.takeHead()
	for _, o := range d.takeOperands(rec, nil) {
		r.encodeOperand(e, o)
	}
	e.finishRecord(rec.code, rec.abbrev, rec.defines)
}

// encodeOperand writes an operand that is not relative.
func (r *rewriter) encodeOperand(e *encoder, o operand) {
	switch o.kind {
	case opLiteral:
		e.appendLiteral(o.value)
	case opLocal:
		if id, ok := r.replaced[uint32(o.value)]; ok {
			e.appendOperand(opGlobal, uint64(id))
		} else {
			e.appendOperand(opLocal, uint64(r.index[o.value]))
		}
	default:
		e.appendOperand(o.kind, o.value)
	}
}

// copyMetadata copies the function's metadata, whose operands may have other
// numbers.
func (r *rewriter) copyMetadata(b *body) {
	t := &r.old.metadata
	var e encoder
	for i, entry := range t.entries {
		if entry.size == isRecord {
			d := t.openRecord(i)
			entry.at = uint32(len(e.arena))
			r.copyRecord(&e, &d)
		}
		b.metadata.entries = append(b.metadata.entries, entry)
	}
	b.metadata.arena = e.arena
}

// encodeCode encodes the instructions, numbering values as it goes.
func (r *rewriter) encodeCode(b *body, list []instruction) {
	var e encoder
	next := uint32(b.arguments + b.constants.count())
	for i := range list {
		in := &list[i]
		r.encodeInstruction(&e, in, next)
		if in.defines {
			next++
			b.defined++
		}
	}
	b.code = e.arena
}

// encodeInstruction encodes an instruction. A value that is defined later brings its type with it,
// so the new order decides whether the type is written.
func (r *rewriter) encodeInstruction(e *encoder, in *instruction, next uint32) {
	forward := false // whether the value before follows
	for _, o := range in.operands {
		number, constant := uint32(0), false
		if o.kind == opLocalRel || o.kind == opLocalSigned {
			if number, constant = r.replaced[uint32(o.value)]; !constant {
				number = r.index[o.value]
			}
		}
		switch {
		case o.kind == opForwardType:
			if forward {
				e.appendOperand(opForwardType, o.value)
			}
		case o.kind == opLocalRel && constant:
			e.appendOperand(opGlobalRel, uint64(number))
		case o.kind == opLocalRel:
			e.localRel(uint64(next - number))
		case o.kind == opLocalSigned && constant:
			e.appendOperand(opGlobalSigned, uint64(number))
		case o.kind == opLocalSigned:
			e.appendOperand(opLocalSigned, encodeSigned(int64(int32(next-number))))
		default:
			r.encodeOperand(e, o)
		}
		forward = o.kind == opLocalRel && !constant && number >= next
	}
	e.finishRecord(in.code, in.abbrev, in.defines)
}

// copySymbols copies the names of values and blocks, leaves out those of results that are constants
// now, and adds those of new values.
func (r *rewriter) copySymbols(b *body) {
	var e encoder
	for d := (decoder{data: r.old.symbols}); !d.atEnd(); {
		start := d
		rec := d.takeHead()
		first := d.takeOperand()
		d = start
		if _, constant := r.replaced[uint32(first.value)]; first.kind == opLocal && constant {
			d.takeHead()
			d.skipOperands(rec)
			continue
		}
		r.copyRecord(&e, &d)
	}
	for _, n := range r.names {
		e.appendOperand(opLocal, uint64(r.index[n.symbol]))
		e.appendLiterals(appendText(nil, n.name))
		e.finishRecord(llvmschema.SymbolEntry, -1, false)
	}
	b.symbols = e.arena
}

// copyAttachments copies the attachments of the instructions that are left, with their new numbers.
func (r *rewriter) copyAttachments(b *body, kept []int) {
	var e encoder
	for d := (decoder{data: r.old.attached}); !d.atEnd(); {
		rec := d.takeHead()
		operands := d.takeOperands(rec, nil)
		number := kept[operands[0].value]
		if number < 0 {
			continue
		}
		operands[0].value = uint64(number)
		for _, o := range operands {
			r.encodeOperand(&e, o)
		}
		e.finishRecord(rec.code, rec.abbrev, false)
	}
	b.attached = e.arena
}

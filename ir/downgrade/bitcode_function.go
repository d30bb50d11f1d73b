package downgrade

import (
	"slices"

	"offlink/ir/bitcode/bitstream"
	"offlink/ir/llvmschema"
)

const (
	debugLocLength = 5
)

// body is the state while one function body is copied.
type body struct {
	*bitcodeRewriter
	instructions int      // in the input, so far
	removed      []int    // numbers of those that were left out
	location     []uint64 // of an instruction that was left out; later ones may refer to it as "again"
	justRemoved  bool     // the last instruction was left out
}

// rewriteFunction copies a function body. The values and metadata of the body are numbered after
// those of the module, so the counts are set back at its end.
func (b *bitcodeRewriter) rewriteFunction(c *bitstream.Cursor) error {
	if len(b.bodies) == 0 {
		return c.Errorf("more function bodies than functions")
	}
	global, nodes := b.values, b.nodes
	b.values += b.types[b.bodies[0]].parameters
	b.bodies = b.bodies[1:]
	b.inBody = true
	f := &body{bitcodeRewriter: b}
	err := f.rewriteEntries(c)
	b.values, b.nodes, b.inBody = global, nodes, false
	return err
}

// rewriteEntries copies the records and blocks of the body.
func (f *body) rewriteEntries(c *bitstream.Cursor) error {
	for {
		e, err := c.Next()
		switch {
		case err != nil || e.Kind == bitstream.End:
			return err
		case e.Kind == bitstream.SubBlock && e.Block.ID == llvmschema.BlockAttachment:
			err = f.rewriteAttachments(c, e.Block)
		case e.Kind == bitstream.SubBlock:
			err = f.rewriteBlock(c, e.Block)
		default:
			err = f.rewriteRecord(c)
		}
		if err != nil {
			return err
		}
	}
}

// rewriteRecord copies one record of the body.
func (f *body) rewriteRecord(c *bitstream.Cursor) error {
	switch c.Code {
	case llvmschema.FunctionDeclareBlocks, llvmschema.FunctionOperandBundle, llvmschema.FunctionBlockAddrUsers:
		return f.copyRecord(c)
	case llvmschema.FunctionDebugLoc, llvmschema.FunctionDebugLocAgain:
		return f.debugLocation(c)
	}
	if c.Code >= llvmschema.FunctionRecordValue && c.Code <= llvmschema.FunctionRecordDeclareValue {
		return f.debugRecord(c)
	}
	if llvmschema.InstructionOf(c.Code) == nil {
		return c.Errorf("instruction record %d is not known: the bitcode is %s", c.Code, llvmschema.Newer())
	}
	return f.rewriteInstruction(c)
}

// rewriteInstruction copies an instruction, and counts the value that it defines.
func (f *body) rewriteInstruction(c *bitstream.Cursor) error {
	number := f.instructions
	f.instructions++
	callee, gives, err := f.resultOf(c)
	if err != nil {
		return err
	}
	if f.masked[callee] {
		return c.Errorf("a masked access without its alignment operand (LLVM 22) has no form in LLVM 19: use text")
	}
	f.justRemoved = f.lifetime[callee]
	if f.justRemoved {
		f.removed = append(f.removed, number)
		return nil
	}
	switch c.Code {
	case llvmschema.FunctionCast:
		f.dropCastFlags(c.Operands)
	case llvmschema.FunctionCompare:
		f.dropCompareFlags(c)
	case llvmschema.FunctionGEP:
		if f.target.Snapshot && len(c.Operands) > 0 {
			c.Operands[0] &= 1 // it was inbounds alone
		}
	case llvmschema.FunctionAtomicRMW:
		if err := f.rewriteAtomic(c); err != nil {
			return err
		}
	}
	if gives {
		f.values++
	}
	return f.copyRecord(c)
}

// resultOf returns whether the instruction defines a value, and its callee, or -1 if it is not a
// call.
func (f *body) resultOf(c *bitstream.Cursor) (callee int, gives bool, err error) {
	ops := c.Operands
	typeAt := -1
	switch c.Code {
	case llvmschema.FunctionRet, llvmschema.FunctionBr, llvmschema.FunctionSwitch, llvmschema.FunctionUnreachable, llvmschema.FunctionIndirectBr, llvmschema.FunctionFence,
		llvmschema.FunctionResume, llvmschema.FunctionStore, llvmschema.FunctionStoreAtomic, llvmschema.FunctionCleanupRet, llvmschema.FunctionCatchRet:
		return -1, false, nil
	case llvmschema.FunctionCallBr:
		return -1, false, c.Errorf("callbr is not supported")
	case llvmschema.FunctionCall:
		if len(ops) > 1 && ops[1]&llvmschema.CallExplicitType != 0 {
			typeAt = 2
			if ops[1]&llvmschema.CallFMF != 0 {
				typeAt = 3
			}
		}
	case llvmschema.FunctionInvoke:
		if len(ops) > 1 && ops[1]&llvmschema.InvokeExplicitType != 0 {
			typeAt = 4
		}
	default:
		return -1, true, nil
	}
	if typeAt < 0 || typeAt+1 >= len(ops) || ops[typeAt] >= uint64(len(f.types)) || !f.types[ops[typeAt]].function {
		return -1, false, c.Errorf("a call without its function type")
	}
	result := f.types[ops[typeAt]].result
	if result >= len(f.types) {
		return -1, false, c.Errorf("a call of a function type without result")
	}
	return int(f.absoluteValue(ops[typeAt+1])), !f.types[result].void, nil
}

// absoluteValue returns the value that an operand refers to. Operands count back from the next
// value.
func (f *body) absoluteValue(operand uint64) uint32 { return uint32(f.values) - uint32(operand) }

// operandAfter returns the index of the operand after a first one that is a value: a forward
// reference is followed by its type.
func (f *body) operandAfter(ops []uint64) int {
	if len(ops) > 0 && f.absoluteValue(ops[0]) >= uint32(f.values) {
		return 2
	}
	return 1
}

// dropCastFlags turns ptrtoaddr into ptrtoint: [value, (type,) to, cast, (flags)].
func (f *body) dropCastFlags(ops []uint64) {
	if i := f.operandAfter(ops) + 1; i < len(ops) && ops[i] == llvmschema.CastPtrToAddr {
		ops[i] = llvmschema.CastPtrToInt
	}
}

// Predicates of integer comparisons.
const firstIntegerPredicate, lastIntegerPredicate = 32, 41

// dropCompareFlags drops samesign: [left, (type,) right, predicate, (flags)].
func (f *body) dropCompareFlags(c *bitstream.Cursor) {
	ops := c.Operands
	predicate := f.operandAfter(ops) + 1
	if predicate < len(ops) && ops[predicate] >= firstIntegerPredicate && ops[predicate] <= lastIntegerPredicate {
		c.Operands = ops[:predicate+1]
	}
}

// rewriteAtomic refuses operations that the target lacks: [pointer, (type,) value,
// (type,) operation, volatile, ordering, scope, alignment].
func (f *body) rewriteAtomic(c *bitstream.Cursor) error {
	i := len(c.Operands) - 5
	if i < 2 {
		return nil
	}
	number := c.Operands[i]
	if known := number < uint64(len(llvmschema.AtomicOperations)); !known || !f.target.readsVersion(llvmschema.AtomicOperations[number].Since) {
		return c.Errorf("atomic operation %d has no form in LLVM %d", number, f.target.LLVM)
	}
	return nil
}

// debugLocation copies the location of the instruction before it. The location of an instruction
// that was left out is kept, since a later one may say that it has the same.
func (f *body) debugLocation(c *bitstream.Cursor) error {
	again := c.Code == llvmschema.FunctionDebugLocAgain
	ops := c.Operands
	if again {
		ops = f.location
	} else {
		ops = ops[:min(len(ops), debugLocLength)]
	}
	switch {
	case f.justRemoved:
		f.location = slices.Clone(ops)
	case again && f.location == nil:
		return f.copyRecord(c)
	default:
		f.location = nil
		f.out.Record(-1, llvmschema.FunctionDebugLoc, ops)
	}
	return nil
}

// debugRecord copies a debug record if the target reads such records; otherwise it is left out.
func (f *body) debugRecord(c *bitstream.Cursor) error {
	if f.target.Snapshot || !f.target.readsVersion(llvmschema.Instructions[c.Code].Since) {
		return nil
	}
	return f.copyRecord(c)
}

// rewriteAttachments copies the metadata attached to the function and to its instructions:
// [(instruction,) kind, node, ...]. Instructions are numbered without those that were left out.
func (f *body) rewriteAttachments(outer *bitstream.Cursor, block bitstream.Block) error {
	c := outer.Open(block)
	f.out.Enter(block.ID, width)
	defer f.out.End()
	return f.eachRecord(c, func(c *bitstream.Cursor) error {
		if len(c.Operands)%2 == 1 {
			at, removed := slices.BinarySearch(f.removed, int(uint32(c.Operands[0])))
			if removed {
				return nil
			}
			c.Operands[0] -= uint64(at)
		}
		return f.copyRecord(c)
	})
}

package fromir

import (
	"strings"

	"offlink/ir"
	"offlink/lazy"
	"offlink/spirv"
)

// groupOperations are the kinds of reductions and scans with their Group Operation (SPIR-V).
var groupOperations = []struct {
	name   string
	number uint32
}{
	{"clustered_reduce", clusteredReduce}, {"reduce", 0}, {"scan_inclusive", 1}, {"scan_exclusive", 2},
}

// clusteredReduce is the Group Operation of reductions within clusters of a group.
const clusteredReduce = 3

// groupOperationNeeds notes the capability of a Group Operation, as far as it needs one
// besides its instruction's.
func (t *translator) groupOperationNeeds(number uint32) {
	if number == clusteredReduce {
		t.useCapabilities(67) // GroupNonUniformClustered
	}
}

// groupFunction returns the writer of a work-group or sub-group function, or nil for one
// that is not known.
func groupFunction(name string) func(*callSite) {
	scope, rest := uint32(scopeWorkgroup), strings.TrimPrefix(name, "work_group_")
	if strings.HasPrefix(name, "sub_group_") {
		scope, rest = scopeSubgroup, strings.TrimPrefix(name, "sub_group_")
	}
	if op, ok := groupVotes.Get()[rest]; ok {
		return func(c *callSite) { c.groupTruth(op, scope) }
	}
	if op, ok := groupTests.Get()[rest]; ok {
		return func(c *callSite) { c.groupBool(op, append([]uint32{c.constWord(scope)}, c.argumentIDs(0)...)) }
	}
	if op, ok := simpleGroup.Get()[rest]; ok {
		return func(c *callSite) { c.groupInstruction(op, scope, c.argumentIDs(0)...) }
	}
	if number, ok := ballotCounts.Get()[rest]; ok {
		return func(c *callSite) {
			c.groupInstruction(spirv.OpGroupNonUniformBallotBitCount, scope, number, c.argumentID(0))
		}
	}
	switch rest {
	case "broadcast":
		return func(c *callSite) { c.groupBroadcast(scope) }
	case "ballot":
		return func(c *callSite) { c.groupInstruction(spirv.OpGroupNonUniformBallot, scope, c.truthArgument(0)) }
	}
	return groupOperation(rest, scope)
}

// groupOperation returns the writer of a reduction or scan, whose name consists of the kind
// and the operation: reduce_add.
func groupOperation(name string, scope uint32) func(*callSite) {
	for _, g := range groupOperations {
		for _, prefix := range []string{"", "non_uniform_"} {
			if operation, ok := strings.CutPrefix(name, prefix+g.name+"_"); ok {
				// A clustered reduction exists in the non-uniform form alone.
				uniform := prefix == "" && g.number != clusteredReduce
				return func(c *callSite) { c.groupArithmetic(operation, scope, g.number, uniform) }
			}
		}
	}
	return nil
}

// groupInstruction writes an instruction of a scope and operands whose result is
// that of the function.
func (c *callSite) groupInstruction(op spirv.Opcode, scope uint32, operands ...uint32) {
	c.instructionNeeds(op)
	c.finishCall(c.emitResult(op, c.typ, append([]uint32{c.constWord(scope)}, operands...)...))
}

// groupVotes are the functions that take a truth value from each work-item and return one;
// both are ints in OpenCL C.
var groupVotes = lazy.Map[string, spirv.Opcode]{New: func() map[string]spirv.Opcode {
	return map[string]spirv.Opcode{
		"all": spirv.OpGroupAll, "any": spirv.OpGroupAny,
		"non_uniform_all": spirv.OpGroupNonUniformAll, "non_uniform_any": spirv.OpGroupNonUniformAny,
	}
}}

// groupTests are the functions that return a truth value but take other operands.
var groupTests = lazy.Map[string, spirv.Opcode]{New: func() map[string]spirv.Opcode {
	return map[string]spirv.Opcode{
		"elect": spirv.OpGroupNonUniformElect, "inverse_ballot": spirv.OpGroupNonUniformInverseBallot,
		"ballot_bit_extract": spirv.OpGroupNonUniformBallotBitExtract, "non_uniform_all_equal": spirv.OpGroupNonUniformAllEqual,
	}
}}

// ballotCounts are the functions that count the bits of a ballot, with the group
// operation that the instruction has for each.
var ballotCounts = lazy.Map[string, uint32]{New: func() map[string]uint32 {
	return map[string]uint32{"ballot_bit_count": 0, "ballot_inclusive_scan": 1, "ballot_exclusive_scan": 2}
}}

// simpleGroup are the functions whose arguments are the operands of an instruction.
var simpleGroup = lazy.Map[string, spirv.Opcode]{New: func() map[string]spirv.Opcode {
	return map[string]spirv.Opcode{
		"shuffle": spirv.OpGroupNonUniformShuffle, "shuffle_xor": spirv.OpGroupNonUniformShuffleXor,
		"shuffle_up": spirv.OpGroupNonUniformShuffleUp, "shuffle_down": spirv.OpGroupNonUniformShuffleDown,
		"non_uniform_broadcast": spirv.OpGroupNonUniformBroadcast, "broadcast_first": spirv.OpGroupNonUniformBroadcastFirst,
		"ballot_find_lsb": spirv.OpGroupNonUniformBallotFindLSB, "ballot_find_msb": spirv.OpGroupNonUniformBallotFindMSB,
		"rotate": spirv.OpcodeByName("OpGroupNonUniformRotateKHR"), "clustered_rotate": spirv.OpcodeByName("OpGroupNonUniformRotateKHR"),
	}
}}

// truthArgument returns an argument as a truth value: whether it is not 0.
func (c *callSite) truthArgument(i int) id {
	v := c.operand(i)
	if c.isBool(v.Type) {
		return c.valueID(v)
	}
	return c.emitResult(spirv.OpINotEqual, c.boolType(), c.valueID(v), c.splatConstant(v.Type, 0))
}

// groupTruth writes a vote of the work-items of a group.
func (c *callSite) groupTruth(op spirv.Opcode, scope uint32) {
	c.groupBool(op, []uint32{c.constWord(scope), c.truthArgument(0)})
}

// groupBool writes an instruction whose truth value the function gives as 0 or
// 1.
func (c *callSite) groupBool(op spirv.Opcode, words []uint32) {
	c.instructionNeeds(op)
	n := c.emitResult(op, c.boolType(), words...)
	if !c.isBool(c.in.Type) {
		c.checkTruth()
		n = c.emitResult(spirv.OpSelect, c.typ, n, c.splatConstant(c.in.Type, 1), c.splatConstant(c.in.Type, 0))
	}
	c.finishCall(n)
}

// groupBroadcast writes a broadcast. The local identifier that it takes may be one to three
// arguments, where the instruction has a vector.
func (c *callSite) groupBroadcast(scope uint32) {
	c.useCapabilities(capGroups)
	at := c.argumentID(1)
	if n := len(c.operands) - 1; n > 1 {
		vector := c.vectorType(c.typeID(c.operand(1).Type), uint32(n))
		at = c.emitResult(spirv.OpCompositeConstruct, vector, c.argumentIDs(1)...)
	}
	c.finishCall(c.emitResult(spirv.OpGroupBroadcast, c.typ, c.constWord(scope), c.argumentID(0), at))
}

// groupArithmetic writes a reduction or scan.
func (c *callSite) groupArithmetic(operation string, scope, number uint32, uniform bool) {
	name, logical := strings.CutPrefix(operation, "logical_")
	op := c.groupOpcode(name, logical, uniform)
	if op == spirv.OpNop {
		c.failf("the group operation %s is not known", operation)
	}
	words := []uint32{c.constWord(scope), number}
	if logical {
		words = append(words, c.truthArgument(0))
	} else {
		words = append(words, c.argumentID(0))
	}
	words = append(words, c.argumentIDs(1)...)
	c.groupOperationNeeds(number)
	if logical {
		c.groupBool(op, words)
		return
	}
	c.instructionNeeds(op)
	c.finishCall(c.emitResult(op, c.typ, words...))
}

// groupOpcode returns the instruction of an operation, OpNop if it is not known. The name
// of the instruction has the kind of the numbers before the operation; the uniform form of
// the later operations ends in KHR.
func (c *callSite) groupOpcode(name string, logical, uniform bool) spirv.Opcode {
	letter := "I"
	if c.scalarKind(c.in.Type) == ir.TypeFloat {
		letter = "F"
	} else if name == "min" || name == "max" {
		letter = "S"
		if c.mangledParameter(0).isUnsigned() {
			letter = "U"
		}
	}
	spelled := map[string]string{
		"add": letter + "Add", "mul": letter + "Mul", "min": letter + "Min", "max": letter + "Max",
		"and": "BitwiseAnd", "or": "BitwiseOr", "xor": "BitwiseXor",
	}[name]
	if logical {
		spelled = map[string]string{"and": "LogicalAnd", "or": "LogicalOr", "xor": "LogicalXor"}[name]
	}
	prefix, suffix := "OpGroup", ""
	if !uniform {
		prefix = "OpGroupNonUniform"
	} else if name != "add" && name != "min" && name != "max" {
		suffix = "KHR"
	}
	return spirv.OpcodeByName(prefix + spelled + suffix)
}

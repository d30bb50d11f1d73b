package fromir

import (
	"strings"

	"offlink/lazy"
	"offlink/spirv"
)

// pipeFunctions are the functions that clang makes of the built-in functions of pipes. Their
// arguments are the operands of the instruction, except that those of groups lack the scope.
var pipeFunctions = lazy.Map[string, string]{New: func() map[string]string {
	return map[string]string{
		"__read_pipe_2": "ReadPipe", "__read_pipe_4": "ReservedReadPipe", "__write_pipe_2": "WritePipe", "__write_pipe_4": "ReservedWritePipe",
		"__reserve_read_pipe": "ReserveReadPipePackets", "__reserve_write_pipe": "ReserveWritePipePackets",
		"__commit_read_pipe": "CommitReadPipe", "__commit_write_pipe": "CommitWritePipe",
		"__work_group_reserve_read_pipe": "GroupReserveReadPipePackets", "__work_group_reserve_write_pipe": "GroupReserveWritePipePackets",
		"__work_group_commit_read_pipe": "GroupCommitReadPipe", "__work_group_commit_write_pipe": "GroupCommitWritePipe",
		"__sub_group_reserve_read_pipe": "GroupReserveReadPipePackets", "__sub_group_reserve_write_pipe": "GroupReserveWritePipePackets",
		"__sub_group_commit_read_pipe": "GroupCommitReadPipe", "__sub_group_commit_write_pipe": "GroupCommitWritePipe",
		"__get_pipe_num_packets_ro": "GetNumPipePackets", "__get_pipe_num_packets_wo": "GetNumPipePackets",
		"__get_pipe_max_packets_ro": "GetMaxPipePackets", "__get_pipe_max_packets_wo": "GetMaxPipePackets",
		"is_valid_reserve_id": "IsValidReserveId", "__read_pipe_2_bl": "ReadPipeBlockingINTEL", "__write_pipe_2_bl": "WritePipeBlockingINTEL",
	}
}}

// pipeFunction returns the writer of a function of pipes; nil for others.
func (t *translator) pipeFunction(name string) func(*callSite) {
	instruction, ok := pipeFunctions.Get()[name]
	// Without their extension, those that block are functions of a device's own library.
	if !ok || strings.HasSuffix(name, "_bl") && !t.options.allowsExtension("SPV_INTEL_blocking_pipes") {
		return nil
	}
	op := spirv.OpcodeByName("Op" + instruction)
	return func(c *callSite) {
		c.useCapabilities(capPipes)
		c.instructionNeeds(op)
		words := c.argumentIDs(0)
		switch {
		case strings.HasPrefix(name, "__work_group_"):
			words = append([]uint32{c.constWord(scopeWorkgroup)}, words...)
		case strings.HasPrefix(name, "__sub_group_"):
			words = append([]uint32{c.constWord(scopeSubgroup)}, words...)
		}
		if c.isVoid(c.in.Type) {
			c.emitPlain(op, words...)
			return
		}
		c.finishCall(c.emitResult(op, c.typ, words...))
	}
}

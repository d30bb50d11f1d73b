package hostdev

import "offlink/spirv"

// The instructions of OpenCL.std, by name. std_math.go has the tables of
// functions of floats, std_int.go those of integers, std_memory.go loads,
// stores and shuffles.

const openCLStd = "OpenCL.std"

// stdEmitters compile the instructions of OpenCL.std, by name.
var stdEmitters = table[string, func(*builder, *spirv.Instruction)]{what: "emitters"}

func registerStdEmitter() {
	emitters.register(func() map[spirv.Opcode]func(*builder, *spirv.Instruction) {
		return map[spirv.Opcode]func(*builder, *spirv.Instruction){spirv.OpExtInst: (*builder).emitExtInst}
	})
}

// emitExtInst compiles an extended instruction with the emitter of its name.
// Non-semantic instructions, such as debug information, are skipped.
func (b *builder) emitExtInst(in *spirv.Instruction) {
	set := b.m.ExtInstSet(spirv.ID(in.Words[2]))
	if set != openCLStd {
		b.require(spirv.IsNonSemantic(set), "the embedded device does not implement this instruction set")
		return
	}
	emit := stdEmitters.row(spirv.ExtInstName(set, in.Words[3]))
	if emit == nil {
		b.refuse("the embedded device does not implement this instruction")
	}
	words := append([]uint32{in.Words[0], in.Words[1]}, in.Words[4:]...)
	emit(b, &spirv.Instruction{Op: spirv.OpExtInst, Words: words})
}

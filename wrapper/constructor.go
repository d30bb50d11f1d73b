package wrapper

import (
	"encoding/binary"

	"offlink/wrapper/internal/objfile"
)

// The machine code of the two functions that hand the descriptor over:
//
//	static void reg(void)   { __sycl_register_lib(&descriptor); }
//	static void unreg(void) { __sycl_unregister_lib(&descriptor); }
//
// They jump to the runtime where the machine allows it, so that they have no
// frame and need no unwind tables. The first instruction is the landing pad of
// indirect branches, so that linking a wrapped object does not switch off the
// protection for the whole program (see featureNote). Mach-O has no list of
// destructors, and there the first function ends with
//
//	__cxa_atexit(unreg, NULL, &__dso_handle);

// codeAlign is the alignment of each function.
const codeAlign = 16

// code is the machine code of a function, its fixups and its labels, whose offsets count from the
// start of the function.
type code struct {
	bytes  []byte
	fixups []objfile.Fixup
	labels []*objfile.ObjectSymbol
}

func (c *code) emitBytes(b ...byte)  { c.bytes = append(c.bytes, b...) }
func (c *code) emitWord(word uint32) { c.bytes = binary.LittleEndian.AppendUint32(c.bytes, word) }

// fixup adds a fixup for the bytes that are emitted next.
func (c *code) fixup(kind objfile.FixupKind, to objfile.Fixup, addend int64) {
	to.Offset, to.Kind, to.Addend = int64(len(c.bytes)), kind, to.Addend+addend
	c.fixups = append(c.fixups, to)
}

// field32 emits a 32-bit field and its fixup.
func (c *code) field32(kind objfile.FixupKind, to objfile.Fixup, addend int64) {
	c.fixup(kind, to, addend)
	c.emitBytes(0, 0, 0, 0)
}

// fixupTo returns a fixup that computes the address of a symbol.
func fixupTo(s *objfile.ObjectSymbol) objfile.Fixup { return objfile.Fixup{Symbol: s} }

// handOver makes a function that calls callee with the address of the
// descriptor as its argument.
func (b *objectBuilder) handOver(callee, descriptor *objfile.ObjectSymbol) *code {
	c := &code{}
	switch b.host.machine {
	case objfile.X86_64:
		c.emitBytes(0xf3, 0x0f, 0x1e, 0xfa) // endbr64
		c.x86Address(b.host.format.x86Argument, descriptor)
		c.x86Branch(x86Jump, callee)
	case objfile.AArch64:
		c.emitWord(0xd503245f) // bti c
		c.armAddress(0, descriptor)
		c.armBranch(armJump, callee)
	case objfile.RISCV64:
		b.riscvHandOver(c, callee, descriptor)
	case objfile.I386:
		b.i386HandOver(c, callee, descriptor)
	}
	return c
}

// handOverAtExit makes the function of Mach-O that hands the descriptor to callee and registers
// undo to be called at exit. It calls before it jumps, so it has a frame, which is gone at the
// jump.
func (b *objectBuilder) handOverAtExit(callee, descriptor, undo *objfile.ObjectSymbol) *code {
	atExit, handle := b.externalSymbol("__cxa_atexit"), b.externalSymbol("__dso_handle")
	c := &code{}
	if b.host.machine == objfile.X86_64 {
		c.emitBytes(0x55)             // push rbp
		c.emitBytes(0x48, 0x89, 0xe5) // mov rbp, rsp
		c.x86Address(x86RDI, descriptor)
		c.x86Branch(x86Call, callee)
		c.x86Address(x86RDI, undo)
		c.emitBytes(0x31, 0xf6) // xor esi, esi
		c.x86Address(x86RDX, handle)
		c.emitBytes(0x5d) // pop rbp
		c.x86Branch(x86Jump, atExit)
		return c
	}
	c.emitWord(0xa9bf7bfd) // stp x29, x30, [sp, #-16]!
	c.emitWord(0x910003fd) // mov x29, sp
	c.armAddress(0, descriptor)
	c.armBranch(armCall, callee)
	c.armAddress(0, undo)
	c.emitWord(0xd2800001) // mov x1, #0
	c.armAddress(2, handle)
	c.emitWord(0xa8c17bfd) // ldp x29, x30, [sp], #16
	c.armBranch(armJump, atExit)
	return c
}

// Opcodes, and the ModRM bytes of lea for the registers of arguments.
const (
	x86Call, x86Jump       = 0xe8, 0xe9
	x86RCX, x86RDX, x86RDI = 0x0d, 0x15, 0x3d
	armCall, armJump       = 0x94000000, 0x14000000
)

// x86Address emits lea register, [rip + s].
func (c *code) x86Address(register byte, s *objfile.ObjectSymbol) {
	c.emitBytes(0x48, 0x8d, register)
	c.field32(objfile.FixupPC32, fixupTo(s), 0)
}

// x86Branch emits a call or jump with a 32-bit distance. The processor counts it from the next
// instruction, as FixupCall does.
func (c *code) x86Branch(opcode byte, s *objfile.ObjectSymbol) {
	c.emitBytes(opcode)
	c.field32(objfile.FixupCall, fixupTo(s), 0)
}

// armAddress emits adrp and add, which put the address of s into register x0, x1, ...
func (c *code) armAddress(register uint32, s *objfile.ObjectSymbol) {
	c.fixup(objfile.FixupPage21, fixupTo(s), 0)
	c.emitWord(0x90000000 | register) // adrp x, s
	c.fixup(objfile.FixupPageOffset12, fixupTo(s), 0)
	c.emitWord(0x91000000 | register<<5 | register) // add x, x, :lo12:s
}

// armBranch emits a branch of AArch64, whose distance the linker fills in.
func (c *code) armBranch(opcode uint32, s *objfile.ObjectSymbol) {
	c.fixup(objfile.FixupCall, fixupTo(s), 0)
	c.emitWord(opcode)
}

// riscvHandOver makes the function of RISC-V. The low half of a PC-relative address refers to the
// instruction that has the high half, by a symbol there.
func (b *objectBuilder) riscvHandOver(c *code, callee, descriptor *objfile.ObjectSymbol) {
	high := b.addSymbol(objfile.ObjectSymbol{Name: ".Lpcrel_hi", Section: b.text})
	c.labels = append(c.labels, high)
	c.fixup(objfile.FixupPCRelHi20, fixupTo(descriptor), 0)
	c.emitWord(0x00000517) // auipc a0, %pcrel_hi(descriptor)
	c.fixup(objfile.FixupPCRelLo12, fixupTo(high), 0)
	c.emitWord(0x00050513) // addi a0, a0, %pcrel_lo(high)
	c.fixup(objfile.FixupCall, fixupTo(callee), 0)
	c.emitWord(0x00000317) // auipc t1, callee
	c.emitWord(0x00030067) // jr t1
}

// i386HandOver makes the function of i386, which has a frame: calls through the PLT need the GOT's
// address in ebx, which belongs to the caller.
func (b *objectBuilder) i386HandOver(c *code, callee, descriptor *objfile.ObjectSymbol) {
	c.emitBytes(0xf3, 0x0f, 0x1e, 0xfb)    // endbr32
	c.emitBytes(0x53)                      // push ebx
	c.emitBytes(0x83, 0xec, 0x08)          // sub esp, 8
	c.emitBytes(0xe8, 0x00, 0x00, 0x00, 0) // call the next instruction
	c.emitBytes(0x5b)                      // pop ebx
	c.emitBytes(0x81, 0xc3)                // add ebx, GOT - the address in it
	c.field32(objfile.FixupGOTPC, fixupTo(b.externalSymbol("_GLOBAL_OFFSET_TABLE_")), 3)
	c.emitBytes(0x8d, 0x83) // lea eax, [ebx + descriptor]
	c.field32(objfile.FixupGOTOffset, fixupTo(descriptor), 0)
	c.emitBytes(0x89, 0x04, 0x24) // mov [esp], eax
	c.emitBytes(0xe8)             // call callee
	c.field32(objfile.FixupCall, fixupTo(callee), 0)
	c.emitBytes(0x83, 0xc4, 0x08) // add esp, 8
	c.emitBytes(0x5b)             // pop ebx
	c.emitBytes(0xc3)             // ret
}

// featureNote returns the content of the section .note.gnu.property, or nil if the machine has none. It says that
// the code keeps to the protection of indirect branches and return addresses (x86-64 psABI, AArch64
// ELF ABI).
func featureNote(m objfile.Machine) []byte {
	property := map[objfile.Machine]uint32{
		objfile.X86_64:  0xc0000002, // GNU_PROPERTY_X86_FEATURE_1_AND
		objfile.AArch64: 0xc0000000, // GNU_PROPERTY_AARCH64_FEATURE_1_AND
	}[m]
	if property == 0 {
		return nil
	}
	const both = 3 // IBT and SHSTK; BTI and PAC
	var b []byte
	for _, word := range []uint32{
		4, 16, 5, // sizes of name and description, NT_GNU_PROPERTY_TYPE_0
		0x00554e47, // "GNU"
		property, 4, both, 0,
	} {
		b = binary.LittleEndian.AppendUint32(b, word)
	}
	return b
}

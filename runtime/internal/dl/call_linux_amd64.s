#include "textflag.h"

// callFrame calls the function of a frame, by the calling convention of System V
// for AMD64. It is called so itself, on the stack of the system's thread: DI is
// the frame. Its own frame of 64 bytes keeps the stack at a multiple of 16.
TEXT callFrame(SB), NOSPLIT, $64
	MOVQ DI, 56(SP)
	MOVQ DI, R11
	MOVQ 56(R11), R12 // arguments 7 to 12, on the stack
	MOVQ R12, 0(SP)
	MOVQ 64(R11), R12
	MOVQ R12, 8(SP)
	MOVQ 72(R11), R12
	MOVQ R12, 16(SP)
	MOVQ 80(R11), R12
	MOVQ R12, 24(SP)
	MOVQ 88(R11), R12
	MOVQ R12, 32(SP)
	MOVQ 96(R11), R12
	MOVQ R12, 40(SP)
	MOVQ 0(R11), R10
	MOVQ 8(R11), DI
	MOVQ 16(R11), SI
	MOVQ 24(R11), DX
	MOVQ 32(R11), CX
	MOVQ 40(R11), R8
	MOVQ 48(R11), R9
	XORL AX, AX // a variadic function: no arguments of floating point
	CALL R10
	MOVQ 56(SP), R11
	MOVQ AX, 104(R11)
	RET

GLOBL ·callFrameAddress(SB), NOPTR|RODATA, $8
DATA ·callFrameAddress(SB)/8, $callFrame(SB)

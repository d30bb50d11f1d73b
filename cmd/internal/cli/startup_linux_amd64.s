#include "textflag.h"

// func offlink_entry()
//
// The first instructions of a program that was linked with -E offlink_entry:
// notes the standard streams that it was started without, and goes on with the
// Go runtime's own entry point. There is no stack frame, and no register but DX
// has a meaning yet.
TEXT offlink_entry(SB), NOSPLIT|NOFRAME, $0
	MOVL $2, BX

next:
	MOVL $72, AX // fcntl
	MOVL BX, DI
	MOVL $1, SI  // F_GETFD
	SYSCALL
	CMPQ AX, $-9 // EBADF
	JNE  open
	LEAQ ·closedAtStart(SB), SI
	MOVB $1, (SI)(BX*1)

open:
	DECL BX
	JGE  next
	MOVB $1, ·startNoted(SB)
	JMP  _rt0_amd64_linux(SB)

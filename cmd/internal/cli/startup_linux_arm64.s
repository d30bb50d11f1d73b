#include "textflag.h"

// func offlink_entry()
//
// The first instructions of a program that was linked with -E offlink_entry:
// notes the standard streams that it was started without, and goes on with the
// Go runtime's own entry point. There is no stack frame, and no register but R0
// has a meaning yet.
TEXT offlink_entry(SB), NOSPLIT|NOFRAME, $0
	MOVD R0, R12
	MOVD $2, R9
	MOVD $1, R11

next:
	MOVD $25, R8 // fcntl
	MOVD R9, R0
	MOVD $1, R1  // F_GETFD
	SVC
	CMN  $9, R0  // EBADF
	BNE  open
	MOVD $·closedAtStart(SB), R10
	MOVB R11, (R10)(R9)

open:
	SUBS $1, R9
	BGE  next
	MOVD $·startNoted(SB), R10
	MOVB R11, (R10)
	MOVD R12, R0
	JMP  _rt0_arm64_linux(SB)

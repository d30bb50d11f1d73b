#include "go_asm.h"
#include "textflag.h"

// The functions of blame_linux_amd64.go that run while the process ends: no Go runs here,
// as the thread may be one on which Go cannot run, or the process a child of fork. They
// change only registers that a caller expects to be changed.

#define SYS_write 1
#define SYS_gettid 186
#define SIG_DFL 0

// tellBlamed writes the text of the calling thread's entry to standard error. R9 is 0 if it
// has none. R8 and the registers of system calls change.
TEXT tellBlamed(SB), NOSPLIT|NOFRAME, $0
	MOVQ $SYS_gettid, AX
	SYSCALL
	LEAQ ·blamed(SB), R8
	MOVQ $const_blamedThreads, R9
next:
	CMPL AX, 0(R8)
	JEQ  found
	ADDQ $const_blamedSize, R8
	DECQ R9
	JNE  next
	RET
found:
	MOVQ 8(R8), SI
	MOVQ 16(R8), DX
	MOVQ $2, DI
	MOVQ $SYS_write, AX
	SYSCALL
	RET

// exitHandler is a handler of on_exit: DI is the status. Where that is 0 it makes it 1, as a
// call that never returned has not succeeded: glibc goes on with the other handlers then.
TEXT exitHandler(SB), NOSPLIT|NOFRAME, $0
	PUSHQ DI
	CALL  tellBlamed(SB)
	POPQ  DI
	TESTQ R9, R9
	JEQ   done
	TESTL DI, DI
	JNE   done
	MOVL  $1, DI
	MOVQ  ·exitFunction(SB), AX
	PUSHQ AX // aligns the stack
	CALL  AX
	POPQ  AX
done:
	RET

// signalHandler tells which call the signal interrupted, and goes on in the handler that
// the signal had. Where that is the default, it returns with that set again: the signal
// then comes once more.
TEXT signalHandler(SB), NOSPLIT|NOFRAME, $0
	PUSHQ DI
	PUSHQ SI
	PUSHQ DX
	CALL  tellBlamed(SB)
	POPQ  DX
	POPQ  SI
	POPQ  DI
	MOVL  DI, AX
	SHLQ  $6, AX
	LEAQ  ·earlier(SB), R8
	ADDQ  AX, R8 // the action of the signal
	MOVQ  0(R8), AX
	CMPQ  AX, $SIG_DFL
	JEQ   reset
	JMP   AX
reset:
	MOVQ R8, SI
	XORL DX, DX
	MOVQ $8, R10
	MOVQ $13, AX // SYS_rt_sigaction
	SYSCALL
	RET

GLOBL ·exitHandlerAddress(SB), NOPTR|RODATA, $8
DATA ·exitHandlerAddress(SB)/8, $exitHandler(SB)

GLOBL ·signalHandlerAddress(SB), NOPTR|RODATA, $8
DATA ·signalHandlerAddress(SB)/8, $signalHandler(SB)

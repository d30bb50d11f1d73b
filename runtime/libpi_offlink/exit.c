/* exit.c: the process that exits ends the C compilers that the library has started. */
#include <unistd.h>

extern void offlink_stopCompilers(void); /* Go */

static pid_t owner; /* the process with compilers, 0 if none */

void offlink_stop_at_exit(void) { owner = getpid(); }

/* Go does not run in a process that was forked. */
__attribute__((destructor)) static void stop(void) {
  if (owner == getpid())
    offlink_stopCompilers();
}

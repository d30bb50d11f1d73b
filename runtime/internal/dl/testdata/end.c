// Functions that end the process, as drivers do.
#include <stdlib.h>

void end_by_exit(void) { exit(0); }
void end_by_abort(void) { abort(); }
void end_by_crash(void) { *(volatile int *)8 = 1; }
void end_by_division(void) {
  volatile int some = 7, none = 0;
  some = some / none;
}

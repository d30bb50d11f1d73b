/* Eight threads use the runtime first, at the same time, and main returns at
 * once: in the middle of its start. */
#include "torture.h"
int main(void) {
  start_threads(8);
  usleep((unsigned)getpid() % 3000);
  return 0;
}

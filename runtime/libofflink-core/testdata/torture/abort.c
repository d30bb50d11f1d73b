/* signal: 6
 * abort while threads launch kernels ends the process by SIGABRT. */
#include "torture.h"
int main(void) {
  must_run("main");
  start_threads(4);
  usleep(1000);
  abort();
}

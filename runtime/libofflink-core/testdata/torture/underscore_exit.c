/* _exit while threads launch kernels: nothing is torn down. */
#include "torture.h"
int main(void) {
  must_run("main");
  start_threads(4);
  usleep(1000);
  _exit(0);
}

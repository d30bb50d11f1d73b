/* main returns while four threads launch kernels. */
#include "torture.h"
int main(void) {
  must_run("main");
  start_threads(4);
  usleep(1000);
  return 0;
}

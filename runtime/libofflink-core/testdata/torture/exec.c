/* The process becomes another program while threads launch. */
#include "torture.h"
int main(void) {
  must_run("main");
  start_threads(3);
  execl("/bin/true", "true", (char *)NULL);
  return 2;
}

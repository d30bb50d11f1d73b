/* Fork after the first use, while threads launch: the child is told, and can
 * exit in every way. */
#include <sys/wait.h>
#include "torture.h"
int main(void) {
  must_run("main");
  start_threads(2);
  for (int i = 0; i < 6; i++) {
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
      offlink_device *device;
      if (offlink_device_open(NULL, &device) != OFFLINK_ERROR_FORKED)
        _exit(5);
      if (i % 3 == 0)
        _exit(0);
      if (i % 3 == 1)
        exit(0);
      execl("/bin/true", "true", (char *)NULL);
      _exit(6);
    }
    if (waitpid(child, &status, 0) != child || status) {
      fprintf(stderr, "child %d: status %x\n", i, status);
      _exit(4);
    }
    must_run("parent");
  }
  return 0;
}

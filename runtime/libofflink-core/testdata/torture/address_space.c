/* Little address space: the first use succeeds or is an error. A runtime of Go
 * that cannot start, or whose heap cannot grow, would end the process with a trace. */
#include <sys/resource.h>
#include <sys/wait.h>
#include "torture.h"
int main(void) {
  for (rlim_t megabytes = 16; megabytes <= 2560; megabytes += megabytes < 1024 ? megabytes : 64) {
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
      struct rlimit limit = {megabytes << 20, megabytes << 20};
      setrlimit(RLIMIT_AS, &limit);
      int step = run();
      if (step && !*offlink_error())
        _exit(3);
      _exit(0);
    }
    if (waitpid(child, &status, 0) != child || status) {
      fprintf(stderr, "%lu MiB: status %x\n", (unsigned long)megabytes, status);
      _exit(4);
    }
  }
  return 0;
}

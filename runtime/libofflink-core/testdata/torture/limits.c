/* Small limits of the process: the first use succeeds or is an error. A runtime of Go
 * that gets no thread, no descriptor or no memory would end the process with a trace. */
#include <sys/resource.h>
#include <sys/wait.h>
#include "torture.h"
static void try(int resource, rlim_t limit) {
  int status = 0;
  pid_t child = fork();
  if (child == 0) {
    struct rlimit both = {limit, limit};
    setrlimit(resource, &both);
    if (resource == RLIMIT_NPROC && !getuid() && setuid(61000 + getpid() % 4000)) /* root has no limit */
      _exit(5);
    int step = run();
    _exit(step && !*offlink_error() ? 3 : 0);
  }
  if (waitpid(child, &status, 0) != child || status) {
    fprintf(stderr, "limit %lu of resource %d: status %x\n", (unsigned long)limit, resource, status);
    _exit(4);
  }
}
int main(void) {
  for (rlim_t megabytes = 16; megabytes <= 272; megabytes += 32)
    try(RLIMIT_DATA, megabytes << 20);
  for (rlim_t descriptors = 3; descriptors <= 10; descriptors++)
    try(RLIMIT_NOFILE, descriptors);
  for (rlim_t threads = 1; threads <= 22; threads += 3)
    try(RLIMIT_NPROC, threads);
  try(RLIMIT_STACK, 64 << 10);
  try(RLIMIT_STACK, RLIM_INFINITY);
  try(RLIMIT_MEMLOCK, 0);
  try(RLIMIT_SIGPENDING, 0);
  return 0;
}

/* Fork before the first use: parent and child each have a runtime. */
#include <sys/wait.h>
#include "torture.h"
int main(void) {
  int status = 0;
  pid_t child = fork();
  must_run(child ? "parent" : "child");
  if (child == 0)
    return 0;
  waitpid(child, &status, 0);
  return status != 0;
}

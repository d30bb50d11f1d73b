/* signal: 15
 * A signal that nobody handles ends the process. */
#include "torture.h"
#include <signal.h>
int main(void) {
  must_run("main");
  start_threads(4);
  usleep(1000);
  kill(getpid(), SIGTERM);
  pause();
}

/* A program that blocks every signal before the first use has them blocked
 * after it. */
#include <signal.h>
#include "torture.h"
int main(void) {
  sigset_t all, now;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, NULL);
  must_run("main");
  pthread_sigmask(SIG_SETMASK, NULL, &now);
  return sigismember(&now, SIGUSR1) && sigismember(&now, SIGTERM) ? 0 : 2;
}

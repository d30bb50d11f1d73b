/* A signal every half millisecond, with a handler that needs stack on the
 * alternate stack. */
#include <signal.h>
#include <sys/time.h>
#include "torture.h"
static volatile long count;
static void handler(int signal) {
  volatile char stack[16000];
  for (size_t i = 0; i < sizeof stack; i += 256)
    stack[i] = (char)i;
  count++;
}
int main(void) {
  struct sigaction action = {0};
  struct itimerval timer = {{0, 500}, {0, 500}};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART | SA_ONSTACK;
  stack_t alternate = {.ss_sp = malloc(1 << 16), .ss_size = 1 << 16};
  sigaltstack(&alternate, NULL);
  sigaction(SIGPROF, &action, NULL);
  must_run("before");
  setitimer(ITIMER_PROF, &timer, NULL);
  for (int i = 0; i < 100; i++)
    must_run("with signals");
  return 0;
}

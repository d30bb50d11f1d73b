/* The program's own handler of SIGSEGV works after the runtime has started, as
 * a garbage collector's does. */
#include <setjmp.h>
#include <signal.h>
#include "torture.h"
static sigjmp_buf back;
static void handler(int signal) { siglongjmp(back, 1); }
static int fault(void) {
  if (sigsetjmp(back, 1))
    return 1;
  *(volatile int *)8 = 1;
  return 0;
}
int main(void) {
  struct sigaction action = {0};
  action.sa_handler = handler;
  sigaction(SIGSEGV, &action, NULL);
  if (!fault())
    return 2;
  for (int i = 0; i < 20; i++) {
    must_run("main");
    if (!fault())
      return 3;
  }
  return 0;
}

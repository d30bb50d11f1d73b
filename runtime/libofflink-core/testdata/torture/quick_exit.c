/* quick_exit runs its own functions and no destructor. */
#include "torture.h"
static void at_quick_exit_(void) { must_run("at_quick_exit"); }
int main(void) {
  at_quick_exit(at_quick_exit_);
  must_run("main");
  start_threads(2);
  quick_exit(0);
}

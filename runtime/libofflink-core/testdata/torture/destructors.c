/* Destructors of every priority and functions of atexit use the runtime: it
 * ends after all those of the program. */
#include "torture.h"
__attribute__((destructor(101))) static void first(void) { must_run("destructor(101)"); }
__attribute__((destructor(110))) static void middle(void) { must_run("destructor(110)"); }
__attribute__((destructor)) static void last(void) { must_run("destructor"); }
static void at_exit(void) { must_run("atexit"); }
int main(void) {
  atexit(at_exit);
  must_run("main");
  atexit(at_exit);
  return 0;
}

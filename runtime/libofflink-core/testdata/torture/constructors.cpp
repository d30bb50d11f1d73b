/* Static objects of C++ use the runtime in their constructors, from the first
 * priority on, and in their destructors. The program's own images are there
 * after its wrapped object's constructor, so the first may not find the kernel:
 * it is told so and can go on. */
#include "torture.h"
struct Early {
  Early() {
    int step = run();
    if (step != 0 && step != 2)
      _exit(7);
  }
  ~Early() { must_run("destructor of the early object"); }
};
struct Late {
  Late() { must_run("constructor"); }
  ~Late() { must_run("destructor"); }
};
__attribute__((init_priority(101))) static Early early;
static Late late;
__attribute__((destructor(101))) static void destructor101(void) { must_run("destructor(101)"); }
__attribute__((destructor(65535))) static void destructor65535(void) { must_run("destructor(65535)"); }
int main() {
  static Late in_function;
  must_run("main");
}

/* link: runtime
 * Libraries with device code come and go in every order, and again. Each has a
 * kernel of the name app and runs its own. */
#include <dlfcn.h>
#include "torture.h"
static void *open_plugin(const char *name) {
  void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    fprintf(stderr, "%s\n", dlerror());
    _exit(2);
  }
  return library;
}
static void use_plugin(void *library) {
  int (*function)(void);
  *(void **)&function = dlsym(library, "run_plugin");
  int step = function ? function() : -1;
  if (step) {
    fprintf(stderr, "plugin: step %d: %s\n", step, offlink_error());
    _exit(3);
  }
}
int main(void) {
  for (int order = 0; order < 12; order++) {
    void *one = open_plugin("libone.so"), *two = order & 4 ? NULL : open_plugin("libtwo.so");
    if (order & 1)
      use_plugin(one);
    if (!two)
      two = open_plugin("libtwo.so");
    use_plugin(two);
    dlclose(order & 2 ? one : two);
    use_plugin(order & 2 ? two : one);
    dlclose(order & 2 ? two : one);
  }
  return run() == 2 ? 0 : 4; /* the kernel is not there any more */
}

/* Libraries come and go while threads launch the program's kernel. */
#include <dlfcn.h>
#include "torture.h"
int main(void) {
  must_run("main");
  start_threads(3);
  for (int i = 0; i < 30; i++) {
    void *library = dlopen(i & 1 ? "libone.so" : "libtwo.so", RTLD_NOW | RTLD_LOCAL);
    if (!library)
      return 2;
    must_run("with a plugin");
    dlclose(library);
  }
  return 0;
}

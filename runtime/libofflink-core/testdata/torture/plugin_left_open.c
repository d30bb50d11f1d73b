/* Libraries that are open at exit, one of them with a destructor that uses the
 * runtime. */
#include <dlfcn.h>
#include "torture.h"
int main(void) {
  if (!dlopen("libone.so", RTLD_NOW | RTLD_LOCAL) || !dlopen("libtwo.so", RTLD_NOW | RTLD_GLOBAL))
    return 2;
  must_run("main");
  return 0;
}

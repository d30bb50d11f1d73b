/* link: none
 * A program that was not linked with libofflink opens it, uses it, closes it
 * and opens it again: the core stays. */
#include <dlfcn.h>
#include <stdio.h>
#include <stddef.h>
int main(void) {
  for (int i = 0; i < 5; i++) {
    void *library = dlopen("libone.so", RTLD_NOW | RTLD_LOCAL);
    if (!library) {
      fprintf(stderr, "%s\n", dlerror());
      return 2;
    }
    int (*function)(void);
    *(void **)&function = dlsym(library, "run_plugin");
    if (!function || function())
      return 3;
    dlclose(library);
  }
  return 0;
}

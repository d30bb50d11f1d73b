/* A child that was forked after the first use loads and unloads device code. */
#include <dlfcn.h>
#include <sys/wait.h>
#include "torture.h"
int main(void) {
  int status = 0;
  must_run("main");
  void *before = dlopen("libone.so", RTLD_NOW | RTLD_LOCAL);
  pid_t child = fork();
  if (child == 0) {
    void *library = dlopen("libtwo.so", RTLD_NOW | RTLD_LOCAL);
    if (!library || dlclose(library) || dlclose(before))
      _exit(5);
    exit(0);
  }
  if (waitpid(child, &status, 0) != child || status)
    return 4;
  dlclose(before);
  must_run("parent");
  return 0;
}

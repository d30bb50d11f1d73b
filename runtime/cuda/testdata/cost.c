// The costs of the driver's calls from C: loops that cost_test.go runs in its own
// process, in turn with the same calls through the back end. Each returns
// nanoseconds, or 0 where a call failed.
#include <dlfcn.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

typedef int CUresult;
typedef void *handle;
typedef uint64_t address;

#define FUNCTIONS \
  F(cuMemcpyAsync, address, address, size_t, handle) F(cuStreamSynchronize, handle) \
  F(cuLinkCreate_v2, unsigned, int *, void **, handle *) \
  F(cuLinkAddData_v2, handle, int, void *, size_t, const char *, unsigned, int *, void **) \
  F(cuLinkComplete, handle, void **, size_t *) F(cuLinkDestroy, handle) \
  F(cuModuleLoadDataEx, handle *, const void *, unsigned, int *, void **) F(cuModuleUnload, handle) \
  F(cuLaunchKernel, handle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, handle, void **, void **)
#define F(name, ...) static CUresult (*name)(__VA_ARGS__);
FUNCTIONS
#undef F

// cost_open finds the functions in the library; 0 if it lacks one.
int cost_open(const char *path) {
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return 0;
#define F(name, ...) \
  if (!(*(void **)&name = dlsym(library, #name))) \
    return 0;
  FUNCTIONS
#undef F
  return 1;
}

static uint64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000ull + t.tv_nsec;
}

// cost_launches launches a kernel of one pointer, and waits after each or at
// the end.
uint64_t cost_launches(handle function, handle stream, address argument, int count, int wait) {
  size_t size = sizeof argument;
  void *extra[] = {(void *)1, &argument, (void *)2, &size, 0};
  uint64_t start = now();
  for (int i = 0; i < count; i++)
    if (cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, stream, 0, extra) || (wait && cuStreamSynchronize(stream)))
      return 0;
  return cuStreamSynchronize(stream) ? 0 : now() - start;
}

uint64_t cost_copies(address to, address from, size_t size, handle stream, int count, int wait) {
  uint64_t start = now();
  for (int i = 0; i < count; i++)
    if (cuMemcpyAsync(to, from, size, stream) || (wait && cuStreamSynchronize(stream)))
      return 0;
  return cuStreamSynchronize(stream) ? 0 : now() - start;
}

// cost_link links and loads three modules of PTX, and unloads the result.
uint64_t cost_link(char *a, char *b, char *c) {
  char *texts[] = {a, b, c};
  handle linker, module;
  void *code;
  size_t size;
  uint64_t start = now();
  if (cuLinkCreate_v2(0, 0, 0, &linker))
    return 0;
  for (int i = 0; i < 3; i++)
    if (cuLinkAddData_v2(linker, 1, texts[i], strlen(texts[i]) + 1, "module", 0, 0, 0))
      return 0;
  if (cuLinkComplete(linker, &code, &size) || cuModuleLoadDataEx(&module, code, 0, 0, 0) || cuLinkDestroy(linker) || cuModuleUnload(module))
    return 0;
  return now() - start;
}

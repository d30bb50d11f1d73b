// The costs of calls of the driver, made from C: cost APP.ptx LIB.ptx MORE.ptx.
// It prints a line for each: name, nanoseconds; and on standard error the
// results of calls without a current context. cost_test.go makes the same calls
// through the back end.
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef int CUresult;
typedef void *handle;
typedef uint64_t address;

#define FUNCTIONS \
  F(cuInit, unsigned) F(cuDeviceGet, int *, int) F(cuDevicePrimaryCtxRetain, handle *, int) F(cuCtxSetCurrent, handle) \
  F(cuMemAlloc_v2, address *, size_t) F(cuMemHostAlloc, void **, size_t, unsigned) F(cuMemcpyAsync, address, address, size_t, handle) \
  F(cuStreamCreate, handle *, unsigned) F(cuStreamSynchronize, handle) \
  F(cuLinkCreate_v2, unsigned, int *, void **, handle *) \
  F(cuLinkAddData_v2, handle, int, void *, size_t, const char *, unsigned, int *, void **) \
  F(cuLinkComplete, handle, void **, size_t *) F(cuLinkDestroy, handle) \
  F(cuModuleLoadDataEx, handle *, const void *, unsigned, int *, void **) F(cuModuleGetFunction, handle *, handle, const char *) \
  F(cuLaunchKernel, handle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, handle, void **, void **)
#define F(name, ...) static CUresult (*name)(__VA_ARGS__);
FUNCTIONS
#undef F

static void check(CUresult r, const char *what) {
  if (r) {
    fprintf(stderr, "cost: %s failed with %d\n", what, r);
    exit(1);
  }
}
#define CHECK(call) check(call, #call)

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1e9 + t.tv_nsec;
}

// read_file reads PTX, without the attributes that the driver does not load.
static char *read_file(const char *name) {
  FILE *f = fopen(name, "rb");
  if (!f) {
    perror(name);
    exit(1);
  }
  char *text = calloc(1, 1 << 20);
  if (!fread(text, 1, (1 << 20) - 1, f))
    exit(1);
  fclose(f);
  const char *shared = " .ptr .shared .align 1";
  for (char *at = text; (at = strstr(at, shared));)
    memset(at, ' ', strlen(shared));
  return text;
}

static handle link_modules(char **texts, int count) {
  handle linker, module;
  void *code;
  size_t size;
  CHECK(cuLinkCreate_v2(0, 0, 0, &linker));
  for (int i = 0; i < count; i++)
    CHECK(cuLinkAddData_v2(linker, 1, texts[i], strlen(texts[i]) + 1, "module", 0, 0, 0));
  CHECK(cuLinkComplete(linker, &code, &size));
  CHECK(cuModuleLoadDataEx(&module, code, 0, 0, 0));
  CHECK(cuLinkDestroy(linker));
  return module;
}

int main(int argc, char **argv) {
  void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library || argc < 5) {
    fprintf(stderr, "cost: %s\n", library ? "usage: cost APP.ptx LIB.ptx BUILTINS.ptx MORE.ptx" : dlerror());
    return 1;
  }
#define F(name, ...) *(void **)&name = dlsym(library, #name);
  FUNCTIONS
#undef F
  int device;
  handle context, stream, function;
  CHECK(cuInit(0));
  CHECK(cuDeviceGet(&device, 0));
  CHECK(cuDevicePrimaryCtxRetain(&context, device));
  CHECK(cuCtxSetCurrent(context));
  CHECK(cuStreamCreate(&stream, 1));

  char *texts[] = {read_file(argv[1]), read_file(argv[2]), read_file(argv[3])};
  double start = now();
  link_modules(texts, 3);
  printf("first-link %.0f\n", now() - start);
  start = now();
  link_modules(texts, 3);
  printf("second-link %.0f\n", now() - start);

  char *more[] = {read_file(argv[4]), texts[2]};
  handle module = link_modules(more, 2);
  CHECK(cuModuleGetFunction(&function, module, "nothing"));
  address buffer;
  CHECK(cuMemAlloc_v2(&buffer, 64 << 20));
  uint64_t argument = buffer;
  size_t size = 8;
  void *extra[] = {(void *)1, &argument, (void *)2, &size, 0};
  CHECK(cuCtxSetCurrent(0));
  int launched = cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, stream, 0, extra);
  fprintf(stderr, "without a context: cuLaunchKernel %d, cuMemcpyAsync %d, cuStreamSynchronize %d\n", launched,
          cuMemcpyAsync(buffer, buffer + 64, 8, stream), cuStreamSynchronize(stream));
  CHECK(cuCtxSetCurrent(context));
  enum { LAUNCHES = 20000, WAITS = 5000, COPIES = 20 };
  for (int round = 0; round < 5; round++) {
    for (int i = 0; i < 100; i++)
      CHECK(cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, stream, 0, extra));
    CHECK(cuStreamSynchronize(stream));
    start = now();
    for (int i = 0; i < LAUNCHES; i++)
      CHECK(cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, stream, 0, extra));
    CHECK(cuStreamSynchronize(stream));
    printf("launch %.1f\n", (now() - start) / LAUNCHES);
    start = now();
    for (int i = 0; i < WAITS; i++) {
      CHECK(cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, stream, 0, extra));
      CHECK(cuStreamSynchronize(stream));
    }
    printf("launch-and-wait %.1f\n", (now() - start) / WAITS);
    static void *pinned;
    if (round == 0)
      CHECK(cuMemHostAlloc(&pinned, 64 << 20, 3));
    start = now();
    for (int i = 0; i < COPIES; i++)
      CHECK(cuMemcpyAsync(buffer, (address)(uintptr_t)pinned, 64 << 20, stream));
    CHECK(cuStreamSynchronize(stream));
    printf("copy-64MiB %.1f\n", (now() - start) / COPIES);
    char small[256] = {0};
    start = now();
    for (int i = 0; i < WAITS; i++) {
      CHECK(cuMemcpyAsync(buffer, (address)(uintptr_t)small, sizeof small, stream));
      CHECK(cuStreamSynchronize(stream));
    }
    printf("write-256B %.1f\n", (now() - start) / WAITS);
  }
  return 0;
}

/* A small plugin: one device that runs native code, shared libraries for the processor,
 * each command at once. A kernel is a function of that name,
 *
 *   void kernel(void **arguments, const size_t *id);
 *   const uint32_t kernel_arguments = 2;
 *
 * where arguments has the address of each argument: of a value, or of a pointer to memory.
 * Commands have ended when they return, so that every event is the same one. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "pi_plugin.h"

enum { MAX_ARGUMENTS = 16, MAX_BYTES = 64 };
struct kernel {
  void (*run)(void **, const size_t *);
  uint32_t arguments;
  char bytes[MAX_ARGUMENTS][MAX_BYTES];
};
static int platform, device, context, queue, ended; /* their addresses are the handles */

static int answer(const void *value, size_t length, PI_ANSWER) {
  if (out && room < length)
    return PI_INVALID_VALUE;
  if (out)
    memcpy(out, value, length);
  if (size)
    *size = length;
  return 0;
}
#define NUMBER(type, value) return answer(&(type){value}, sizeof(type), room, out, size)
#define TEXT(text) return answer(text, sizeof text, room, out, size)

static int list_one(void *it, uint32_t n, void **list, uint32_t *count) {
  if (n)
    list[0] = it;
  if (count)
    *count = 1;
  return 0;
}
int piPlatformsGet(uint32_t n, void **list, uint32_t *count) { return list_one(&platform, n, list, count); }
int piDevicesGet(void *p, uint64_t type, uint32_t n, void **list, uint32_t *count) { return list_one(&device, n, list, count); }

int piPlatformGetInfo(void *p, uint32_t what, PI_ANSWER) {
  if (what == PI_PLATFORM_NAME)
    TEXT("Small platform");
  TEXT("1.0");
}
int piDeviceGetInfo(void *d, uint32_t what, PI_ANSWER) {
  switch (what) {
  case PI_DEVICE_NAME: TEXT("Small device");
  case PI_DEVICE_VENDOR: TEXT("offlink");
  case PI_DEVICE_TYPE: NUMBER(uint64_t, 2);
  case PI_DEVICE_COMPUTE_UNITS: NUMBER(uint32_t, 1);
  case PI_DEVICE_MAX_GROUP: NUMBER(size_t, 1);
  case PI_DEVICE_LOCAL_MEMORY: NUMBER(uint64_t, 1 << 16);
  case PI_DEVICE_MEMORY: case PI_DEVICE_MAX_ALLOCATION: NUMBER(uint64_t, 1 << 30);
  }
  return PI_INVALID_VALUE;
}
int piextDeviceSelectBinary(void *d, struct pi_image **list, uint32_t n, uint32_t *index) {
  for (*index = 0; *index < n; ++*index)
    if (!strcmp(list[*index]->target, "spir64_x86_64"))
      return 0;
  return PI_INVALID_BINARY;
}

int piContextCreate(const void *properties, uint32_t n, void **devices, void *notify, void *user, void **out) { return *out = &context, 0; }
int piContextRelease(void *c) { return 0; }
int piextQueueCreate(void *c, void *d, uint64_t *properties, void **out) { return *out = &queue, 0; }
int piQueueFinish(void *q) { return 0; }
int piQueueRelease(void *q) { return 0; }

/* A buffer is its memory. */
int piMemBufferCreate(void *c, uint64_t flags, size_t size, void *host, void **out, void *properties) {
  *out = aligned_alloc(128, (size + 127) / 128 * 128);
  return *out ? 0 : PI_OUT_OF_RESOURCES;
}
int piMemRelease(void *m) { return free(m), 0; }

static int end(void **event) {
  if (event)
    *event = &ended;
  return 0;
}
int piEnqueueMemBufferRead(void *q, void *m, uint32_t block, size_t offset, size_t size, void *to, PI_EVENTS) {
  memcpy(to, (char *)m + offset, size);
  return end(event);
}
int piEnqueueMemBufferWrite(void *q, void *m, uint32_t block, size_t offset, size_t size, const void *from, PI_EVENTS) {
  memcpy((char *)m + offset, from, size);
  return end(event);
}
int piEnqueueMemBufferCopy(void *q, void *from, void *to, size_t from_offset, size_t to_offset, size_t size, PI_EVENTS) {
  memcpy((char *)to + to_offset, (char *)from + from_offset, size);
  return end(event);
}
int piEnqueueMemBufferFill(void *q, void *m, const unsigned char *pattern, size_t length, size_t offset, size_t size, PI_EVENTS) {
  for (size_t i = 0; i < size; i++)
    ((unsigned char *)m)[offset + i] = pattern[i % length];
  return end(event);
}
int piEnqueueEventsWait(void *q, PI_EVENTS) { return end(event); }
int piEventsWait(uint32_t count, void **list) { return 0; }
int piEventGetInfo(void *e, uint32_t what, PI_ANSWER) { NUMBER(int32_t, 0); }
int piEventRelease(void *e) { return 0; }

/* A program is its library, opened from a file that is gone afterwards. */
int piProgramCreateWithBinary(void *c, uint32_t n, void **devices, const size_t *sizes, const unsigned char **codes, size_t entries, const void *metadata,
                              int32_t *status, void **out) {
  char path[] = "/tmp/pi-small-XXXXXX";
  int file = mkstemp(path);
  if (file < 0)
    return PI_OUT_OF_RESOURCES;
  ssize_t written = write(file, codes[0], sizes[0]);
  close(file);
  *out = (size_t)written == sizes[0] ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
  unlink(path);
  return *status = *out ? 0 : PI_INVALID_BINARY;
}
int piProgramBuild(void *p, uint32_t n, void **devices, const char *options, void *notify, void *user) { return 0; }
int piProgramGetBuildInfo(void *p, void *d, uint32_t what, PI_ANSWER) { TEXT(""); }
int piProgramRelease(void *p) { return dlclose(p) ? PI_INVALID_VALUE : 0; }

int piKernelCreate(void *p, const char *name, void **out) {
  struct kernel *k = calloc(1, sizeof *k);
  if (!k)
    return PI_OUT_OF_RESOURCES;
  char variable[256];
  snprintf(variable, sizeof variable, "%s_arguments", name);
  const uint32_t *arguments = dlsym(p, variable);
  *(void **)&k->run = dlsym(p, name);
  if (!k->run || !arguments || *arguments > MAX_ARGUMENTS)
    return free(k), PI_INVALID_KERNEL_NAME;
  k->arguments = *arguments;
  return *out = k, 0;
}
int piKernelRelease(void *k) { return free(k), 0; }
int piKernelGetInfo(void *k, uint32_t what, PI_ANSWER) { NUMBER(uint32_t, ((struct kernel *)k)->arguments); }
int piKernelGetGroupInfo(void *k, void *d, uint32_t what, PI_ANSWER) { return PI_INVALID_VALUE; }
int piKernelSetArg(void *k, uint32_t i, size_t size, const void *value) {
  if (i >= ((struct kernel *)k)->arguments || !value || size > MAX_BYTES)
    return PI_INVALID_ARG_SIZE;
  return memcpy(((struct kernel *)k)->bytes[i], value, size), 0;
}
int piextKernelSetArgMemObj(void *k, uint32_t i, const uint32_t *property, void **memory) { return piKernelSetArg(k, i, sizeof *memory, memory); }

int piEnqueueKernelLaunch(void *q, void *kernel, uint32_t dimensions, const size_t *offset, const size_t *global, const size_t *local, PI_EVENTS) {
  struct kernel *k = kernel;
  void *arguments[MAX_ARGUMENTS];
  size_t whole[3] = {1, 1, 1}, from[3] = {0}, id[3];
  for (int i = 0; i < MAX_ARGUMENTS; i++)
    arguments[i] = k->bytes[i];
  for (uint32_t i = 0; i < dimensions; i++)
    whole[i] = global[i], from[i] = offset ? offset[i] : 0;
  for (id[2] = from[2]; id[2] < from[2] + whole[2]; id[2]++)
    for (id[1] = from[1]; id[1] < from[1] + whole[1]; id[1]++)
      for (id[0] = from[0]; id[0] < from[0] + whole[0]; id[0]++)
        k->run(arguments, id);
  return end(event);
}

PI_PLUGIN

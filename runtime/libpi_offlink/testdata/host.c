// A host of the plugin: calls that the adapter of runtime/piplugin does not make. It prints
// what is wrong.
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "pi_tables.h"

#define SLOT(name) SLOT_##name,
enum { PI_TABLE_15_47(SLOT) SLOTS };

static struct {
  char host_version[20], version[20];
  char *targets;
  int32_t (*table[SLOTS + 8])();
} plugin;

#define CALL(name, ...) plugin.table[SLOT_##name](__VA_ARGS__)
#define EXPECT(condition)                              \
  do {                                                 \
    if (!(condition))                                  \
      printf("line %d: %s\n", __LINE__, #condition);   \
  } while (0)

enum { UNSUPPORTED = -995, INVALID_VALUE = -30, BLOCK = 1 };
typedef struct { size_t bytes, rows, slices; } place;

static void try_rectangles(void *context, void *queue) {
  void *a = 0, *b = 0;
  unsigned char host[64], got[64] = {0};
  for (int i = 0; i < 64; i++)
    host[i] = i;
  EXPECT(!CALL(piMemBufferCreate, context, (uint64_t)1, (size_t)64, (void *)0, &a, (void *)0));
  EXPECT(!CALL(piMemBufferCreate, context, (uint64_t)1, (size_t)64, (void *)0, &b, (void *)0));
  place zero = {0}, at = {1, 1, 0}, region = {2, 3, 2}, whole = {64, 1, 1}, deep = {4, 1, 0};
  size_t none = 0, row = 4, slice = 16;
  void *event = 0;
  // Two slices of three rows of two bytes, from the host at (1, 1) to the buffer at the same place.
  EXPECT(!CALL(piEnqueueMemBufferWriteRect, queue, a, BLOCK, &at, &at, &region, row, slice, row, slice, host, 0, (void *)0, &event));
  EXPECT(event && !CALL(piEventsWait, 1, &event) && !CALL(piEventRelease, event));
  EXPECT(!CALL(piEnqueueMemBufferCopyRect, queue, a, b, &at, &zero, &region, row, slice, none, none, 0, (void *)0, (void *)0));
  EXPECT(!CALL(piEnqueueMemBufferReadRect, queue, b, BLOCK, &zero, &zero, &whole, none, none, none, none, got, 0, (void *)0, (void *)0));
  static const unsigned char want[12] = {5, 6, 9, 10, 13, 14, 21, 22, 25, 26, 29, 30};
  EXPECT(!memcmp(got, want, sizeof want) && !got[12]);
  EXPECT(CALL(piEnqueueMemBufferReadRect, queue, b, BLOCK, &deep, &zero, &whole, none, none, none, none, got, 0, (void *)0, (void *)0) == INVALID_VALUE);
  at.slices = SIZE_MAX;
  EXPECT(CALL(piEnqueueMemBufferWriteRect, queue, a, BLOCK, &at, &zero, &region, row, slice, row, slice, host, 0, (void *)0, (void *)0) == INVALID_VALUE);
  EXPECT(!CALL(piMemRelease, a) && !CALL(piMemRelease, b));
}

int main(int argc, char **argv) {
  void *library = dlopen(argv[1], RTLD_NOW);
  int32_t (*init)() = library ? (int32_t(*)())dlsym(library, "piPluginInit") : 0;
  strcpy(plugin.host_version, "15.47");
  if (!init || init(&plugin)) {
    printf("no plugin: %s\n", dlerror());
    return 1;
  }
  for (int i = 0; i < SLOTS; i++)
    if (!plugin.table[i])
      printf("entry %d is null\n", i);
  char *text = 0;
  void *platform = 0, *device = 0, *context = 0, *queue = 0;
  EXPECT(CALL(piSamplerCreate, 0, 0, 0) == UNSUPPORTED && CALL(piPluginGetLastError, &text) && strstr(text, "piSamplerCreate"));
  EXPECT(!CALL(piPlatformsGet, 1, &platform, (void *)0) && !CALL(piDevicesGet, platform, (uint64_t)2, 1, &device, (void *)0));
  uintptr_t native = 0;
  EXPECT(CALL(piextDeviceGetNativeHandle, device, &native) == UNSUPPORTED && !native);
  uint64_t first[2] = {0}, second[2] = {0};
  EXPECT(!CALL(piGetDeviceAndHostTimer, device, &first[0], &first[1]) && !CALL(piGetDeviceAndHostTimer, device, &second[0], &second[1]));
  EXPECT(first[0] && first[1] && second[0] >= first[0] && second[1] >= first[1]);
  uint64_t properties[] = {-1, 1, 0};
  EXPECT(!CALL(piContextCreate, (void *)0, 1, &device, (void *)0, (void *)0, &context));
  EXPECT(!CALL(piextQueueCreate, context, device, properties, &queue));
  try_rectangles(context, queue);
  EXPECT(!CALL(piQueueRelease, queue) && !CALL(piContextRelease, context));
  return 0;
}

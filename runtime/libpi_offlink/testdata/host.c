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

enum { UNSUPPORTED = -995, PLUGIN_SPECIFIC = -996, INVALID_VALUE = -30, BLOCK = 1 };
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

/* Places of functions in the table of an object of OpenCL's loader (CL/cl_icd.h). */
enum { CREATE_CONTEXT = 4, RELEASE_CONTEXT = 7, CONTEXT_INFO = 8, RELEASE_PROGRAM = 29, BUILD_PROGRAM = 30, PROGRAM_INFO = 32, CREATE_KERNEL = 34, SET_ARG = 38, KERNEL_INFO = 39, ENQUEUE_KERNEL = 59, CREATE_PIPE = 124, CREATE_WITH_IL = 138, TABLE = 149 };
typedef void *(*creator)();
typedef int32_t (*command)();
#define OF(object, slot) ((*(void *const **)(object))[slot])
#define MAKE(object, slot, ...) ((creator)OF(object, slot))(object, __VA_ARGS__)
#define DO(object, slot, ...) ((command)OF(object, slot))(object, ##__VA_ARGS__)

/* A program of SPIR-V that is made by OpenCL's functions with the native context, and runs
 * through the plugin. */
static void try_native_handles(void *device, void *context, void *queue, const char *file) {
  enum { CONTEXT_DEVICES = 0x1081, PROGRAM_CONTEXT = 0x1161, KERNEL_CONTEXT = 0x1193, INVALID_OPERATION = -59, ITEMS = 8 };
  static char code[65536];
  FILE *f = fopen(file, "rb");
  size_t length = f ? fread(code, 1, sizeof code, f) : 0, items = ITEMS;
  void *native = 0, *native_device = 0, *own = 0, *got = 0, *kernel = 0;
  int32_t code_of = 1;
  EXPECT(!CALL(piextContextGetNativeHandle, context, &native) && !CALL(piextDeviceGetNativeHandle, device, &native_device));
  for (int i = 0; i < TABLE; i++)
    EXPECT(OF(native, i));
  EXPECT(!DO(native, CONTEXT_INFO, CONTEXT_DEVICES, sizeof got, &got, (size_t *)0) && got == native_device);
  void *program = MAKE(native, CREATE_WITH_IL, code, length, &code_of);
  EXPECT(program && !code_of && !DO(program, BUILD_PROGRAM, 0, (void *)0, "", (void *)0, (void *)0));
  EXPECT(!DO(program, PROGRAM_INFO, PROGRAM_CONTEXT, sizeof got, &got, (size_t *)0) && got == native);
  void *native_kernel = MAKE(program, CREATE_KERNEL, "selftest", &code_of);
  EXPECT(native_kernel && !code_of && !MAKE(program, CREATE_KERNEL, "none", &code_of) && code_of == -46);
  EXPECT(!MAKE(native, CREATE_PIPE, (uint64_t)0, 4, 4, (void *)0, &code_of) && code_of == INVALID_OPERATION);
  EXPECT(!MAKE(native, CREATE_WITH_IL, code, (size_t)7, &code_of) && code_of == -42);
  // Back in the plugin, the handles are those that it made.
  EXPECT(!CALL(piextProgramCreateWithNativeHandle, program, context, 0, &own) && own && own != program);
  EXPECT(!CALL(piextContextCreateWithNativeHandle, native, 1, &device, 0, &got) && got == context);
  EXPECT(CALL(piextProgramCreateWithNativeHandle, &program, context, 0, &got) == INVALID_VALUE);
  EXPECT(!CALL(piextKernelCreateWithNativeHandle, native_kernel, context, own, 0, &kernel));
  EXPECT(!CALL(piKernelGetInfo, kernel, KERNEL_CONTEXT, sizeof got, &got, (size_t *)0) && got == context);
  uint32_t *memory = 0;
  EXPECT(!CALL(piextUSMSharedAlloc, &memory, context, device, (void *)0, (size_t)64, 0));
  EXPECT(!CALL(piextKernelSetArgPointer, kernel, 0, sizeof memory, &memory));
  EXPECT(!CALL(piEnqueueKernelLaunch, queue, kernel, 1, (void *)0, &items, (void *)0, 0, (void *)0, (void *)0) && !CALL(piQueueFinish, queue));
  for (uint32_t i = 0; memory && i < ITEMS; i++)
    EXPECT(memory[i] == i * i + 1);
  // A kernel that fails: the host's memory is not the device's. Its failure is printed once.
  void *outside = &items, *event = 0;
  EXPECT(!CALL(piextKernelSetArgPointer, kernel, 0, sizeof outside, &outside));
  EXPECT(!CALL(piEnqueueKernelLaunch, queue, kernel, 1, (void *)0, &items, (void *)0, 0, (void *)0, &event));
  EXPECT(CALL(piEventsWait, 1, &event) == PLUGIN_SPECIFIC && CALL(piEventsWait, 1, &event) == PLUGIN_SPECIFIC && items == ITEMS);
  EXPECT(!CALL(piEventRelease, event));
  // Both counts are one.
  EXPECT(!CALL(piKernelRelease, kernel) && !CALL(piProgramRetain, own) && !DO(program, RELEASE_PROGRAM) && !CALL(piProgramRelease, own));
  EXPECT(CALL(piProgramRelease, own) == INVALID_VALUE && CALL(piextProgramCreateWithNativeHandle, program, context, 0, &got) == INVALID_VALUE);
  EXPECT(!CALL(piextUSMFree, context, memory));
}

/* Information of a device that is one number. */
static uint64_t number(void *device, uint32_t param, size_t size) {
  uint64_t n = 0;
  EXPECT(!CALL(piDeviceGetInfo, device, param, size, &n, (size_t *)0));
  return n;
}

enum { EQUALLY = 0x1086, BY_COUNTS = 0x1087, BY_AFFINITY = 0x1088, UNITS = 0x1002, PARENT = 0x1042, MOST_PARTS = 0x1043, PARTITIONS = 0x1044, PARTITION = 0x1046, USES = 0x1047, CREATE_SUB_DEVICES = 93, RELEASE_DEVICE = 95 };

/* A program runs in a queue of a sub-device, and its binaries are those of both. */
static void run_on_parts(void **parts, const char *file) {
  enum { PROGRAM_COUNT = 0x1162, PROGRAM_DEVICES = 0x1163, SIZES = 0x1165, BINARIES = 0x1166, QUEUE_DEVICE = 0x1091, USM_DEVICE = 0x419D, INVALID_BINARY = -42 };
  static char code[65536], kept[2][65536];
  FILE *f = fopen(file, "rb");
  size_t length = f ? fread(code, 1, sizeof code, f) : 0, items = 8, size = 0, sizes[2] = {0};
  void *context = 0, *queue = 0, *program = 0, *again = 0, *kernel = 0, *got[2] = {0}, *places[2] = {kept[0], kept[1]};
  uint64_t properties[] = {0};
  uint32_t *memory = 0, count = 0;
  EXPECT(!CALL(piContextCreate, (void *)0, 2, parts, (void *)0, (void *)0, &context));
  EXPECT(!CALL(piContextGetInfo, context, 0x1081, sizeof got, got, &size) && size == sizeof got && got[0] == parts[0] && got[1] == parts[1]);
  EXPECT(!CALL(piextQueueCreate, context, parts[1], properties, &queue));
  EXPECT(!CALL(piQueueGetInfo, queue, QUEUE_DEVICE, sizeof *got, got, (size_t *)0) && got[0] == parts[1]);
  EXPECT(!CALL(piProgramCreate, context, code, length, &program) && !CALL(piProgramBuild, program, 2, parts, "", (void *)0, (void *)0));
  EXPECT(!CALL(piProgramGetInfo, program, PROGRAM_COUNT, sizeof count, &count, (size_t *)0) && count == 2);
  EXPECT(!CALL(piProgramGetInfo, program, PROGRAM_DEVICES, sizeof got, got, (size_t *)0) && got[1] == parts[1]);
  EXPECT(!CALL(piProgramGetInfo, program, SIZES, sizeof sizes, sizes, (size_t *)0) && sizes[0] && sizes[0] == sizes[1] && sizes[0] < sizeof code);
  EXPECT(!CALL(piProgramGetInfo, program, BINARIES, sizeof places, places, (size_t *)0) && kept[1][0] && !memcmp(kept[0], kept[1], sizes[0]));
  EXPECT(!CALL(piProgramRelease, program));
  EXPECT(!CALL(piProgramCreateWithBinary, context, 2, parts, sizes, places, (size_t)0, (void *)0, (int32_t *)0, &again));
  kept[1][sizes[1] - 1] ^= 1;
  EXPECT(CALL(piProgramCreateWithBinary, context, 2, parts, sizes, places, (size_t)0, (void *)0, (int32_t *)0, &program) == INVALID_BINARY);
  EXPECT(!CALL(piKernelCreate, again, "selftest", &kernel) && !CALL(piextUSMDeviceAlloc, &memory, context, parts[1], (void *)0, (size_t)64, 0));
  EXPECT(!CALL(piextUSMGetMemAllocInfo, context, memory + 1, USM_DEVICE, sizeof *got, got, (size_t *)0) && got[0] == parts[1]);
  EXPECT(!CALL(piextKernelSetArgPointer, kernel, 0, sizeof memory, &memory));
  EXPECT(!CALL(piEnqueueKernelLaunch, queue, kernel, 1, (void *)0, &items, (void *)0, 0, (void *)0, (void *)0) && !CALL(piQueueFinish, queue));
  for (uint32_t i = 0; memory && i < items; i++)
    EXPECT(memory[i] == i * i + 1);
  EXPECT(!CALL(piextUSMFree, context, memory) && !CALL(piKernelRelease, kernel) && !CALL(piProgramRelease, again));
  EXPECT(!CALL(piQueueRelease, queue) && !CALL(piContextRelease, context));
}

/* The process has four threads for kernels (GOMAXPROCS). */
static void try_parts(void *device, const char *file) {
  enum { PARTITION_FAILED = -18, INVALID_DEVICE = -33, INVALID_COUNT = -68 };
  void *parts[4] = {0}, *small[2] = {0}, *native = 0, *of_part = 0;
  uint32_t count = 0;
  size_t list[4] = {0}, size = 0;
  intptr_t halves[] = {EQUALLY, 2, 0}, counts[] = {BY_COUNTS, 1, 3, 0}, many[] = {BY_COUNTS, 2, 3, 0};
  intptr_t large[] = {EQUALLY, 5, 0}, none[] = {EQUALLY, 0, 0}, affinity[] = {BY_AFFINITY, 32, 0}, ones[] = {EQUALLY, 1, 0};
  EXPECT(number(device, UNITS, 4) == 4 && number(device, MOST_PARTS, 4) == 4 && !number(device, PARENT, 8));
  EXPECT(!CALL(piDeviceGetInfo, device, PARTITIONS, sizeof list, list, &size) && size == 16 && list[0] == EQUALLY && list[1] == BY_COUNTS);
  EXPECT(CALL(piDevicePartition, device, many, 4, parts, &count) == INVALID_COUNT && CALL(piDevicePartition, device, large, 4, parts, &count) == PARTITION_FAILED);
  EXPECT(CALL(piDevicePartition, device, none, 4, parts, &count) == INVALID_VALUE && CALL(piDevicePartition, device, affinity, 4, parts, &count) == INVALID_VALUE);
  EXPECT(CALL(piDevicePartition, device, counts, 1, parts, &count) == INVALID_VALUE && !parts[0]);
  EXPECT(!CALL(piDevicePartition, device, counts, 0, (void *)0, &count) && count == 2);
  EXPECT(!CALL(piDevicePartition, device, counts, 2, parts, (uint32_t *)0) && parts[0] && parts[1] != parts[0] && parts[1] != device);
  EXPECT(number(parts[0], UNITS, 4) == 1 && number(parts[1], UNITS, 4) == 3 && number(parts[1], PARENT, 8) == (uint64_t)device);
  EXPECT(!CALL(piDeviceGetInfo, parts[1], PARTITION, sizeof list, list, &size) && size == 32 && list[0] == BY_COUNTS && list[2] == 3 && !list[3]);
  EXPECT(!number(parts[0], MOST_PARTS, 4) && CALL(piDevicePartition, parts[0], ones, 4, parts, &count) == PARTITION_FAILED);
  run_on_parts(parts, file);
  // A part of a part uses it, as a context does. By OpenCL's functions:
  EXPECT(!CALL(piextDeviceGetNativeHandle, parts[1], &native));
  EXPECT(!DO(native, CREATE_SUB_DEVICES, halves, 2, small, &count) && count == 1 && small[0]);
  EXPECT(!CALL(piextDeviceCreateWithNativeHandle, small[0], (void *)0, &of_part) && number(of_part, UNITS, 4) == 2);
  EXPECT(number(parts[1], USES, 4) == 2 && !CALL(piDeviceRelease, parts[1]) && number(parts[1], UNITS, 4) == 3);
  EXPECT(!DO(small[0], RELEASE_DEVICE) && CALL(piDeviceGetInfo, parts[1], UNITS, (size_t)4, &count, (size_t *)0) == INVALID_DEVICE);
  EXPECT(!CALL(piDeviceRetain, parts[0]) && !CALL(piDeviceRelease, parts[0]) && !CALL(piDeviceRelease, parts[0]));
  EXPECT(CALL(piextQueueCreate, 0, parts[0], (void *)0, &of_part) == INVALID_DEVICE);
  EXPECT(number(device, 0x101C, 4) == 2 && number(device, 0x101D, 4) >= 32); // a cache that is read and written, its lines
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
  uint64_t first[2] = {0}, second[2] = {0};
  EXPECT(!CALL(piGetDeviceAndHostTimer, device, &first[0], &first[1]) && !CALL(piGetDeviceAndHostTimer, device, &second[0], &second[1]));
  EXPECT(first[0] && first[1] && second[0] >= first[0] && second[1] >= first[1]);
  uint64_t properties[] = {-1, 1, 0};
  EXPECT(!CALL(piContextCreate, (void *)0, 1, &device, (void *)0, (void *)0, &context));
  EXPECT(!CALL(piextQueueCreate, context, device, properties, &queue));
  try_rectangles(context, queue);
  try_native_handles(device, context, queue, argv[2]);
  EXPECT(!CALL(piQueueRelease, queue) && !CALL(piContextRelease, context));
  try_parts(device, argv[2]);
  return 0;
}

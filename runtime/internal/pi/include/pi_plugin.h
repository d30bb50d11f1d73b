/* The plugin interface (PI) of DPC++ 2024.2, version 15.47, as far as offlink calls it:
 * for plugins in C. A plugin defines some of the functions and, once,
 *
 *   PI_PLUGIN
 *
 * which is the table of these functions and piPluginInit, the one exported function.
 * Functions return 0, or a code of OpenCL such as PI_INVALID_VALUE; -996 says that
 * piPluginGetLastError has a text. Handles are the plugin's own pointers: define PI_HANDLE
 * before the include to give them a type. Numbers of queries are those of OpenCL (cl.h,
 * cl_ext.h). offlink does not call the functions that are not declared here. */
#ifndef PI_PLUGIN_H
#define PI_PLUGIN_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "pi_tables.h"

#ifndef PI_HANDLE
#define PI_HANDLE void
#endif

/* Functions that a plugin does not define are null in its table. */
#define PI_WEAK_(name) extern int name() __attribute__((weak));
#define PI_ENTRY_(name) (void *)name,

typedef struct {
  char version[20]; /* that the host wants */
  char plugin[20];  /* the plugin's own: the host reads the table of that version */
  const char *targets;
  void *table[256];
} pi_record;

#define PI_PLUGIN                                                  \
  PI_TABLE_15_47(PI_WEAK_)                                         \
  __attribute__((visibility("default"))) int piPluginInit(pi_record *r) { \
    void *table[] = {PI_TABLE_15_47(PI_ENTRY_)};                   \
    if (strncmp(r->version, "15.47", 5))                           \
      return PI_INVALID_OPERATION; /* the host asks for another */ \
    memset(r->plugin, 0, sizeof r->plugin);                        \
    strcpy(r->plugin, "15.47");                                    \
    r->targets = "";                                               \
    memcpy(r->table, table, sizeof table);                         \
    return 0;                                                      \
  }

enum {
  PI_DEVICE_NOT_FOUND = -1,
  PI_OUT_OF_RESOURCES = -5,
  PI_WAIT_LIST_FAILURE = -14,
  PI_COMPILE_FAILURE = -15,
  PI_LINK_FAILURE = -17,
  PI_INVALID_VALUE = -30,
  PI_INVALID_BINARY = -42,
  PI_INVALID_KERNEL_NAME = -46,
  PI_INVALID_ARG_INDEX = -49,
  PI_INVALID_ARG_SIZE = -51,
  PI_INVALID_OPERATION = -59,
  PI_SPECIFIC = -996
};

/* A device image, as piextDeviceSelectBinary sees it; more fields follow. */
struct pi_image {
  uint16_t version;
  uint8_t kind, format;
  const char *target; /* "spir64", "spir64_x86_64", ... */
};

/* The end of a command: the events that it waits for, and the place of its own, NULL where
 * the host wants none. */
#define PI_EVENTS uint32_t count, PI_HANDLE **list, PI_HANDLE **event
/* The answer of a query: room for it, NULL to ask for its size alone. */
#define PI_ANSWER size_t room, void *out, size_t *size

/* Platforms and devices. The first call of a list has n == 0, and asks for the number. */
int piPlatformsGet(uint32_t n, PI_HANDLE **list, uint32_t *count);
int piPlatformGetInfo(PI_HANDLE *platform, uint32_t what, PI_ANSWER);
int piDevicesGet(PI_HANDLE *platform, uint64_t type, uint32_t n, PI_HANDLE **list, uint32_t *count);
int piDeviceGetInfo(PI_HANDLE *device, uint32_t what, PI_ANSWER);
int piDevicePartition(PI_HANDLE *device, const intptr_t *properties, uint32_t n, PI_HANDLE **list, uint32_t *count);
int piDeviceRelease(PI_HANDLE *device);
/* The index of the image that the device takes, of n; PI_INVALID_BINARY if it takes none. */
int piextDeviceSelectBinary(PI_HANDLE *device, struct pi_image **list, uint32_t n, uint32_t *index);

int piContextCreate(const void *properties, uint32_t n, PI_HANDLE **devices, void *notify, void *user, PI_HANDLE **context);
int piContextRelease(PI_HANDLE *context);

/* Queues. properties are pairs of a number and a value, and a 0; -1 has the flags. */
int piQueueCreate(PI_HANDLE *context, PI_HANDLE *device, uint64_t flags, PI_HANDLE **queue);
int piextQueueCreate(PI_HANDLE *context, PI_HANDLE *device, uint64_t *properties, PI_HANDLE **queue);
int piQueueFinish(PI_HANDLE *queue);
int piQueueFlush(PI_HANDLE *queue);
int piQueueRelease(PI_HANDLE *queue);

/* Buffers: the memory of devices without the functions of piextUSM. */
int piMemBufferCreate(PI_HANDLE *context, uint64_t flags, size_t size, void *host, PI_HANDLE **memory, void *properties);
int piMemBufferPartition(PI_HANDLE *memory, uint64_t flags, uint32_t type, size_t *region, PI_HANDLE **part);
int piMemRelease(PI_HANDLE *memory);
int piEnqueueMemBufferRead(PI_HANDLE *queue, PI_HANDLE *memory, uint32_t block, size_t offset, size_t size, void *to, PI_EVENTS);
int piEnqueueMemBufferWrite(PI_HANDLE *queue, PI_HANDLE *memory, uint32_t block, size_t offset, size_t size, const void *from, PI_EVENTS);
int piEnqueueMemBufferCopy(PI_HANDLE *queue, PI_HANDLE *from, PI_HANDLE *to, size_t from_offset, size_t to_offset, size_t size, PI_EVENTS);
int piEnqueueMemBufferFill(PI_HANDLE *queue, PI_HANDLE *memory, const unsigned char *pattern, size_t length, size_t offset, size_t size, PI_EVENTS);

/* Unified shared memory. */
int piextUSMDeviceAlloc(void **address, PI_HANDLE *context, PI_HANDLE *device, void *properties, size_t size, uint32_t alignment);
int piextUSMHostAlloc(void **address, PI_HANDLE *context, void *properties, size_t size, uint32_t alignment);
int piextUSMSharedAlloc(void **address, PI_HANDLE *context, PI_HANDLE *device, void *properties, size_t size, uint32_t alignment);
int piextUSMFree(PI_HANDLE *context, void *address);
int piextUSMGetMemAllocInfo(PI_HANDLE *context, unsigned char *address, uint32_t what, PI_ANSWER);
int piextUSMEnqueueMemcpy(PI_HANDLE *queue, uint32_t block, void *to, const void *from, size_t size, PI_EVENTS);
int piextUSMEnqueueMemset(PI_HANDLE *queue, void *to, int32_t value, size_t size, PI_EVENTS);

/* Programs: of SPIR-V (create, compile, link), or of native code (create, build). */
int piProgramCreate(PI_HANDLE *context, const void *spirv, size_t size, PI_HANDLE **program);
int piextProgramSetSpecializationConstant(PI_HANDLE *program, uint32_t id, size_t size, const int *value);
int piProgramCompile(PI_HANDLE *program, uint32_t n, PI_HANDLE **devices, const char *options, uint32_t headers, void *programs, void *names,
                     void *notify, void *user);
int piProgramLink(PI_HANDLE *context, uint32_t n, PI_HANDLE **devices, const char *options, uint32_t count, PI_HANDLE **list, void *notify, void *user,
                  PI_HANDLE **program);
int piProgramCreateWithBinary(PI_HANDLE *context, uint32_t n, PI_HANDLE **devices, const size_t *sizes, const unsigned char **codes, size_t entries,
                              const void *metadata, int32_t *status, PI_HANDLE **program);
int piProgramBuild(PI_HANDLE *program, uint32_t n, PI_HANDLE **devices, const char *options, void *notify, void *user);
int piProgramGetInfo(PI_HANDLE *program, uint32_t what, PI_ANSWER);
int piProgramGetBuildInfo(PI_HANDLE *program, PI_HANDLE *device, uint32_t what, PI_ANSWER);
int piProgramRelease(PI_HANDLE *program);
int piextGetDeviceFunctionPointer(PI_HANDLE *device, PI_HANDLE *program, const char *name, uint64_t *address);
int piextGetGlobalVariablePointer(PI_HANDLE *device, PI_HANDLE *program, const char *name, size_t *size, void **address);
int piextEnqueueDeviceGlobalVariableRead(PI_HANDLE *queue, PI_HANDLE *program, const char *name, uint32_t block, size_t size, size_t offset, void *to,
                                         PI_EVENTS);
int piextEnqueueDeviceGlobalVariableWrite(PI_HANDLE *queue, PI_HANDLE *program, const char *name, uint32_t block, size_t size, size_t offset,
                                          const void *from, PI_EVENTS);

/* Kernels. An argument is a value of size bytes, or local memory where value is NULL. */
int piKernelCreate(PI_HANDLE *program, const char *name, PI_HANDLE **kernel);
int piKernelSetArg(PI_HANDLE *kernel, uint32_t index, size_t size, const void *value);
int piextKernelSetArgPointer(PI_HANDLE *kernel, uint32_t index, size_t size, const void *address);
int piextKernelSetArgMemObj(PI_HANDLE *kernel, uint32_t index, const uint32_t *property, PI_HANDLE **memory);
int piKernelSetExecInfo(PI_HANDLE *kernel, uint32_t what, size_t size, const uint32_t *value);
int piKernelGetInfo(PI_HANDLE *kernel, uint32_t what, PI_ANSWER);
int piKernelGetGroupInfo(PI_HANDLE *kernel, PI_HANDLE *device, uint32_t what, PI_ANSWER);
int piKernelRelease(PI_HANDLE *kernel);
/* offset and local may be NULL. */
int piEnqueueKernelLaunch(PI_HANDLE *queue, PI_HANDLE *kernel, uint32_t dimensions, const size_t *offset, const size_t *global, const size_t *local,
                          PI_EVENTS);

/* Events. The status of PI_EVENT_STATUS is CL_COMPLETE (0), or a code of failure. */
int piEnqueueEventsWait(PI_HANDLE *queue, PI_EVENTS);
int piEnqueueEventsWaitWithBarrier(PI_HANDLE *queue, PI_EVENTS);
int piEventsWait(uint32_t count, PI_HANDLE **list);
int piEventGetInfo(PI_HANDLE *event, uint32_t what, PI_ANSWER);
int piEventGetProfilingInfo(PI_HANDLE *event, uint32_t what, PI_ANSWER);
int piEventRelease(PI_HANDLE *event);

/* Native handles, and the end: the text of the last failure; no call comes after piTearDown. */
int piextDeviceGetNativeHandle(PI_HANDLE *device, uintptr_t *handle);
int piextProgramGetNativeHandle(PI_HANDLE *program, uintptr_t *handle);
int piextKernelGetNativeHandle(PI_HANDLE *kernel, uintptr_t *handle);
int piextEventGetNativeHandle(PI_HANDLE *event, uintptr_t *handle);
int piextQueueGetNativeHandle(PI_HANDLE *queue, uintptr_t *handle, int32_t *description);
int piextQueueCreateWithNativeHandle(uintptr_t handle, int32_t description, PI_HANDLE *context, PI_HANDLE *device, int own, uint64_t *properties,
                                     PI_HANDLE **queue);
int piPluginGetLastError(char **text);
int piTearDown(void *parameter);

/* Queries that offlink needs an answer to. The answers of texts end with a zero byte. */
enum {
  PI_PLATFORM_NAME = 0x902,
  PI_PLATFORM_VERSION = 0x901,
  PI_DEVICE_TYPE = 0x1000,           /* uint64_t: 2 CPU, 4 GPU, 8 accelerator */
  PI_DEVICE_COMPUTE_UNITS = 0x1002,  /* uint32_t */
  PI_DEVICE_MAX_GROUP = 0x1004,      /* size_t */
  PI_DEVICE_MAX_ITEMS = 0x1005,      /* size_t[3] */
  PI_DEVICE_MAX_ALLOCATION = 0x1010, /* uint64_t */
  PI_DEVICE_ALIGNMENT = 0x1019,      /* uint32_t, in bits */
  PI_DEVICE_MEMORY = 0x101F,         /* uint64_t */
  PI_DEVICE_LOCAL_MEMORY = 0x1023,   /* uint64_t */
  PI_DEVICE_LITTLE_ENDIAN = 0x1026,  /* uint32_t */
  PI_DEVICE_NAME = 0x102B,
  PI_DEVICE_VENDOR = 0x102C,
  PI_DEVICE_DRIVER_VERSION = 0x102D,
  PI_DEVICE_VERSION = 0x102F,
  PI_DEVICE_EXTENSIONS = 0x1030,
  PI_DEVICE_IL_VERSION = 0x105B,    /* "SPIR-V_1.0 SPIR-V_1.1" */
  PI_DEVICE_USM_HOST = 0x4190,      /* uint64_t: 1 it has them */
  PI_DEVICE_USM_DEVICE = 0x4191,
  PI_DEVICE_USM_SHARED = 0x4192,
  PI_KERNEL_ARGUMENTS = 0x1191,     /* uint32_t */
  PI_KERNEL_MAX_GROUP = 0x11B0,     /* size_t */
  PI_KERNEL_REQUIRED_GROUP = 0x11B1, /* size_t[3] */
  PI_EVENT_STATUS = 0x11D3          /* int32_t */
};

#endif

/* opencl.h: this library as a driver for OpenCL's loader (OpenCL 3.0, cl_khr_icd). Objects
 * of OpenCL are native handles of this library's own: the functions here take the handle out
 * of each and call the one of the plugin interface, which was modelled on OpenCL. Types are
 * those of CL/cl_platform.h, spelled by their widths. */
#ifndef OFFLINK_OPENCL_H
#define OFFLINK_OPENCL_H
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "_cgo_export.h"

#pragma GCC visibility push(hidden)

/* An object of OpenCL: the loader reads the table, this library the handle. */
struct object {
  const void *const *table;
  size_t handle; /* uintptr_t, as Go has it in C */
};

enum {
  DEVICE_NOT_FOUND = -1,
  OUT_OF_RESOURCES = -5,
  OUT_OF_HOST_MEMORY = -6,
  FAILED_IN_WAIT_LIST = -14,
  INVALID_VALUE = -30,
  INVALID_PLATFORM = -32,
  INVALID_DEVICE = -33,
  INVALID_CONTEXT = -34,
  INVALID_MEM_OBJECT = -38,
  INVALID_SAMPLER = -41,
  INVALID_PROGRAM = -44,
  INVALID_KERNEL = -48,
  INVALID_EVENT_WAIT_LIST = -57,
  INVALID_EVENT = -58,
  INVALID_OPERATION = -59,
  INVALID_BUFFER_SIZE = -61,
  INVALID_PROPERTY = -64,
  UNSUPPORTED_FEATURE = -995, /* this code and those below are the plugin interface's, but for the following */
  INVALID_COMMAND_BUFFER = -1138,
  INVALID_SYNC_POINTS = -1139,
  INCOMPATIBLE_QUEUE = -1140,
  INVALID_MUTABLE_COMMAND = -1141
};

/* The code of OpenCL for one of the plugin interface. */
int32_t opencl_code(int32_t code);

/* An object for the handle that a function made, or its error. */
void *opencl_made(int32_t code, uintptr_t handle, int32_t *error);

/* An object that could not be made. */
void *opencl_failed(int32_t code, int32_t *error);

/* The handle of an object that the host may have left out. */
static inline size_t handle_of(const struct object *o) { return o ? o->handle : 0; }

/* Objects of OpenCL and handles of this library in turns: an array of handles for one of
 * objects, which the caller frees; null if an object is missing or there is no memory. */
size_t *opencl_handles(uint32_t count, struct object *const *list);

#pragma GCC visibility pop
#endif

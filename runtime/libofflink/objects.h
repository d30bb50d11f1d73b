/* objects.h: the objects of offlink.h, and the common parts of its functions (call.c). */
#ifndef OFFLINK_OBJECTS_H
#define OFFLINK_OBJECTS_H

#include <stdlib.h>
#include <string.h>

#include "shim.h"

/* quick: calls about the object take microseconds (core.h). */
struct offlink_device {
  offlink_handle handle;
  char *name;
  int quick;
  offlink_device_info *info; /* NULL until it was asked for */
};

struct offlink_kernel {
  offlink_handle handle;
  size_t arg_count;
  int quick;                 /* the next launch; read and written by several threads */
  offlink_kernel_info *info; /* NULL until it was asked for */
  struct offlink_direct_kernel *direct; /* read and written by several threads */
};

struct offlink_buffer {
  offlink_handle handle;
  size_t size;
  char *bytes; /* where the host reaches the memory, else NULL */
  struct offlink_view *views;
  int used; /* it was read or written */
  struct offlink_direct_memory memory;
  int embedded; /* of the embedded device, whose memory outlives those of drivers */
};

struct offlink_queue {
  offlink_handle handle;
  int quick;
  int quick_finish; /* the next wait for it; read and written by several threads */
  struct offlink_direct_queue *direct;
};

struct offlink_event {
  offlink_handle handle;
  int quick;
};

struct offlink_code {
  offlink_handle handle;
  void *module;
};

/* Makes a function return where one of its arguments is NULL. */
#define REQUIRE(argument)                                                                          \
  do {                                                                                             \
    if (!(argument))                                                                               \
      return offlink_fail(OFFLINK_ERROR_INVALID, "%s: " #argument " is NULL", __func__);           \
  } while (0)

/* Whether the struct of a caller, who gave its size, has a member. */
#define HAS_MEMBER(pointer, type, member) ((pointer)->size >= offsetof(type, member) + sizeof((pointer)->member))

/* Whether the struct has a size that can be. */
#define REQUIRE_SIZE(pointer, type, first)                                                         \
  do {                                                                                             \
    if (!HAS_MEMBER(pointer, type, first))                                                         \
      return offlink_fail(OFFLINK_ERROR_INVALID, #type ".size is %zu; set it to sizeof(" #type ")", (pointer)->size); \
  } while (0)

offlink_status offlink_out_of_memory(void);

/* Starts the core and makes the call; a failure becomes the thread's error. */
offlink_status offlink_perform(struct offlink_call *call);

/* Makes a call that creates something, and allocates the zeroed struct for the
 * handle, which the caller of the library will get. NULL where either failed. */
void *offlink_create(struct offlink_call *call, size_t size, offlink_status *status);

/* Ends a handle of the core. */
void offlink_end_handle(offlink_handle handle, int quick);

/* Makes the call of a command, with the events of sync. */
offlink_status offlink_enqueue(struct offlink_call *call, const offlink_sync *sync);

/* Stores a native handle of an object. */
offlink_status offlink_native(offlink_handle object, uint64_t *handle);

#endif

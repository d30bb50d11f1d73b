/* opencl_command.h: the common part of the functions that queue commands. */
#ifndef OFFLINK_OPENCL_COMMAND_H
#define OFFLINK_OPENCL_COMMAND_H
#include "opencl.h"

#pragma GCC visibility push(hidden)

/* The types of commands (CL_COMMAND_...). */
enum {
  NDRANGE_KERNEL = 0x11F0, TASK, NATIVE_KERNEL, READ_BUFFER, WRITE_BUFFER, COPY_BUFFER, READ_IMAGE, WRITE_IMAGE, COPY_IMAGE,
  COPY_IMAGE_TO_BUFFER, COPY_BUFFER_TO_IMAGE, MAP_BUFFER, MAP_IMAGE, UNMAP_MEM_OBJECT, MARKER, READ_BUFFER_RECT = 0x1201, WRITE_BUFFER_RECT, COPY_BUFFER_RECT,
  BARRIER = 0x1205, MIGRATE_MEM_OBJECTS, FILL_BUFFER, FILL_IMAGE, SVM_FREE, SVM_MEMCPY, SVM_MEMFILL, SVM_MAP, SVM_UNMAP,
  SVM_MIGRATE_MEM, MEMFILL = 0x4203, MEMCPY, MIGRATEMEM, MEMADVISE, COMMAND_BUFFER = 0x12A8, READ_GLOBAL = 0x418E, WRITE_GLOBAL
};

/* The events that a command waits for, as handles, and the place for its own. */
struct command {
  uint32_t count;
  size_t *list, few[8], made, *event;
};

/* Takes the handles of the events that a command waits for. */
int32_t opencl_begin_command(struct command *c, struct object *queue, uint32_t count, struct object *const *list, struct object **event);

/* Ends the call of a command: its event, if the host wants one, and OpenCL's code. */
int32_t opencl_end_command(struct command *c, struct object *queue, uint32_t kind, int32_t code, struct object **event);

/* The parameters that all commands end with, and a command: the queue, its type, the call. */
#define WAITS uint32_t count, struct object *const *list, struct object **event
#define ORDER c.count, c.count ? c.list : NULL, c.event
#define COMMAND(queue, kind, call)                                    \
  struct command c;                                                   \
  int32_t wrong = opencl_begin_command(&c, queue, count, list, event);       \
  return wrong ? wrong : opencl_end_command(&c, queue, kind, call, event)

#pragma GCC visibility pop
#endif

/* opencl_command_buffer.c: cl_khr_command_buffer. A command is given to the function of its
 * kind with the command buffer in the place of a queue, and with sync points in the place of
 * events. */
#include "opencl_command.h"

#pragma GCC visibility push(hidden)

int32_t own_clSetKernelArg(struct object *kernel, uint32_t index, size_t size, const void *value);
int32_t own_clSetKernelArgSVMPointer(struct object *kernel, uint32_t index, uintptr_t address);

void *own_clCreateCommandBufferKHR(uint32_t count, struct object *const *queues, const uint64_t *properties, int32_t *error) {
  size_t handle = 0;
  if (count && !queues)
    return opencl_failed(INVALID_VALUE, error);
  int32_t code = offlink_clCreateCommandBuffer(count, count ? handle_of(queues[0]) : 0, (void *)properties, &handle);
  return opencl_made(code, handle, error);
}

int32_t own_clEnqueueCommandBufferKHR(uint32_t queues, struct object *const *list_of_queues, struct object *buffer, WAITS) {
  if (!buffer)
    return INVALID_COMMAND_BUFFER;
  if (queues > 1 || !queues != !list_of_queues)
    return INVALID_VALUE;
  COMMAND(buffer, COMMAND_BUFFER, offlink_clEnqueueCommandBuffer(queues ? handle_of(list_of_queues[0]) : 0, buffer->handle, ORDER));
}

/* Takes the sync points that a command waits for. */
static int32_t begin_record(struct command *c, struct object *buffer, const uint64_t *properties, uint32_t count, const uint32_t *points) {
  if (!buffer)
    return INVALID_COMMAND_BUFFER;
  if (!count != !points)
    return INVALID_SYNC_POINTS;
  int32_t code = properties ? offlink_clCheckCommandProperties((void *)properties) : 0;
  if (code)
    return code;
  *c = (struct command){.count = count, .list = c->few};
  if (count > sizeof c->few / sizeof *c->few && !(c->list = malloc(count * sizeof *c->list)))
    return OUT_OF_HOST_MEMORY;
  for (uint32_t i = 0; i < count; i++)
    c->list[i] = points[i];
  c->event = &c->made;
  return 0;
}

/* Ends the call of a command, and keeps its objects in use. */
static int32_t end_record(struct command *c, struct object *buffer, uint32_t *point, int32_t code, struct object *first, struct object *second) {
  if (c->list != c->few)
    free(c->list);
  if (code)
    return opencl_code(code);
  if (point)
    *point = (uint32_t)c->made;
  if (first)
    offlink_clRecordUse(buffer->handle, first->handle);
  if (second)
    offlink_clRecordUse(buffer->handle, second->handle);
  return 0;
}

/* The parameters that all commands begin and end with, and a command: its objects, the call. */
#define BUFFER struct object *buffer, struct object *queue, const uint64_t *properties
#define POINTS uint32_t count, const uint32_t *points, uint32_t *point, void **mutable
#define RECORD(first, second, call)                                    \
  struct command c;                                                    \
  if (mutable) /* launches alone can be changed */                     \
    return INVALID_VALUE;                                              \
  int32_t wrong = begin_record(&c, buffer, properties, count, points); \
  return wrong ? wrong : end_record(&c, buffer, point, call, first, second)

int32_t own_clCommandBarrierWithWaitListKHR(BUFFER, POINTS) {
  RECORD(NULL, NULL, offlink_piEnqueueEventsWaitWithBarrier(buffer->handle, ORDER));
}

int32_t own_clCommandCopyBufferKHR(BUFFER, struct object *from, struct object *to, size_t from_offset, size_t to_offset, size_t size, POINTS) {
  RECORD(from, to, offlink_piEnqueueMemBufferCopy(buffer->handle, handle_of(from), handle_of(to), from_offset, to_offset, size, ORDER));
}

int32_t own_clCommandCopyBufferRectKHR(BUFFER, struct object *from, struct object *to, const size_t *from_origin, const size_t *to_origin,
                                       const size_t *region, size_t from_row, size_t from_slice, size_t to_row, size_t to_slice, POINTS) {
  RECORD(from, to, offlink_piEnqueueMemBufferCopyRect(buffer->handle, handle_of(from), handle_of(to), (void *)from_origin, (void *)to_origin, (void *)region, from_row, from_slice, to_row, to_slice, ORDER));
}

int32_t own_clCommandFillBufferKHR(BUFFER, struct object *to, const void *pattern, size_t length, size_t offset, size_t size, POINTS) {
  RECORD(to, NULL, offlink_piEnqueueMemBufferFill(buffer->handle, handle_of(to), (void *)pattern, length, offset, size, ORDER));
}

int32_t own_clCommandCopyImageKHR(BUFFER, struct object *from, struct object *to, const size_t *from_origin, const size_t *to_origin, const size_t *region, POINTS) {
  RECORD(from, to, offlink_clCopyImage(buffer->handle, handle_of(from), handle_of(to), (void *)from_origin, (void *)to_origin, (void *)region, ORDER));
}

int32_t own_clCommandCopyImageToBufferKHR(BUFFER, struct object *from, struct object *to, const size_t *origin, const size_t *region, size_t offset, POINTS) {
  RECORD(from, to, offlink_clCopyImageToBuffer(buffer->handle, handle_of(from), handle_of(to), (void *)origin, (void *)region, offset, ORDER));
}

int32_t own_clCommandCopyBufferToImageKHR(BUFFER, struct object *from, struct object *to, size_t offset, const size_t *origin, const size_t *region, POINTS) {
  RECORD(from, to, offlink_clCopyBufferToImage(buffer->handle, handle_of(from), handle_of(to), offset, (void *)origin, (void *)region, ORDER));
}

int32_t own_clCommandFillImageKHR(BUFFER, struct object *image, const void *color, const size_t *origin, const size_t *region, POINTS) {
  RECORD(image, NULL, offlink_clFillImage(buffer->handle, handle_of(image), (void *)color, (void *)origin, (void *)region, ORDER));
}

int32_t own_clCommandSVMMemcpyKHR(BUFFER, void *to, const void *from, size_t size, POINTS) {
  RECORD(NULL, NULL, offlink_piextUSMEnqueueMemcpy(buffer->handle, 0, (uintptr_t)to, (uintptr_t)from, size, ORDER));
}

int32_t own_clCommandSVMMemFillKHR(BUFFER, void *to, const void *pattern, size_t length, size_t size, POINTS) {
  RECORD(NULL, NULL, offlink_clMemFill(buffer->handle, (uintptr_t)to, (void *)pattern, length, size, ORDER));
}

/* A launch that can be changed is one of a copy of the kernel, whose arguments it has. */
int32_t own_clCommandNDRangeKernelKHR(BUFFER, struct object *kernel, uint32_t dimensions, const size_t *offset, const size_t *global, const size_t *local, POINTS) {
  struct command c;
  int32_t code = begin_record(&c, buffer, properties, count, points);
  if (code)
    return code;
  size_t launched = handle_of(kernel), changing = 0;
  if (mutable)
    code = offlink_clCloneKernel(handle_of(kernel), &launched);
  if (!code)
    code = offlink_piEnqueueKernelLaunch(buffer->handle, launched, dimensions, (size_t *)offset, (size_t *)global, (size_t *)local, ORDER);
  if (!code && mutable && !(code = offlink_clMakeMutable(buffer->handle, launched, kernel->handle, (void *)properties, &changing))) {
    offlink_clRecordUse(buffer->handle, launched);
    *mutable = (void *)offlink_native_of(changing);
  }
  if (mutable && launched)
    offlink_piKernelRelease(launched);
  return end_record(&c, buffer, point, code, kernel, NULL);
}

/* cl_mutable_dispatch_arg_khr and cl_mutable_dispatch_config_khr. */
struct changed_argument {
  uint32_t index;
  size_t size;
  const void *value;
};

struct change {
  struct object *command;
  uint32_t arguments, addresses, infos, dimensions;
  const struct changed_argument *argument, *address;
  const void *info;
  const size_t *offset, *global, *local;
};

static int32_t change_command(struct object *buffer, const struct change *change) {
  size_t handle = 0;
  int32_t code = offlink_clBeginMutation(buffer->handle, handle_of(change->command), &handle);
  if (code)
    return opencl_code(code);
  struct object kernel = {NULL, handle};
  for (uint32_t i = 0; !code && i < change->arguments; i++)
    code = own_clSetKernelArg(&kernel, change->argument[i].index, change->argument[i].size, change->argument[i].value);
  for (uint32_t i = 0; !code && i < change->addresses; i++)
    code = own_clSetKernelArgSVMPointer(&kernel, change->address[i].index, (uintptr_t)change->address[i].value);
  return code ? code : opencl_code(offlink_clEndMutation(change->command->handle, change->dimensions, (size_t *)change->offset, (size_t *)change->global, (size_t *)change->local));
}

int32_t own_clUpdateMutableCommandsKHR(struct object *buffer, uint32_t count, const uint32_t *types, const void **changes) {
  if (!buffer)
    return INVALID_COMMAND_BUFFER;
  if (!count != !types || !count != !changes)
    return INVALID_VALUE;
  for (uint32_t i = 0; i < count; i++)
    if (types[i] != 0 /* a launch */ || !changes[i])
      return INVALID_VALUE;
  int32_t code = 0;
  for (uint32_t i = 0; !code && i < count; i++)
    code = change_command(buffer, changes[i]);
  return code;
}

#pragma GCC visibility pop

/* api.c: the functions of offlink.h, each of which checks the arguments that C
 * can check, and passes a call to the core.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shim.h"

#ifndef OFFLINK_VERSION
#define OFFLINK_VERSION "devel"
#endif

/* quick: calls about the object take microseconds (core.h). */
struct offlink_device {
  offlink_handle handle;
  char *name;
  int quick;
};

struct offlink_kernel {
  offlink_handle handle;
  size_t arg_count;
  int quick; /* the next launch; read and written by several threads */
};

struct offlink_buffer {
  offlink_handle handle;
  size_t size;
  char *bytes; /* where the host reaches the memory, else NULL */
};

struct offlink_queue {
  offlink_handle handle;
  int quick;
};

struct offlink_event {
  offlink_handle handle;
  int quick;
};

OFFLINK_EXPORT const char *offlink_version(void) { return OFFLINK_VERSION; }

OFFLINK_EXPORT void offlink_free(void *memory) { free(memory); }

/* Makes a function return where one of its arguments is NULL. */
#define REQUIRE(argument)                                                                          \
  do {                                                                                             \
    if (!(argument))                                                                               \
      return offlink_fail(OFFLINK_ERROR_INVALID, "%s: " #argument " is NULL", __func__);           \
  } while (0)

static offlink_status out_of_memory(void) { return offlink_fail(OFFLINK_ERROR_RUNTIME, "out of memory"); }

/* Starts the core and makes the call; a failure becomes the thread's error. */
static offlink_status perform(struct offlink_call *call) {
  offlink_status status;
  offlink_core_function *core = offlink_start(&status);
  if (!core)
    return status;
  status = (offlink_status)core(call);
  return status ? offlink_fail_text(status, call->error) : OFFLINK_OK;
}

/* Makes a call that creates something, and allocates the zeroed struct for the
 * handle, which the caller of the library will get. NULL where either failed. */
static void *create(struct offlink_call *call, size_t size, offlink_status *status) {
  void *object = calloc(1, size);
  *status = object ? perform(call) : out_of_memory();
  if (!*status)
    return object;
  free(object);
  return NULL;
}

static void close_handle(offlink_handle handle, int quick) {
  offlink_core_function *core = offlink_running();
  if (core)
    core(&(struct offlink_call){.function = OFFLINK_CORE_CLOSE, .quick = quick, .object = handle});
}

OFFLINK_EXPORT offlink_status offlink_device_open(const char *selector, offlink_device **device) {
  REQUIRE(device);
  struct offlink_call call = {.function = OFFLINK_CORE_DEVICE_OPEN, .text = selector ? selector : ""};
  offlink_status status;
  offlink_device *d = create(&call, sizeof *d, &status);
  if (!d)
    return status;
  *d = (offlink_device){call.created, call.name, call.quick};
  *device = d;
  return OFFLINK_OK;
}

OFFLINK_EXPORT const char *offlink_device_name(const offlink_device *device) { return device ? device->name : ""; }

OFFLINK_EXPORT void offlink_device_close(offlink_device *device) {
  if (!device)
    return;
  close_handle(device->handle, 0);
  free(device->name);
  free(device);
}

OFFLINK_EXPORT offlink_status offlink_kernel_names(char ***names, size_t *count) {
  REQUIRE(names);
  REQUIRE(count);
  struct offlink_call call = {.function = OFFLINK_CORE_KERNEL_NAMES};
  offlink_status status = perform(&call);
  if (status)
    return status;
  *names = call.names;
  *count = call.count;
  return OFFLINK_OK;
}

OFFLINK_EXPORT offlink_status offlink_kernel_open(offlink_device *device, const void *module, const char *name,
                                                  offlink_kernel **kernel) {
  REQUIRE(device);
  REQUIRE(name);
  REQUIRE(kernel);
  return offlink_kernel_open_with(device, module, name, NULL, 0, kernel);
}

OFFLINK_EXPORT offlink_status offlink_kernel_open_with(offlink_device *device, const void *module, const char *name,
                                                       const offlink_spec_constant *constants, size_t constant_count,
                                                       offlink_kernel **kernel) {
  REQUIRE(device);
  if (constant_count)
    REQUIRE(constants);
  REQUIRE(name);
  REQUIRE(kernel);
  struct offlink_call call = {.function = OFFLINK_CORE_KERNEL_OPEN,
                              .object = device->handle,
                              .base = offlink_module_base(module),
                              .text = name,
                              .constants = constants,
                              .constant_count = constant_count};
  offlink_status status;
  offlink_kernel *k = create(&call, sizeof *k, &status);
  if (!k)
    return status;
  *k = (offlink_kernel){call.created, call.count, 0};
  *kernel = k;
  return OFFLINK_OK;
}

OFFLINK_EXPORT size_t offlink_kernel_arg_count(const offlink_kernel *kernel) { return kernel ? kernel->arg_count : 0; }

OFFLINK_EXPORT void offlink_kernel_close(offlink_kernel *kernel) {
  if (kernel)
    close_handle(kernel->handle, 0);
  free(kernel);
}

OFFLINK_EXPORT offlink_status offlink_buffer_create(offlink_device *device, size_t size, const void *data,
                                                    offlink_buffer **buffer) {
  REQUIRE(device);
  REQUIRE(buffer);
  struct offlink_call call = {
      .function = OFFLINK_CORE_BUFFER_CREATE, .object = device->handle, .data = (void *)data, .size = size};
  offlink_status status;
  offlink_buffer *b = create(&call, sizeof *b, &status);
  if (!b)
    return status;
  *b = (offlink_buffer){call.created, size, call.address};
  *buffer = b;
  return OFFLINK_OK;
}

/* Copies between host memory and memory of the device that the host reaches.
 * That needs nothing of the core but that it has not ended. */
static offlink_status copy_here(offlink_buffer *buffer, size_t offset, void *to, const void *from, size_t size) {
  if (offset > buffer->size || size > buffer->size - offset)
    return offlink_fail(OFFLINK_ERROR_INVALID, "%zu bytes at offset %zu do not lie in a buffer of %zu bytes", size,
                        offset, buffer->size);
  if (!offlink_begin_use())
    return perform(&(struct offlink_call){.function = OFFLINK_CORE_BUFFER_READ, .object = buffer->handle});
  memcpy(to, from, size);
  offlink_end_use();
  return OFFLINK_OK;
}

OFFLINK_EXPORT offlink_status offlink_buffer_read(offlink_buffer *buffer, size_t offset, void *data, size_t size) {
  REQUIRE(buffer);
  REQUIRE(data);
  if (buffer->bytes)
    return copy_here(buffer, offset, data, buffer->bytes + offset, size);
  return perform(&(struct offlink_call){.function = OFFLINK_CORE_BUFFER_READ,
                                        .object = buffer->handle,
                                        .offset = offset,
                                        .data = data,
                                        .size = size});
}

OFFLINK_EXPORT offlink_status offlink_buffer_write(offlink_buffer *buffer, size_t offset, const void *data,
                                                   size_t size) {
  REQUIRE(buffer);
  REQUIRE(data);
  if (buffer->bytes)
    return copy_here(buffer, offset, buffer->bytes + offset, data, size);
  return perform(&(struct offlink_call){.function = OFFLINK_CORE_BUFFER_WRITE,
                                        .object = buffer->handle,
                                        .offset = offset,
                                        .data = (void *)data,
                                        .size = size});
}

OFFLINK_EXPORT void offlink_buffer_close(offlink_buffer *buffer) {
  if (buffer)
    close_handle(buffer->handle, 0);
  free(buffer);
}

OFFLINK_EXPORT offlink_status offlink_memory_alloc(offlink_device *device, int kind, size_t size, void **pointer) {
  REQUIRE(device);
  REQUIRE(pointer);
  struct offlink_call call = {
      .function = OFFLINK_CORE_MEMORY_ALLOC, .object = device->handle, .flags = (unsigned)kind, .size = size};
  offlink_status status = perform(&call);
  if (!status)
    *pointer = call.address;
  return status;
}

OFFLINK_EXPORT offlink_status offlink_memory_free(offlink_device *device, void *pointer) {
  REQUIRE(device);
  if (!pointer)
    return OFFLINK_OK;
  return perform(
      &(struct offlink_call){.function = OFFLINK_CORE_MEMORY_FREE, .object = device->handle, .data = pointer});
}

OFFLINK_EXPORT offlink_status offlink_queue_create(offlink_device *device, unsigned flags, offlink_queue **queue) {
  REQUIRE(device);
  REQUIRE(queue);
  struct offlink_call call = {.function = OFFLINK_CORE_QUEUE_CREATE, .object = device->handle, .flags = flags};
  offlink_status status;
  offlink_queue *q = create(&call, sizeof *q, &status);
  if (!q)
    return status;
  *q = (offlink_queue){call.created, device->quick};
  *queue = q;
  return OFFLINK_OK;
}

OFFLINK_EXPORT offlink_status offlink_queue_finish(offlink_queue *queue) {
  REQUIRE(queue);
  return perform(
      &(struct offlink_call){.function = OFFLINK_CORE_QUEUE_FINISH, .quick = queue->quick, .object = queue->handle});
}

OFFLINK_EXPORT offlink_status offlink_queue_abort(offlink_queue *queue) {
  REQUIRE(queue);
  return perform(&(struct offlink_call){.function = OFFLINK_CORE_QUEUE_ABORT, .object = queue->handle});
}

OFFLINK_EXPORT void offlink_queue_close(offlink_queue *queue) {
  if (queue)
    close_handle(queue->handle, 0);
  free(queue);
}

/* Bytes that are copied in a moment. */
enum { SHORT_COPY = 1 << 20 };

/* The size of offlink_sync in the first version: later ones add members. */
#define SYNC_SIZE_1 (offsetof(offlink_sync, block) + sizeof(int))

/* Makes the call of a command, with the events of sync. */
static offlink_status enqueue(struct offlink_call *call, const offlink_sync *sync) {
  offlink_status status;
  int quick = call->quick;
  if (!sync)
    return perform(call);
  if (sync->size < SYNC_SIZE_1)
    return offlink_fail(OFFLINK_ERROR_INVALID, "offlink_sync.size is %zu; set it to sizeof(offlink_sync)", sync->size);
  if (sync->after_count && !sync->after)
    return offlink_fail(OFFLINK_ERROR_INVALID, "offlink_sync.after is NULL");
  offlink_handle *after = calloc(sync->after_count ? sync->after_count : 1, sizeof *after);
  offlink_event *event = sync->done ? calloc(1, sizeof *event) : NULL;
  if (!after || (sync->done && !event)) {
    free(after);
    free(event);
    return out_of_memory();
  }
  for (size_t i = 0; i < sync->after_count; i++)
    after[i] = sync->after[i] ? sync->after[i]->handle : 0;
  call->after = after;
  call->after_count = sync->after_count;
  call->event = sync->done != NULL;
  call->block = sync->block;
  call->quick = call->quick && (!sync->block || call->short_command);
  status = perform(call);
  free(after);
  if (event && call->created) { /* also where the command itself failed */
    *event = (offlink_event){call->created, quick};
    *sync->done = event;
  } else {
    free(event);
  }
  return status;
}

OFFLINK_EXPORT offlink_status offlink_enqueue_copy(offlink_queue *queue, void *to, const void *from, size_t size,
                                                   const offlink_sync *sync) {
  REQUIRE(queue);
  if (size) {
    REQUIRE(to);
    REQUIRE(from);
  }
  struct offlink_call call = {
      .function = OFFLINK_CORE_ENQUEUE_COPY, .quick = queue->quick, .object = queue->handle, .data = to, .base = from, .size = size,
      .short_command = size <= SHORT_COPY};
  return enqueue(&call, sync);
}

OFFLINK_EXPORT offlink_status offlink_enqueue_fill(offlink_queue *queue, void *to, const void *pattern,
                                                   size_t pattern_size, size_t size, const offlink_sync *sync) {
  REQUIRE(queue);
  REQUIRE(to);
  REQUIRE(pattern);
  struct offlink_call call = {.function = OFFLINK_CORE_ENQUEUE_FILL,
                              .quick = queue->quick,
                              .object = queue->handle,
                              .data = to,
                              .size = size,
                              .base = pattern,
                              .pattern_size = pattern_size,
                              .short_command = size <= SHORT_COPY};
  return enqueue(&call, sync);
}

OFFLINK_EXPORT offlink_status offlink_enqueue_barrier(offlink_queue *queue, const offlink_sync *sync) {
  REQUIRE(queue);
  struct offlink_call call = {.function = OFFLINK_CORE_ENQUEUE_BARRIER, .quick = queue->quick, .object = queue->handle, .short_command = 1};
  return enqueue(&call, sync);
}

OFFLINK_EXPORT offlink_status offlink_event_wait(offlink_event *event) {
  REQUIRE(event);
  return perform(
      &(struct offlink_call){.function = OFFLINK_CORE_EVENT_WAIT, .quick = event->quick, .object = event->handle});
}

OFFLINK_EXPORT offlink_status offlink_event_times(offlink_event *event, uint64_t times[4]) {
  REQUIRE(event);
  REQUIRE(times);
  struct offlink_call call = {.function = OFFLINK_CORE_EVENT_TIMES, .quick = event->quick, .object = event->handle};
  offlink_status status = perform(&call);
  if (!status)
    memcpy(times, call.times, sizeof call.times);
  return status;
}

OFFLINK_EXPORT void offlink_event_close(offlink_event *event) {
  if (event)
    close_handle(event->handle, event->quick);
  free(event);
}

static offlink_status use_global(int function, offlink_device *device, const char *name, size_t offset, void *data,
                                 size_t size) {
  return perform(&(struct offlink_call){.function = function,
                                        .object = device->handle,
                                        .text = name,
                                        .offset = offset,
                                        .data = data,
                                        .size = size});
}

OFFLINK_EXPORT offlink_status offlink_global_read(offlink_device *device, const char *name, size_t offset, void *data,
                                                  size_t size) {
  REQUIRE(device);
  REQUIRE(name);
  REQUIRE(data);
  return use_global(OFFLINK_CORE_GLOBAL_READ, device, name, offset, data, size);
}

OFFLINK_EXPORT offlink_status offlink_global_write(offlink_device *device, const char *name, size_t offset,
                                                   const void *data, size_t size) {
  REQUIRE(device);
  REQUIRE(name);
  REQUIRE(data);
  return use_global(OFFLINK_CORE_GLOBAL_WRITE, device, name, offset, (void *)data, size);
}

/* Translates handles; the core checks the rest. */
static struct offlink_core_arg core_arg(const offlink_arg *arg) {
  return (struct offlink_core_arg){arg->kind, arg->value, arg->buffer ? arg->buffer->handle : 0, arg->size};
}

/* Launches have few arguments: these many need no allocation. */
enum { FEW_ARGS = 16 };

/* Makes the call with the arguments of a launch. */
static offlink_status launch(struct offlink_call *call, const offlink_arg *args, size_t arg_count,
                             const offlink_sync *sync) {
  struct offlink_core_arg few[FEW_ARGS];
  struct offlink_core_arg *list = arg_count <= FEW_ARGS ? few : calloc(arg_count, sizeof *list);
  if (!list)
    return out_of_memory();
  for (size_t i = 0; i < arg_count; i++)
    list[i] = core_arg(&args[i]);
  call->args = list;
  call->arg_count = arg_count;
  offlink_status status = enqueue(call, sync);
  if (list != few)
    free(list);
  return status;
}

OFFLINK_EXPORT offlink_status offlink_launch(offlink_kernel *kernel, offlink_range range, const offlink_arg *args,
                                             size_t arg_count) {
  REQUIRE(kernel);
  if (arg_count)
    REQUIRE(args);
  struct offlink_call call = {.function = OFFLINK_CORE_LAUNCH,
                              .quick = __atomic_load_n(&kernel->quick, __ATOMIC_RELAXED),
                              .object = kernel->handle,
                              .range = range};
  offlink_status status = launch(&call, args, arg_count, NULL);
  __atomic_store_n(&kernel->quick, call.quick, __ATOMIC_RELAXED);
  return status;
}

OFFLINK_EXPORT offlink_status offlink_enqueue_launch(offlink_queue *queue, offlink_kernel *kernel, offlink_range range,
                                                     const offlink_arg *args, size_t arg_count,
                                                     const offlink_sync *sync) {
  REQUIRE(queue);
  REQUIRE(kernel);
  if (arg_count)
    REQUIRE(args);
  struct offlink_call call = {.function = OFFLINK_CORE_ENQUEUE_LAUNCH,
                              .quick = queue->quick,
                              .object = queue->handle,
                              .kernel = kernel->handle,
                              .short_command = __atomic_load_n(&kernel->quick, __ATOMIC_RELAXED),
                              .range = range};
  offlink_status status = launch(&call, args, arg_count, sync);
  __atomic_store_n(&kernel->quick, call.short_command, __ATOMIC_RELAXED);
  return status;
}

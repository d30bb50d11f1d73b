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

struct offlink_device {
  offlink_handle handle;
  char *name;
};

struct offlink_kernel {
  offlink_handle handle;
  size_t arg_count;
};

struct offlink_buffer {
  offlink_handle handle;
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

static void close_handle(offlink_handle handle) {
  offlink_core_function *core = offlink_running();
  if (core)
    core(&(struct offlink_call){.function = OFFLINK_CORE_CLOSE, .object = handle});
}

OFFLINK_EXPORT offlink_status offlink_device_open(const char *selector, offlink_device **device) {
  REQUIRE(device);
  struct offlink_call call = {.function = OFFLINK_CORE_DEVICE_OPEN, .text = selector ? selector : ""};
  offlink_status status;
  offlink_device *d = create(&call, sizeof *d, &status);
  if (!d)
    return status;
  *d = (offlink_device){call.created, call.name};
  *device = d;
  return OFFLINK_OK;
}

OFFLINK_EXPORT const char *offlink_device_name(const offlink_device *device) { return device ? device->name : ""; }

OFFLINK_EXPORT void offlink_device_close(offlink_device *device) {
  if (!device)
    return;
  close_handle(device->handle);
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
  struct offlink_call call = {.function = OFFLINK_CORE_KERNEL_OPEN,
                              .object = device->handle,
                              .base = offlink_module_base(module),
                              .text = name};
  offlink_status status;
  offlink_kernel *k = create(&call, sizeof *k, &status);
  if (!k)
    return status;
  *k = (offlink_kernel){call.created, call.count};
  *kernel = k;
  return OFFLINK_OK;
}

OFFLINK_EXPORT size_t offlink_kernel_arg_count(const offlink_kernel *kernel) { return kernel ? kernel->arg_count : 0; }

OFFLINK_EXPORT void offlink_kernel_close(offlink_kernel *kernel) {
  if (kernel)
    close_handle(kernel->handle);
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
  *b = (offlink_buffer){call.created};
  *buffer = b;
  return OFFLINK_OK;
}

OFFLINK_EXPORT offlink_status offlink_buffer_read(offlink_buffer *buffer, size_t offset, void *data, size_t size) {
  REQUIRE(buffer);
  REQUIRE(data);
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
  return perform(&(struct offlink_call){.function = OFFLINK_CORE_BUFFER_WRITE,
                                        .object = buffer->handle,
                                        .offset = offset,
                                        .data = (void *)data,
                                        .size = size});
}

OFFLINK_EXPORT void offlink_buffer_close(offlink_buffer *buffer) {
  if (buffer)
    close_handle(buffer->handle);
  free(buffer);
}

/* Translates handles; the core checks the rest. */
static struct offlink_core_arg core_arg(const offlink_arg *arg) {
  return (struct offlink_core_arg){arg->kind, arg->value, arg->buffer ? arg->buffer->handle : 0, arg->size};
}

OFFLINK_EXPORT offlink_status offlink_launch(offlink_kernel *kernel, offlink_range range, const offlink_arg *args,
                                             size_t arg_count) {
  REQUIRE(kernel);
  if (arg_count)
    REQUIRE(args);
  struct offlink_core_arg *list = calloc(arg_count ? arg_count : 1, sizeof *list);
  if (!list)
    return out_of_memory();
  for (size_t i = 0; i < arg_count; i++)
    list[i] = core_arg(&args[i]);
  offlink_status status = perform(&(struct offlink_call){.function = OFFLINK_CORE_LAUNCH,
                                                         .object = kernel->handle,
                                                         .range = range,
                                                         .args = list,
                                                         .arg_count = arg_count});
  free(list);
  return status;
}

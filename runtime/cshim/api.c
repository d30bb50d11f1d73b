/* api.c: the functions of offlink.h, each of which starts the core, checks
 * what C can check, and passes the call on.
 */
#include <pthread.h>
#include <stdarg.h>
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

/* The error text of each thread; a thread's is freed when it ends. */
static pthread_once_t error_once = PTHREAD_ONCE_INIT;
static pthread_key_t error_key;
static void make_error_key(void) { pthread_key_create(&error_key, free); }

static void set_error(char *text) {
  pthread_once(&error_once, make_error_key);
  free(pthread_getspecific(error_key));
  pthread_setspecific(error_key, text);
}

offlink_status offlink_fail(offlink_status status, const char *format, ...) {
  char *text = NULL;
  va_list values;
  va_start(values, format);
  int length = vsnprintf(NULL, 0, format, values);
  va_end(values);
  if (length >= 0 && (text = malloc(length + 1))) {
    va_start(values, format);
    vsnprintf(text, length + 1, format, values);
    va_end(values);
  }
  set_error(text);
  return status;
}

offlink_status offlink_result(int status, char **text) {
  if (status)
    set_error(*text);
  return (offlink_status)status;
}

OFFLINK_EXPORT const char *offlink_version(void) { return OFFLINK_VERSION; }

OFFLINK_EXPORT const char *offlink_error(void) {
  pthread_once(&error_once, make_error_key);
  const char *text = pthread_getspecific(error_key);
  return text ? text : "";
}

OFFLINK_EXPORT void offlink_free(void *memory) { free(memory); }

static offlink_status null_argument(const char *function, const char *what) {
  return offlink_fail(OFFLINK_ERROR_INVALID, "%s: %s is NULL", function, what);
}

/* Allocates the zeroed struct behind a handle that the caller will get. */
static void *new_object(size_t size, offlink_status *status) {
  void *object = calloc(1, size);
  if (!object)
    *status = offlink_fail(OFFLINK_ERROR_RUNTIME, "out of memory");
  return object;
}

static void close_handle(offlink_handle handle) {
  const struct core *core = offlink_running();
  if (core)
    core->close(handle);
}

OFFLINK_EXPORT offlink_status offlink_device_open(const char *selector, offlink_device **device) {
  if (!device)
    return null_argument(__func__, "device");
  offlink_status status;
  const struct core *core = offlink_start(&status);
  if (!core)
    return status;
  offlink_device *d = new_object(sizeof *d, &status);
  if (!d)
    return status;
  char *error = NULL;
  status = offlink_result(core->device_open((char *)(selector ? selector : ""), &d->handle, &d->name, &error), &error);
  if (status)
    free(d);
  else
    *device = d;
  return status;
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
  if (!names || !count)
    return null_argument(__func__, names ? "count" : "names");
  offlink_status status;
  const struct core *core = offlink_start(&status);
  if (!core)
    return status;
  char *error = NULL;
  return offlink_result(core->kernel_names(names, count, &error), &error);
}

OFFLINK_EXPORT offlink_status offlink_kernel_open(offlink_device *device, const void *module, const char *name,
                                                  offlink_kernel **kernel) {
  if (!device || !name || !kernel)
    return null_argument(__func__, !device ? "device" : !name ? "name" : "kernel");
  offlink_status status;
  const struct core *core = offlink_start(&status);
  if (!core)
    return status;
  offlink_kernel *k = new_object(sizeof *k, &status);
  if (!k)
    return status;
  char *error = NULL;
  status = offlink_result(core->kernel_open(device->handle, offlink_module_base(module), (char *)name, &k->handle,
                                            &k->arg_count, &error),
                          &error);
  if (status)
    free(k);
  else
    *kernel = k;
  return status;
}

OFFLINK_EXPORT size_t offlink_kernel_arg_count(const offlink_kernel *kernel) { return kernel ? kernel->arg_count : 0; }

OFFLINK_EXPORT void offlink_kernel_close(offlink_kernel *kernel) {
  if (kernel)
    close_handle(kernel->handle);
  free(kernel);
}

OFFLINK_EXPORT offlink_status offlink_buffer_create(offlink_device *device, size_t size, const void *data,
                                                    offlink_buffer **buffer) {
  if (!device || !buffer)
    return null_argument(__func__, device ? "buffer" : "device");
  offlink_status status;
  const struct core *core = offlink_start(&status);
  if (!core)
    return status;
  offlink_buffer *b = new_object(sizeof *b, &status);
  if (!b)
    return status;
  char *error = NULL;
  status = offlink_result(core->buffer_create(device->handle, size, (void *)data, &b->handle, &error), &error);
  if (status)
    free(b);
  else
    *buffer = b;
  return status;
}

OFFLINK_EXPORT offlink_status offlink_buffer_read(offlink_buffer *buffer, size_t offset, void *data, size_t size) {
  if (!buffer || !data)
    return null_argument(__func__, buffer ? "data" : "buffer");
  offlink_status status;
  const struct core *core = offlink_start(&status);
  if (!core)
    return status;
  char *error = NULL;
  return offlink_result(core->buffer_read(buffer->handle, offset, data, size, &error), &error);
}

OFFLINK_EXPORT offlink_status offlink_buffer_write(offlink_buffer *buffer, size_t offset, const void *data,
                                                   size_t size) {
  if (!buffer || !data)
    return null_argument(__func__, buffer ? "data" : "buffer");
  offlink_status status;
  const struct core *core = offlink_start(&status);
  if (!core)
    return status;
  char *error = NULL;
  return offlink_result(core->buffer_write(buffer->handle, offset, (void *)data, size, &error), &error);
}

OFFLINK_EXPORT void offlink_buffer_close(offlink_buffer *buffer) {
  if (buffer)
    close_handle(buffer->handle);
  free(buffer);
}

/* Translates handles; the core checks the rest. */
static struct offlink_core_arg core_arg(const offlink_arg *arg) {
  return (struct offlink_core_arg){arg->kind, (void *)arg->value, arg->buffer ? arg->buffer->handle : 0, arg->size};
}

OFFLINK_EXPORT offlink_status offlink_launch(offlink_kernel *kernel, offlink_range range, const offlink_arg *args,
                                             size_t arg_count) {
  if (!kernel || (arg_count && !args))
    return null_argument(__func__, kernel ? "args" : "kernel");
  offlink_status status;
  const struct core *core = offlink_start(&status);
  if (!core)
    return status;
  struct offlink_core_arg *list = calloc(arg_count + 1, sizeof *list);
  if (!list)
    return offlink_fail(OFFLINK_ERROR_RUNTIME, "out of memory");
  for (size_t i = 0; i < arg_count; i++)
    list[i] = core_arg(&args[i]);
  char *error = NULL;
  status = offlink_result(core->launch(kernel->handle, range, list, arg_count, &error), &error);
  free(list);
  return status;
}

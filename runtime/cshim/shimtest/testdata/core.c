/* core.c: a core that prints what it is told. The first word of a descriptor
 * is a pointer to its name. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core.h"

const int offlink_core_abi = OFFLINK_CORE_ABI;

static const char *names[100];
static offlink_handle last;

static void say(const char *what, const char *which) {
  printf("core: %s %s\n", what, which);
  fflush(stdout);
}

offlink_handle offlink_core_add_images(void *descriptor, void *base, char *file) {
  usleep(1000); /* so that threads meet */
  offlink_handle handle = __atomic_add_fetch(&last, 1, __ATOMIC_SEQ_CST);
  names[handle] = strdup(*(const char **)descriptor);
  say(base && *file ? "add" : "add, of unknown module,", names[handle]);
  return handle;
}

void offlink_core_drop_images(offlink_handle images) { say("drop", names[images]); }

int offlink_core_device_open(char *selector, offlink_handle *device, char **name, char **error) {
  if (!strcmp(selector, "none")) {
    *error = strdup("there is no device");
    return OFFLINK_ERROR_NOT_FOUND;
  }
  say("open", selector);
  *device = 1;
  *name = strdup("printing device");
  return OFFLINK_OK;
}

int offlink_core_kernel_names(char ***list, size_t *count, char **error) {
  *list = calloc(1, sizeof **list);
  *count = last;
  return OFFLINK_OK;
}

int offlink_core_kernel_open(offlink_handle device, void *base, char *name, offlink_handle *kernel,
                             size_t *arg_count, char **error) {
  say(base ? "kernel of a module:" : "kernel:", name);
  *kernel = 2;
  *arg_count = 3;
  return OFFLINK_OK;
}

int offlink_core_buffer_create(offlink_handle device, size_t size, void *data, offlink_handle *buffer, char **error) {
  *buffer = 77;
  return OFFLINK_OK;
}

int offlink_core_buffer_read(offlink_handle buffer, size_t offset, void *data, size_t size, char **error) {
  memset(data, 'r', size);
  return OFFLINK_OK;
}

int offlink_core_buffer_write(offlink_handle buffer, size_t offset, void *data, size_t size, char **error) {
  return OFFLINK_OK;
}

int offlink_core_launch(offlink_handle kernel, offlink_range range, struct offlink_core_arg *args, size_t arg_count,
                        char **error) {
  printf("core: launch %u:%zu", range.dimensions, range.global[0]);
  for (size_t i = 0; i < arg_count; i++)
    printf(" (kind %d, buffer %d, size %zu)", args[i].kind, (int)args[i].buffer, args[i].size);
  putchar('\n');
  return OFFLINK_OK;
}

void offlink_core_close(offlink_handle handle) { say("close", ""); }
void offlink_core_shutdown(void) { say("shutdown", ""); }

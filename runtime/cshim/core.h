/* core.h: what the recorder calls in libofflink-core.so. Private to the two.
 *
 * Handles are numbers of the core, never 0. Functions that can fail return an
 * offlink_status and, unless it is 0, store in *error a text from malloc that
 * the caller frees.
 */
#ifndef OFFLINK_CORE_H
#define OFFLINK_CORE_H

#include "offlink/offlink.h"

/* Changes with any change below; both sides compare it. */
#define OFFLINK_CORE_ABI 1

typedef uint64_t offlink_handle;

/* X(result, name, parameters) for each function offlink_core_<name>. */
#define OFFLINK_CORE_FUNCTIONS(X)                                                                  \
  /* Takes the images of a descriptor in. base and file are the module that holds it. The tree    \
   * is read now; the bytes of images may be read until drop_images returns. */                   \
  X(offlink_handle, add_images, (void *descriptor, void *base, char *file))                        \
  X(void, drop_images, (offlink_handle images))                                                    \
  X(int, device_open, (char *selector, offlink_handle *device, char **name, char **error))         \
  X(int, kernel_names, (char ***names, size_t *count, char **error))                               \
  X(int, kernel_open,                                                                              \
    (offlink_handle device, void *base, char *name, offlink_handle *kernel, size_t *arg_count,     \
     char **error))                                                                                \
  X(int, buffer_create,                                                                            \
    (offlink_handle device, size_t size, void *data, offlink_handle *buffer, char **error))        \
  X(int, buffer_read,                                                                              \
    (offlink_handle buffer, size_t offset, void *data, size_t size, char **error))                 \
  X(int, buffer_write,                                                                             \
    (offlink_handle buffer, size_t offset, void *data, size_t size, char **error))                 \
  X(int, launch,                                                                                   \
    (offlink_handle kernel, offlink_range range, struct offlink_core_arg *args, size_t arg_count,  \
     char **error))                                                                                \
  X(void, close, (offlink_handle handle))                                                          \
  X(void, shutdown, (void))

/* offlink_arg with the buffer's handle. */
struct offlink_core_arg {
  int kind;
  void *value;
  offlink_handle buffer;
  size_t size;
};

#endif

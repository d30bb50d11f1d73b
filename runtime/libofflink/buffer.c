/* buffer.c: buffers, memory by address. */
#include <pthread.h>

#include "objects.h"

OFFLINK_EXPORT offlink_status offlink_buffer_create(offlink_device *device, size_t size, const void *data,
                                                    offlink_buffer **buffer) {
  REQUIRE(device);
  REQUIRE(buffer);
  struct offlink_call call = {
      .function = OFFLINK_CORE_BUFFER_CREATE, .object = device->handle, .data = (void *)data, .size = size};
  offlink_status status;
  offlink_buffer *b = offlink_create(&call, sizeof *b, &status);
  if (!b)
    return status;
  *b = (offlink_buffer){call.created, size, call.address, NULL, 0, call.memory, device->quick};
  *buffer = b;
  return OFFLINK_OK;
}

/* Whether the bytes lie in the buffer; else the thread's error says so. */
static int in_buffer(const offlink_buffer *buffer, size_t offset, size_t size) {
  if (offset <= buffer->size && size <= buffer->size - offset)
    return 1;
  offlink_fail(OFFLINK_ERROR_INVALID, "%zu bytes at offset %zu do not lie in a buffer of %zu bytes", size, offset,
               buffer->size);
  return 0;
}

/* Copies between host memory and memory of the device that the host reaches.
 * That needs nothing of the core but that it has not ended. */
static offlink_status copy_here(offlink_buffer *buffer, size_t offset, void *to, const void *from, size_t size) {
  if (!in_buffer(buffer, offset, size))
    return OFFLINK_ERROR_INVALID;
  /* A driver that has ended has taken its memory along; the core names that. */
  if ((!buffer->embedded && offlink_drivers_ended()) || !offlink_begin_use())
    return offlink_perform(&(struct offlink_call){.function = OFFLINK_CORE_BUFFER_READ, .object = buffer->handle});
  memcpy(to, from, size);
  offlink_end_use();
  return OFFLINK_OK;
}

/* Whether a copy takes a moment: not the first one, which may start a queue. */
static int is_short(offlink_buffer *buffer, size_t size) {
  return __atomic_exchange_n(&buffer->used, 1, __ATOMIC_RELAXED) && size <= 1 << 16;
}

OFFLINK_EXPORT offlink_status offlink_buffer_read(offlink_buffer *buffer, size_t offset, void *data, size_t size) {
  REQUIRE(buffer);
  REQUIRE(data);
  if (buffer->bytes)
    return copy_here(buffer, offset, data, buffer->bytes + offset, size);
  return offlink_perform(&(struct offlink_call){.function = OFFLINK_CORE_BUFFER_READ,
                                        .quick = is_short(buffer, size),
                                        .watched = 1,
                                        .object = buffer->handle,
                                        .memory = buffer->memory,
                                        .length = buffer->size,
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
  return offlink_perform(&(struct offlink_call){.function = OFFLINK_CORE_BUFFER_WRITE,
                                        .quick = is_short(buffer, size),
                                        .watched = 1,
                                        .object = buffer->handle,
                                        .memory = buffer->memory,
                                        .length = buffer->size,
                                        .offset = offset,
                                        .data = (void *)data,
                                        .size = size});
}

/* A view of a buffer: the memory itself, or a copy where the host does not reach
 * that. */
struct offlink_view {
  struct offlink_view *next;
  size_t offset, size;
  unsigned flags;
  void *start; /* that the host knows: the memory, or bytes */
  max_align_t bytes[];
};

/* Of the lists of views: several threads may map one buffer. */
static pthread_mutex_t views_mutex = PTHREAD_MUTEX_INITIALIZER;

static void add_view(offlink_buffer *buffer, struct offlink_view *v) {
  pthread_mutex_lock(&views_mutex);
  v->next = buffer->views;
  buffer->views = v;
  pthread_mutex_unlock(&views_mutex);
}

/* Takes the view that starts there out of the list; NULL if there is none. */
static struct offlink_view *take_view(offlink_buffer *buffer, const void *start) {
  pthread_mutex_lock(&views_mutex);
  struct offlink_view **at = &buffer->views, *v;
  while ((v = *at) && v->start != start)
    at = &v->next;
  if (v)
    *at = v->next;
  pthread_mutex_unlock(&views_mutex);
  return v;
}

OFFLINK_EXPORT offlink_status offlink_buffer_map(offlink_buffer *buffer, size_t offset, size_t size, unsigned flags,
                                                 void **view) {
  REQUIRE(buffer);
  REQUIRE(view);
  if (!flags || flags & ~(unsigned)(OFFLINK_MAP_READ | OFFLINK_MAP_WRITE))
    return offlink_fail(OFFLINK_ERROR_INVALID, "%u are not flags of offlink_map_flags", flags);
  if (!size)
    return offlink_fail(OFFLINK_ERROR_INVALID, "%s: a view has at least one byte", __func__);
  if (!in_buffer(buffer, offset, size))
    return OFFLINK_ERROR_INVALID;
  /* The sum of the sizes must not overflow. */
  struct offlink_view *v = size < SIZE_MAX / 2 ? malloc(sizeof *v + (buffer->bytes ? 0 : size)) : NULL;
  if (!v)
    return offlink_out_of_memory();
  *v = (struct offlink_view){NULL, offset, size, flags, buffer->bytes ? (void *)(buffer->bytes + offset) : v->bytes};
  /* Bytes that the host does not write are written back as they were. */
  offlink_status status = buffer->bytes ? OFFLINK_OK : offlink_buffer_read(buffer, offset, v->bytes, size);
  if (status) {
    free(v);
    return status;
  }
  add_view(buffer, v);
  *view = v->start;
  return OFFLINK_OK;
}

OFFLINK_EXPORT offlink_status offlink_buffer_unmap(offlink_buffer *buffer, void *view) {
  REQUIRE(buffer);
  REQUIRE(view);
  struct offlink_view *v = take_view(buffer, view);
  if (!v)
    return offlink_fail(OFFLINK_ERROR_INVALID, "%p is not a view from offlink_buffer_map, or was unmapped", view);
  offlink_status status = OFFLINK_OK;
  if (v->start == v->bytes && v->flags & OFFLINK_MAP_WRITE)
    status = offlink_buffer_write(buffer, v->offset, v->bytes, v->size);
  free(v);
  return status;
}

OFFLINK_EXPORT offlink_status offlink_buffer_import(offlink_device *device, uint64_t handle, size_t size,
                                                    offlink_buffer **buffer) {
  REQUIRE(device);
  REQUIRE(buffer);
  struct offlink_call call = {
      .function = OFFLINK_CORE_BUFFER_IMPORT, .object = device->handle, .number = handle, .size = size};
  offlink_status status;
  offlink_buffer *b = offlink_create(&call, sizeof *b, &status);
  if (!b)
    return status;
  *b = (offlink_buffer){call.created, size, call.address, NULL, 0, call.memory, device->quick};
  *buffer = b;
  return OFFLINK_OK;
}

OFFLINK_EXPORT offlink_status offlink_buffer_native(offlink_buffer *buffer, uint64_t *handle) {
  REQUIRE(buffer);
  REQUIRE(handle);
  return offlink_native(buffer->handle, handle);
}

OFFLINK_EXPORT void offlink_buffer_close(offlink_buffer *buffer) {
  if (!buffer)
    return;
  offlink_end_handle(buffer->handle, 0);
  for (struct offlink_view *v = buffer->views, *next; v; v = next) {
    next = v->next;
    free(v);
  }
  free(buffer);
}

OFFLINK_EXPORT offlink_status offlink_memory_alloc(offlink_device *device, int kind, size_t size, void **pointer) {
  REQUIRE(device);
  REQUIRE(pointer);
  struct offlink_call call = {
      .function = OFFLINK_CORE_MEMORY_ALLOC, .object = device->handle, .flags = (unsigned)kind, .size = size};
  offlink_status status = offlink_perform(&call);
  if (!status)
    *pointer = call.address;
  return status;
}

OFFLINK_EXPORT offlink_status offlink_memory_free(offlink_device *device, void *pointer) {
  REQUIRE(device);
  if (!pointer)
    return OFFLINK_OK;
  return offlink_perform(
      &(struct offlink_call){.function = OFFLINK_CORE_MEMORY_FREE, .object = device->handle, .data = pointer});
}

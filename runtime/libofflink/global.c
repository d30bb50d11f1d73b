/* global.c: device globals. */
#include "objects.h"

static offlink_status use_global(int function, offlink_device *device, const char *name, size_t offset, void *data,
                                 size_t size) {
  return offlink_perform(&(struct offlink_call){.function = function,
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

static offlink_status use_host(int function, offlink_device *device, const void *object, size_t offset, void *data,
                               size_t size) {
  return offlink_perform(&(struct offlink_call){.function = function,
                                                .object = device->handle,
                                                .base = object,
                                                .offset = offset,
                                                .data = data,
                                                .size = size});
}

OFFLINK_EXPORT offlink_status offlink_global_read_host(offlink_device *device, const void *object, size_t offset,
                                                       void *data, size_t size) {
  REQUIRE(device);
  REQUIRE(object);
  REQUIRE(data);
  return use_host(OFFLINK_CORE_GLOBAL_READ, device, object, offset, data, size);
}

OFFLINK_EXPORT offlink_status offlink_global_write_host(offlink_device *device, const void *object, size_t offset,
                                                        const void *data, size_t size) {
  REQUIRE(device);
  REQUIRE(object);
  REQUIRE(data);
  return use_host(OFFLINK_CORE_GLOBAL_WRITE, device, object, offset, (void *)data, size);
}

/* opencl_memory.c: queues, buffers, unified shared memory and shared virtual memory. */
#include "opencl.h"

#pragma GCC visibility push(hidden)

void *own_clCreateCommandQueue(struct object *context, struct object *device, uint64_t flags, int32_t *error) {
  size_t handle = 0;
  int32_t code = offlink_clCreateQueue(handle_of(context), handle_of(device), flags, NULL, &handle);
  return opencl_made(code, handle, error);
}

void *own_clCreateCommandQueueWithProperties(struct object *context, struct object *device, const uint64_t *properties, int32_t *error) {
  size_t handle = 0;
  int32_t code = offlink_clCreateQueue(handle_of(context), handle_of(device), 0, (void *)properties, &handle);
  return opencl_made(code, handle, error);
}

void *own_clCreateBuffer(struct object *context, uint64_t flags, size_t size, void *host, int32_t *error) {
  enum { USE_OR_COPY_HOST = 1 << 3 | 1 << 5, INVALID_HOST_PTR = -37 };
  size_t handle = 0;
  if (!size)
    return opencl_failed(INVALID_BUFFER_SIZE, error);
  if (!host != !(flags & USE_OR_COPY_HOST))
    return opencl_failed(INVALID_HOST_PTR, error);
  int32_t code = offlink_piMemBufferCreate(handle_of(context), flags, size, (uintptr_t)host, &handle, NULL);
  return opencl_made(code, handle, error);
}

void *own_clCreateBufferWithProperties(struct object *context, const uint64_t *properties, uint64_t flags, size_t size, void *host, int32_t *error) {
  if (properties && *properties)
    return opencl_failed(INVALID_PROPERTY, error);
  return own_clCreateBuffer(context, flags, size, host, error);
}

void *own_clCreateSubBuffer(struct object *buffer, uint64_t flags, uint32_t type, const void *region, int32_t *error) {
  size_t handle = 0;
  int32_t code = offlink_piMemBufferPartition(handle_of(buffer), flags, type, (void *)region, &handle);
  return opencl_made(code, handle, error);
}

/* Allocations have the alignment of pages at most. */
static void *allocated(int32_t code, uintptr_t address, uint32_t alignment, int32_t *error) {
  if (!code && alignment && address % alignment) {
    offlink_piextUSMFree(0, address);
    code = INVALID_VALUE;
  }
  if (error)
    *error = opencl_code(code);
  return code ? NULL : (void *)address;
}

void *own_clHostMemAllocINTEL(struct object *context, const uint64_t *properties, size_t size, uint32_t alignment, int32_t *error) {
  uintptr_t address = 0;
  if (!size)
    return opencl_failed(INVALID_BUFFER_SIZE, error);
  int32_t code = offlink_piextUSMHostAlloc(&address, handle_of(context), NULL, size, alignment);
  return allocated(code, address, alignment, error);
}

void *own_clDeviceMemAllocINTEL(struct object *context, struct object *device, const uint64_t *properties, size_t size, uint32_t alignment, int32_t *error) {
  uintptr_t address = 0;
  if (!size)
    return opencl_failed(INVALID_BUFFER_SIZE, error);
  int32_t code = offlink_piextUSMDeviceAlloc(&address, handle_of(context), handle_of(device), NULL, size, alignment);
  return allocated(code, address, alignment, error);
}

/* Without a device the memory is every device's: there is one. */
void *own_clSharedMemAllocINTEL(struct object *context, struct object *device, const uint64_t *properties, size_t size, uint32_t alignment, int32_t *error) {
  uintptr_t address = 0;
  if (!size)
    return opencl_failed(INVALID_BUFFER_SIZE, error);
  int32_t code = device ? offlink_piextUSMSharedAlloc(&address, handle_of(context), device->handle, NULL, size, alignment)
                        : offlink_clSharedAlloc(&address, size);
  return allocated(code, address, alignment, error);
}

/* Memory is released after the commands that were queued before. */
int32_t own_clMemFreeINTEL(struct object *context, void *address) {
  return opencl_code(offlink_piextUSMFree(handle_of(context), (uintptr_t)address));
}

void *own_clSVMAlloc(struct object *context, uint64_t flags, size_t size, uint32_t alignment) {
  return own_clSharedMemAllocINTEL(context, NULL, NULL, size, alignment, NULL);
}

void own_clSVMFree(struct object *context, void *address) { offlink_piextUSMFree(handle_of(context), (uintptr_t)address); }

#pragma GCC visibility pop

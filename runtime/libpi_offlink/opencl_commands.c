/* opencl_commands.c: commands of queues, and events. */
#include "opencl_command.h"

#pragma GCC visibility push(hidden)

int32_t opencl_begin_command(struct command *c, struct object *queue, uint32_t count, struct object *const *list, struct object **event) {
  if (!count != !list)
    return INVALID_EVENT_WAIT_LIST;
  *c = (struct command){.count = count, .list = c->few};
  if (count > sizeof c->few / sizeof *c->few && !(c->list = malloc(count * sizeof *c->list)))
    return OUT_OF_HOST_MEMORY;
  int32_t code = 0;
  for (uint32_t i = 0; i < count; i++) {
    if (!list[i])
      code = INVALID_EVENT_WAIT_LIST;
    else
      c->list[i] = list[i]->handle;
  }
  if (code && c->list != c->few)
    free(c->list);
  c->event = event ? &c->made : NULL;
  return code;
}

int32_t opencl_end_command(struct command *c, struct object *queue, uint32_t kind, int32_t code, struct object **event) {
  if (c->list != c->few)
    free(c->list);
  if (c->made) {
    offlink_clNoteCommand(c->made, queue->handle, kind);
    *event = (struct object *)offlink_native_of(c->made);
  }
  return opencl_code(code);
}

int32_t own_clEnqueueNDRangeKernel(struct object *queue, struct object *kernel, uint32_t dimensions, const size_t *offset, const size_t *global,
                                   const size_t *local, WAITS) {
  COMMAND(queue, NDRANGE_KERNEL, offlink_piEnqueueKernelLaunch(queue->handle, handle_of(kernel), dimensions, (size_t *)offset, (size_t *)global, (size_t *)local, ORDER));
}

int32_t own_clEnqueueTask(struct object *queue, struct object *kernel, WAITS) {
  size_t one = 1;
  COMMAND(queue, TASK, offlink_piEnqueueKernelLaunch(queue->handle, handle_of(kernel), 1, NULL, &one, &one, ORDER));
}

int32_t own_clEnqueueReadBuffer(struct object *queue, struct object *buffer, uint32_t block, size_t offset, size_t size, void *to, WAITS) {
  COMMAND(queue, READ_BUFFER, offlink_piEnqueueMemBufferRead(queue->handle, handle_of(buffer), block, offset, size, (uintptr_t)to, ORDER));
}

int32_t own_clEnqueueWriteBuffer(struct object *queue, struct object *buffer, uint32_t block, size_t offset, size_t size, const void *from, WAITS) {
  COMMAND(queue, WRITE_BUFFER, offlink_piEnqueueMemBufferWrite(queue->handle, handle_of(buffer), block, offset, size, (uintptr_t)from, ORDER));
}

int32_t own_clEnqueueCopyBuffer(struct object *queue, struct object *from, struct object *to, size_t from_offset, size_t to_offset, size_t size, WAITS) {
  COMMAND(queue, COPY_BUFFER, offlink_piEnqueueMemBufferCopy(queue->handle, handle_of(from), handle_of(to), from_offset, to_offset, size, ORDER));
}

int32_t own_clEnqueueFillBuffer(struct object *queue, struct object *buffer, const void *pattern, size_t length, size_t offset, size_t size, WAITS) {
  COMMAND(queue, FILL_BUFFER, offlink_piEnqueueMemBufferFill(queue->handle, handle_of(buffer), (void *)pattern, length, offset, size, ORDER));
}

int32_t own_clEnqueueReadBufferRect(struct object *queue, struct object *buffer, uint32_t block, const size_t *origin, const size_t *host_origin,
                                    const size_t *region, size_t row, size_t slice, size_t host_row, size_t host_slice, void *to, WAITS) {
  COMMAND(queue, READ_BUFFER_RECT, offlink_piEnqueueMemBufferReadRect(queue->handle, handle_of(buffer), block, (void *)origin, (void *)host_origin, (void *)region, row, slice, host_row, host_slice, (uintptr_t)to, ORDER));
}

int32_t own_clEnqueueWriteBufferRect(struct object *queue, struct object *buffer, uint32_t block, const size_t *origin, const size_t *host_origin,
                                     const size_t *region, size_t row, size_t slice, size_t host_row, size_t host_slice, const void *from, WAITS) {
  COMMAND(queue, WRITE_BUFFER_RECT, offlink_piEnqueueMemBufferWriteRect(queue->handle, handle_of(buffer), block, (void *)origin, (void *)host_origin, (void *)region, row, slice, host_row, host_slice, (uintptr_t)from, ORDER));
}

int32_t own_clEnqueueCopyBufferRect(struct object *queue, struct object *from, struct object *to, const size_t *from_origin, const size_t *to_origin,
                                    const size_t *region, size_t from_row, size_t from_slice, size_t to_row, size_t to_slice, WAITS) {
  COMMAND(queue, COPY_BUFFER_RECT, offlink_piEnqueueMemBufferCopyRect(queue->handle, handle_of(from), handle_of(to), (void *)from_origin, (void *)to_origin, (void *)region, from_row, from_slice, to_row, to_slice, ORDER));
}

static int32_t map_buffer(struct object *queue, struct object *buffer, uint32_t block, uint64_t flags, size_t offset, size_t size, uintptr_t *address, WAITS) {
  COMMAND(queue, MAP_BUFFER, offlink_piEnqueueMemBufferMap(queue->handle, handle_of(buffer), block, flags, offset, size, ORDER, address));
}

void *own_clEnqueueMapBuffer(struct object *queue, struct object *buffer, uint32_t block, uint64_t flags, size_t offset, size_t size, WAITS, int32_t *error) {
  uintptr_t address = 0;
  int32_t code = map_buffer(queue, buffer, block, flags, offset, size, &address, count, list, event);
  if (error)
    *error = code;
  return code ? NULL : (void *)address;
}

int32_t own_clEnqueueUnmapMemObject(struct object *queue, struct object *buffer, void *address, WAITS) {
  COMMAND(queue, UNMAP_MEM_OBJECT, offlink_piEnqueueMemUnmap(queue->handle, handle_of(buffer), (uintptr_t)address, ORDER));
}

/* Commands that only order others: memory does not move. */
#define ORDERING(kind) COMMAND(queue, kind, offlink_piEnqueueEventsWait(queue->handle, ORDER))
int32_t own_clEnqueueMigrateMemObjects(struct object *queue, uint32_t number, void *objects, uint64_t flags, WAITS) { ORDERING(MIGRATE_MEM_OBJECTS); }
int32_t own_clEnqueueMarkerWithWaitList(struct object *queue, WAITS) { ORDERING(MARKER); }
int32_t own_clEnqueueBarrierWithWaitList(struct object *queue, WAITS) { ORDERING(BARRIER); }
int32_t own_clEnqueueMigrateMemINTEL(struct object *queue, void *address, size_t size, uint64_t flags, WAITS) { ORDERING(MIGRATEMEM); }
int32_t own_clEnqueueMemAdviseINTEL(struct object *queue, void *address, size_t size, uint32_t advice, WAITS) { ORDERING(MEMADVISE); }
static int32_t map_svm(struct object *queue, WAITS) { ORDERING(SVM_MAP); }
int32_t own_clEnqueueSVMMap(struct object *queue, uint32_t block, uint64_t flags, void *address, size_t size, WAITS) {
  int32_t code = map_svm(queue, count, list, event);
  return code || !block ? code : opencl_code(offlink_piQueueFinish(queue->handle));
}
int32_t own_clEnqueueSVMUnmap(struct object *queue, void *address, WAITS) { ORDERING(SVM_UNMAP); }
int32_t own_clEnqueueSVMMigrateMem(struct object *queue, uint32_t number, void *addresses, void *sizes, uint64_t flags, WAITS) { ORDERING(SVM_MIGRATE_MEM); }
int32_t own_clEnqueueMarker(struct object *queue, struct object **event) { return event ? own_clEnqueueMarkerWithWaitList(queue, 0, NULL, event) : INVALID_VALUE; }
int32_t own_clEnqueueBarrier(struct object *queue) { return own_clEnqueueBarrierWithWaitList(queue, 0, NULL, NULL); }
int32_t own_clEnqueueWaitForEvents(struct object *queue, uint32_t count, struct object *const *list) {
  return count ? own_clEnqueueBarrierWithWaitList(queue, count, list, NULL) : INVALID_VALUE;
}

int32_t own_clEnqueueMemcpyINTEL(struct object *queue, uint32_t block, void *to, const void *from, size_t size, WAITS) {
  COMMAND(queue, MEMCPY, offlink_piextUSMEnqueueMemcpy(queue->handle, block, (uintptr_t)to, (uintptr_t)from, size, ORDER));
}

int32_t own_clEnqueueMemFillINTEL(struct object *queue, void *to, const void *pattern, size_t length, size_t size, WAITS) {
  COMMAND(queue, MEMFILL, offlink_clMemFill(queue->handle, (uintptr_t)to, (void *)pattern, length, size, ORDER));
}

int32_t own_clEnqueueMemsetINTEL(struct object *queue, void *to, int32_t value, size_t size, WAITS) {
  COMMAND(queue, MEMFILL, offlink_piextUSMEnqueueMemset(queue->handle, (uintptr_t)to, value, size, ORDER));
}

int32_t own_clEnqueueSVMMemcpy(struct object *queue, uint32_t block, void *to, const void *from, size_t size, WAITS) {
  COMMAND(queue, SVM_MEMCPY, offlink_piextUSMEnqueueMemcpy(queue->handle, block, (uintptr_t)to, (uintptr_t)from, size, ORDER));
}

int32_t own_clEnqueueSVMMemFill(struct object *queue, void *to, const void *pattern, size_t length, size_t size, WAITS) {
  COMMAND(queue, SVM_MEMFILL, offlink_clMemFill(queue->handle, (uintptr_t)to, (void *)pattern, length, size, ORDER));
}

int32_t own_clEnqueueSVMFree(struct object *queue, uint32_t number, void **addresses, void (*release)(), void *user, WAITS) {
  COMMAND(queue, SVM_FREE, offlink_clSVMFree(queue->handle, (uintptr_t)queue, number, (void *)addresses, (uintptr_t)release, (uintptr_t)user, ORDER));
}

int32_t own_clEnqueueWriteGlobalVariableINTEL(struct object *queue, struct object *program, const char *name, uint32_t block, size_t size, size_t offset, const void *from, WAITS) {
  COMMAND(queue, WRITE_GLOBAL, offlink_piextEnqueueDeviceGlobalVariableWrite(queue->handle, handle_of(program), (uintptr_t)name, block, size, offset, (uintptr_t)from, ORDER));
}

int32_t own_clEnqueueReadGlobalVariableINTEL(struct object *queue, struct object *program, const char *name, uint32_t block, size_t size, size_t offset, void *to, WAITS) {
  COMMAND(queue, READ_GLOBAL, offlink_piextEnqueueDeviceGlobalVariableRead(queue->handle, handle_of(program), (uintptr_t)name, block, size, offset, (uintptr_t)to, ORDER));
}

int32_t own_clWaitForEvents(uint32_t count, struct object *const *list) {
  if (!count || !list)
    return INVALID_VALUE;
  int32_t failed = 0;
  for (uint32_t i = 0; i < count; i++) {
    if (!list[i])
      return INVALID_EVENT;
    if (offlink_piEventsWait(1, (size_t *)&list[i]->handle))
      failed = FAILED_IN_WAIT_LIST;
  }
  return failed;
}

void *own_clCreateUserEvent(struct object *context, int32_t *error) {
  size_t handle = 0;
  int32_t code = offlink_clCreateUserEvent(handle_of(context), &handle);
  return opencl_made(code, handle, error);
}

int32_t own_clSetUserEventStatus(struct object *event, int32_t status) {
  if (status > 0)
    return INVALID_VALUE;
  return opencl_code(offlink_clSetUserEventStatus(handle_of(event), status));
}

int32_t own_clSetEventCallback(struct object *event, int32_t kind, void (*notify)(), void *user) {
  enum { COMPLETE = 0, SUBMITTED = 2 };
  if (!notify || kind < COMPLETE || kind > SUBMITTED)
    return INVALID_VALUE;
  return opencl_code(offlink_clSetEventCallback(handle_of(event), (uintptr_t)event, kind, (uintptr_t)notify, (uintptr_t)user));
}

#pragma GCC visibility pop

/* queue.c: queues and events. */
#include "objects.h"

OFFLINK_EXPORT offlink_status offlink_queue_create(offlink_device *device, unsigned flags, offlink_queue **queue) {
  REQUIRE(device);
  REQUIRE(queue);
  if (flags & ~(unsigned)(OFFLINK_QUEUE_OUT_OF_ORDER | OFFLINK_QUEUE_PROFILING))
    return offlink_fail(OFFLINK_ERROR_INVALID, "%u are not flags of offlink_queue_flags", flags);
  struct offlink_call call = {.function = OFFLINK_CORE_QUEUE_CREATE, .object = device->handle, .flags = flags};
  offlink_status status;
  offlink_queue *q = offlink_create(&call, sizeof *q, &status);
  if (!q)
    return status;
  *q = (offlink_queue){call.created, device->quick, device->quick, call.direct_queue};
  *queue = q;
  return OFFLINK_OK;
}

OFFLINK_EXPORT offlink_status offlink_queue_import(offlink_device *device, uint64_t handle, offlink_queue **queue) {
  REQUIRE(device);
  REQUIRE(queue);
  struct offlink_call call = {.function = OFFLINK_CORE_QUEUE_IMPORT, .object = device->handle, .number = handle};
  offlink_status status;
  offlink_queue *q = offlink_create(&call, sizeof *q, &status);
  if (!q)
    return status;
  *q = (offlink_queue){call.created, device->quick, device->quick, call.direct_queue};
  *queue = q;
  return OFFLINK_OK;
}

OFFLINK_EXPORT offlink_status offlink_queue_native(offlink_queue *queue, uint64_t *handle) {
  REQUIRE(queue);
  REQUIRE(handle);
  return offlink_native(queue->handle, handle);
}

/* The limit is kept by the core, as few drivers have a wait with one. */
OFFLINK_EXPORT offlink_status offlink_queue_finish_for(offlink_queue *queue, uint64_t timeout) {
  REQUIRE(queue);
  return offlink_perform(&(struct offlink_call){
      .function = OFFLINK_CORE_QUEUE_FINISH, .object = queue->handle, .has_timeout = 1, .timeout = timeout});
}

/* A wait is made on this thread where the last one was short: changing threads
 * costs more than such a wait. The core says after each how the next one is to be
 * made; a value that another thread replaces only costs time. */
OFFLINK_EXPORT offlink_status offlink_queue_finish(offlink_queue *queue) {
  REQUIRE(queue);
  struct offlink_call call = {.function = OFFLINK_CORE_QUEUE_FINISH,
                              .quick = __atomic_load_n(&queue->quick_finish, __ATOMIC_RELAXED),
                              .watched = !queue->quick,
                              .object = queue->handle,
                              .direct_queue = queue->direct};
  offlink_status status = offlink_perform(&call);
  __atomic_store_n(&queue->quick_finish, call.quick, __ATOMIC_RELAXED);
  return status;
}

OFFLINK_EXPORT offlink_status offlink_queue_abort(offlink_queue *queue) {
  REQUIRE(queue);
  return offlink_perform(&(struct offlink_call){.function = OFFLINK_CORE_QUEUE_ABORT, .object = queue->handle});
}

/* Closing ends with the process where the core has ended already: the handle is
 * of no use then, and nobody can be told. */
OFFLINK_EXPORT void offlink_queue_close(offlink_queue *queue) {
  if (queue)
    offlink_end_handle(queue->handle, 0);
  free(queue);
}

OFFLINK_EXPORT offlink_status offlink_event_create(offlink_device *device, offlink_event **event) {
  REQUIRE(device);
  REQUIRE(event);
  struct offlink_call call = {.function = OFFLINK_CORE_EVENT_CREATE, .object = device->handle};
  offlink_status status;
  offlink_event *e = offlink_create(&call, sizeof *e, &status);
  if (!e)
    return status;
  *e = (offlink_event){call.created, device->quick};
  *event = e;
  return OFFLINK_OK;
}

OFFLINK_EXPORT offlink_status offlink_event_complete(offlink_event *event, offlink_status outcome) {
  REQUIRE(event);
  /* Checked here, as the number becomes flags of the call, without a sign. */
  if ((int)outcome < OFFLINK_OK || outcome > OFFLINK_ERROR_UNSUPPORTED)
    return offlink_fail(OFFLINK_ERROR_INVALID, "%d is not a status of offlink_status", (int)outcome);
  return offlink_perform(&(struct offlink_call){
      .function = OFFLINK_CORE_EVENT_COMPLETE, .object = event->handle, .flags = (unsigned)outcome});
}

OFFLINK_EXPORT offlink_status offlink_event_wait_for(offlink_event *event, uint64_t timeout) {
  REQUIRE(event);
  return offlink_perform(&(struct offlink_call){
      .function = OFFLINK_CORE_EVENT_WAIT, .object = event->handle, .has_timeout = 1, .timeout = timeout});
}

OFFLINK_EXPORT offlink_status offlink_event_status(offlink_event *event, int *state) {
  REQUIRE(event);
  REQUIRE(state);
  struct offlink_call call = {.function = OFFLINK_CORE_EVENT_STATUS, .quick = event->quick, .object = event->handle};
  offlink_status status = offlink_perform(&call);
  if (!status)
    *state = (int)call.number;
  return status;
}

OFFLINK_EXPORT offlink_status offlink_event_on_done(offlink_event *event, offlink_event_function *function,
                                                    void *user) {
  REQUIRE(event);
  REQUIRE(function);
  return offlink_perform(&(struct offlink_call){
      .function = OFFLINK_CORE_EVENT_ON_DONE, .object = event->handle, .on_done = function, .data = user});
}

OFFLINK_EXPORT offlink_status offlink_event_native(offlink_event *event, uint64_t *handle) {
  REQUIRE(event);
  REQUIRE(handle);
  return offlink_native(event->handle, handle);
}

OFFLINK_EXPORT offlink_status offlink_event_wait(offlink_event *event) {
  REQUIRE(event);
  return offlink_perform(
      &(struct offlink_call){.function = OFFLINK_CORE_EVENT_WAIT, .quick = event->quick, .object = event->handle});
}

OFFLINK_EXPORT offlink_status offlink_event_times(offlink_event *event, uint64_t times[4]) {
  REQUIRE(event);
  REQUIRE(times);
  struct offlink_call call = {.function = OFFLINK_CORE_EVENT_TIMES, .quick = event->quick, .object = event->handle};
  offlink_status status = offlink_perform(&call);
  if (!status)
    memcpy(times, call.times, sizeof call.times);
  return status;
}

OFFLINK_EXPORT void offlink_event_close(offlink_event *event) {
  if (event)
    offlink_end_handle(event->handle, event->quick);
  free(event);
}

/* An event of the program that is closed without an end fails, and so do the
 * commands that wait for it; one that is left open does not hold the exit up. The queues are in
 * order, as Intel's driver (2026.22) crashes in the next use of one that is not. */
#include "torture.h"

/* The event of a launch that waits for another. */
static offlink_event *launch_after(offlink_queue *queue, offlink_kernel *kernel, offlink_buffer *buffer, offlink_event *gate) {
  offlink_event *launched = NULL;
  offlink_arg args[] = {offlink_arg_buffer(buffer)};
  offlink_sync sync = {.size = sizeof sync, .after = &gate, .after_count = 1, .done = &launched};
  if (offlink_enqueue_launch(queue, kernel, offlink_range_1d(8), args, 1, &sync))
    _exit(3);
  return launched;
}

int main(void) {
  offlink_device *device;
  offlink_kernel *kernel;
  offlink_buffer *buffer;
  offlink_queue *queue, *other;
  offlink_event *closed, *left;
  must_run("main");
  if (offlink_device_open(NULL, &device) || offlink_kernel_open(device, OFFLINK_HERE, "app", &kernel) ||
      offlink_buffer_create(device, 32, NULL, &buffer) || offlink_queue_create(device, 0, &queue) || offlink_queue_create(device, 0, &other) ||
      offlink_event_create(device, &closed) || offlink_event_create(device, &left))
    return 2;
  offlink_event *first = launch_after(queue, kernel, buffer, closed);
  offlink_event_close(closed);
  if (offlink_event_wait_for(first, 5000000000u) != OFFLINK_ERROR_DEVICE)
    return 4;
  if (!strstr(offlink_error(), "the event was closed") || strstr(offlink_error(), "CL_DEVICE_NOT_FOUND"))
    return 5;
  launch_after(other, kernel, buffer, left);
  return 0;
}

/* The function that an event calls, on a thread of the library, ends the
 * process with exit. */
#include "torture.h"
static void leave(void *user, offlink_status outcome, const char *text) { exit(outcome); }
int main(void) {
  offlink_device *device;
  offlink_queue *queue;
  offlink_event *event;
  must_run("main");
  if (offlink_device_open(NULL, &device) || offlink_queue_create(device, 0, &queue))
    return 2;
  offlink_sync sync = {.size = sizeof sync, .done = &event};
  if (offlink_enqueue_barrier(queue, &sync) || offlink_event_on_done(event, leave, NULL))
    return 3;
  pause();
}

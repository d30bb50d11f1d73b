/* A host function in a queue ends the process with exit, while commands after
 * it wait. */
#include "torture.h"
static void leave(void *user) { exit(0); }
int main(void) {
  offlink_device *device;
  offlink_queue *queue;
  must_run("main");
  if (offlink_device_open(NULL, &device) || offlink_queue_create(device, 0, &queue) || offlink_enqueue_host(queue, leave, NULL, NULL))
    return 2;
  offlink_enqueue_barrier(queue, NULL);
  offlink_queue_finish(queue);
  pause();
}

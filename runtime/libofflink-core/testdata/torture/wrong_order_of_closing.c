/* Devices are closed before their kernels, buffers and queues, a queue while it
 * works, and nothing at all at the end. */
#include "torture.h"
int main(void) {
  offlink_device *device;
  offlink_kernel *kernel;
  offlink_buffer *buffer;
  offlink_queue *queue;
  if (offlink_device_open(NULL, &device) || offlink_kernel_open(device, OFFLINK_HERE, "app", &kernel) || offlink_buffer_create(device, 32, NULL, &buffer) ||
      offlink_queue_create(device, 0, &queue))
    return 2;
  offlink_arg args[] = {offlink_arg_buffer(buffer)};
  if (offlink_enqueue_launch(queue, kernel, offlink_range_1d(8), args, 1, NULL))
    return 3;
  offlink_device_close(device);
  offlink_queue_close(queue);
  offlink_kernel_close(kernel);
  offlink_buffer_close(buffer);
  must_run("afterwards");
  if (offlink_device_open(NULL, &device) || offlink_kernel_open(device, OFFLINK_HERE, "app", &kernel) || offlink_buffer_create(device, 32, NULL, &buffer))
    return 5;
  return 0;
}

/* Prints the devices and runs a kernel on the first of them. */
#include <stdio.h>
#include <offlink/offlink.h>
int main(void) {
  char **selectors;
  size_t count;
  offlink_device *device;
  offlink_kernel *kernel;
  offlink_buffer *buffer;
  int32_t numbers[4];
  if (offlink_device_list(&selectors, &count))
    return 1;
  for (size_t i = 0; i < count; i++)
    puts(selectors[i]);
  offlink_free(selectors);
  if (offlink_device_open("host", &device) || offlink_kernel_open(device, NULL, "app", &kernel))
    return 2;
  if (offlink_buffer_create(device, sizeof numbers, NULL, &buffer))
    return 3;
  offlink_arg args[] = {offlink_arg_buffer(buffer)};
  if (offlink_launch(kernel, offlink_range_1d(4), args, 1) || offlink_buffer_read(buffer, 0, numbers, sizeof numbers))
    return 4;
  printf("%d %d %d %d\n", numbers[0], numbers[1], numbers[2], numbers[3]);
  offlink_buffer_close(buffer);
  offlink_kernel_close(kernel);
  offlink_device_close(device);
  return 0;
}

/* Host code of a.out: runs the kernel app on 8 work-items. The kernel's code
 * is in a.out, the function that it calls is in libhelpers.so; the runtime
 * brings them together. */
#include <stdio.h>
#include <stdlib.h>

#include <offlink/offlink.h>

#include "helpers.h"

static void check(offlink_status status) {
  if (status != OFFLINK_OK) {
    fprintf(stderr, "a.out: %s\n", offlink_error());
    exit(1);
  }
}

int main(void) {
  enum { COUNT = 8 };
  offlink_device *device;
  offlink_kernel *kernel;
  offlink_buffer *out;
  int32_t numbers[COUNT];

  check(offlink_device_open(NULL, &device));
  check(offlink_kernel_open(device, OFFLINK_HERE, "app", &kernel));
  check(offlink_buffer_create(device, sizeof numbers, NULL, &out));

  offlink_arg args[] = {offlink_arg_buffer(out)};
  check(offlink_launch(kernel, offlink_range_1d(COUNT), args, 1));
  check(offlink_buffer_read(out, 0, numbers, sizeof numbers));
  print_numbers(numbers, COUNT);

  offlink_buffer_close(out);
  offlink_kernel_close(kernel);
  offlink_device_close(device);
  return 0;
}

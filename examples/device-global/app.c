/* device-global: the host reads and writes variables of the device code of a
 * shared library, which a kernel of the program changes through a function of
 * the library. */
#include <err.h>
#include <stdio.h>

#include <offlink/offlink.h>

const char *stats_version(void);

enum { N = 1000 };

static void run(offlink_kernel *kernel, offlink_buffer *data) {
  offlink_arg args[] = {offlink_arg_buffer(data)};
  if (offlink_launch(kernel, offlink_range_1d(N), args, 1))
    errx(1, "%s", offlink_error());
}

int main(void) {
  int numbers[N], total = -1, weights[2] = {10, 100}, start = 5;
  offlink_device *device;
  offlink_kernel *count;
  offlink_buffer *data;
  for (int i = 0; i < N; i++)
    numbers[i] = i;
  if (offlink_device_open(NULL, &device) || offlink_kernel_open(device, OFFLINK_HERE, "count", &count) ||
      offlink_buffer_create(device, sizeof numbers, numbers, &data))
    errx(1, "%s", offlink_error());

  /* As the device code defines them. */
  run(count, data);
  if (offlink_global_read(device, "total", 0, &total, sizeof total))
    errx(1, "%s", offlink_error());
  printf("library %s, total %d\n", stats_version(), total);

  /* The last two weights and the total are the host's. */
  if (offlink_global_write(device, "weights", 2 * sizeof(int), weights, sizeof weights) ||
      offlink_global_write(device, "total", 0, &start, sizeof start))
    errx(1, "%s", offlink_error());
  run(count, data);
  if (offlink_global_read(device, "total", 0, &total, sizeof total))
    errx(1, "%s", offlink_error());
  printf("total %d\n", total);

  offlink_buffer_close(data);
  offlink_kernel_close(count);
  offlink_device_close(device);
  return 0;
}

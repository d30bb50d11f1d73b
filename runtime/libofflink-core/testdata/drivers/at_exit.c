/* A device of a driver is used in main, in functions of atexit that are registered
 * before and after that, and in a destructor: those that are named. It may have
 * ended, and never crashes. */
#include <offlink/offlink.h>
#include <stdio.h>
#include <string.h>

#include <stdlib.h>

static offlink_device *device;
static offlink_kernel *kernel;
static offlink_buffer *buffer;
static int count;
static char **names;

static offlink_status open_all(void) {
  if (device)
    return OFFLINK_OK;
  offlink_status status = offlink_device_open("opencl", &device);
  if (!status)
    status = offlink_kernel_open(device, OFFLINK_HERE, "app", &kernel);
  return status ? status : offlink_buffer_create(device, 8 * sizeof(int), NULL, &buffer);
}

static void use(const char *when) {
  int out[8] = {0}, wanted = 0;
  for (int i = 1; i < count; i++)
    wanted |= !strcmp(names[i], when);
  if (!wanted)
    return;
  offlink_status status = open_all();
  if (!status)
    status = offlink_launch(kernel, offlink_range_1d(8), (offlink_arg[]){offlink_arg_buffer(buffer)}, 1);
  if (!status)
    status = offlink_buffer_read(buffer, 0, out, sizeof out);
  if (status == OFFLINK_ERROR_RUNTIME && strstr(offlink_error(), "has ended this driver"))
    printf("%s: ended\n", when);
  else if (status)
    printf("%s: status %d: %s\n", when, status, offlink_error());
  else
    printf("%s: %d %d\n", when, out[1], out[7]);
  fflush(stdout);
}

static void early(void) { use("early"); }
static void late(void) { use("late"); }
__attribute__((destructor)) static void destruct(void) { use("destructor"); }

int main(int argc, char **argv) {
  count = argc, names = argv;
  atexit(early);
  use("main");
  atexit(late);
  return 0;
}

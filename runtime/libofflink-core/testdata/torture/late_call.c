/* preload: libearly.so
 * A library that does not depend on the runtime calls it in its destructor. The
 * loader is free to end the runtime before or after it: the call works, or is
 * an error that says so. */
#include "torture.h"
extern void call_at_the_end(int (*function)(void)) __attribute__((weak));
static int late(void) {
  offlink_device *device;
  offlink_status status = offlink_device_open(NULL, &device);
  if (status == OFFLINK_OK || status == OFFLINK_ERROR_RUNTIME && strstr(offlink_error(), "ended"))
    return 0;
  fprintf(stderr, "status %d: %s\n", (int)status, offlink_error());
  return 1;
}
int main(void) {
  must_run("main");
  if (!call_at_the_end)
    return 2;
  call_at_the_end(late);
  return 0;
}

/* torture.h: the kernel that every case launches. app.o is in each program or
 * library that asks for it; libhelpers.so exports the function that it calls.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <offlink/offlink.h>

/* Launches the kernel app and compares its results. 0, or the number of the
 * step that failed. */
static inline int run(void) {
  offlink_device *device = NULL;
  offlink_kernel *kernel = NULL;
  offlink_buffer *buffer = NULL;
  int result[8] = {0}, failed = 0;
  if (offlink_device_open(NULL, &device))
    return 1;
  if (offlink_kernel_open(device, OFFLINK_HERE, "app", &kernel)) {
    failed = 2;
  } else if (offlink_buffer_create(device, sizeof result, NULL, &buffer)) {
    failed = 3;
  } else {
    offlink_arg args[] = {offlink_arg_buffer(buffer)};
    if (offlink_launch(kernel, offlink_range_1d(8), args, 1))
      failed = 4;
    else if (offlink_buffer_read(buffer, 0, result, sizeof result))
      failed = 5;
    for (int i = 0; i < 8 && !failed; i++)
      if (result[i] != 2 * i)
        failed = 6;
  }
  if (buffer)
    offlink_buffer_close(buffer);
  if (kernel)
    offlink_kernel_close(kernel);
  offlink_device_close(device);
  return failed;
}

/* run, or the end of the process with the error. */
static inline void must_run(const char *where) {
  int step = run();
  if (step) {
    fprintf(stderr, "%s: step %d: %s\n", where, step, offlink_error());
    _exit(9);
  }
}

static inline void *run_forever(void *unused) {
  for (;;)
    run();
  return unused;
}

static inline void start_threads(int count) {
  for (int i = 0; i < count; i++) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, run_forever, NULL))
      _exit(8);
    pthread_detach(thread);
  }
}

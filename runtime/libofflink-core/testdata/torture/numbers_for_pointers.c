/* Pointers that are never read may be numbers: what a callback gets, as bindings of other
 * languages pass an index there, and memory of no bytes, which some of them place at 1, 4 or
 * 8. The core must not keep them where Go looks for pointers: it ends a process in which it
 * finds one below 4096 while it moves a stack. Its collector runs all the time here, so that
 * stacks shrink and grow again. */
#include "torture.h"
enum { THREADS = 4, ROUNDS = 300, LIMIT = 4096 };
static offlink_device *device;
static offlink_kernel *kernel;
static unsigned long called;
static void count_number(void *user) {
  if ((uintptr_t)user < LIMIT)
    __atomic_add_fetch(&called, 1, __ATOMIC_RELAXED);
}
static void on_done(void *user, offlink_status outcome, const char *text) { count_number(user); }
static void must(int status, const char *what) {
  if (status) {
    fprintf(stderr, "%s: %s\n", what, offlink_error());
    _exit(5);
  }
}
static void use_no_bytes(offlink_queue *queue, offlink_buffer *buffer, void *number) {
  must(offlink_buffer_read(buffer, 0, number, 0), "read");
  must(offlink_buffer_write(buffer, 0, number, 0), "write");
  must(offlink_enqueue_copy(queue, number, number, 0, NULL), "copy");
  offlink_arg args[] = {offlink_arg_value(number, 0)};
  if (!offlink_launch(kernel, offlink_range_1d(8), args, 1))
    must(1, "a launch with a value of no bytes");
  offlink_buffer *initial;
  if (!offlink_buffer_create(device, 0, number, &initial))
    offlink_buffer_close(initial);
}
static void *use_numbers(void *seed) {
  offlink_queue *queue;
  offlink_buffer *buffer;
  must(offlink_queue_create(device, 0, &queue), "queue");
  must(offlink_buffer_create(device, 32, NULL, &buffer), "buffer");
  for (uintptr_t i = 0; i < ROUNDS; i++) {
    void *number = (void *)(1 + ((uintptr_t)seed * ROUNDS + i) % (LIMIT - 1));
    offlink_event *event;
    offlink_sync sync = {.size = sizeof sync, .done = &event};
    must(offlink_enqueue_host(queue, count_number, number, &sync), "host function");
    must(offlink_event_on_done(event, on_done, number), "on done");
    use_no_bytes(queue, buffer, number);
    must(offlink_event_wait(event), "wait");
    offlink_event_close(event);
  }
  must(offlink_queue_finish(queue), "finish");
  offlink_buffer_close(buffer);
  offlink_queue_close(queue);
  return NULL;
}
int main(int count, char **arguments) {
  if (!getenv("GOGC")) { /* it is read as the libraries are loaded */
    setenv("GOGC", "1", 1);
    execv("/proc/self/exe", arguments);
    _exit(4);
  }
  must(offlink_device_open(NULL, &device), "device");
  must(offlink_kernel_open(device, OFFLINK_HERE, "app", &kernel), "kernel");
  pthread_t threads[THREADS];
  for (uintptr_t i = 0; i < THREADS; i++)
    if (pthread_create(&threads[i], NULL, use_numbers, (void *)i))
      _exit(6);
  for (int i = 0; i < THREADS; i++)
    pthread_join(threads[i], NULL);
  for (int i = 0; i < 10000 && __atomic_load_n(&called, __ATOMIC_RELAXED) < 2 * THREADS * ROUNDS; i++)
    usleep(1000);
  offlink_kernel_close(kernel);
  offlink_device_close(device);
  return called == 2 * THREADS * ROUNDS ? 0 : 7;
}

/* Functions of events that use the library: they launch, wait for their own queue and for
 * other events, and close the event for which they are called. */
#include "torture.h"
static offlink_device *device;
static offlink_queue *queue;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int calls;
static void on_done(void *user, offlink_status outcome, const char *text) {
  offlink_event *other;
  offlink_sync sync = {.size = sizeof sync, .done = &other};
  must_run("in a callback");
  if (offlink_queue_finish(queue) || offlink_enqueue_barrier(queue, &sync) || offlink_event_wait(other)) {
    fprintf(stderr, "in a callback: %s\n", offlink_error());
    _exit(7);
  }
  offlink_event_close(other);
  offlink_event_close(*(offlink_event **)user);
  pthread_mutex_lock(&mutex);
  calls++;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&mutex);
}
int main(void) {
  enum { COUNT = 8 };
  offlink_event *events[COUNT];
  if (offlink_device_open(NULL, &device))
    _exit(5);
  for (unsigned flags = 0; flags < 2; flags++) {
    calls = 0;
    if (offlink_queue_create(device, flags, &queue))
      _exit(5);
    for (int i = 0; i < COUNT; i++) {
      offlink_sync sync = {.size = sizeof sync, .done = &events[i]};
      if (offlink_enqueue_barrier(queue, &sync) || offlink_event_on_done(events[i], on_done, &events[i]))
        _exit(6);
    }
    pthread_mutex_lock(&mutex);
    while (calls < COUNT)
      pthread_cond_wait(&changed, &mutex);
    pthread_mutex_unlock(&mutex);
    offlink_queue_close(queue);
  }
  offlink_device_close(device);
  return 0;
}

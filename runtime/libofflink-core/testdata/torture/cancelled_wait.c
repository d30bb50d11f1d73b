/* pthread_cancel of threads in a call: no function is a cancellation point, so that the call
 * ends, and the thread at the next one. The runtime stays usable. */
#include "torture.h"
static offlink_device *device;
static int ended;
static void *wait_for(void *event) {
  offlink_status status = offlink_event_wait(event);
  __atomic_add_fetch(&ended, status == OFFLINK_OK, __ATOMIC_SEQ_CST);
  pthread_testcancel();
  _exit(7);
}
static void *launch(void *unused) {
  for (;;) {
    must_run("in a thread");
    pthread_testcancel();
  }
  return unused;
}
int main(void) {
  offlink_event *event;
  pthread_t waiting[4], launching[2];
  void *result;
  if (offlink_device_open(NULL, &device) || offlink_event_create(device, &event))
    _exit(5);
  for (int i = 0; i < 2; i++)
    pthread_create(&launching[i], NULL, launch, NULL);
  for (int i = 0; i < 4; i++)
    pthread_create(&waiting[i], NULL, wait_for, event);
  usleep(2000);
  for (int i = 0; i < 4; i++)
    pthread_cancel(waiting[i]);
  for (int i = 0; i < 2; i++) {
    pthread_cancel(launching[i]);
    if (pthread_join(launching[i], &result) || result != PTHREAD_CANCELED)
      _exit(6);
  }
  must_run("meanwhile");
  if (ended || offlink_event_complete(event, OFFLINK_OK))
    _exit(8);
  for (int i = 0; i < 4; i++)
    if (pthread_join(waiting[i], &result) || result != PTHREAD_CANCELED)
      _exit(9);
  offlink_event_close(event);
  must_run("after");
  offlink_device_close(device);
  return ended == 4 ? 0 : 10;
}

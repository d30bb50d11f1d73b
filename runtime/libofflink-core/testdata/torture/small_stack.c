/* A thread with the smallest stack that pthreads allow. */
#include <limits.h>
#include "torture.h"
static void *once(void *unused) {
  must_run("small stack");
  return unused;
}
int main(void) {
  pthread_attr_t attributes;
  pthread_t thread;
  pthread_attr_init(&attributes);
  if (pthread_attr_setstacksize(&attributes, PTHREAD_STACK_MIN < 32768 ? 32768 : PTHREAD_STACK_MIN))
    return 2;
  for (int i = 0; i < 3; i++) {
    pthread_create(&thread, &attributes, once, NULL);
    pthread_join(thread, NULL);
  }
  return 0;
}

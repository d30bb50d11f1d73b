/* A thread calls exit while the others launch kernels. */
#include "torture.h"
static void *leave(void *unused) {
  usleep(500);
  exit(0);
  return unused;
}
int main(void) {
  pthread_t thread;
  must_run("main");
  start_threads(3);
  pthread_create(&thread, NULL, leave, NULL);
  run_forever(NULL);
}
